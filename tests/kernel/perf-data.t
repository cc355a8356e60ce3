#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What `reader record` writes is what unmodified perf reads, as if perf had recorded it itself: the
# same events recorded by both at the same time give the same lines.

TIME_LIMIT=300
. "${0%/*}/lib.sh"

PERF=$(type -P perf) || skip_all "no perf here"
# perf's own advice, and its progress, are not for us.
export PERF_CONFIG=/dev/null HOME="$TMP" PAGER=cat

evlist() { # FILE
	"$PERF" evlist -i "$1" 2> /dev/null | grep -v '^#'
}

script() { # FILE [OPTION...]: perf script, the lines of samples in $TMP/script
	"$PERF" script -i "$@" > "$TMP/script" 2> "$TMP/script.err"
}

# ---- the same events recorded by perf ----------------------------------------------------------

# Strings, two dynamic arrays in one record, up to 4 KiB of them, system calls, flags and symbols,
# addresses of the kernel shown as symbols, names of threads that change.
specs=(
	sched:sched_process_exec/keep=oldest,head=4M/
	sched:sched_process_fork/keep=oldest,head=4M/
	sched:sched_switch/keep=oldest,head=16M/
	task:task_rename/keep=oldest,head=4M/
	syscalls:sys_enter_openat/keep=oldest,head=8M/
	syscalls:sys_exit_openat/keep=oldest,head=8M/
	raw_syscalls:sys_enter/keep=latest,tail=16M/
	net:net_dev_queue/keep=latest,tail=4M/
	signal:signal_generate/head=4M/
	sock:inet_sock_set_state/head=4M/
	skb:consume_skb/keep=oldest,head=8M/
)
mapfile -t options < <(printf -- '-e\n%s\n' "${specs[@]}")
run_ok "start" "$LOADER" start "${options[@]}"
events=() ours=() theirs=()
for spec in "${specs[@]}"; do
	event=${spec%%/*}
	events+=("$event")
	ours+=(-e "persistent/${event#*:}/")
	theirs+=(-e "$event")
done

# Its children do the work, so that both recorders see all of their lives; it tells who they are.
cat > "$TMP/workload.pl" <<'PERL'
use Socket;
my ($directory, $true) = @ARGV;
$| = 1;
socket(my $server, AF_INET, SOCK_STREAM, 0);
bind($server, pack_sockaddr_in(0, inet_aton("127.0.0.1"))) && listen($server, 10);
for my $i (1 .. 150) {
	my $pid = fork();
	if ($pid) {
		print "$pid\n";
		waitpid($pid, 0);
		next;
	}
	$0 = "worker $i"; # the thread's name
	open(my $file, "<", "$directory/absent-$i");
	open($file, ">", "$directory/written");
	socket(my $to, AF_INET, SOCK_DGRAM, 0);
	send($to, "x" x $i, 0, pack_sockaddr_in(9, inet_aton("127.0.0.1")));
	socket(my $client, AF_INET, SOCK_STREAM, 0);
	connect($client, getsockname($server)) && accept(my $peer, $server);
	$SIG{USR1} = "IGNORE";
	kill(USR1 => $$);
	select(undef, undef, undef, 0.001);
	my $grandchild = fork() || exit;
	print "$grandchild\n";
	waitpid($grandchild, 0);
	$0 = "\x{1}odd name" if $i % 7 == 0;
	exec {"$directory/" . "./" x ($i * 13) . "true"} "true", $i;
}
PERL
cp "$(type -P true)" "$TMP/true"

run "$READER" record -a --no-history -o "$TMP/ours.data" "${ours[@]}" -- \
	"$PERF" record -q -a -c 1 -m 4096 -k CLOCK_MONOTONIC -o "$TMP/theirs.data" "${theirs[@]}" \
	perl "$TMP/workload.pl" "$TMP" "$TMP/true"
is "$status" 0 "reader record, of a command" || diag "$err"
is "$(wc -l < "$TMP/out")" 300 "what the command prints goes where it should"
like "$err" "^\[ reader record: Captured and wrote [0-9.]+ MB $TMP/ours.data \([0-9]+ samples" \
	"a summary at the end"
cp "$TMP/out" "$TMP/pids"

# lines FILE: of the workers, without their times, those of each CPU in their order. perf does not
# know who a thread is that is switched away from for the last time: its id is free by then.
lines() {
	awk -v pids="$TMP/pids" '
		/ prev_state=[XZ] / { next }
		BEGIN { while ((getline pid < pids) > 0) is_wanted[pid] = 1 }
		match($0, /^ *[^[]*  *[0-9]+ \[[0-9]+\] +[0-9]+\.[0-9]+: /) {
			head = substr($0, 1, RLENGTH); text = substr($0, RLENGTH + 1)
			n = split(head, words, " ")
			if (words[n - 2] in is_wanted) { sub(/[0-9.]+: $/, "", head); print head text }
		}' "$1" | sort -s -t '[' -k 2,2.3
}

# perf that has fallen behind, as on a busy machine, has written parts of its buffer twice (6.1): the
# same line in the same nanosecond. Ours may have none of these.
once() {
	if [ "$1" = theirs ]; then awk '!is_known[$0]++'; else cat; fi
}

for file in ours theirs; do
	ok "perf script reads $file" script "$TMP/$file.data" --ns
	once $file < "$TMP/script" > "$TMP/once"
	lines "$TMP/once" > "$TMP/$file"
	[ $file = ours ] && cp "$TMP/script" "$TMP/ours.script"
	cp "$TMP/script.err" "$TMP/$file.err"
done
for event in "${events[@]}"; do
	# A busy machine makes more system calls than one of the two can keep up with.
	if [ $event = raw_syscalls:sys_enter ] && grep -qi lost "$TMP/ours.err" "$TMP/theirs.err"; then
		for _ in 1 2 3; do skip "$event: some are lost"; done
		continue
	fi
	for file in ours theirs; do
		grep -F " $event: " "$TMP/$file" | sed 's/  */ /g' > "$TMP/$file.event"
	done
	compare "$(wc -l < "$TMP/ours.event")" -ge 100 "$event: 100 lines or more are compared"
	diff "$TMP/ours.event" "$TMP/theirs.event" > "$TMP/difference"
	# While a task is in the middle of a call of bpf(2), the kernel tells no program of events on
	# its CPU (docs/design.md), and counts them.
	missed=$("$LOADER" status "${event#*:}" --json | jq '.events[0].missed')
	is "$(grep -c '^<' "$TMP/difference")" 0 "$event: each of our lines is perf's" ||
		diag "$(cut -c 1-300 "$TMP/difference" | head -n 12)"
	compare "$(grep -c '^>' "$TMP/difference")" -le "$missed" \
		"$event: and each of perf's ours, but of what no program was told" ||
		diag "$(cut -c 1-300 "$TMP/difference" | head -n 12)"
done
compare "$(awk '{ print length }' "$TMP/ours" | sort -n | tail -n 1)" -ge 3900 "a record of 4 KiB"
is "$(evlist "$TMP/ours.data")" "$(printf '%s\n' "${events[@]}")" \
	"perf evlist"

# The same in wall-clock time: the same moments, which differ by less than a second.
"$PERF" script -i "$TMP/ours.data" -F +tod 2> /dev/null | grep -m 1 sched:sched_process_exec: > "$TMP/tod"
like "$(cat "$TMP/tod")" "\[0[0-9]+\] $(date +%Y)-[0-9-]+ [0-9:]+\.[0-9]{6} +[0-9]+\.[0-9]+: " \
	"perf script -F +tod: wall-clock time"
read -r date time < <(grep -oE '[0-9]{4}-[0-9-]+ [0-9:]+\.[0-9]{6}' "$TMP/tod")
"$READER" attach sched_process_exec --json | jq -r .time > "$TMP/times"
ok "which is that of the record" grep -q "^$(date -u -d "$date $time" +%Y-%m-%dT%H:%M:%S)" "$TMP/times"

# ---- perf's other commands ---------------------------------------------------------------------

header=$("$PERF" report --header-only -i "$TMP/ours.data" 2> /dev/null)
like "$header" "^# hostname : $(uname -n)$" "perf report --header-only: the host"
like "$header" "^# os release : $(uname -r)$" "the kernel"
like "$header" "^# nrcpus online : $(getconf _NPROCESSORS_ONLN)$" "CPUs"
like "$header" "^# cmdline : $READER record -a --no-history -o " "the command line"
like "$header" "^# clockid: boottime \(7\)$" "the clock"
like "$header" "^# reference time: .* \(boottime\)$" "what it showed when"
like "$header" "^# sample duration : " "from when until when"
like "$header" "^# event : name = sched:sched_process_exec, , id = \{ 1 \}, type = 2, .*RAW" "events"
run_ok "perf report" "$PERF" report --stdio -i "$TMP/ours.data"
like "$out" "Samples: [0-9]+[KM]? .*of event 'sched:sched_process_exec'" "perf report: samples"
like "$out" "100.00%|[0-9]+\.[0-9]+%  filename=" "perf report: what was executed"
unlike "$err" "restricted|corrupt|broken|unknown" "perf report has nothing to complain about"
run "$PERF" evlist -v -i "$TMP/ours.data"
like "$out" "^sched:sched_switch: type: 2, .*TID\|TIME\|CPU\|PERIOD\|RAW\|IDENTIFIER.* clockid: 7" \
	"perf evlist -v"
run "$PERF" evlist --trace-fields -i "$TMP/ours.data"
like "$out" "^sched:sched_process_exec: trace_fields: filename,pid,old_pid$" "perf evlist --trace-fields"
if "$PERF" data convert --help 2>&1 | grep -q to-json; then
	run_ok "perf data convert --to-json" "$PERF" data convert --to-json "$TMP/json" -i "$TMP/ours.data"
	is "$(jq '.samples | length' "$TMP/json")" "$(wc -l < "$TMP/ours.script")" \
		"every sample is in it"
	is "$(jq .headers.clockid "$TMP/json")" 7 "with the clock"
else
	skip "this perf has no data convert --to-json"
fi
run_ok "perf sched" "$PERF" sched latency -i "$TMP/ours.data"
run_ok "perf script -D" "$PERF" script -D -i "$TMP/ours.data"
is "$("$PERF" script --ns -i "$TMP/ours.data" --cpu 0 2> /dev/null | grep -vc '\[000\]')" 0 \
	"perf script --cpu"
run_ok "of one CPU" "$READER" record -q -C 1 -o "$TMP/one.data" "${ours[@]}" true
script "$TMP/one.data"
is "$(sed -E 's/^[^[]* \[([0-9]+)\].*/\1/' "$TMP/script" | sort -u)" 001 "only that one's records"
is "$err" "" "-q: no summary"

"$LOADER" stop > /dev/null

# ---- losses ------------------------------------------------------------------------------------

"$LOADER" start --mode 0666 -e $NUMBERED_EVENT/keep=latest,tail=4K/ \
	-e $NUMBERED_EVENT/name=first,keep=oldest,head=4K/ \
	-e $NUMBERED_EVENT/name=all,head=1M/ > /dev/null
produce 0 500 > /dev/null
produce 1 300 501 > /dev/null
run_ok "what is there of three events" "$READER" record -o "$TMP/lost.data" \
	-e $NUMBERED,first -e persistent/all/ true
script "$TMP/lost.data" --show-lost-events
# perf writes the number in hexadecimal digits.
count_samples() {
	grep -c "syscalls:$1: timer_id: " "$TMP/script"
}
is "$(count_samples all)" 800 "an event that lost nothing"
lost_of() { # EVENT: its losses, as the reader counts them
	"$READER" attach "$1" --json | jq -s 'map(.lost // 0) | add'
}
kept=$(count_samples $NUMBERED)
kept_first=$(count_samples first)
is $((kept + $(lost_of $NUMBERED))) 800 "what one has and what it lost is all there was"
is $((kept_first + $(lost_of first))) 800 "so it is of the other one"
is "$(awk '/PERF_RECORD_LOST/ { sum += $NF } END { print sum }' "$TMP/script")" \
	$((1600 - kept - kept_first)) "perf script --show-lost-events: what was lost"
like "$(cat "$TMP/script")" '\[001\] .*: PERF_RECORD_LOST lost ' "with the CPU"
like "$err" "\($((800 + kept + kept_first)) samples, $((1600 - kept - kept_first)) lost\)" \
	"the summary tells of losses"
run "$PERF" report --stdio -i "$TMP/lost.data"
like "$out$err" "lost [0-9]+ chunks" "perf warns of them"
is "$(evlist "$TMP/lost.data")" \
	"$(printf 'syscalls:%s\n' $NUMBERED first all)" "events of one tracepoint under their names"

# The times are the records' own, to the nanosecond, and so is everything else of them.
"$PERF" script --ns -i "$TMP/lost.data" -F comm,pid,tid,cpu,time,event 2> /dev/null | grep :all: |
	sed -E 's/^ *(.*[^ ]) +([0-9]+\/[0-9]+) +\[0*([0-9]+)\] +([0-9]+)\.([0-9]+): .*/\1 \2 \3 \4\5/' \
		> "$TMP/samples"
"$READER" attach all --json | jq -r '"\(.comm) \(.pid)/\(.tid) \(.cpu) \(.time_ns)"' > "$TMP/records"
ok "thread, CPU and time of each sample are the record's" cmp "$TMP/samples" "$TMP/records" ||
	diag "$(diff "$TMP/samples" "$TMP/records" | head -n 4)"

reader_of_all=$(public_copy "$READER")
unprivileged "$reader_of_all" record -q -o - -e all true > "$TMP/nobody.data" 2> "$TMP/err"
is "$(cat "$TMP/err")" "" "nobody records"
ok "what perf reads" script "$TMP/nobody.data"
is "$(count_samples all)" 800 "as well"

# ---- an event without its format text ----------------------------------------------------------

# What kernels do not have: somebody has removed the text.
rm "$ROOT/all/fmt"
rm -f "$ROOT/all/fmt-resolved"
run_ok "without a format text" "$READER" record -o "$TMP/bare.data" -e all true
script "$TMP/bare.data"
is "$(grep -c 'syscalls:all: payload=' "$TMP/script")" 800 "payloads are shown as bytes"
bytes=$("$READER" attach all 2> /dev/null | sed -nE '1s/.*payload=[0-9a-f]{16}//p')
is "$(sed -nE '1s/.*payload=//p' "$TMP/script" | tr -d ' ')" "$bytes" "the same that the reader shows"

# ---- a damaged buffer --------------------------------------------------------------------------

# The first word of a payload has the number by which perf looks up the event, the second one in this
# event's the place of a string. perf looks at neither before it follows them.
"$LOADER" add sched:sched_process_exec/name=damaged,keep=oldest,head=4K/ > /dev/null
taskset -c 0 true
for damage in 64=0xffffffffffffffff 64=0 72=0xffffffff 72=0xffff 72=0x1000100; do
	forge_ring damaged $damage || diag "forge fails"
	run_ok "a payload with $damage" "$READER" record -o "$TMP/damaged.data" -e damaged -C 0 true
	ok "what perf reads" script "$TMP/damaged.data"
	is "$(sed -n '1p;3p' "$TMP/script" | grep -cE 'filename=[^ ]+ pid=')" 2 \
		"the records beside it are what they were"
	case $damage in
	64=*) like "$(sed -n 2p "$TMP/script")" 'filename=[^ ]+ pid=' "and so is the rest of it" ;;
	*) like "$(sed -n 2p "$TMP/script")" "filename= pid=" "it has no string" ;;
	esac
