#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# reader export, to ctf and chrome: the records are those of reader attach, losses are counted
# exactly, and whatever ends an export leaves what other tools can read.

TIME_LIMIT=240
. "${0%/*}/lib.sh"

RECORDS=$TESTS/exported_records.py

# records FORMAT FILE: lines that are equal if the records are; whatever reads it may not complain
records() {
	"$RECORDS" "$@" 2> "$TMP/complaints" && [ ! -s "$TMP/complaints" ]
}

# can_be_read FORMAT FILE DESCRIPTION: and leaves the lines in $TMP/records
can_be_read() {
	records "$1" "$2" > "$TMP/records"
	report $? "$1: $3" || diag "$(cat "$TMP/complaints")"
}

# Whether the sequence numbers and losses from the first record to the last one add up (one CPU)
is_complete() {
	jq -s -e 'map(has("seq")) as $is_record | .[$is_record | index(true):1 + ($is_record | rindex(true))]
		| (map(.lost // 1) | add) == last.seq - first.seq + 1' "$TMP/records" > /dev/null
}

# What babeltrace2 says besides the numbers of what is missing
complaints() { # DIRECTORY
	babeltrace2 "$1" 2>&1 > /dev/null | grep -v '^WARNING: Tracer discarded [0-9]* events between'
}

export_to() { # FORMAT OUTPUT OPTION|TARGET...
	"$READER" export --to "$1" -o "$2" "${@:3}"
}

# fails STATUS EXTENDED-REGULAR-EXPRESSION COMMAND...
fails() {
	local expected=$1 pattern=$2
	shift 2
	run timeout 20 "$@"
	[ $status = "$expected" ] && grep -qE -- "$pattern" <<< "$err"
	report $? "$(sed "s|$READER|reader|; s|$TMP|TMP|g" <<< "$*"): /$pattern/" ||
		diag "$status: $err"
}

# ---- the same records as reader attach -------------------------------------------------------------

# Of every kind of field; what this kernel does not have is left out.
specs=()
for event in sched:sched_switch sched:sched_process_exec sched:sched_process_fork task:task_rename \
	signal:signal_generate raw_syscalls:sys_enter raw_syscalls:sys_exit syscalls:sys_enter_openat \
	syscalls:sys_enter_write irq:softirq_entry timer:hrtimer_start workqueue:workqueue_queue_work \
	kmem:kmalloc kmem:mm_page_alloc skb:consume_skb net:netif_receive_skb net:net_dev_xmit \
	sock:inet_sock_set_state fib:fib_table_lookup block:block_rq_issue \
	writeback:writeback_dirty_folio printk:console cgroup:cgroup_mkdir ipi:ipi_send_cpumask; do
	[ -d $TRACING/events/${event/://} ] && specs+=(-e "$event/keep=oldest,head=32K/")
done
"$LOADER" start "${specs[@]}" -e $NUMBERED_EVENT/keep=oldest,head=16K/ > /dev/null
mapfile -t events < <(ls $ROOT/events)

for _ in 1 2 3 4 5; do
	/bin/true
done
(exec 3<> /dev/tcp/127.0.0.1/1) 2> /dev/null
dd if=/dev/zero of="$TMP/file" bs=4k count=20 conv=fsync 2> /dev/null
echo "<6>a line for printk:console" > /dev/kmsg 2> /dev/null
for cpu in $(cpus_online); do
	produce "$cpu" 10 > /dev/null
done

# What is in these rings stays, so that the exports have all of it and perhaps more.
"$READER" attach --json "${events[@]}" > "$TMP/json"
run_ok "export to ctf" export_to ctf "$TMP/ctf" "${events[@]}"
is "$err$out" "" "without a word"
run_ok "export to chrome" export_to chrome "$TMP/chrome.json" "${events[@]}"
is "$err$out" "" "without a word"
records json "$TMP/json" | grep -v '"lost"' | sort > "$TMP/expected"
compare "$(wc -l < "$TMP/expected")" -ge 100 "there are some records"
compare "$(jq -r 'select(.fields) | .event' "$TMP/json" | sort -u | wc -l)" -ge 10 "of many events"
can_be_read ctf "$TMP/ctf" "babeltrace2's library reads the trace"
is "$(comm -23 "$TMP/expected" <(sort "$TMP/records"))" "" \
	"ctf: what attach shows is in the trace, with the same values"
is "$(complaints "$TMP/ctf")" "" "babeltrace2 does not complain"
is "$(babeltrace2 "$TMP/ctf" 2> /dev/null | wc -l)" "$(grep -vc '"lost"' "$TMP/records")" \
	"babeltrace2 shows as many"
records json-of-doubles "$TMP/json" | grep -v '"lost"' | sort > "$TMP/expected"
can_be_read chrome "$TMP/chrome.json" "the trace events are valid JSON"
is "$(comm -23 "$TMP/expected" <(sort "$TMP/records"))" "" \
	"chrome: what attach shows is there, with the same values"
run_ok "for jq as well" jq -e length "$TMP/chrome.json"
is "$(jq -r '[.[] | select(.name == "thread_name") | .args.name] | sort | unique | .[]' \
	"$TMP/chrome.json" | tr '\n' ' ')" \
	"$(jq -r .cpu "$TMP/json" | sort -un | sed 's/^/CPU /' | sort | tr '\n' ' ')" \
	"a track for each CPU"

# The wall-clock time, for the first record of all
first=$(jq -s -r 'map(select(.time)) | min_by(.time_ns).time' "$TMP/json")
shown=$(babeltrace2 --clock-gmt --clock-date "$TMP/ctf" 2> /dev/null | head -n 1 |
	sed 's/^\[\([^ ]*\) \([^]]*\)\].*/\1T\2Z/')
off=$(($(date -d "$first" +%s%3N) - $(date -d "$shown" +%s%3N)))
compare "${off#-}" -le 500 "babeltrace2 shows the wall-clock time"

# Standard output, and the options by which records are chosen
"$READER" export --to chrome $NUMBERED > "$TMP/stdout.json"
is "$(records chrome "$TMP/stdout.json" | grep -c timer_id)" $((10 * $(cpus_online | wc -l))) \
	"chrome writes to standard output"
"$READER" export --to chrome --last 3 --cpu 0 $NUMBERED > "$TMP/last.json"
is "$(records chrome "$TMP/last.json" | jq -r .fields.timer_id | ranges)" 8-10 "--last and --cpu"
"$LOADER" stop > /dev/null

# ---- losses ------------------------------------------------------------------------------------------

"$LOADER" start -e $NUMBERED_EVENT/name=both,head=4K,tail=4K/ \
	-e $NUMBERED_EVENT/name=oldest,keep=oldest,head=4K/ \
	-e $NUMBERED_EVENT/name=latest,keep=latest,tail=4K/ > /dev/null
last_cpu=$(cpus_online | tail -n 1)
produce 0 500 > /dev/null
[ "$last_cpu" = 0 ] || produce "$last_cpu" 300 > /dev/null
"$READER" attach --json both oldest latest > "$TMP/json"
export_to ctf "$TMP/lossy.ctf" both oldest latest
export_to chrome "$TMP/lossy.chrome" both oldest latest
for format in ctf chrome; do
	can_be_read $format "$TMP/lossy.$format" "the output"
	is "$(sort "$TMP/records")" "$(records json "$TMP/json" | sort)" \
		"$format: records and losses are those of attach"
	for event in both oldest latest; do
		is "$(jq -s "map(select(.event == \"$event\" and .cpu == 0) | .lost // 1) | add" \
			"$TMP/records")" 500 "$format: $event: all 500 events are there or counted"
	done
done
is "$(complaints "$TMP/lossy.ctf")" "" "babeltrace2 says only what is missing"
is "$(babeltrace2 "$TMP/lossy.ctf" 2>&1 > /dev/null | grep -c '^WARNING: Tracer discarded')" \
	"$(grep -c '"lost"' "$TMP/json")" "for each loss"
like "$(jq -c '.[] | select(.cat == "lost")' "$TMP/lossy.chrome")" \
	'"name":"LOST oldest".*"cname":"terrible".*"reason":"ring_full"' "losses are events of their own"

# The last time before a loss and the first one behind it
range=$(jq -s -c 'map(select(.event == "both" and .cpu == 0)) | (map(.lost) | index(map(numbers)[0])) as $at
	| [.[$at - 1].time_ns, .[$at + 1].time_ns]' "$TMP/json")
is "$(babeltrace2 "$TMP/lossy.ctf" -c sink.text.details -p compact=true,with-metadata=false |
	sed -n 's/,\([0-9]\)/\1/g; s/^\[\([0-9]*\) [0-9]*\] \[\([0-9]*\) .*Discarded events.*/[\1,\2]/p' |
	grep -cxF "$range")" 1 "CTF: events were discarded between the records around them"

# ---- what cannot be ----------------------------------------------------------------------------------

fails 2 "--to FORMAT is missing" "$READER" export both
fails 2 "there is no format 'xml'" "$READER" export --to xml both
fails 2 "TARGET is missing" "$READER" export --to ctf -o "$TMP/none"
fails 2 "whole number from 1 to" "$READER" export --to chrome --last x both
fails 2 "unknown option" "$READER" export --to chrome --json both
fails 1 "nosuch: there is no such event; .*reader list shows" "$READER" export --to ctf -o "$TMP/none" nosuch
fails 1 "nosuch: there is no such event" "$READER" export --to chrome -o "$TMP/none" both nosuch
not_ok "which leaves no output behind" test -e "$TMP/none"
fails 1 "directory, .* give one with -o DIRECTORY" "$READER" export --to ctf both
cd "$TMP" || exit 1
fails 1 "directory, .* give one with -o DIRECTORY" "$READER" export --to ctf -o - both
fails 1 "database is a file: name one" "$READER" export --to rasdaemon -o - both
fails 1 "database is a file: name one" "$READER" export --to rasdaemon - both
run_ok "chrome to -" "$READER" export --to chrome -o - both
ok "is chrome to standard output" jq -e 'length > 1' "$TMP/out"
not_ok "nothing has the name -" test -e ./-
cd "$OLDPWD" || exit 1
fails 1 "/ctf: is not empty.*name one that does not exist" "$READER" export --to ctf -o "$TMP/ctf" both
fails 1 "/chrome.json: .*Not a directory" "$READER" export --to ctf -o "$TMP/chrome.json" both
fails 1 "/none/trace: .*No such file" "$READER" export --to ctf -o "$TMP/none/trace" both
fails 1 "/none/file: .*No such file" "$READER" export --to chrome -o "$TMP/none/file" both
fails 1 "/ctf: .*Is a directory" "$READER" export --to chrome -o "$TMP/ctf" both
fails 1 "/dev/full: No space left" "$READER" export --to chrome -o /dev/full both
fails 1 "standard output: No space left" bash -c "'$READER' export --to chrome both > /dev/full"
ok "an empty directory will do" mkdir "$TMP/empty"
run_ok "for a trace" export_to ctf "$TMP/empty" both
is "$("$READER" export --help)" "$("$READER" export -h)" "--help"

# Nobody reads any more: while there is much to write, and while there is nothing.
"$LOADER" add $NUMBERED_EVENT/name=many,keep=latest,tail=8M/ > /dev/null
produce 0 50000 > /dev/null
"$READER" export --to chrome many 2> "$TMP/err" | head -c 1000 > /dev/null
is "${PIPESTATUS[0]}" 1 "a pipe that is closed is an error"
like "$(cat "$TMP/err")" "standard output: nobody reads it any more" "and named"
mkfifo "$TMP/pipe"
start_background "$READER" export --to chrome --follow both -o "$TMP/pipe" 2> "$TMP/err"
follower=$background_pid
head -c 100 "$TMP/pipe" > /dev/null
ok "a follower ends when nobody reads it" wait_until 10 has_ended "$follower"
like "$(cat "$TMP/err")" "nobody reads" "and says so"

# ---- full disk -----------------------------------------------------------------------------------------

mkdir "$TMP/small"
mount -t tmpfs -o size=512K tmpfs "$TMP/small"
fails 1 "/small/ctf/many-cpu0: cannot be written: No space left on device" \
	"$READER" export --to ctf -o "$TMP/small/ctf" many
is "$(complaints "$TMP/small/ctf")" "" "babeltrace2 reads what is on a full disk"
can_be_read ctf "$TMP/small/ctf" "what is on a full disk can be read"
ok "it is complete as far as it goes" is_complete
compare "$(wc -l < "$TMP/records")" -gt 1000 "and as much as there was room for"
rm -r "$TMP/small/ctf"
fails 1 "/small/full.json: No space left on device" \
	"$READER" export --to chrome -o "$TMP/small/full.json" many
can_be_read chrome "$TMP/small/full.json" "what is on a full disk can be read"
ok "it is complete as far as it goes" is_complete
compare "$(wc -l < "$TMP/records")" -gt 1000 "and as much as there was room for"
rm "$TMP/small/full.json"
head -c 1M /dev/zero > "$TMP/small/fill" 2> /dev/null
fails 1 "/small/ctf.*No space left on device" "$READER" export --to ctf -o "$TMP/small/ctf" many
umount "$TMP/small"
"$LOADER" remove many > /dev/null

# ---- following -------------------------------------------------------------------------------------

start_follower() { # FORMAT OUTPUT EVENT
	start_background "$READER" export --to "$1" -o "$2" --cpu 0 --follow "$3" 2> "$TMP/follow-err"
	follower=$background_pid
}

"$LOADER" add $NUMBERED_EVENT/name=woken,wakeup=1/ > /dev/null
start_follower ctf "$TMP/followed" woken
ctf_follower=$follower
start_follower chrome "$TMP/followed.json" woken
shows() { # COUNT
	[ "$(records ctf "$TMP/followed" 2> /dev/null | wc -l)" = "$1" ] &&
		[ "$(records chrome "$TMP/followed.json" 2> /dev/null | wc -l)" = "$1" ]
}
for n in 1 2 3; do
	produce 0 1 $n > /dev/null
	ok "event $n can be read while the exports go on" wait_until 10 shows $n
done
kill -INT "$ctf_follower"
kill -TERM "$follower"
wait "$ctf_follower"
is "$?" 0 "a follower ends well with SIGINT"
wait "$follower"
is "$?" 0 "and with SIGTERM"
is "$(records ctf "$TMP/followed" | jq .fields.timer_id | ranges)" 1-3 "CTF: all that was recorded"
is "$(jq -r '.[].args.fields.timer_id // empty' "$TMP/followed.json" | ranges)" 1-3 "chrome: as well"

# ---- killed, and memory --------------------------------------------------------------------------------

"$LOADER" add $NUMBERED_EVENT/name=fast,keep=latest,tail=4M/ > /dev/null

written_by() { # PID: bytes
	awk '$1 == "wchar:" { print $2 }' "/proc/$1/io" 2> /dev/null || echo 0
}

has_written() { # PID BYTES
	[ "$(written_by "$1")" -ge "$2" ]
}

memory_of() { # PID: KiB that are its own
	awk '$1 == "RssAnon:" { print $2 }' "/proc/$1/status"
}

start_producer 0 1
for round in 1 2 3 4; do
	for format in ctf chrome; do
		rm -rf "$TMP/killed"
		start_follower $format "$TMP/killed" fast
		ok "$format: a follower writes" wait_until 20 has_written "$follower" $((round * 1000003))
		kill -KILL "$follower"
		wait "$follower" 2> /dev/null
		can_be_read $format "$TMP/killed" "what it wrote until SIGKILL can be read"
		ok "it is complete as far as it goes" is_complete
	done
done

for format in ctf chrome; do
	rm -rf "$TMP/long"
	start_follower $format "$TMP/long" fast
	ok "$format: 8 MB" wait_until 20 has_written "$follower" 8000000
	early=$(memory_of "$follower")
	ok "$format: 100 MB" wait_until 90 has_written "$follower" 100000000
	late=$(memory_of "$follower")
	diag "$format: $early KiB after 8 MB, $late KiB after $(written_by "$follower") bytes"
	compare "$late" -le $((early + 1024)) "$format: memory does not grow with what is exported"
	kill "$follower"
	wait "$follower"
	is $? 0 "$format: and it ends well"
done
end_producer
rm -rf "$TMP/long"

finish
