#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# reader top: one frame as text, with exact counts; and live, in a real terminal, with keys that
# are pressed and screens that are looked at.

TIME_LIMIT=180
. "${0%/*}/lib.sh"

export LC_ALL=C.UTF-8
last_cpu=$(cpus_online | tail -n 1)

# ---- one frame as text -----------------------------------------------------------------------------

once() { # OPTION...
	run "$READER" top --stdio "$@"
	[ "$status" = 0 ] || diag "$status: $err"
}

# The rows of a frame (standard input) as "RECORDS KEY", without what changes with time.
rows() {
	awk '/RATE\/s/ { found = 1; next }
		found { gsub(",", "", $2); key = $5
			for (i = 6; i <= NF; i++) key = key " " $i
			print $2, key }'
}

# The total and what is lost, of a frame: "RECORDS LOST [REASON RECORDS]..."
counts() {
	sed -nE '2 { s/ records, .*; lost / /; s/ \([^)]*\): / /; s/,([0-9])/\1/g; s/,//g; p }'
}

"$LOADER" start -e $NUMBERED_EVENT -e $NUMBERED_EVENT/name=small,keep=latest,tail=4K/ \
	-e $NUMBERED_EVENT/name=full,keep=oldest,head=4K/ > /dev/null
produce 0 300 1 > /dev/null
produce "$last_cpu" 1200 301 > /dev/null

for target in $NUMBERED persistent/$NUMBERED/ $ROOT/$NUMBERED; do
	once -e $target
	is "$(rows <<< "$out")" "1500 event_producer" "-e $target: all by comm"
	is "$(counts <<< "$out")" "1500 0" "and nothing lost"
done
once -e $NUMBERED -s cpu --order total
if [ "$last_cpu" != 0 ]; then
	is "$(rows <<< "$out")" "1200 $last_cpu"$'\n'"300 0" "by cpu, the largest first"
	once -e $NUMBERED --cpu 0 -s comm,cpu
	is "$(rows <<< "$out")" "300 event_producer 0" "--cpu, and a key of two parts"
	once -e $NUMBERED -C "$last_cpu"
	is "$(rows <<< "$out")" "1200 event_producer" "-C, as perf has it"
else
	for i in 1 2 3; do skip "one CPU only"; done
fi
once $NUMBERED --sort field:timer_id
is "$(rows <<< "$out" | awk '{ print $2 }' | sort -n | ranges)" 1-1500 "by a field: every value"
is "$(rows <<< "$out" | awk '{ print $1 }' | sort -u)" 1 "each of them once"
once $NUMBERED --sort field:timer_id -E 7
is "$(rows <<< "$out" | wc -l)" 7 "-E: so many rows"
is "$(counts <<< "$out")" "1500 0" "the total is that of all"
once -e $NUMBERED --last 100 -s field:timer_id
is "$(rows <<< "$out" | awk '{ print $2 }' | sort -n | ranges)" 1401-1500 "--last"
once -e $NUMBERED --since now
is "$(counts <<< "$out")" "0 0" "--since now: nothing"
like "$out" "no records yet" "says so"
once -s event
is "$(rows <<< "$out" | grep -c .)" 3 "without -e: all events"
once -e $NUMBERED -e $NUMBERED
is "$(counts <<< "$out")" "1500 0" "an event that is named twice is counted once"
once -e $NUMBERED,full -s event
is "$(rows <<< "$out" | awk '{ print $2 }' | sort | xargs)" "full $NUMBERED" "-e: a list with commas"

# What is in the buffers and what is not is what there was.
once -e small
is "$(counts <<< "$out" | awk '{ print $1 + $2, $3, $4 == $2 }')" "1500 overwritten 1" \
	"records and overwritten ones are all that there were"
is "$(counts <<< "$out" | awk '{ print $1 }')" "$(rows <<< "$out" | awk '{ sum += $1 } END { print sum }')" \
	"the rows are all records"
like "$out" "! lost└─*!" "the time line shows where"
once -e full
is "$(counts <<< "$out" | awk '{ print $1 + $2, $3, $4 == $2 }')" "1500 ring_full 1" \
	"so are records and those that a full ring refused"
run "$READER" top --stdio --order total -e full -e small -e $NUMBERED -s event
is "$(counts <<< "$out" | awk '{ print $1 + $2 }')" 4500 "several events together"

# ---- rates of what is lost -------------------------------------------------------------------------

# "12.3k", "~4711" (standard input) as numbers
plain_rates() {
	sed 's/^~//; s/k$/e3/; s/M$/e6/' | awk '{ print $1 + 0 }'
}