done
"$LOADER" remove damaged > /dev/null

# ---- following, and the end --------------------------------------------------------------------

start_background "$READER" record -q --no-history -o "$TMP/live.data" -e $NUMBERED
recorder=$background_pid
has_begun() { [ "$(stat -c %s "$TMP/live.data" 2> /dev/null || echo 0)" -gt 1000 ]; }
ok "it writes what comes" wait_until 20 has_begun
produce 0 10 5001 > /dev/null
has_samples() { # FILE COUNT
	script "$1" && [ "$(grep -c timer_id "$TMP/script")" -ge "$2" ]
}
ok "which can be read while it goes on" wait_until 20 has_samples "$TMP/live.data" 10
produce 0 10 5011 > /dev/null
kill -INT "$recorder"
wait "$recorder"
is $? 0 "an interrupt ends it with success"
script "$TMP/live.data"
is "$(grep -c timer_id "$TMP/script")" 20 "--no-history: what came since, all of it"
is "$(evlist "$TMP/live.data")" syscalls:$NUMBERED "a complete file"

run "$READER" record -q -o "$TMP/live.data" -e $NUMBERED -- sh -c 'exit 7'
is $status 7 "the command's exit status"
run "$READER" record -q -o "$TMP/live.data" -e $NUMBERED -- sh -c 'kill -TERM $$'
is $status 143 "that of a command that a signal ended"
ok "the file of before is kept" test -s "$TMP/live.data.old"

