#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# loader start --import-boot-trace, from instances of ftrace that stand for those of the kernel's
# command line: what is imported, where it ends, and what may go wrong.

TIME_LIMIT=150
. "${0%/*}/lib.sh"

new_instance || skip_all "cannot make an ftrace instance here"
EXEC=sched_process_exec

# trace INSTANCE: makes it the boot trace, with all that has been traced forgotten
begin_trace() { # [CLOCK]
	new_instance
	boot=${instance##*/}
	echo "${1:-boot}" > "$instance/trace_clock"
	echo 1 > "$instance/options/overwrite"
	echo 1 > "$instance/events/syscalls/$NUMBERED/enable"
}

# Its memory is wanted again, and a copy of its text may be left.
end_trace() {
	"$LOADER" stop > /dev/null
	echo 0 > "$instance/events/enable"
	rmdir "$instance" || diag "$instance is in use"
}

make_events() { # as produce
	produce "$@" > /dev/null || diag "cannot produce $*"
}

json() {
	"$READER" attach "${1:-$NUMBERED}" --json 2> "$TMP/err" || diag "reader: $(cat "$TMP/err")"
}

imported_numbers() {
	json "$@" | jq -r 'select(.imported) | .fields.timer_id' | ranges
}

# Nothing else shall change what a line means.
lines_of() { # FILE: ftrace's text as "CPU TID TEXT"
	sed -nE 's/^ *(.*)-([0-9]+) +\[0*([0-9]+)\] [^:]* [0-9.]+: (.*)$/\3 \2 \1 \4/p' "$1"
}

# ---- what is imported equals what ftrace shows -------------------------------------------------

begin_trace
echo 1 > "$instance/events/sched/$EXEC/enable"
for ((i = 0; i < 20; i++)); do
	(exec -a "name $i" true "$i")
done
make_events 0 5
produce 1 5 101 > /dev/null 2>&1 || make_events 0 5 101
echo 0 > "$instance/tracing_on" # so that both have the same
cat "$instance/trace" > "$TMP/ftrace"
run "$LOADER" start -e $NUMBERED_EVENT -e sched:$EXEC --import-boot-trace=$boot
is "$status" 0 "start --import-boot-trace"
like "$err" "^loader: event $NUMBERED: 10 earlier events imported from the tracing instance $boot\$" \
	"it says how many events were imported, and from where"
like "$err" "^loader: event $EXEC: [0-9]+ earlier events imported" "of each event"
is "$(cat "$instance/events/syscalls/$NUMBERED/enable" "$instance/events/sched/$EXEC/enable")" \
	$'0\n0' "and they are not traced there any more"
is "$(cat "$instance/trace" | md5sum)" "$(md5sum < "$TMP/ftrace")" "the trace is still there" ||
	mapped=no

"$READER" attach $EXEC > "$TMP/ours"
grep -c "$EXEC" "$TMP/ftrace" > "$TMP/count"
lines_of "$TMP/ftrace" | grep "$EXEC: " | sed 's/<\.\.\.>/.*/' > "$TMP/expected"
sed -nE "s/^ *(.*) +([0-9]+) \[0*([0-9]+)\] +[0-9.]+: sched:($EXEC: .*)$/\3 \2 \1 \4/p" "$TMP/ours" |
	head -n "$(cat "$TMP/count")" | sed 's/  */ /g' > "$TMP/shown"
compare "$(wc -l < "$TMP/shown")" -ge 20 "20 programs or more were started meanwhile"
# Of threads that nobody knows any more ftrace has no name either.
different=$(paste -d '\n' "$TMP/shown" <(sed 's/  */ /g' "$TMP/expected") |
	awk 'NR % 2 { ours = $0; next } { split(ours, o, " "); split($0, f, " ");
		if (o[1] != f[1] || o[2] != f[2] ||
		    substr(ours, index(ours, "'$EXEC:'")) != substr($0, index($0, "'$EXEC:'")) ||
		    (f[3] != ".*" && o[3] != f[3])) print ours "\n" $0 }')
is "$different" "" "CPU, thread, name and text of each equal ftrace's, in the same order"
is "$(json | jq -r .fields.timer_id | ranges)" "1-5 101-105" "system calls, too"
is "$(json | jq -c 'select(.time_ns > 0) | [.imported, .seq, .pid == .tid]' | sort | uniq -c | wc -l)" \
	"$(json | jq -c '[.seq]' | sort -u | wc -l)" "each is marked, and numbered on its CPU"
is "$(json $EXEC | jq -s 'map(.time_ns) | . == sort')" true "the reader gives them out in time order"
ftrace_times=$(sed -nE 's/^.*\] [^:]* ([0-9.]+): sys_timer.*$/\1/p' "$TMP/ftrace")
is "$(json | jq -r '.time_ns / 1000 | round' | sort)" "$(tr -d . <<< "$ftrace_times" | sort)" \
	"with trace_clock=boot the times are ftrace's, to the microsecond that it shows"
unlike "$("$READER" attach $NUMBERED)" "imported" "lines of text are as ever"
is "$("$READER" attach $NUMBERED --mark-imported | grep -c ' (imported)$')" 10 \
	"--mark-imported marks them"
like "$("$LOADER" status $NUMBERED)" \
	"^  imported  10 events of before, from the tracing instance $boot; the first at [0-9.]+ s\$" \
	"status shows where they are from"
unlike "$("$LOADER" status $NUMBERED)" "was not seen" "and does not say that nothing is there"
is "$("$LOADER" status $NUMBERED --json | jq -c '.events[0].imported |
	[.records, .source, .clock, .time_error_ns, .lost_of_any_event.overrun]')" \
	"[10,\"$boot\",\"boot\",0,0]" "and its JSON"
is "$("$READER" list --json | jq -c "select(.event == \"$NUMBERED\") | .imported | [.records, .time_error_ns]")" \
	"[10,0]" "so does the reader's list"
is "$("$LOADER" status $NUMBERED | sed -n 's/.*the first at \([0-9.]*\) s$/\1/p')" \
	"$(json | jq -r -s 'map(.time_ns) | min / 1000 | floor | "\(. / 1000000 | floor).\(. % 1000000 + 1000000 | tostring[1:])"')" \
	"status cuts off the time as the lines of records do"
like "$("$LOADER" list)" "^$NUMBERED .* [0-9]{4}-[0-9-]+ [0-9:]+ \(10 imported\)\$" "list has it behind the time"
check_sums $NUMBERED

# ---- the rest of the reader --------------------------------------------------------------------

make_events 0 3 201
is "$(json | jq -r .fields.timer_id | ranges)" "1-5 101-105 201-203" "what comes after follows"
is "$("$READER" attach $NUMBERED --json --last 4 | numbers_of | ranges)" "105 201-203" "--last"
is "$("$READER" attach $NUMBERED --json --until "$(json | jq -s ".[4].time_ns / 1e9")" 2>&1 |
	numbers_of | ranges)" "1-5" "--until"
