#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the reader shows of an event is, after the event's name, what ftrace prints for it. ftrace
# records what one process and its children do; we record everything, and what we have of these
# processes is compared event by event on each CPU.

TIME_LIMIT=240
. "${0%/*}/lib.sh"

# Events with strings, with two dynamic arrays, with symbols, with addresses, and system calls,
# whose format text is not what ftrace prints.
specs=(
	sched:sched_process_exec/keep=oldest,head=4M/
	raw_syscalls:sys_enter/keep=oldest,head=64M/
	syscalls:sys_enter_openat/keep=oldest,head=8M/
	sched:sched_process_fork/keep=latest,tail=4M/
	net:netif_rx/keep=oldest,head=4M/
	# Plain events in steady state, see record_plain() in bpf/capture.bpf.h.
	signal:signal_generate/keep=latest,ring=array,tail=16M/
	sock:inet_sock_set_state/keep=latest,ring=array,tail=4M/
)
# Its last field is a single byte. In memory alone, nothing is added to the cache of a file.
[ "$(stat -f -c %T "$TMP")" = tmpfs ] ||
	specs+=(filemap:mm_filemap_add_to_page_cache/keep=latest,ring=array,tail=16M/)
events=()
for spec in "${specs[@]}"; do
	event=${spec%%/*}
	events+=("${event#*:}")
done

# Once it may begin: 1,200 programs, files and packets, and somewhat fewer connections.
cat > "$TMP/workload.pl" <<'PERL'
use Socket;
my ($dir, $true, $begin) = @ARGV;
open(my $fifo, "<", $begin); # waits for its other end
for my $i (1 .. 1200) {
	my $pid = fork();
	if (!$pid) {
		exec {$true} "true", $i if $i % 3;
		exec {"$dir/" . "x" x ($i % 200 + 1)} "x";
		exit;
	}
	waitpid($pid, 0);
	open(my $file, "<", "$dir/file-$i");
	open($file, ">", "$dir/written") && print $file "x";
}
socket(my $to, AF_INET, SOCK_DGRAM, 0);
my $where = pack_sockaddr_in(9, inet_aton("127.0.0.1"));
send($to, "x" x ($_ % 100), 0, $where) for 1 .. 1200;
socket(my $server, AF_INET, SOCK_STREAM, 0);
bind($server, pack_sockaddr_in(0, inet_aton("127.0.0.1"))) && listen($server, 10);
for (1 .. 150) {
	socket(my $client, AF_INET, SOCK_STREAM, 0);
	connect($client, getsockname($server)) && accept(my $peer, $server);
}
PERL
mkdir "$TMP/programs"
cp "$(type -P true)" "$TMP/programs/program"
name=
for ((i = 1; i <= 200; i++)); do
	name+=x
	ln "$TMP/programs/program" "$TMP/programs/$name"
done
mkfifo "$TMP/begin"
start_background perl "$TMP/workload.pl" "$TMP/programs" "$(type -P true)" "$TMP/begin"
workload=$background_pid
# What it does before it waits at the pipe is not to be seen by one of the two only.
asleep=0
for _ in {1..100}; do
	[[ $(< "/proc/$workload/stat") == *") S "* ]] && asleep=$((asleep + 1)) || asleep=0
	((asleep == 8)) && break
	sleep 0.05
done

new_instance || skip_all "cannot make an ftrace instance here"
echo 16384 > "$instance/buffer_size_kb"
echo 0 > "$instance/options/irq-info" 2> /dev/null
echo 1 > "$instance/options/event-fork"
echo "$workload" > "$instance/set_event_pid"
for spec in "${specs[@]}"; do
	event=${spec%%/*}
	echo 1 > "$instance/events/${event/://}/enable" || diag "cannot enable $event in ftrace"
done

mapfile -t options < <(printf -- '-e\n%s\n' "${specs[@]}")
run_ok "start" "$LOADER" start "${options[@]}"
is "$(processes_of "$LOADER")" "" "the loader has exited"
echo begin > "$TMP/begin"
wait "$workload"
echo 0 > "$instance/tracing_on"
is "$(grep -h '^overrun\|^dropped' "$instance"/per_cpu/cpu*/stats | awk '{ sum += $NF } END { print sum }')" \
	0 "ftrace lost nothing"

# The reader is started only now.
for event in "${events[@]}"; do
	"$READER" attach "$event" > "$TMP/text.$event" 2> "$TMP/err" || diag "reader: $(cat "$TMP/err")"
done
"$READER" attach sched_process_exec sys_enter_openat sched_process_fork --json > "$TMP/json"
cat "$instance/trace" > "$TMP/ftrace"
# On a busy machine a ring may be full in the end.
is "$(grep -h ^LOST "$TMP"/text.* | grep -v ring_full)" "" "neither did we of what was kept"
sed -i /^LOST/d "$TMP"/text.*