# A command that cannot be run: as shells say, and the files are what they were.
echo '#!/absent/interpreter' > "$TMP/script-of-absent"
echo 'no program' > "$TMP/no-program"
printf '\177ELF' > "$TMP/no-elf"
chmod 755 "$TMP/script-of-absent" "$TMP/no-elf"
files_of_live() { md5sum "$TMP"/live.data*; }
files_of_live > "$TMP/files"
check_command() { # STATUS ERROR COMMAND DESCRIPTION
	run "$READER" record -q -o "$TMP/live.data" -e $NUMBERED -- "$3"
	is $status "$1" "$4"
	like "$err" "error: cannot run $3: $2" "says so"
	run "$READER" record -q -o "$TMP/new.data" -e $NUMBERED -- "$3"
	ok "no file is left" test ! -e "$TMP/new.data"
}
check_command 127 "No such file or directory" "$TMP/absent" "a command that there is not"
check_command 127 "No such file or directory" absent-command "one that is not in PATH"
check_command 126 "Permission denied" "$TMP/no-program" "a file that is not executable"
check_command 126 "Permission denied" "$TMP" "a directory"
is "$(files_of_live)" "$(cat "$TMP/files")" "the files of before are what they were"
cp "$TMP/live.data" "$TMP/last.data"
check_command 126 "Exec format error" "$TMP/no-elf" "a program that is none"
check_command 127 "No such file or directory" "$TMP/script-of-absent" "a script without its interpreter"
ok "the last file has its name again" cmp "$TMP/live.data" "$TMP/last.data"
(cd "$TMP" && "$READER" record -q -e $NUMBERED true < /dev/null > "$TMP/out")
ok "perf.data without -o" test -s "$TMP/perf.data"
is "$(stat -c %a "$TMP/perf.data")" 600 "for its owner only, as perf's"

