#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The reader's options: following, waking, choosing by number, time and CPU, and going on where
# an earlier reader ended, however that came to its end.

TIME_LIMIT=240
. "${0%/*}/lib.sh"

json() { # OPTION...
	"$READER" attach "$@" --json 2> "$TMP/err"
}

shown() { # OPTION...
	json "$@" | numbers_of | ranges
}

follow() { # FILE OPTION...: in the background
	local file=$1
	shift
	start_background "$READER" attach "$@" --follow --json > "$file" 2> "$TMP/follow-err"
	follower=$background_pid
}

end_follower() {
	kill "$follower" 2> /dev/null
	wait "$follower" 2> /dev/null
}

now_ms() {
	date +%s%3N
}

"$LOADER" start -e $NUMBERED_EVENT/name=polled/ -e $NUMBERED_EVENT/name=woken,wakeup=1/ \
	-e $NUMBERED_EVENT/name=tenth,wakeup=10/ -e $NUMBERED_EVENT/name=small,keep=latest,tail=4K/ \
	-e sched:sched_process_exec/name=exec/ > /dev/null
last_cpu=$(cpus_online | tail -n 1)

# ---- one event at a time ---------------------------------------------------------------------------

for event in polled woken tenth; do
	follow "$TMP/$event" $event
	sleep 0.2
	for n in 1 2 3; do
		produce 0 1 $n > /dev/null
		begin=$(now_ms)
		ok "$event: event $n is visible at once, with nothing behind it (KNOWN-PAIN 21)" \
			wait_until 5 has_lines "$TMP/$event" $n
		compare $(($(now_ms) - begin)) -lt 1000 "$event: within a second"
	done
	ok "$event: the follower goes on" is_running "$follower"
	end_follower
	"$LOADER" clear $event > /dev/null
done
produce 0 3 4 > /dev/null
for signal in TERM INT; do
	follow "$TMP/killed" woken
	ok "a follower" wait_until 10 has_lines "$TMP/killed" 3
	kill -$signal "$follower"
	ok "ends on SIG$signal" wait_until 5 has_ended "$follower"
	wait "$follower" 2> /dev/null
done

# A follower that waits costs nothing.
follow "$TMP/idle" woken polled
sleep 0.3
before=$(awk '{ print $14 + $15 }' "/proc/$follower/stat")
sleep 2
after=$(awk '{ print $14 + $15 }' "/proc/$follower/stat")
compare $((after - before)) -le $(($(getconf CLK_TCK) / 10)) "a follower that waits takes no CPU time"
end_follower

# ---- --count, --timeout, --last, --cpu -------------------------------------------------------------

for event in polled woken tenth small; do
	"$LOADER" clear $event > /dev/null
done
produce 0 20 1 > /dev/null
produce "$last_cpu" 20 21 > /dev/null

is "$(shown polled --count 5)" 1-5 "--count 5"
is "$(shown polled --last 5)" 36-40 "--last 5"
is "$(shown polled --last 100)" 1-40 "--last with more than there are"
is "$(shown polled woken --last 4)" "39 39-40 40" "--last counts the records of all events together"
is "$(shown polled --last 10 --count 3)" 31-33 "--last and --count"
if [ "$last_cpu" != 0 ]; then
	is "$(shown polled --cpu "$last_cpu")" 21-40 "--cpu"
	is "$(shown polled --cpu 0)" 1-20 "--cpu of another"
else
	skip "one CPU only"
	skip "one CPU only"
fi
is "$(shown polled --cpu "0-$last_cpu")" 1-40 "--cpu with a list"
begin=$(now_ms)
run "$READER" attach polled --follow --timeout 0.7 --json
took=$(($(now_ms) - begin))
is "$status" 0 "--timeout ends a follower with success"
ok "after that time ($took ms)" test $took -ge 690 -a $took -lt 3000
is "$(numbers_of <<< "$out" | ranges)" 1-40 "which has shown all"
(sleep 0.5; produce 0 10 41 > /dev/null) &
run timeout 20 "$READER" attach polled --follow --count 45 --json
is "$status $(numbers_of <<< "$out" | ranges)" "0 1-45" "--follow --count ends at that record"
wait

# ---- --since, --until ------------------------------------------------------------------------------