# Prints "COMPARED DIFFERENT FTRACE OURS" and the first differences.
cat > "$TMP/compare.pl" <<'PERL'
use strict;
my ($event, $ftrace_file, $our_file) = @ARGV;
my (%ftrace, %ours, %is_compared);
(my $call = $event) =~ s/^sys_enter_(?=.)/sys_/;
open(my $file, "<", $ftrace_file) or die;
while (<$file>) {
	next unless /^\s*(.*)-(\d+)\s+\[(\d+)\]\s+(\d+\.\d+): (.*)$/;
	my ($comm, $tid, $cpu, $time, $text) = ($1, $2, $3, $4, $5);
	$is_compared{$tid} = 1;
	# Of a system call ftrace prints no event name.
	next unless $text =~ s/^\Q$event\E: // or $text =~ /^\Q$call\E\(/;
	push @{$ftrace{$cpu + 0}}, [$time, $tid, $text];
}
open($file, "<", $our_file) or die;
while (<$file>) {
	/^\s*(.*?)\s+(\d+)\s+\[(\d+)\]\s+(\d+\.\d+): [^:]+:\Q$event\E: (.*)$/ or
		print("cannot be parsed: $_"), next;
	push @{$ours{$3 + 0}}, [$4, $2, $5] if $is_compared{$2};
}
my ($compared, $different, $nr_ftrace, $nr_ours, @shown) = (0, 0, 0, 0);
for my $cpu (keys %ftrace, grep(!$ftrace{$_}, keys %ours)) {
	my @f = @{$ftrace{$cpu} || []};
	my @o = @{$ours{$cpu} || []};
	$nr_ftrace += @f;
	$nr_ours += @o;
	while (@f and @o) {
		my ($f, $o) = (shift @f, shift @o);
		$compared++;
		# Each takes the time for itself, with nothing but an interrupt between them.
		next if $f->[2] eq $o->[2] and $f->[1] == $o->[1] and abs($f->[0] - $o->[0]) < 1;
		$different++;
		push @shown, "cpu $cpu ftrace: @$f", "cpu $cpu ours:   @$o" if @shown < 6;
	}
}
print "$compared $different $nr_ftrace $nr_ours\n", map("$_\n", @shown);
PERL
for event in "${events[@]}"; do
	result=$(perl "$TMP/compare.pl" $event "$TMP/ftrace" "$TMP/text.$event")
	read -r compared different in_ftrace in_ours < <(grep -E '^[0-9]+ [0-9]+' <<< "$result")
	wanted=1000
	[ $event = inet_sock_set_state ] && wanted=600
	compare "$compared" -ge $wanted "$event: $wanted events or more are compared"
	is "$different" 0 "$event: each line equals ftrace's (KNOWN-PAIN 13, 14)" || diag "$result"
	unlike "$result" "cannot be parsed" "$event: each line has the shape of perf script's"
	if [ "$(counters $event | awk '{ lost += $4 } END { print lost }')" = 0 ]; then
		is "$in_ours" "$in_ftrace" "$event: none is missing and none is there twice"
	else
		skip "$event: more came than fits into the ring"
	fi
done

# ---- JSON --------------------------------------------------------------------------------------

# The same events in JSON: what the text line is made of.
json_texts() { # EVENT EXPRESSION
	jq -r "select(.event == \"$1\" and .fields) | $2" "$TMP/json" | head -n 1000
}

texts() { # EVENT
	sed -nE "s/^.*: [a-z_]+:$1: //p" "$TMP/text.$1" | head -n 1000
}

exec=$(json_texts sched_process_exec '.fields |
	"filename=\(.filename) pid=\(.pid) old_pid=\(.old_pid)"')
is "$(md5sum <<< "$exec")" "$(md5sum <<< "$(texts sched_process_exec)")" \
	"sched_process_exec: the JSON fields say the same"
fork=$(json_texts sched_process_fork '.fields |
	"comm=\(.parent_comm) pid=\(.parent_pid) child_comm=\(.child_comm) child_pid=\(.child_pid)"')
is "$(md5sum <<< "$fork")" "$(md5sum <<< "$(texts sched_process_fork)")" \
	"sched_process_fork: the JSON fields say the same"
is "$(json_texts sys_enter_openat '.fields | [.dfd, .flags, .mode] | map(type) | unique[]' | sort -u)" \
	number "sys_enter_openat: the arguments are numbers"
is "$(jq -r 'select(.event == "sched_process_exec" and .fields) |
	select(.fields.pid != .pid or .comm == "") | .seq' "$TMP/json")" "" \
	"the record's own process id is the one of the event"
compare "$(jq -r 'select(.event == "sys_enter_openat") | .seq' "$TMP/json" | wc -l)" \
	-ge "$(wc -l < "$TMP/text.sys_enter_openat")" "no event is missing in JSON"
for event in "${events[@]}"; do
	check_sums $event
done
finish