# An event that is removed, and one that is added again, while it is recorded.
start_background "$READER" record -q --no-history -o "$TMP/again.data" -e $NUMBERED -e first \
	2> "$TMP/record.err"
recorder=$background_pid
has_begun() { [ "$(stat -c %s "$TMP/again.data" 2> /dev/null || echo 0)" -gt 1000 ]; }
wait_until 20 has_begun
produce 0 5 6001 > /dev/null
"$LOADER" clear $NUMBERED > /dev/null
produce 0 5 6006 > /dev/null
wait_until 20 has_samples "$TMP/again.data" 10
"$LOADER" remove $NUMBERED > /dev/null 2> "$TMP/err"
"$LOADER" add $NUMBERED_EVENT/keep=latest,tail=4K/ > /dev/null
is_taken_up() {
	produce 0 1 7000 > /dev/null
	script "$TMP/again.data" && grep -q 'timer_id: 0x00001b58' "$TMP/script"
}
ok "an event that is removed and added again is gone on with" wait_until 20 is_taken_up
"$LOADER" remove $NUMBERED first > /dev/null 2> "$TMP/err"
ok "without events it ends" wait_until 20 has_ended "$recorder"
wait "$recorder"
is $? 0 "with success"
script "$TMP/again.data"
is "$(grep -cE 'timer_id: 0x0000177[1-9a]' "$TMP/script")" 10 "nothing is missing around a clear"

