#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Others who use the same tracepoints at the same time see what they would see without us.

TIME_LIMIT=240
. "${0%/*}/lib.sh"

PERF=$(type -P perf) || skip_all "no perf here"
"$PERF" stat -e raw_syscalls:sys_enter true > /dev/null 2>&1 ||
	skip_all "perf cannot count tracepoints here"

count_of() { # EVENT FILE: what perf stat -x, counted
	awk -F, -v event="$1" '$3 == event { print $1 }' "$2"
}

# A program that makes just as many calls, counted without us first.
"$PERF" stat -x, -o "$TMP/before" -e $NUMBERED_EVENT "$HELPERS/event_producer" 0 1000 > /dev/null
is "$(count_of $NUMBERED_EVENT "$TMP/before")" 1000 "perf stat alone counts every event"

"$LOADER" start -e $NUMBERED_EVENT/name=one,keep=latest,tail=4K/ \
	-e $NUMBERED_EVENT/name=two,keep=oldest,head=4K,wakeup=1/ \
	-e raw_syscalls:sys_enter/keep=latest,tail=8K/ > /dev/null
"$PERF" stat -x, -o "$TMP/with" -e $NUMBERED_EVENT -e raw_syscalls:sys_enter \
	"$HELPERS/event_producer" 0 1000 > /dev/null
is "$(count_of $NUMBERED_EVENT "$TMP/with")" 1000 "perf stat beside us counts every event"
compare "$(count_of raw_syscalls:sys_enter "$TMP/with")" -ge 1000 "also of another event"

run_ok "perf record beside us" "$PERF" record -q -o "$TMP/perf.data" -m 1024 -c 1 \
	-e $NUMBERED_EVENT "$HELPERS/event_producer" 0 1000 2001
is "$("$PERF" script -i "$TMP/perf.data" 2> /dev/null | grep -c $NUMBERED)" 1000 \
	"records every event"
is "$("$PERF" script -i "$TMP/perf.data" -F trace 2> /dev/null | sed -nE 's/.*timer_id: 0x0*([0-9a-f]+).*/\1/p' |
	while read -r hex; do echo $((16#$hex)); done | ranges)" 2001-3000 "each as it was"

new_instance
echo 1 > "$instance/events/syscalls/$NUMBERED/enable"
produce 0 1000 3001 > /dev/null
echo 0 > "$instance/tracing_on"
is "$(grep -c 'sys_timer_getoverrun(' "$instance/trace")" 1000 "ftrace beside us records every event"

for event in one two; do
	is "$(counter $event 0 seen)" 3000 "event $event has seen every one of them"
	check_sums $event
done

# perf was there before us, and is still there when we are gone
"$PERF" stat -x, -o "$TMP/around" -e $NUMBERED_EVENT sh -c "
	$HELPERS/event_producer 0 100
	$LOADER add $NUMBERED_EVENT/name=three/
	$HELPERS/event_producer 0 100
	$LOADER remove three one two
	$HELPERS/event_producer 0 100" > "$TMP/out"
is "$(count_of $NUMBERED_EVENT "$TMP/around")" 300 "perf does not notice that we come and go"
finish