# As on a machine that is quick enough: all events within four seconds before "now", which is the
# time of the last one.
burst=20000
for _ in 1 2 3 4 5; do
	read -r began _ < /proc/uptime
	"$LOADER" add $NUMBERED_EVENT/name=burst,keep=latest,tail=4K/ > /dev/null
	produce 0 $burst > /dev/null
	last_ns=$("$READER" attach burst --json --last 1 | jq .time_ns)
	awk -v began="$began" -v ns="$last_ns" 'BEGIN { exit !(ns / 1e9 - began < 4) }' && break
	"$LOADER" remove burst > /dev/null
done
until=$(awk -v ns="$last_ns" 'BEGIN { printf "%.6f", ns / 1e9 + 0.000001 }')
once -e burst --until "$until"
is "$(counts <<< "$out" | awk '{ print $1 + $2, ($2 > 0.9 * $1) }')" "$burst 1" \
	"a burst, most of which is overwritten: the header has all of it"
rate=$(sed -nE '2 s/.* records, ([^ ]*) events\/s;.*/\1/p' <<< "$out")
# Of five seconds and of what has passed of the sixth; shown with three digits.
ok "the lost ones are in the rate" \
	awk -v rate="$(plain_rates <<< "$rate")" -v all=$burst \
	'BEGIN { exit !(rate * 6 > 0.99 * all && rate * 5 < 1.01 * all) }' || diag "$out"
is "$(awk '$NF == "event_producer" { print $1 }' <<< "$out")" "~$rate" "and in that of the row, as an estimate"
once -e burst --until "$until" -s field:timer_id
ok "the rates of rows by another key add up to it" \
	awk -v all="$(plain_rates <<< "$rate")" \
	-v rows="$(sed '1,/RATE/d' <<< "$out" | awk '{ print $1 }' | plain_rates | awk '{ sum += $1 } END { print sum }')" \
	'BEGIN { exit !(rows > 0.98 * all && rows < 1.02 * all) }' || diag "$out"
"$LOADER" remove burst > /dev/null

# Names of threads can be anything.
strange=$'a\e[2Jb\x01é\xff'
cp "$HELPERS/event_producer" "$TMP/$strange"
"$LOADER" add $NUMBERED_EVENT/name=strange/ > /dev/null
"$TMP/$strange" 0 5 > /dev/null
once -e strange
is "$(rows <<< "$out")" '5 a\x1b[2Jb\x01é\xff' "control characters of a thread's name are shown, not sent"
LC_ALL=C once -e strange
is "$(rows <<< "$out")" '5 a\x1b[2Jb\x01\xc3\xa9\xff' "what the locale does not have neither"
unlike "$out" "│" "nor are other characters used there"
"$LOADER" remove strange > /dev/null

# ---- what is wrong ---------------------------------------------------------------------------------

fails() { # STATUS PATTERN OPTION...
	local expected=$1 pattern=$2
	shift 2
	run "$READER" top "$@" < /dev/null
	is "$status" "$expected" "top $*: an error"
	like "$err" "$pattern" "which says why"
}

fails 1 "nosuch: there is no such event; .*reader list shows" --stdio -e nosuch
fails 1 "no event has a field \"bank\": $NUMBERED has __syscall_nr timer_id" --stdio -e $NUMBERED -s field:bank
fails 2 "\"bank\" is none of comm, pid, tid, cpu, event, field:NAME" -s comm,bank
fails 2 "\"\" is none of" -s ""
fails 2 "more than 8 parts" -s cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu
fails 2 "--delay wants seconds, at least 0.1, not '0'" -d 0
fails 2 "--entries wants a whole number from 1 to .*, not 'x'" -E x
fails 2 "--order wants rate or total, not 'none'" --order none
fails 2 "--cpu wants a list of CPUs such as 0-3,8, not .x." -C x
fails 2 "not a list of events: 'small,'" -e small,
fails 1 "not a terminal; --stdio" -e $NUMBERED
fails 1 "there is no tree" --stdio --root /sys/fs/bpf/nosuch
PUBLIC_READER=$(public_copy "$READER")
run unprivileged "$PUBLIC_READER" top --stdio
is "$status" 1 "who may read nothing: an error"
like "$err" "$NUMBERED/.*: permission denied|$ROOT.*: [Pp]ermission denied" "which says why"
is "$out" "" "and no frame as if nothing had happened"

# ---- a terminal ------------------------------------------------------------------------------------

command -v tmux > /dev/null || { skip "tmux is not installed"; finish; exit 0; }