# ---- a pipe ------------------------------------------------------------------------------------

"$LOADER" add $NUMBERED_EVENT/wakeup=1/ $NUMBERED_EVENT/name=quiet/ > /dev/null
produce 0 5 > /dev/null
mkfifo "$TMP/pipe"
# What perf prints into a file it prints line by line only if told to.
stdbuf -oL "$PERF" script -i - < "$TMP/pipe" > "$TMP/view" 2> "$TMP/view.err" &
view=$!
background_pids+=($view)
"$READER" record -o - -e persistent/$NUMBERED/ > "$TMP/pipe" 2> "$TMP/record.err" &
recorder=$!
background_pids+=($recorder)
ok "perf script -i - shows what was before" wait_until 20 is_in_file 'timer_id: 0x00000005' "$TMP/view"
produce 0 1 77 > /dev/null
ok "and what comes, at once" wait_until 20 is_in_file 'timer_id: 0x0000004d' "$TMP/view"
kill -INT $recorder
wait $recorder
is $? 0 "an interrupt ends it"
wait $view
is $? 0 "and perf with it"
is "$(grep -c "syscalls:$NUMBERED: timer_id" "$TMP/view")" 6 "every record once"
is "$(cat "$TMP/view.err")" "" "perf script has nothing to complain about"
is "$("$READER" record -q -e quiet -- echo to stderr 2> "$TMP/err" | "$PERF" script -i - 2> /dev/null | grep -c quiet:)" \
	6 "a pipe is the default, as perf's"
