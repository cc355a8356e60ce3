#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# New buffers while events come: none is lost, none is there twice, and who still reads the old
# buffers is not disturbed.

TIME_LIMIT=240
. "${0%/*}/lib.sh"

"$LOADER" start -e $NUMBERED_EVENT/name=both,head=4K,tail=4M/ \
	-e $NUMBERED_EVENT/name=latest,keep=latest,tail=4M/ \
	-e $NUMBERED_EVENT/name=oldest,keep=oldest,head=8M/ > /dev/null
last_cpu=$(cpus_online | tail -n 1)

# ---- once, with a reader that is in the middle of the old buffers --------------------------------

produce 0 200 1 > /dev/null
for event in both latest oldest; do
	start_background "$READER" attach $event --follow --json > "$TMP/slow.$event"
	wait_until 10 has_lines "$TMP/slow.$event" 200
	kill -STOP "$background_pid"
	declare "pid_$event=$background_pid"
done
produce 0 100 201 > /dev/null
run_ok "clear" "$LOADER" clear both latest oldest
produce 0 100 301 > /dev/null
for event in both latest oldest; do
	is "$("$READER" attach $event --json | numbers_of | ranges)" 301-400 \
		"$event: a new reader sees what came since the clear"
	is "$("$READER" attach $event --json | jq -r .seq | ranges)" 301-400 \
		"$event: the sequence numbers go on"
	pid=pid_$event
	kill -CONT "${!pid}"
	wait_until 10 is_in_file '"timer_id":400' "$TMP/slow.$event"
	is "$(numbers_of < "$TMP/slow.$event" | ranges)" 1-400 \
		"$event: one that was still at the old buffers reads them to their end, and goes on"
	is "$(grep -c '"lost"' "$TMP/slow.$event")" 0 "$event: and has lost nothing"
	kill "${!pid}"
	is "$(counter $event 0 first_seq)" 301 "$event: the counters say where the new buffers begin"
	check_sums $event
done
run_ok "clear of an event that is empty" "$LOADER" clear both
run_ok "and again" "$LOADER" clear both
is "$("$READER" attach both --json)" "" "an empty event has nothing to show, and nothing lost"

# ---- 50 times, under load ------------------------------------------------------------------------

for event in both latest oldest; do
	"$LOADER" clear $event > /dev/null
	start_background "$READER" attach $event --follow --json --cpu "$last_cpu" > "$TMP/followed.$event"
	declare "pid_$event=$background_pid"
done
sleep 0.3
start_producer "$last_cpu" 1000001 20
objects_of_tree | grep map | sort -u > "$TMP/maps-before"
complaints=
for ((round = 0; round < 50; round++)); do
	"$LOADER" clear both latest oldest > /dev/null 2>> "$TMP/clear-err" ||
		complaints+="clear $round fails; "
	if [ $((round % 5)) = 0 ]; then
		# What a reader shows at any moment is without a gap.
		for event in both latest oldest; do
			"$READER" attach $event --json --cpu "$last_cpu" > "$TMP/now" 2>> "$TMP/clear-err" ||
				complaints+="reader fails at $round; "
			shown=$(jq -r 'select(.fields).seq' "$TMP/now" | ranges)
			[[ $shown = *" "* ]] && complaints+="$event shows $shown at $round; "
		done
	fi
done
end_producer
is "$complaints$(cat "$TMP/clear-err")" "" "50 clears under load, with readers: all end well"
last=$((1000000 + made))
for event in both latest oldest; do
	wait_until 10 is_in_file "\"timer_id\":$last" "$TMP/followed.$event"
	is "$(numbers_of < "$TMP/followed.$event" | ranges)" "1000001-$last" \
		"$event: a follower has every one of $made events once, in order"
	is "$(grep -c '"lost"' "$TMP/followed.$event")" 0 "$event: nothing is reported as lost"
	check_sums $event
	pid=pid_$event
	kill "${!pid}"
	wait "${!pid}" 2> /dev/null
	is "$("$LOADER" status $event --json | jq '.events[0].generation')" "$([ $event = both ] && echo 55 || echo 53)" \
		"$event: each clear was done"
done
objects_of_tree | grep map | sort -u > "$TMP/maps-after"
is "$(wc -l < "$TMP/maps-after")" "$(wc -l < "$TMP/maps-before")" "there are as many buffers as before"
comm -23 "$TMP/maps-before" "$TMP/maps-after" > "$TMP/maps-old"
compare "$(wc -l < "$TMP/maps-old")" -gt 0 "which are others"
check_objects_gone "$TMP/maps-old" "the old ones are gone (KNOWN-PAIN 4)"
finish