"$READER" attach $NUMBERED --json --count 7 --cursor-file "$TMP/cursor" | numbers_of > "$TMP/seen"
"$READER" attach $NUMBERED --json --count 4 --cursor-file "$TMP/cursor" | numbers_of >> "$TMP/seen"
"$READER" attach $NUMBERED --json --cursor-file "$TMP/cursor" | numbers_of >> "$TMP/seen"
"$READER" attach $NUMBERED --json --cursor-file "$TMP/cursor" | numbers_of >> "$TMP/seen"
is "$(ranges < "$TMP/seen")" "1-5 101-105 201-203" "a cursor file: each record once"
is "$("$READER" export --help > /dev/null 2>&1 &&
	"$READER" export --to chrome $NUMBERED 2> /dev/null | jq '[.. | .seq? // empty] | length')" 13 \
	"export has them all"
like "$("$READER" metrics)" "^persist_event_imported_records\{event=\"$NUMBERED\"\} 10\$" "so do metrics"

# ---- an event that is there already, and another command ----------------------------------------

run "$LOADER" start -e $NUMBERED_EVENT --import-boot-trace=$boot
is "$status:$(imported_numbers)" "0:1-5 101-105" "again, nothing is imported twice"
like "$err" "^loader: event $NUMBERED: its history had been imported already\$" "and it says so"
unlike "$err" "earlier events imported" "not that anything was imported"
run_ok "clear" "$LOADER" clear $NUMBERED
is "$(imported_numbers)" "" "a clear takes what was imported, too"
not_ok "the pin is gone" test -e $ROOT/$NUMBERED/imported
run "$LOADER" start -e $NUMBERED_EVENT --import-boot-trace=$boot
is "$status:$(imported_numbers)" "0:" "and what was cleared does not come back"
like "$err" "warning: event $NUMBERED: was cleared; .* not brought back: .* remove the event and add it" \
	"which is said, with the way to have it"