is "$(cat "$TMP/err")" "to stderr" "the command's output does not get into it"
"$READER" record -q -o - -e quiet true > "$TMP/stream"
ok "the stream of a pipe in a file" script "$TMP/stream"
is "$(grep -c quiet: "$TMP/script")" 6 "has every record"
like "$("$PERF" report --header-only -i "$TMP/stream" 2> /dev/null)" "^# hostname : $(uname -n)$" \
	"and the header"
"$READER" record -q -o "$TMP/pipe" -e quiet true &
background_pids+=($!)
is "$("$PERF" script -i - < "$TMP/pipe" 2> /dev/null | grep -c quiet:)" 6 "a named pipe"

(
	trap '' PIPE
	"$READER" record -o - -e quiet 2> "$TMP/err"
	echo $? > "$TMP/status"
) | head -c 100 > /dev/null
is "$(cat "$TMP/status")" 1 "a pipe that nobody reads any more ends it with 1"
like "$(cat "$TMP/err")" "error: standard output: nobody reads it any more" "says so"

# ---- what cannot be ----------------------------------------------------------------------------

run "$READER" record -o "$TMP/x.data" -e persistent/absent/ true
is $status 1 "no such event"
like "$err" "absent: " "is named"
ok "and no file is made" test ! -e "$TMP/x.data"
run "$READER" record -o "$TMP/x.data" true
is $status 2 "no event is wrong usage"
for list in , quiet,,quiet ,quiet quiet, ''; do
	run "$READER" record -o "$TMP/x.data" -e "$list" true
	is $status 2 "so is the list '$list'"
