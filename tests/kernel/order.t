#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Followers of several events give the records of all of them in the order of time, also while a
# loader exchanges buffers, and takes events away and adds them again.

TIME_LIMIT=120
. "${0%/*}/lib.sh"

A=$NUMBERED_EVENT/name=a,head=4K,tail=4M/
B=$NUMBERED_EVENT/name=b,keep=latest,tail=4M/

"$LOADER" start -e $A -e $B -e $NUMBERED_EVENT/name=c,keep=latest,tail=4M,wakeup=1/ \
	-e $NUMBERED_EVENT/name=d,keep=oldest,head=4M,wakeup=1/ > /dev/null
last_cpu=$(cpus_online | tail -n 1)

# follow NAME EVENT...: as $TMP/NAME, in the background
follow() {
	start_background "$READER" attach "${@:2}" --follow --json > "$TMP/$1" 2>> "$TMP/follow-err"
}

# The first record that is older than the one before it.
overtaken() { # FILE
	sed -nE 's/.*"event":"([^"]*)".*"seq":([0-9]+),"time_ns":([0-9]+),.*/\3 \1 \2/p' "$1" |
		awk '$1 + 0 < last + 0 { print before " | " $0; exit } { last = $1; before = $0 }'
}

records_of() { # FILE EVENT
	grep -c "\"event\":\"$2\".*\"timer_id\"" "$1"
}

# ---- clears --------------------------------------------------------------------------------------

follow mixed a b c
follow waking c d
follow single a
sleep 0.3
start_producer "$last_cpu" 1 200
for ((i = 0; i < 10; i++)); do
	"$LOADER" clear a > /dev/null
	"$LOADER" clear c d > /dev/null
done
end_producer
for name in mixed waking single; do
	case $name in
	mixed) events="a b c" ;;
	waking) events="c d" ;;
	single) events=a ;;
	esac
	for event in $events; do
		ok "a follower of $events has all $made of $event, over 10 clears" \
			wait_until 10 eval '[ "$(records_of "$TMP/$name" $event)" = $made ]'
	done
	is "$(overtaken "$TMP/$name")" "" "in the order of time"
done
is "$(cat "$TMP/follow-err")" "" "and complains of nothing"

# ---- removed, and added again --------------------------------------------------------------------

follow returning b a
sleep 0.3
start_producer "$last_cpu" 1000001 200
for ((i = 0; i < 5; i++)); do
	"$LOADER" remove a > /dev/null
	"$LOADER" add $A > /dev/null
done
# From the last one, which is there now.
produce_until_seen() {
	sleep 0.1
	[ "$(tail -n 400 "$TMP/returning" | grep -c '"event":"a"')" -gt 0 ]
}
ok "an event that is removed and added again is followed" wait_until 10 produce_until_seen
end_producer
ok "beside one that has all" wait_until 10 is_in_file "\"event\":\"b\".*\"timer_id\":$((1000000 + made))" "$TMP/returning"
is "$(overtaken "$TMP/returning")" "" "also then the records are in the order of time"
finish
