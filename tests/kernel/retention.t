#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What is kept when there is more than fits: exactly the first records, exactly the latest ones,
# and exact counts of the rest.

TIME_LIMIT=240
. "${0%/*}/lib.sh"

# Sizes below are those of 4 KiB pages. A record of the numbered event has 64 + 24 bytes: in a
# ringbuf 8 more, in an array ring two units of 64.
[ "$(getconf PAGE_SIZE)" = 4096 ] || skip_all "needs pages of 4096 bytes"
IN_HEAD=42 # of 4096 bytes: 42 * 96 = 4032
is_array=false

read_json() { # EVENT [OPTION...]
	run "$READER" attach "$@" --json
	[ "$status" = 0 ] || diag "reader: $err"
}

shown() {
	numbers_of <<< "$out" | ranges
}

losses() {
	jq -r 'select(.lost) | "\(.lost) \(.reason) \(.from_seq)-\(.to_seq)"' <<< "$out" |
		tr '\n' ' ' | sed 's/ $//'
}

"$LOADER" start -e "$NUMBERED_EVENT/name=oldest,keep=oldest,head=4K/" \
	-e "$NUMBERED_EVENT/name=latest,keep=latest,tail=4K/" \
	-e "$NUMBERED_EVENT/name=both,keep=both,head=4K,tail=4K/" \
	-e "$NUMBERED_EVENT/name=large/" > "$TMP/start" || diag "start fails"
[ "$("$LOADER" list --json | jq -r 'select(.event == "latest").tail_type')" = array ] &&
	is_array=true
$is_array && IN_TAIL=32 || IN_TAIL=42

# ---- exactly full ------------------------------------------------------------------------------

produce 0 $IN_HEAD > /dev/null
read_json oldest
is "$(shown) / $(losses)" "1-$IN_HEAD / " "head: as many as fit are all there, and nothing is lost"
check_sums oldest
is "$(counter oldest 0 head_full)" 0 "the head is not yet full"

# ---- more than fits ----------------------------------------------------------------------------

produce 0 $((100 - IN_HEAD)) $((IN_HEAD + 1)) > /dev/null
last_cpu=$(cpus_online | tail -n 1)

read_json oldest --cpu 0
is "$(shown)" "1-$IN_HEAD" "keep=oldest has exactly the first records"
is "$(losses)" "$((100 - IN_HEAD)) ring_full $((IN_HEAD + 1))-100" \
	"and says exactly what is missing and why (KNOWN-PAIN 11)"
is "$(counters oldest | head -n 1)" "0 100 $IN_HEAD $((100 - IN_HEAD))" "so do the counters"

read_json latest --cpu 0
is "$(shown)" "$((101 - IN_TAIL))-100" "keep=latest has exactly the latest records"
is "$(losses)" "$((100 - IN_TAIL)) overwritten 1-$((100 - IN_TAIL))" \
	"and says exactly what is missing and why"
is "$(counters latest | head -n 1)" "0 100 100 0" "all were recorded once"

read_json both --cpu 0
is "$(shown)" "1-$IN_HEAD $((101 - IN_TAIL))-100" "keep=both has the first and the latest records"
is "$(losses)" "$((100 - IN_TAIL - IN_HEAD)) overwritten $((IN_HEAD + 1))-$((100 - IN_TAIL))" \
	"and says exactly what is missing between them"
is "$(jq -r '.lost // "x"' <<< "$out" | grep -n -v x)" \
	"$((IN_HEAD + 1)):$((100 - IN_TAIL - IN_HEAD))" "in the place where it is missing"
read_json large
is "$(shown) / $(losses)" "1-100 / " "an event with larger rings has them all"

if [ "$last_cpu" != 0 ]; then
	produce "$last_cpu" 50 > /dev/null
	read_json both --cpu "$last_cpu"
	is "$(shown)" "1-50" "each CPU has rings of its own"
	is "$(counters both | awk '{ sum += $2 } END { print sum }')" 150 "and counters of its own"
else
	skip "one CPU only"
	skip "one CPU only"
fi
like "$("$READER" attach both)" \
	"$((100 - IN_TAIL - IN_HEAD)).*cpu 0.*overwritten.*$((IN_HEAD + 1))\.\.$((100 - IN_TAIL))" \
	"losses are in the text output as well"
for event in oldest latest both large; do
	check_sums $event
done

# ---- a storm -----------------------------------------------------------------------------------

memory() {
	"$LOADER" status --json | jq '[.events[].locked_bytes] | add'
}

before=$(memory)
produce 0 200000 101 > /dev/null
is "$(memory)" "$before" "a storm takes no more memory (KNOWN-PAIN 20)"
read_json both --cpu 0
is "$(shown)" "1-$IN_HEAD $((200101 - IN_TAIL))-200100" \
	"after it there are still the first records, and the latest"