done
run "$READER" record -o "$TMP/x.data" -e quiet -C zero true
is $status 2 "no list of CPUs"
run "$READER" record -o "$TMP/none/x.data" -e quiet true
is $status 1 "a directory that there is not"
like "$err" "error: cannot create $TMP/none/x.data: No such file or directory" "is named"
run "$READER" record -o "$TMP" -e quiet true
is $status 1 "a directory"
like "$err" "error: cannot create $TMP: Is a directory" "is named"
run env script -qec "$READER record -o - -e quiet true" /dev/null
like "$out" "error: standard output is a terminal" "nothing is written to a terminal" ||
	diag "$status"
run_ok "an event that is named twice" "$READER" record -q -o "$TMP/x.data" -e quiet -e persistent/quiet/ true
like "$err" "named twice" "is recorded once, with a message"
script "$TMP/x.data"
is "$(grep -c quiet: "$TMP/script")" 6 "each record once"

mkdir "$TMP/small"
mount -t tmpfs -o size=64K tmpfs "$TMP/small"
"$LOADER" add $NUMBERED_EVENT/name=many,head=4M/ > /dev/null
produce 0 4000 > /dev/null
run "$READER" record -o "$TMP/small/x.data" -e many -- echo the command runs
is $status 1 "a full disk"
like "$err" "error: cannot write $TMP/small/x.data: No space left on device; what was written" "says so"
is "$out" "the command runs" "the command is not ended by that"
ok "what was written can be read" script "$TMP/small/x.data"
is "$(cat "$TMP/script.err")" "" "perf has nothing to complain about"
compare "$(grep -c many: "$TMP/script")" -ge 200 "there are records"
is "$(sed -nE 's/.*timer_id: 0x0*([0-9a-f]+).*/\1/p' "$TMP/script" | while read -r hex; do echo $((16#$hex)); done | ranges)" \
	"1-$(grep -c many: "$TMP/script")" "the first ones, without a gap"
dd if=/dev/zero of="$TMP/small/rest" status=none 2> /dev/null
run "$READER" record -o "$TMP/small/y.data" -e many true
is $status 1 "a disk that is full already"
like "$err" "error: cannot write $TMP/small/y.data: No space left on device$" "says so"
umount "$TMP/small"

# ---- SIGKILL -----------------------------------------------------------------------------------

run_ok "a complete file" "$READER" record -o "$TMP/whole.data" -e many true
script "$TMP/whole.data"
cp "$TMP/script" "$TMP/whole"
is "$(grep -c many: "$TMP/whole")" 4000 "of 4000 records"

# check_cut FILE: what perf reads of it is the beginning of what there was, and all that it can be
check_cut() {
	script "$1" || return 1
	cmp -s "$TMP/script" <(head -n "$(wc -l < "$TMP/script")" "$TMP/whole")
}

start_background "$READER" record -o "$TMP/killed.data" -e many
recorder=$background_pid
is_written() { script "$TMP/killed.data" && [ "$(wc -l < "$TMP/script")" = 4000 ]; }
ok "all of it is written while it goes on" wait_until 20 is_written
kill -KILL "$recorder"
wait "$recorder" 2> /dev/null
ok "a file whose recorder was killed" check_cut "$TMP/killed.data"
is "$(wc -l < "$TMP/script")" 4000 "has all of it"
run_ok "perf report reads it" "$PERF" report --stdio -i "$TMP/killed.data"
like "$out" "of event 'syscalls:many'" "with its event"

# Each record is 8 or more words: cut at each word of three records, and here and there.
size=$(stat -c %s "$TMP/killed.data")
bad=0 cut=0 last=0
for length in $(seq $((size / 2)) 8 $((size / 2 + 300))) $(seq $((size / 3)) 1 $((size / 3 + 24))) \
	$(seq $((size - 60)) 4 $((size - 1))) $(for ((i = 0; i < 20; i++)); do
		echo $((20000 + (RANDOM * 32768 + RANDOM) % (size - 20000))); done); do
	cp "$TMP/killed.data" "$TMP/cut.data"
	truncate -s "$length" "$TMP/cut.data"
	cut=$((cut + 1))
	check_cut "$TMP/cut.data" || { bad=$((bad + 1)); diag "cut at $length: $(cat "$TMP/script.err")"; }
	[ "$length" = $((size / 2)) ] && last=$(wc -l < "$TMP/script")