unset TMUX
export TMUX_TMPDIR=$TMP
terminal() { # TMUX-COMMAND...
	tmux -L top -f /dev/null "$@"
}

# shellcheck disable=SC2154 # the trap is that of lib.sh and this
trap 'terminal kill-server 2> /dev/null; clean_up' EXIT

press() { # KEY...
	terminal send-keys -t top "$@"
}

screen() {
	terminal capture-pane -p -t top
}

screen_has() { # PATTERN
	screen | grep -qE -- "$1"
}

screen_has_not() {
	! screen_has "$1"
}

# shows PATTERN DESCRIPTION: sooner or later
shows() {
	wait_until 20 screen_has "$1"
	report $? "$2" && return
	diag "expected: /$1/ on"
	diag "$(screen)"
	return 1
}

shows_not() {
	wait_until 20 screen_has_not "$1"
	report $? "$2" || diag "$(screen)"
}

top_process() {
	processes_of "$READER" | sed -n '1 s/.*\///p'
}

is_over() {
	[ -z "$(top_process)" ]
}

# type_command COMMAND: at the prompt of the shell, and waits until it has ended
commands=0
type_command() {
	commands=$((commands + 1))
	press "$1; echo done-\$?-$commands" Enter
	wait_until 20 screen_has "^done-[0-9]*-$commands"
}

# The terminal is as it was before top was started.
check_terminal() { # DESCRIPTION
	type_command "stty -g > '$TMP/settings-now'"
	is "$(cat "$TMP/settings-now")" "$(cat "$TMP/settings")" "$1: the terminal's settings are as before"
	shows "^this was here before" "$1: and so is what was on the screen"
}

start_top() { # OPTION...
	type_command "clear; echo this was here before"
	press "'$READER' top $*; echo ended-\$?" Enter
}

terminal new-session -d -s top -x 80 -y 24 "exec bash --norc --noprofile" ||
	{ skip "tmux does not run here"; finish; exit 0; }
terminal set-option -g default-terminal screen > /dev/null
press "PS1='\$ '; export TERM=screen" Enter
type_command "stty -g > '$TMP/settings'"

"$LOADER" clear $NUMBERED small > /dev/null
produce 0 300 1 > /dev/null
start_top -d 0.2 -e persistent/$NUMBERED/
shows "^300 records, .*; lost 0" "what was recorded before is counted"
produce 0 50 301 > /dev/null
shows "^350 records, .*; lost 0" "and what comes"
shows "350    100 +[^ ]+  event_producer" "in its row"
frame=$(screen)
is "$(wc -l <<< "$frame") $(grep -cE '^.{81}' <<< "$frame")" "24 0" "it fills 80 columns and 24 lines"
like "$frame" "^ {8}└─{71}$" "to the last one"
like "$(sed -n 1p <<< "$frame")" "^reader top  ..:..:..  sys_enter_timer_g.*  by comm; busiest first$" "a title"
like "$frame" "^ +[0-9.]+k?/s│.*█" "a plot of the last minutes"
like "$frame" "-5m +-4m +-3m +-2m +-1m +now" "with times"
like "$frame" "^ RATE/s       RECORDS      %  LAST  COMM" "columns with headings"
like "$(sed -n 24p <<< "$frame")" "^q quit  h help" "the last line says what can be done"

press s
shows "by pid; .*" "s: another key"
shows "^350 records" "what was recorded before is counted by that, too"
press S field:nosuch Enter
shows "no event has a field \"nosuch\": $NUMBERED has" "S: a key that is none is an error"
shows "by pid; " "and the one before stays"
press S field:timer_id Enter
shows "LAST +timer_id" "S: a key that is typed"
press / 34
shows "^rows with: 34_" "/: a filter"
press Enter
shows "^.14 of 350 rows have \"34\", Esc: all" "which leaves the rows with that text"
is "$(screen | sed '$d' | rows | grep -vcE " [0-9]*34[0-9]*$")" 0 "and no other"
press Escape
shows_not "rows have" "Esc: all rows"
press S comm Enter
shows "LAST +COMM" "back to threads"

press p
shows "PAUSED" "p: a pause"
before=$(screen)
produce 0 50 351 > /dev/null
sleep 1
is "$(screen)" "$before" "the display stands"
press p
shows "^400 records" "while the counting has gone on"

press h
shows "pause: the display stands" "h: help"
press Escape
shows "^400 records" "and back"