unlike "$err" "has none of these events" "and nothing that is not true"
run_ok "remove" "$LOADER" remove $NUMBERED $EXEC
is "$err" "" "leaves nothing behind"
end_trace

begin_trace
make_events 0 4
"$LOADER" start -e $NUMBERED_EVENT > /dev/null
make_events 0 4 5
run "$LOADER" start -e $NUMBERED_EVENT --import-boot-trace=$boot
is "$status:$(imported_numbers)" "0:1-4" "an event that had been there without gets its history"
is "$(json | jq -r .fields.timer_id | ranges)" "1-8" "which ends where the event begins"
tree_listing > "$TMP/listing"
like "$(cat "$TMP/listing")" "^f 600 .* ./$NUMBERED/imported " "the pin has the mode of the buffers"
"$LOADER" start -e $NUMBERED_EVENT --mode 0666 > /dev/null 2>&1
like "$(tree_listing)" "^f 666 .* ./$NUMBERED/imported " "and changes it with them"
"$LOADER" own $NUMBERED --detach -- true > /dev/null 2>&1
is "$(imported_numbers)" "1-4" "it stays with an event that a process takes over and lets go"
run_ok "add" "$LOADER" add $NUMBERED_EVENT/name=other/ --import-boot-trace=$boot
is "$(imported_numbers other)" "1-8" "add imports, too"
is "$(json other | jq -r .fields.timer_id | ranges)" "1-8" "another event has another history"
end_trace

# ---- the boundary, while events come -------------------------------------------------------------

has_traced() { # CPU COUNT
	[ "$(awk '/^entries/ { print $2 }' "$instance/per_cpu/cpu$1/stats")" -ge "$2" ]
}

has_recorded() { # CPU COUNT
	[ "$(counter $NUMBERED "$1" seen)" -ge "$2" ]
}

# On each CPU every number is there once, in order, whatever the clock and wherever the start fell.
check_boundary() { # CLOCK OPTIONS-OF-EVENT
	local cpu ok=yes nr_imported nr

	begin_trace "$1"
	for cpu in 0 1; do
		[ -d /sys/devices/system/cpu/cpu$cpu ] || continue
		start_background "$HELPERS/event_producer" $cpu 0 1 100 > /dev/null
	done
	for cpu in 0 1; do
		[ ! -d /sys/devices/system/cpu/cpu$cpu ] || wait_until 20 has_traced $cpu 100 ||
			diag "no events on cpu $cpu"
	done
	"$LOADER" start -e $NUMBERED_EVENT$2 --import-boot-trace=$boot > /dev/null 2> "$TMP/start-err" ||
		diag "start: $(cat "$TMP/start-err")"
	for cpu in 0 1; do
		[ ! -d /sys/devices/system/cpu/cpu$cpu ] || wait_until 20 has_recorded $cpu 100 ||
			diag "no events on cpu $cpu"
	done
	for pid in "${background_pids[@]: -2}"; do
		kill "$pid" 2> /dev/null
		wait "$pid" 2> /dev/null
	done > /dev/null
	json > "$TMP/all"
	for cpu in 0 1; do
		nr=$(jq "select(.cpu == $cpu and .fields)" -c "$TMP/all" | wc -l)
		nr_imported=$(jq "select(.cpu == $cpu and .imported)" -c "$TMP/all" | wc -l)
		[ "$nr" = 0 ] && continue
		[ "$nr_imported" -gt 0 ] && [ "$nr_imported" -lt "$nr" ] || ok="cpu $cpu: $nr_imported of $nr"
		[ "$(jq -r "select(.cpu == $cpu and .fields) | .fields.timer_id" "$TMP/all" | ranges)" = "1-$nr" ] ||
			ok="cpu $cpu: $(jq -r "select(.cpu == $cpu) | .fields.timer_id" "$TMP/all" | ranges)"
	done
	is "$ok" yes "$1$2: none is missing and none is there twice where it begins"
	end_trace
}