json polled > "$TMP/all"
field() { # LINE FIELD
	sed -n "$1p" "$TMP/all" | jq -r ".$2"
}
seconds() { # LINE
	field "$1" time_ns | sed -E 's/(.{9})$/.\1/'
}
is "$(shown polled --since "$(seconds 11)")" 11-50 "--since, in seconds as the output shows"
is "$(shown polled --until "$(seconds 10)")" 1-10 "--until, both ends are included"
is "$(shown polled --since "$(seconds 11)" --until "$(seconds 20)")" 11-20 "both"
wall=$(field 21 time)
like "$wall" '^20..-..-..T..:..:..\.[0-9]{9}Z$' "times of JSON are RFC 3339"
compare $(($(date -d "$wall" +%s) - $(date +%s))) -ge -120 "and are those of the clock"
is "$(shown polled --since "-1h")" 1-50 "--since an hour ago"
is "$(shown polled --until "-1h")" "" "--until an hour ago"
is "$(shown polled --until "2000-01-01")" "" "--until a time before the machine was booted"
is "$(shown polled --since now)" "" "--since now"
(sleep 0.5; produce 0 3 51 > /dev/null) &
is "$(timeout 20 "$READER" attach polled --follow --since now --count 3 --json | numbers_of | ranges)" \
	51-53 "--follow --since now has only what comes"
wait

# ---- several events --------------------------------------------------------------------------------

"$LOADER" clear polled woken exec > /dev/null
for ((i = 0; i < 10; i++)); do
	produce $((i % 2 ? last_cpu : 0)) 3 $((3 * i + 1)) > /dev/null
done
json polled woken exec > "$TMP/merged"
is "$(jq -s 'map(.time_ns // empty) | . == sort' "$TMP/merged")" true \
	"several events and CPUs come out in the order of time"
is "$(jq -r 'select(.event == "woken") | .fields.timer_id' "$TMP/merged" | ranges)" 1-30 \
	"each of them whole"
compare "$(jq -r 'select(.event == "exec") | .seq' "$TMP/merged" | wc -l)" -ge 10 "also the other event"
run "$READER" attach polled polled --json
is "$(numbers_of <<< "$out" | ranges)" 1-30 "an event that is named twice is shown once" || diag "$status: $err"

# Whoever takes the lines does so slowly: what came meanwhile has its place, too.
"$LOADER" add $NUMBERED_EVENT/name=often,head=2M/ syscalls:sys_enter_remap_file_pages/name=seldom/ > /dev/null
produce 0 3000 > /dev/null
produce 0 1 1 0 remap_file_pages > /dev/null
mkfifo "$TMP/late-pipe"
"$READER" attach often seldom -f > "$TMP/late-pipe" 2> /dev/null &
late_reader=$!
background_pids+=($late_reader)
exec 4< "$TMP/late-pipe"
waits_for_pipe() {
	local pid

	for pid in $(processes_of "$READER"); do
		grep -q pipe_write "$pid/wchan" 2> /dev/null && return
	done
	return 1
}
ok "a reader whose lines nobody takes waits" wait_until 20 waits_for_pipe
produce 0 3000 3001 > /dev/null
produce 0 1 2 0 remap_file_pages > /dev/null
timeout 20 head -n 6002 <&4 > "$TMP/taken-late"
exec 4<&-
kill $late_reader 2> /dev/null
is "$(wc -l < "$TMP/taken-late")" 6002 "then all of them come"
is "$(sed -E 's/.*\] +([0-9]+\.[0-9]+): .*/\1/' "$TMP/taken-late" | sort -n -c 2>&1)" "" "in the order of time"
"$LOADER" remove often seldom > /dev/null

# ---- losses ----------------------------------------------------------------------------------------

"$LOADER" clear small > /dev/null
follow "$TMP/lossy" small
sleep 0.3
kill -STOP "$follower"
produce 0 1000 1 > /dev/null
kill -CONT "$follower"
wait_until 10 is_in_file '"timer_id":1000' "$TMP/lossy"
sum=$(jq -s '(map(select(.fields)) | length) + (map(.lost // 0) | add)' "$TMP/lossy")
is "$sum" 1000 "a follower that was too slow has records and losses that make up everything"
is "$(jq -rs 'map(select(.lost)) | map(.lost == .to_seq - .from_seq + 1) | all' "$TMP/lossy")" true \
	"each loss names its range"
is "$(jq -r 'select(.lost).reason' "$TMP/lossy" | sort -u)" overwritten "and the reason"
end_follower

# ---- removed, and added again ----------------------------------------------------------------------

follow "$TMP/removed" small
sleep 0.2
"$LOADER" remove small > /dev/null
ok "a follower ends when its event is removed" wait_until 10 has_ended "$follower"
wait "$follower"
is $? 0 "with success"

# ---- cursor file -----------------------------------------------------------------------------------