done
is "$bad" 0 "cut at $cut places, the records before are read"
compare "$last" -ge 1500 "half of the file is nearly half of the records"

# Killed while it writes, and while it makes a file of it: more or less early after its start.
bad=0
for ((i = 0; i < 25; i++)); do
	rm -f "$TMP"/killed.data*
	"$READER" record -q -o "$TMP/killed.data" -e many true &
	recorder=$!
	sleep 0.0$((RANDOM % 80 + 10))
	kill -KILL $recorder 2> /dev/null
	wait $recorder 2> /dev/null
	# Not even begun: then there is nothing.
	[ "$(stat -c %s "$TMP/killed.data" 2> /dev/null || echo 0)" -gt 16 ] || continue
	check_cut "$TMP/killed.data" ||
		{ bad=$((bad + 1)); diag "$(cat "$TMP/script.err")"; }
done
is "$bad" 0 "killed at random moments, what is there can be read"
# The same, exactly at each of its calls of write(2) and pwrite(2).
bad=0 kills=0
for ((i = 1; i <= 9; i++)); do
	for call in write pwrite64; do
		rm -f "$TMP"/killed.data*
		# The shell tells of such an end as well.
		{
			strace -qq -o /dev/null -P "$TMP/killed.data" -e trace=$call \
				-e inject=$call:signal=KILL:when=$i \
				"$READER" record -q -o "$TMP/killed.data" -e many true
			killed=$?
		} > /dev/null 2>&1
		[ $killed = 137 ] || continue
		kills=$((kills + 1))
		[ -s "$TMP/killed.data" ] || continue
		check_cut "$TMP/killed.data" ||
			{ bad=$((bad + 1)); diag "$call $i: $(cat "$TMP/script.err")"; }
	done
done
# The beginning, the records, the end; and three times the header.
is $kills 6 "killed at each of its writes"
is "$bad" 0 "what is there can be read"

# ---- 1 GB --------------------------------------------------------------------------------------

free=$(df --output=avail -B 1M "$TMP" | tail -n 1)
if [ "$free" -lt 3000 ]; then
	skip "1 GB: no room for it"
else
	"$LOADER" stop > /dev/null
	mapfile -t options < <(printf -- "-e\n$NUMBERED_EVENT/name=%s,keep=latest,tail=2M/\n" a b c d e f)
	"$LOADER" start "${options[@]}" > /dev/null
	start_producer 0 1
	"$READER" record -o "$TMP/large.data" -e a,b,c,d,e,f 2> "$TMP/record.err" &
	recorder=$!
	background_pids+=($recorder)
	peak() {
		awk '/VmHWM/ { print $2 }' /proc/$recorder/status
	}
	has_size() { # MB
		[ "$(stat -c %s "$TMP/large.data" 2> /dev/null || echo 0)" -ge $(($1 * 1000000)) ]
	}
	ok "50 MB" wait_until 60 has_size 50
	before=$(peak)
	ok "1 GB" wait_until 120 has_size 1000
	after=$(peak)
	end_producer
	kill -INT $recorder
	wait $recorder
	is $? 0 "the end of it" || diag "$(cat "$TMP/record.err")"
	compare $((after - before)) -le 512 "from 50 MB to 1 GB not 512 KB more memory, of $after KB"
	like "$(cat "$TMP/record.err")" "Captured and wrote 1[0-9]{3}\.[0-9]+ MB" "1 GB was written"
	like "$("$PERF" report --header-only -i "$TMP/large.data" 2> /dev/null)" \
		"^# data size +: 1[0-9]{9}$" "and is a complete file"
	rm -f "$TMP/large.data"
fi
finish