check_boundary boot /keep=oldest,head=8M/
check_boundary boot /keep=latest,tail=8M/
check_boundary local /keep=oldest,head=8M/
check_boundary mono /keep=oldest,head=8M/
check_boundary global /keep=both,head=8M/

# The event that our program sees first is the same as one that was traced 100 ms or less before it,
# and came itself when all had been collected, or not: content alone says nothing.
check_repeated() { # MILLISECONDS
	local i nr problems=

	begin_trace
	for ((i = 0; i < 5; i++)); do
		echo > "$instance/trace"
		echo 1 > "$instance/events/syscalls/$NUMBERED/enable"
		start_background python3 -c "
import ctypes, os, time
libc = ctypes.CDLL(None)
timer_getoverrun = 225 if os.uname().machine == 'x86_64' else 109
for i in range(50):
    libc.syscall(timer_getoverrun, 77)
    time.sleep($1 / 1000)" > /dev/null
		wait_until 20 has_traced_any 5 || diag "no events"
		"$LOADER" start -e $NUMBERED_EVENT/keep=oldest,head=64K/ --import-boot-trace=$boot \
			> /dev/null 2>&1
		wait "${background_pids[-1]}" 2> /dev/null
		nr=$(json | jq -c 'select(.fields.timer_id == 77)' | wc -l)
		[ "$nr" = 50 ] || problems+="$nr "
		"$LOADER" stop > /dev/null
	done
	is "$problems" "" "events that are all the same, each $1 ms: none is missing, none is there twice"
	end_trace
}