is "$(losses)" "$((200100 - IN_TAIL - IN_HEAD)) overwritten $((IN_HEAD + 1))-$((200100 - IN_TAIL))" \
	"the count of what is missing is exact (KNOWN-PAIN 20)"
read_json oldest --cpu 0
is "$(losses)" "$((200100 - IN_HEAD)) ring_full $((IN_HEAD + 1))-200100" "also of the oldest only"
for event in oldest latest both large; do
	is "$(counter $event 0 seen)" 200100 "$event: every event was seen (KNOWN-PAIN 20)"
	check_sums $event
done
"$LOADER" stop > /dev/null

# ---- records that would fill a ring to its last byte --------------------------------------------

# 8 + 64 + 56 = 128 bytes each: 32 would fill the ring, which the kernel does not allow.
FITTING=sys_enter_remap_file_pages
"$LOADER" start -e "syscalls:$FITTING/name=oldest,keep=oldest,head=4K/" \
	-e "syscalls:$FITTING/name=both,head=4K,tail=4K/" > /dev/null
produce 0 100 1 0 remap_file_pages > /dev/null
is "$(counter oldest 0 recorded) $(counter oldest 0 lost_ring_full) $(counter oldest 0 lost_ring_busy)" \
	"31 69 0" "a full ring that lacks just the byte is called full, not busy"
is "$(counter both 0 head_full) $(counter both 0 recorded)" "1 100" "and the head is closed for good"
read_json oldest
is "$(losses)" "69 ring_full 32-100" "the reader names the right reason"
check_sums oldest
check_sums both
"$LOADER" stop > /dev/null

# ---- records of different lengths --------------------------------------------------------------

# Programs whose path names have 60 to 4000 characters.
lengths=(3 200 90 30 150 10 250 120 60 180 220 1)
programs=()
for length in "${lengths[@]}"; do
	path=$TMP
	[ "$length" -gt 100 ] && path+=/$(printf "%0*d" 240 0)
	[ "$length" -gt 200 ] && path+=/$(printf "%0*d" 250 0)/$(printf "%0*d" 250 0)
	mkdir -p "$path"
	path+=/$(printf "x%0*d" "$length" "$length")
	cp "$(type -P true)" "$path"
	programs+=("$path")
done
printf '%s\n' "${programs[@]}" | sort > "$TMP/programs"

"$LOADER" start -e sched:sched_process_exec/name=latest,keep=latest,tail=4K/ \
	-e sched:sched_process_exec/name=both,head=4K,tail=4K/ > /dev/null
start_background "$READER" attach latest --follow --json > "$TMP/followed"
follower=$background_pid
for ((i = 0; i < 50; i++)); do
	for program in "${programs[@]}"; do
		"$program"
	done
done
for ((i = 0; i < 20; i++)); do
	"${programs[-1]}"
done

# Every line is whole: its length field, its file name and the sequence make sense.
check_records() { # DESCRIPTION
	jq -r 'select(.fields) | .fields.filename' <<< "$out" | grep "^$TMP" | sort -u > "$TMP/names"
	is "$(comm -23 "$TMP/names" "$TMP/programs")" "" "$1: every file name is one of those executed"
	is "$(jq -rs 'group_by(.cpu)[] | reduce .[] as $r ([]; . + [if $r.lost then
		{a: $r.from_seq, b: $r.to_seq} else {a: $r.seq, b: $r.seq} end]) |
		. as $l | range(1; length) | select($l[.].a != $l[. - 1].b + 1) | $l[.]' <<< "$out")" "" \
		"$1: records and losses follow each other without a gap on each CPU"
}

read_json latest
check_records "keep=latest"
# Three of the longest fill a ring; how many short ones came last, each CPU has for itself.
compare "$(jq -r 'select(.fields).cpu' <<< "$out" | sort | uniq -c | awk '{ print $1 }' | sort -n | head -1)" \
	-ge 3 "keep=latest: each CPU has records"
read_json both
check_records "keep=both"
is "$(jq -rs 'group_by(.cpu)[] | (map(.lost // 0 | select(. > 0)) | length)' <<< "$out" | sort -nr | head -1)" 1 \
	"keep=both: the head has the first records without a gap, also when shorter ones come later"
is "$(jq -rs 'group_by(.cpu)[] | .[0].seq' <<< "$out" | sort -u)" 1 "keep=both: from the first on"
check_sums latest
check_sums both
sleep 0.3
kill "$follower"
wait "$follower" 2> /dev/null
out=$(cat "$TMP/followed")
check_records "a follower of keep=latest"
finish