"$LOADER" add $NUMBERED_EVENT/name=small,keep=latest,tail=4M/ > /dev/null
produce 0 10 1 > /dev/null
cursor=$TMP/cursor
is "$(shown small --cursor-file "$cursor")" 1-10 "--cursor-file: at first everything"
is "$(shown small --cursor-file "$cursor")" "" "then nothing"
produce "$last_cpu" 10 11 > /dev/null
is "$(shown small --cursor-file "$cursor" --count 4)" 11-14 "then what is new"
is "$(shown small --cursor-file "$cursor")" 15-20 "from where --count ended"
"$LOADER" clear small > /dev/null
produce 0 5 21 > /dev/null
is "$(shown small --cursor-file "$cursor")" 21-25 "also over a clear"
"$LOADER" remove small > /dev/null
"$LOADER" add $NUMBERED_EVENT/name=small,keep=latest,tail=16M/ > /dev/null
produce 0 5 26 > /dev/null
is "$(shown small --cursor-file "$cursor")" 26-30 "an event that was added anew begins anew"
is "$(shown small --cursor-file "$cursor")" "" "and goes on from there"
"$LOADER" remove small > /dev/null
"$LOADER" add $NUMBERED_EVENT/name=small,keep=latest,tail=16M/ > /dev/null
produce 0 5 31 > /dev/null
produce "$last_cpu" 5 36 > /dev/null
is "$(shown small --cursor-file "$cursor" --last 2)" 39-40 "with --last, the newest"
is "$(shown small --cursor-file "$cursor")" "" "what that left out counts as read, on each CPU"
now=$(date -u +%Y-%m-%dT%H:%M:%S.%NZ)
rm "$cursor"
produce "$last_cpu" 5 41 > /dev/null
is "$(shown small --cursor-file "$cursor" --since "$now")" 41-45 "with --since, what is not older"
is "$(shown small --cursor-file "$cursor")" "" "which is the same"
produce 0 2 46 > /dev/null
is "$(shown small --cursor-file "$cursor")" 46-47 "and what comes is shown"
echo nonsense > "$TMP/bad-cursor"
run "$READER" attach small --cursor-file "$TMP/bad-cursor"
is "$status" 1 "a cursor file that is none is an error"
like "$err" "bad-cursor" "which names it"
is "$(cat "$TMP/bad-cursor")" nonsense "and is not overwritten"

# Readers that are killed at any moment: together they have every record once.
killed_readers() { # FILE
	local round pid

	for ((round = 0; round < 25; round++)); do
		"$READER" attach small --follow --json --cursor-file "$cursor" >> "$1" 2>> "$TMP/killed-err" &
		pid=$!
		sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
		[ $((round % 5)) = 4 ] && sleep 0.2
		kill -KILL $pid
		wait $pid
	done 2> /dev/null
	sleep 0.2
	end_producer
	"$READER" attach small --json --cursor-file "$cursor" >> "$1" 2>> "$TMP/killed-err"
}

start_producer 0 31 200
killed_readers "$TMP/pieces"
is "$(numbers_of < "$TMP/pieces" 2> /dev/null | ranges)" "31-$((30 + made))" \
	"25 killed readers with a cursor file wrote each of $made records once (KNOWN-PAIN 8)"
is "$(jq -c . < "$TMP/pieces" 2>&1 > /dev/null | head -n 1)" "" "and only whole lines"
is "$(cat "$TMP/killed-err")" "" "and had nothing to complain of"

# The same into a pipe, whose other end stays.
start_producer 0 1000000 200
killed_readers_to_pipe() {
	exec 3> >(cat > "$TMP/piped"; touch "$TMP/piped-all")
	killed_readers /dev/fd/3
	exec 3>&-
}
killed_readers_to_pipe
wait_until 10 test -e "$TMP/piped-all"
numbers_of < "$TMP/piped" 2> /dev/null > "$TMP/piped-numbers"
is "$(sort -n "$TMP/piped-numbers" | uniq | ranges)" "1000000-$((999999 + made))" \
	"into a pipe: no record is missing (KNOWN-PAIN 8)"
is "$(jq -c . < "$TMP/piped" 2>&1 > /dev/null | head -n 1)" "" "only whole lines"
# A reader that is killed between a write and storing how far it came repeats that one write, of
# PIPE_BUF bytes at the most: fewer than 30 lines.
is "$(awk 'NR > 1 && $1 <= last && last - $1 >= 30 { print last, $1 } { last = $1 }' "$TMP/piped-numbers")" "" \
	"into a pipe: a killed reader repeats one write at the most"
finish