has_traced_any() { # COUNT
	[ "$(grep -c "sys_timer_getoverrun(" "$instance/trace")" -ge "$1" ]
}

check_repeated 20

# ---- a filter of the boot trace ------------------------------------------------------------------

# An event that was recorded before gets its history, of which the trace has only some.
begin_trace local
echo 'timer_id < 1000' > "$instance/events/syscalls/$NUMBERED/filter"
make_events 0 7
"$LOADER" start -e $NUMBERED_EVENT/keep=latest,tail=16K/ > /dev/null
make_events 0 2000 5000
make_events 0 200 101 # what is left of it
run "$LOADER" start -e $NUMBERED_EVENT/keep=latest,tail=16K/ --import-boot-trace=$boot
is "$status:$(imported_numbers)" "0:1-7" "numbers of events say nothing where a filter was"
end_trace

# ---- other clocks --------------------------------------------------------------------------------

for clock in local mono_raw mono; do
	begin_trace $clock
	before=$(awk '{ print $1 }' /proc/uptime)
	make_events 0 3
	after=$(awk '{ print $1 }' /proc/uptime)
	"$LOADER" start -e $NUMBERED_EVENT --import-boot-trace=$boot > /dev/null 2>&1
	error=$("$LOADER" status --json | jq '.events[0].imported.time_error_ns')
	[ $clock = mono ] || compare "$error" -gt 0 "$clock: the times are said to be estimates"
	is "$(json | jq -s "map(select(.imported)) | length == 3 and
		all(.time_ns + $error >= $before * 1e9 - 1e7 and .time_ns - $error <= $after * 1e9 + 1e7)")" \
		true "$clock: they are where they should be, give or take the error"
	end_trace
done
for clock in counter x86-tsc uptime tai; do
	grep -qw $clock "$TRACING/trace_clock" || continue
	begin_trace $clock
	make_events 0 3
	run "$LOADER" start -e $NUMBERED_EVENT --import-boot-trace=$boot
	is "$status" 1 "$clock cannot be converted"
	like "$err" "its clock is \"$clock\", .*boot with trace_clock=boot" "which is said, with the way out"
	make_events 0 2 4
	is "$(json | jq -r .fields.timer_id | ranges)" "4-5" "recording begins all the same"
	is "$(cat "$instance/events/syscalls/$NUMBERED/enable")" 1 "and the boot trace goes on"
	end_trace
done

# ---- a ring that was too small -------------------------------------------------------------------

begin_trace
echo 16 > "$instance/buffer_size_kb"
make_events 0 5000
run "$LOADER" start -e $NUMBERED_EVENT --import-boot-trace=$boot
overrun=$(awk '/^overrun/ { print $2 }' "$instance/per_cpu/cpu0/stats")
compare "$overrun" -gt 0 "the boot trace has lost events"
is "$(imported_numbers)" "$((overrun + 1))-5000" "the others are all there"
like "$err" "warning: event $NUMBERED: .* had lost $overrun events .*\(overrun $overrun, commit overrun 0, dropped 0\).*trace_buf_size=" \
	"how many is said"
like "$("$LOADER" status)" "had lost events of whatever kind: overrun $overrun, commit overrun 0, dropped 0" \
	"and shown"
is "$("$LOADER" status --json | jq '.events[0].imported.cpus[0].lost_of_any_event.overrun')" "$overrun" \
	"of each CPU"
check_sums $NUMBERED
end_trace

begin_trace
echo 16 > "$instance/buffer_size_kb"
echo 0 > "$instance/options/overwrite"
make_events 0 5000
"$LOADER" start -e $NUMBERED_EVENT --import-boot-trace=$boot > /dev/null 2> "$TMP/start-err"
dropped=$(awk '/^dropped/ { print $3 }' "$instance/per_cpu/cpu0/stats")
is "$(imported_numbers)" "1-$((5000 - dropped))" "one that kept the first ones"
like "$(cat "$TMP/start-err")" "\(overrun 0, commit overrun 0, dropped $dropped\)" "has dropped the others"
end_trace

# ---- many ----------------------------------------------------------------------------------------

begin_trace
echo 16384 > "$instance/buffer_size_kb"
make_events 0 100000
run "$LOADER" start -e $NUMBERED_EVENT --import-boot-trace=$boot
is "$status:$(imported_numbers)" "0:1-100000" "100,000 events"
is "$("$READER" attach $NUMBERED --json --last 3 | numbers_of | ranges)" "99998-100000" "the last of them"
end_trace

# ---- wrong usage, and what is not there ----------------------------------------------------------

begin_trace
run "$LOADER" start -e $NUMBERED_EVENT --import-boot-trace=nosuch
is "$status" 1 "an instance that is not there"
like "$err" "instances/nosuch: there is no such instance; boot with trace_instance=nosuch," \
	"is an error that says what to do"
make_events 0 1 7
is "$(json | jq -r .fields.timer_id)" 7 "recording has begun all the same"
for name in ../x .. .hidden x/y; do
	run "$LOADER" start -e $NUMBERED_EVENT --import-boot-trace=$name
	like "$status $err" "^1 loader: error: boot trace \"$name\": not the name" "$name is no instance"
done
"$LOADER" stop > /dev/null
run "$LOADER" start -e $NUMBERED_EVENT --import-boot-trace=$boot
is "$(imported_numbers)" 7 "(the boot trace has it)"
"$LOADER" stop > /dev/null
run "$LOADER" start -e signal:signal_deliver --import-boot-trace=$boot
is "$status" 0 "a boot trace without the event is no error"
like "$err" "warning: the tracing instance $boot has none of these events" "but is said"
not_ok "and there is no pin" test -e $ROOT/signal_deliver/imported
for command in stop list "remove x" "clear x"; do
	# shellcheck disable=SC2086
	run "$LOADER" $command --import-boot-trace
	is "$status" 2 "no $command --import-boot-trace"
done
end_trace

# An event that is traced and did not happen: that is known, too.
begin_trace
run "$LOADER" start -e $NUMBERED_EVENT --import-boot-trace=$boot
like "$err" "event $NUMBERED: 0 earlier events imported" "an event that did not happen"
is "$("$LOADER" status --json | jq '.events[0].imported.records')" 0 "status knows it"
end_trace

# ---- damaged and hostile pins --------------------------------------------------------------------

begin_trace
make_events 0 3
"$LOADER" start -e $NUMBERED_EVENT --import-boot-trace=$boot > /dev/null 2>&1
make_events 0 2 4
cpus=$("$LOADER" status --json | jq '.events[0].imported.cpus | length')
first=$(((144 + 48 * cpus + 63) / 64 * 64))
"$HELPERS/forge" array $ROOT/$NUMBERED/imported /sys/fs/bpf/good
for damage in 0=0 0=0x24d494550 8=0 8=0xffffffffffffffff 16=0xffffffff 16=0x7000000ff 144=0 \
	144=0xffffffffffffffc0 152=0xffffffffffffffc0 152=8 64=0x7878787878787878; do
	# The string has no end only if all of it is overwritten.
	words=$damage
	[ "${damage%%=*}" != 64 ] || words=$(for ((i = 64; i < 128; i += 8)); do echo $i=0x7878787878787878; done)
	rm $ROOT/$NUMBERED/imported
	# shellcheck disable=SC2086
	"$HELPERS/forge" array /sys/fs/bpf/good $ROOT/$NUMBERED/imported $words
	run "$READER" attach $NUMBERED --json
	is "$status $(numbers_of <<< "$out" | ranges)" "0 4-5" "$damage: left out, what is ours is shown"
	like "$err" "$NUMBERED/imported: damaged" "and said"
done
for damage in $first=0 $((first + 8))=0xffffffffffffffff $((first + 16))=0 $((first + 32))=0xff; do
	rm $ROOT/$NUMBERED/imported
	"$HELPERS/forge" array /sys/fs/bpf/good $ROOT/$NUMBERED/imported $damage
	run "$READER" attach $NUMBERED --json
	is "$status $(numbers_of <<< "$out" | ranges)" "0 4-5" "a record with $damage: left out"
	like "$err" "corrupt buffer" "and said"
done
rm $ROOT/$NUMBERED/imported
"$HELPERS/forge" array $ROOT/$NUMBERED/meta $ROOT/$NUMBERED/imported
run "$READER" attach $NUMBERED --json
is "$status $(numbers_of <<< "$out" | ranges)" "0 4-5" "another map in its place: left out"
run "$LOADER" status $NUMBERED
is "$status" 0 "the loader goes on, too"
rm $ROOT/$NUMBERED/imported
"$BPFTOOL" map create $ROOT/$NUMBERED/imported type array key 4 value 4096 entries 1 name writable flags 0x480
run "$READER" attach $NUMBERED --json
is "$status $(numbers_of <<< "$out" | ranges)" "0 4-5" "one that is not frozen: left out"
like "$err" "imported: not frozen" "and said"
rm $ROOT/$NUMBERED/imported
"$BPFTOOL" map create $ROOT/$NUMBERED/imported type array key 4 value 4096 entries 1 name unmappable flags 0x80
"$BPFTOOL" map freeze pinned $ROOT/$NUMBERED/imported
run "$READER" attach $NUMBERED --json
is "$status $(numbers_of <<< "$out" | ranges)" "0 4-5" "one that cannot be mapped: left out"
like "$err" "imported: not mmapable" "and said"
run_ok "a clear removes it" "$LOADER" clear $NUMBERED
not_ok "whatever it was" test -e $ROOT/$NUMBERED/imported
rm /sys/fs/bpf/good
end_trace

# ---- killed --------------------------------------------------------------------------------------

STOP_LOADER=$(realpath -m "${STOP_LOADER:-${OUTPUT:-build}/stop/loader}")
if [ ! -x "$STOP_LOADER" ]; then
	make -s OUTPUT="$(realpath -m "${OUTPUT:-build}")/stop" STOP_POINTS=1 "$STOP_LOADER" >&2
fi
begin_trace
make_events 0 3
problems=
"$LOADER" start -e $NUMBERED_EVENT > /dev/null
for ((n = 1; n < 20; n++)); do
	{
		PERSIST_STOP_AT=$n "$STOP_LOADER" start -e $NUMBERED_EVENT --import-boot-trace=$boot \
			> /dev/null 2>&1
	} 2> /dev/null
	killed=$?
	[[ $(imported_numbers) =~ ^(1-3)?$ ]] || problems+="$n: $(imported_numbers) "
	run "$LOADER" start -e $NUMBERED_EVENT --import-boot-trace=$boot
	[ "$status:$(imported_numbers)" = 0:1-3 ] || problems+="then $n: $status $(imported_numbers) "
	[ -z "$(ls $ROOT/staging)" ] || problems+="staging $n: $(ls $ROOT/staging) "
	[ "$(cat "$instance/events/syscalls/$NUMBERED/enable")" = 0 ] || problems+="still traced $n "
	[ $killed = 137 ] || break
	rm $ROOT/$NUMBERED/imported
	echo 1 > "$instance/events/syscalls/$NUMBERED/enable"
done
compare $n -gt 2 "import was killed at each of its changes"
is "$problems" "" "and the next loader completed it"
end_trace
finish