press Enter
shows "records 3[0-9][0-9] to 400 of the last 400 of this row" "Enter: the records of a row"
shows "timer_getoverrun\(timer_id: 0x|sys_enter_timer_ge" "as lines of text"
press Right Right Right Right Right Right
shows "sys_timer_getoverrun\(timer_id: 0x190" "of which the right parts can be seen"
produce 0 1 $((0x7777)) > /dev/null
shows "timer_id: 0x7777" "new ones come"
press Home
shows "records 1 to .* of this row" "the oldest"
shows "timer_id: 1\)" "can be seen"
press Escape
shows "LAST +COMM" "Esc: back"

for size in "40 8" "5 1" "1 1" "200 50" "12 3" "80 24"; do
	set -- $size
	terminal resize-window -t top -x "$1" -y "$2"
	sleep 0.1
done
shows "^401 records" "after all sizes it is as it was"
shows "^reader top .* by comm; busiest first$" "to the last column"
terminal resize-window -t top -x 132 -y 40
shows "^q quit" "a larger one"
is "$(screen | wc -l)" 40 "is used"
terminal resize-window -t top -x 80 -y 24
shows "-5m +-4m +-3m" "and back"

"$LOADER" clear $NUMBERED > /dev/null
produce 0 9 1000 > /dev/null
shows "^410 records, .*; lost 0" "an event that is cleared goes on"
press z
shows "^0 records" "z: from zero"
produce 0 3 1 > /dev/null
shows "^3 records" "on"

press C-z
shows "Stopped" "Ctrl-Z stops it"
check_terminal "stopped"
press "fg; echo ended-\$?" Enter
shows "^3 records" "fg: it goes on"
produce 0 4 1 > /dev/null
shows "^7 records" "and counts"

"$LOADER" remove $NUMBERED > /dev/null
shows "removed" "an event that is removed is a message"
shows "^7 records" "its counts stay"
press q
shows "^ended-0" "q: the end, with success"
check_terminal "q"

# What the rows of another key no longer have is in the total all the same.
"$LOADER" clear small > /dev/null
start_top -d 0.2 -e small
shows "^0 records, .*; lost 0" "a small ring that was cleared"
for n in 1 11 21 31 41 51; do
	produce 0 10 $n > /dev/null
	wait_until 20 screen_has "^$((n + 9)) records" || break
done
shows "^60 records, .*; lost 0" "and is followed has lost nothing"
press s
shows "by pid; " "another key"
shows "\(before this key; gone since\)" "some records are not there for it any more"
shows "^60 records, .*; lost 0" "but none is lost"
frame=$(screen)
is "$(sed '1,/RATE/d' <<< "$frame" | awk '/before this key/ { sum += $1; next } /^ +~?[0-9]/ { sum += $2 }
	END { print sum }')" 60 "the rows add up to the total" || diag "$frame"
kill -TERM "$(top_process)"
shows "^ended-0" "SIGTERM: the end, with success"
check_terminal "SIGTERM"

# Another program may have the terminal meanwhile, unasked.
start_top -d 0.2 -e small
shows "by comm; busiest first" "once more"
kill -STOP "$(top_process)"
shows "Stopped" "SIGSTOP"
press "clear; fg" Enter
shows "^reader top .* by comm; busiest first" "fg: everything is there"
shows "^q quit" "to the last line"
press q
check_terminal "SIGSTOP and fg"

# The shell of this one has no job control: the signals come together, and the second one ends it
# before it can do anything about the first one.
type_command "clear; echo this was here before"
press "bash -c \"'$READER' top -e small; echo ended-\\\$?\"" Enter
shows "by comm; busiest first" "once more"
process=$(top_process)
kill -STOP "$process"
kill -TERM "$process"
kill -QUIT "$process"
kill -CONT "$process"
shows "^ended-1(31|43)" "two signals at once end it"
check_terminal "two signals"

type_command "ulimit -c 0"
start_top -d 0.2 -e small
shows "by comm; busiest first" "once more"
kill -SEGV "$(top_process)"
shows "^ended-139" "a crash"
check_terminal "a crash"

type_command "TERM=nosuch '$READER' top -e small"
shows "TERM=nosuch: this kind of terminal is not known here" "a TERM that nobody knows is an error"
shows "^done-1-$commands" "with status 1"
type_command "TERM=dumb '$READER' top -e small"
shows "TERM=dumb: this terminal cannot move its cursor" "so is one that cannot move its cursor"
check_terminal "after errors"

start_top -d 0.2 -e small
shows "by comm; busiest first" "once more"
terminal kill-session -t top
ok "it ends with its terminal" wait_until 20 is_over
finish
