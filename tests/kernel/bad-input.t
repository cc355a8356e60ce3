#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Wrong input, missing privileges, damaged pins: each is a clear error that names object, cause
# and, where there is one, the remedy; and what is recorded stays.

TIME_LIMIT=240
. "${0%/*}/lib.sh"

# fails STATUS EXTENDED-REGULAR-EXPRESSION COMMAND...: on standard error, and nothing on the other
fails() {
	local expected=$1 pattern=$2 what
	shift 2
	run "$@"
	what="$*"
	what=${what//${LOADER%/*}\//}
	what=${what//timeout 20 /}
	what=${what//$TMP/TMP}
	what=$(head -c 120 <<< "${what//$'\n'/ }")
	if [ "$status" = "$expected" ] && grep -qE -- "$pattern" <<< "$err"; then
		report 0 "$what"
	else
		report 1 "$what"
		diag "  actual: $status, $(head -c 600 <<< "$err")"
		diag "expected: $expected, /$pattern/"
	fi
}

load() {
	fails "$1" "$2" timeout 20 "$LOADER" "${@:3}"
}

read_() {
	fails "$1" "$2" timeout 20 "$READER" "${@:3}"
}

"$LOADER" start -e $NUMBERED_EVENT/head=4K,tail=8K/ > /dev/null
produce 0 100 > /dev/null
tree_listing > "$TMP/before"

# ---- command lines ---------------------------------------------------------------------------------

# Their style is a matter of tests/static/command-line.t.
load 2 "no such command ''" ""
load 2 "usage"
load 2 "unknown option '-q'" -q start
load 2 "unexpected argument '$NUMBERED_EVENT'" start $NUMBERED_EVENT
load 2 "unknown option '--json'" stop --json
load 2 "unknown option '--mode'" add $NUMBERED_EVENT --mode 0666
load 2 "unknown option '-e'" stop -e $NUMBERED_EVENT
load 2 "SPEC is missing" add --
load 2 "event '--json'" add -- --json
for mode in 0640 0777 666x "" 8 0444 -1; do
	load 2 "--mode wants 0600.*not '$mode'" start -e $NUMBERED_EVENT --mode "$mode"
done
load 2 "--group no-such-group.*groupadd" start -e $NUMBERED_EVENT --group no-such-group
load 2 "root ''" start -e $NUMBERED_EVENT --root ""
load 2 "not a usable path|too long" list --root "/$(printf '%05000d' 0)"

read_ 2 "usage|--help"
for value in -1 x 1x ""; do
	read_ 2 "--timeout" attach $NUMBERED --timeout "$value"
done
for value in x 2026-13-01T00:00:00Z 12:00 "" -5y 1e9 1m 2026-01-02T03:04:05; do
	read_ 2 "--since wants a time \(now, -10s, .* seconds as the output shows\), not '$value';" attach $NUMBERED \
		--since "$value"
done
read_ 2 "--until wants a time \(now, -10s, .* seconds as the output shows\), not '1m';" top --until 1m
for value in x 0- 1,,2 3-1 -1 "" 99999999; do
	read_ 2 "cpu|CPU" attach $NUMBERED --cpu "$value"
done
read_ 2 "since|until" attach $NUMBERED --since now --until -1h
# What selects nothing is no silent success.
for command in attach "export --to chrome -o -" "record -o /dev/null -e" "top --stdio -e"; do
	# shellcheck disable=SC2086 # words
	read_ 1 "$NUMBERED: none of the chosen CPUs is there; it has 0 to" $command $NUMBERED --cpu 8000
	run timeout 20 "$READER" ${command} $NUMBERED --cpu 0,8000 --until now --since 2200-01-01 < /dev/null
	is "$status" 2 "$command: a --since behind --until is wrong usage"
	like "$err" "warning: --since 2200-01-01: in the future" "after a warning of a time in the future"
done
run "$READER" attach $NUMBERED --cpu 0,8000 --since 2200-01-01
is "$status $out" "0 " "nothing is selected"
like "$err" "warning: .*$NUMBERED: there is no CPU [0-9]+; it has 0 to" "a CPU that is not there is named"
like "$err" "warning: --since 2200-01-01: in the future" "and a time that has not come"
run "$READER" attach $NUMBERED --cpu all
is "$status $err" "0 " "all are as many as there are"
read_ 2 "" list --follow
read_ 2 "" list too many

# ---- too many open files ---------------------------------------------------------------------------

# Whichever file it is that cannot be opened, there is the limit, and no talk of the kernel.
with_files() { # NUMBER COMMAND...
	(ulimit -n "$1" && exec "${@:2}")
}
for files in 8 12 14 18 22 26; do
	run with_files $files "$LOADER" add sched:sched_switch/head=4K,tail=8K,name=files/
	[ $status = 0 ] && { "$LOADER" remove files > /dev/null; break; }
	like "$err" "Too many open files; this process may have $files: raise it with ulimit -n.* needs up to [0-9]+ on" \
		"with $files open files the loader says what it needs"
	unlike "$err" "loader probe" "and only that"
	needed=$(sed -nE 's/.*needs up to ([0-9]+) on.*/\1/p;q' <<< "$err")
done
run_ok "with as many as it says it works" with_files "${needed:-0}" "$LOADER" add \
	sched:sched_switch/head=4K,tail=8K,name=files,wakeup=1/
for files in 12 14 16 18 19 20 21; do
	run with_files $files "$LOADER" clear files
	[ $status = 0 ] && break
	like "$err" "[Tt]oo many open files; .*ulimit -n" "clear with $files open files says so"
done
"$LOADER" remove files > /dev/null
run with_files 7 "$READER" attach $NUMBERED
like "$err" "Too many open files; this process may have 7" "so does the reader"

# ---- what controls a terminal ----------------------------------------------------------------------

# Wherever it comes from, it is shown as \xNN: in messages, and in what is made for a terminal.
hostile=$'\e[31m\xc2\x9b1m\x9bx\n'
shown='\\x1b\[31m\\xc2\\x9b1m\\x9bx\\x0a'
check_shown() { # PROGRAM ARGUMENT...
	run "$@" < /dev/null
	like "$err" "$shown" "${1##*/} $2: a hostile argument is shown"
	is "$(tr -d '\n\040-\176' <<< "$out$err")" "" "without its control characters"
}
check_shown "$LOADER" add "sched:$hostile"
check_shown "$LOADER" "$hostile"
check_shown "$LOADER" remove "$hostile"
check_shown "$READER" list --root "/$hostile"
check_shown "$READER" "$hostile"
check_shown "$READER" attach "$hostile"
check_shown "$READER" attach "--$hostile"
check_shown "$LOADER" stop "$hostile"
check_shown "$READER" attach $NUMBERED --since "$hostile"
check_shown "$READER" record -e $NUMBERED -o /dev/null -- "$hostile"
check_shown "$READER" record -e $NUMBERED -o "$TMP/$hostile" true
check_shown "$READER" perf -- "$hostile"
mkdir "$ROOT/$hostile"
"$BPFTOOL" map pin pinned $ROOT/$NUMBERED/control "$ROOT/$hostile/meta"
for command in "list" "summary" "metrics"; do
	"$READER" $command > "$TMP/out" 2>&1
	ok "reader $command beside an event of such a name" grep -q "$shown" "$TMP/out"
	is "$(tr -d '\n\040-\176' < "$TMP/out")" "" "prints no control character"
done
rm -r "${ROOT:?}/$hostile"

# ---- event specifications --------------------------------------------------------------------------

load 1 "nosuch:event: .*no such tracepoint" add nosuch:event
load 1 "sched:nosuch: .*no such tracepoint.*module" add sched:nosuch
load 1 "syscalls:sys_enter_nosuch: .*no such tracepoint" start -e syscalls:sys_enter_nosuch
load 1 "sched:sched_swtich: this kernel has no such tracepoint; did you mean sched:sched_switch[?]$" add sched:sched_swtich
load 1 "mce:nosuch: .*no such tracepoint.*CONFIG_X86_MCE" add mce:nosuch
for spec in "" sched sched: :sched_switch : sched:sched_switch/ sched:sched_switch/keep \
	sched:sched_switch//keep=latest sched:sched_switch/keep=latest sched:sched_switch/keep=latest/x \
	sched:sched_switch/keep=some/ sched:sched_switch/keep=/ sched:sched_switch/,/ \
	sched:sched_switch/frob=1/ sched:sched_switch/name=/ sched:sched_switch/name=a.b/ \
	sched:sched_switch/name=events/ sched:sched_switch/name=staging/ "sched:sched_switch/name=a b/" \
	sched:sched_switch/name=../ "sched:sched_switch/name=$(printf '%064d' 0)/" \
	sched:sched_switch/ring=circle/ sched:sched_switch/wakeup=-1/ sched:sched_switch/wakeup=x/ \
	sched:sched_switch/wakeup=99999999999/ "sched:../sched/sched_switch" "../sched:sched_switch" \
	sched:.. "sched:sched_switch, sched:sched_wakeup" "sched :sched_switch" \
	"sched:*/name=x/" "$(printf '%05000d' 0):x" "x:$(printf '%0500d' 0)"; do
	load 2 "event '|event specification" add "$spec"
done
load 2 "there are no options behind the '/'" add sched:sched_switch/
for size in 0 -1 1.5K 64KB x K 64k64 99999999999999999999 16777216T 0x1000 18446744073709551615G; do
	load 2 "head=$size: expected a size|tail" add sched:sched_switch/head=$size/
done
load 2 "tail=0: expected a size" add sched:sched_switch/tail=0/
load 2 "at most 256M" add sched:sched_switch/head=1G/
load 2 "at most 256M" add sched:sched_switch/tail=257M/
for twice in name=a,name=b head=4K,head=4K keep=both,wakeup=1,keep=latest; do
	load 2 "${twice%%=*}= is given twice" add sched:sched_switch/$twice/
done
load 2 "keep=latest has no head, so that head= says nothing" add sched:sched_switch/head=4K,keep=latest/
load 2 "keep=oldest has no tail, so that tail= says nothing" add sched:sched_switch/keep=oldest,tail=4K/
load 2 "keep=oldest has no tail, so that ring= says nothing" add sched:sched_switch/ring=array,keep=oldest/
load 2 "head=: expected a size" add sched:sched_switch/keep=latest,head=/
load 1 "$NUMBERED.*there already" add $NUMBERED_EVENT/head=4K,tail=8K/
load 1 "nosuch: there is no such event; .*/loader list shows" remove nosuch
load 1 "did you mean $NUMBERED[?] .*loader list shows" remove ${NUMBERED}s
load 1 "did you mean $NUMBERED[?] .*loader list shows" clear ${NUMBERED#s}
load 1 "did you mean $NUMBERED[?] .*loader list shows" status syscalls:$NUMBERED
load 1 "" remove ../persistent/$NUMBERED
load 1 "" clear .
load 1 "" remove $NUMBERED/head
load 1 "no such event" status ../persistent
for command in status own; do
	load 2 "not a pattern: '${NUMBERED%t*}[*]'" $command "${NUMBERED%t*}*"
done
if [ "$("$LOADER" probe --json | jq .overwrite_ringbuf.present)" = false ]; then
	load 1 "ring=ringbuf.*no ringbuf that overwrites.*ring=auto" add sched:sched_switch/ring=ringbuf/
else
	skip "this kernel has ringbufs that overwrite"
fi
printf 'sched:sched_switch\0x\n' > "$TMP/null.conf"
head -c 3000 /dev/urandom | tr '\0\n#' 'xxx' > "$TMP/random.conf"
load 2 "$TMP/random.conf:1: " start -c "$TMP/random.conf"
load 2 "$TMP/null.conf:1: a NUL character" start -c "$TMP/null.conf"
printf '# events\n\nsched:sched_switch # good\nsched:sched_wakeup/keep=most/\n' > "$TMP/third.conf"
load 2 "$TMP/third.conf:4: event 'sched:sched_wakeup/keep=most/': keep=most: expected both" start -c "$TMP/third.conf"
{ echo; printf '%05000d\n' 0; } > "$TMP/long.conf"
load 2 "$TMP/long.conf:2: longer than 4094 characters" start -c "$TMP/long.conf"
load 1 "$TMP: (Is a directory|cannot be read)" start -c "$TMP"
load 1 "/dev/full|No space|cannot" start -c /dev/null --root /dev/full

# ---- roots and targets -----------------------------------------------------------------------------

load 1 "root $TMP/x: $TMP is not on a BPF file system.*mount -t bpf.*--root" start \
	-e $NUMBERED_EVENT --root "$TMP/x"
not_ok "nothing was made there (KNOWN-PAIN 10)" test -e "$TMP/x"
load 1 "sched:nosuch: .*no such tracepoint" start -e sched:nosuch --root /sys/fs/bpf/mine
not_ok "a tree in which nothing has come to be is removed again" test -e /sys/fs/bpf/mine
mkdir /sys/fs/bpf/mine
load 1 "sched:nosuch: .*no such tracepoint" start -e sched:nosuch --root /sys/fs/bpf/mine
ok "but not a directory that was there before" test -d /sys/fs/bpf/mine
"$LOADER" stop --root /sys/fs/bpf/mine
load 1 "no tree of persistent events; to make one, run: .*loader start --root '/sys/fs/bpf/my root'$" \
	remove nosuch --root "/sys/fs/bpf/my root"
load 1 "$TMP is not on a BPF file system" stop --root "$TMP"
load 1 "No such file or directory" start -e $NUMBERED_EVENT --root "$TMP/no/such"
load 1 "not a directory|Not a directory|meta" start -e $NUMBERED_EVENT --root $ROOT/$NUMBERED/meta
read_ 1 "a CTF trace is a directory, .*-o DIRECTORY" export --to ctf -o - $NUMBERED
read_ 1 "nosuch: (no such|there is no such)" attach nosuch
read_ 1 "did you mean $NUMBERED[?] .*reader list shows" attach syscalls:${NUMBERED/timer/time}
read_ 1 "did you mean $NUMBERED[?] .*reader list shows" attach $ROOT/${NUMBERED}_
read_ 1 "no such event; [^ ]*reader list shows" attach nothing_like_it
read_ 1 "$TMP: " attach "$TMP"
read_ 1 "/etc/passwd" attach /etc/passwd
read_ 1 "head: " attach $ROOT/$NUMBERED/head
read_ 1 "meta" attach $ROOT/$NUMBERED/meta
read_ 1 "events" attach $ROOT/events/$NUMBERED
read_ 1 "persistent" attach $ROOT
read_ 1 "nosuch" attach persistent/nosuch/
read_ 1 "nosuch" attach $NUMBERED nosuch
read_ 1 "/sys/fs/bpf/nosuch.*(No such file|no persistent events|no tree of persistent events|no such event)" attach $NUMBERED --root /sys/fs/bpf/nosuch
read_ 1 "$TMP/nosuch/cursor" attach $NUMBERED --cursor-file "$TMP/nosuch/cursor"
read_ 1 "$TMP" attach $NUMBERED --cursor-file "$TMP"

# ---- output that cannot be written -----------------------------------------------------------------

for command in "$LOADER list" "$LOADER status --json" "$LOADER --help" "$LOADER probe" \
	"$READER list" "$READER attach $NUMBERED" "$READER attach $NUMBERED --json" "$READER --help"; do
	$command > /dev/full 2> "$TMP/err"
	is "$?" 1 "${command##*/} > /dev/full fails"
done
"$READER" attach $NUMBERED > /dev/full 2> "$TMP/err"
like "$(cat "$TMP/err")" "No space left" "and says why"
"$LOADER" list >&- 2> "$TMP/err"
is "$?" 1 "loader list with a closed output fails"
"$READER" attach $NUMBERED >&- 2> "$TMP/err"
is "$?" 1 "reader attach with a closed output fails"
# No file that is opened becomes standard output or error, and gets what is written there.
"$READER" attach $NUMBERED --count 3 --cursor-file "$TMP/cursor" > /dev/null
cp "$TMP/cursor" "$TMP/cursor-before"
"$READER" attach $NUMBERED --cursor-file "$TMP/cursor" --count 3 <&- >&- 2>&-
is "$?" 1 "with input, output and error closed it fails as well"
ok "and leaves the cursor file as it was" cmp "$TMP/cursor-before" "$TMP/cursor"
"$LOADER" start -c "$TMP/no-such" <&- >&- 2>&-
is "$?" 1 "so does the loader"
is "$("$READER" attach $NUMBERED --cursor-file "$TMP/cursor" --count 3 <&- 2>&- | wc -l)" 3 \
	"where only output is open it is written"
"$LOADER" add signal:signal_deliver/head=4K,tail=8K/ > /dev/full 2> "$TMP/err"
is "$?" 1 "add with a full output fails"
ok "but does its work to the end" test -e $ROOT/signal_deliver/link -a -L $ROOT/events/signal_deliver
"$LOADER" remove signal_deliver > /dev/null
"$READER" attach $NUMBERED --follow 2> "$TMP/err" | head -n 3 > "$TMP/out"
is "$(wc -l < "$TMP/out")" 3 "a follower whose pipe is closed ends" # or the time limit is over

# ---- privileges ------------------------------------------------------------------------------------

without() { # CAPABILITIES COMMAND...
	setpriv --bounding-set="$1" --inh-caps="$1" "${@:2}"
}
fails 1 "CAP_BPF" without -bpf,-sys_admin "$LOADER" start -e signal:signal_deliver
fails 1 "CAP_PERFMON" without -perfmon,-sys_admin "$LOADER" start -e signal:signal_deliver
fails 1 "CAP_BPF" without -bpf,-perfmon,-sys_admin "$LOADER" add signal:signal_deliver
is "$(without -bpf,-perfmon,-sys_admin "$LOADER" probe --json | jq -r .capabilities.detail)" \
	"missing: CAP_BPF, CAP_PERFMON" "probe names what is missing"
PUBLIC_LOADER=$(public_copy "$LOADER")
fails 1 "$ROOT|CAP_BPF" unprivileged "$PUBLIC_LOADER" start -e signal:signal_deliver
fails 1 "as root|CAP_BPF|owner of the tree" unprivileged "$PUBLIC_LOADER" stop
fails 1 "as root|CAP_BPF|owner of the tree|ermission denied" unprivileged "$PUBLIC_LOADER" remove $NUMBERED
fails 1 "only the owner may read it; as root, .*loader start -c /dev/null --group NAME \(or --mode 0666\)" unprivileged "$PUBLIC_LOADER" list
fails 1 "CAP_BPF|ermission|not permitted" unprivileged "$PUBLIC_LOADER" start \
	-e signal:signal_deliver --root /sys/fs/bpf/theirs
rm -rf /sys/fs/bpf/theirs
# Who may read, by the pins' own modes and by those of the directories above them
PUBLIC_READER=$(public_copy "$READER")
theirs=/sys/fs/bpf/group/theirs
mkdir /sys/fs/bpf/group
"$LOADER" start --root $theirs --group 4242 -e $NUMBERED_EVENT/head=4K,tail=8K/ > /dev/null
fails 1 "$theirs/$NUMBERED/meta: .*: only the owner and the group 4242 may read it; as root, usermod --append --groups 4242 USER" \
	unprivileged "$PUBLIC_READER" attach $NUMBERED --root $theirs
remedy=$("$LOADER" stop --root $theirs > /dev/null; "$LOADER" start --root $theirs \
	-e $NUMBERED_EVENT/head=4K,tail=8K/ > /dev/null
	unprivileged "$PUBLIC_READER" attach $NUMBERED --root $theirs 2>&1 | sed -n 's/.*as root, [^ ]* \(.*\) (or .*/\1/p')
# shellcheck disable=SC2086 # words
run_ok "the remedy, $remedy" "$LOADER" ${remedy/NAME/4242} --root $theirs
is "$(cd $theirs && echo */meta) $(stat -c %a%g $theirs/$NUMBERED/head/cpu0)" "$NUMBERED/meta 6604242" \
	"changes the access, and adds no event"
chgrp 4242 /sys/fs/bpf/group && chmod 0710 /sys/fs/bpf/group
fails 1 "$theirs/$NUMBERED: .*: only the owner and the group 4242 may pass /sys/fs/bpf/group; as root, usermod" \
	unprivileged "$PUBLIC_READER" attach $NUMBERED --root $theirs
chmod 0700 /sys/fs/bpf/group
fails 1 "$theirs: .*: only the owner may pass /sys/fs/bpf/group; as root, chmod o[+]x lets others" \
	unprivileged "$PUBLIC_READER" list --root $theirs
fails 1 "root $theirs: .*Permission denied; run the loader as root, or as the owner of the tree" \
	unprivileged "$PUBLIC_LOADER" remove $NUMBERED --root $theirs
"$LOADER" stop --root $theirs > /dev/null && rmdir /sys/fs/bpf/group
fails 1 "bpf\\(2\\)|CAP_BPF|not permitted" "$HELPERS/seccomp_run" none "$LOADER" add signal:signal_deliver

# ---- without tracefs, without BTF ------------------------------------------------------------------

# Through debugfs there would be a second way to it.
umount -a -t tracefs,debugfs 2> /dev/null
if ! mountpoint -q $TRACING && [ ! -e /sys/kernel/debug/tracing/events ]; then
	load 1 "tracefs.*mount -t tracefs" add sched:sched_switch
	load 1 "tracefs.*mount -t tracefs" start -e 'sched:*'
	load 1 "tracefs" start
	like "$("$LOADER" probe)" "^tracefs +no " "probe finds no tracefs (KNOWN-PAIN 23)"
	is "$("$READER" attach $NUMBERED --json | numbers_of | ranges)" 1-100 \
		"readers do not need it (KNOWN-PAIN 23)"
	mount -t tracefs tracefs $TRACING
else
	skip "cannot unmount tracefs here"
fi
mount -t tmpfs -o size=1m none /sys/kernel/btf
like "$("$LOADER" probe)" "^btf +no " "probe finds no BTF (KNOWN-PAIN 16)"
run_ok "without BTF, a tracepoint can be recorded (KNOWN-PAIN 16)" "$LOADER" add \
	$NUMBERED_EVENT/name=plain,head=4K,tail=8K/ sched:sched_process_exec/name=strings/
produce 0 5 > /dev/null
is "$("$READER" attach plain --json | jq -r '"\(.comm) \(.fields.timer_id)"' | head -n 1)" \
	"event_producer 1" "and read"
like "$("$READER" attach strings)" "filename=$HELPERS/event_producer pid=" "also one with strings"
run_ok "and cleared" "$LOADER" clear plain strings
produce 0 2 > /dev/null
is "$("$READER" attach plain --json | numbers_of | ranges)" 1-2 "and recorded again"
run_ok "an event of before is left alone" "$LOADER" start -e $NUMBERED_EVENT/head=4K,tail=8K/
run_ok "and removed" "$LOADER" remove plain strings
umount /sys/kernel/btf

# ---- damaged pins ----------------------------------------------------------------------------------

forge() {
	"$HELPERS/forge" "$@" || diag "forge fails: $*"
}

# A copy of the event, $ROOT/NAME, but for the pins that are named
copy_event() { # NAME PIN...
	local pin kind

	mkdir -p $ROOT/$1/head $ROOT/$1/tail
	for pin in meta counters control wakeup heads tails fmt status event head/cpu0 head/cpu1 tail/cpu0 \
		tail/cpu1; do
		[[ " ${*:2} " == *" $pin "* || ! -e $ROOT/$NUMBERED/$pin ]] && continue
		kind=map
		case $pin in fmt | status | event) kind=link ;; esac
		"$BPFTOOL" $kind pin pinned $ROOT/$NUMBERED/$pin $ROOT/$1/$pin
	done
}

copy_event newer meta
forge meta $ROOT/$NUMBERED/meta $ROOT/newer/meta version=2 size=600 bytes=600
read_ 1 "newer: written by a newer loader.*format 2.*use the reader" attach newer
load 1 "made by a newer version" remove newer
load 1 "newer" clear newer
load 1 "newer" add $NUMBERED_EVENT/name=newer/
run "$LOADER" list
is "$status" 1 "list beside an event of a newer format says that it could not show all"
like "$out" "^$NUMBERED " "and has the others"
like "$err" "newer: written by a newer loader" "and mentions it"
load 1 "newer: made by a newer version" stop
ok "stop leaves it" test -e $ROOT/newer/meta
rm -rf $ROOT
"$LOADER" start -e $NUMBERED_EVENT/head=4K,tail=8K/ > /dev/null
produce 0 100 > /dev/null

for damage in magic=1 nr_cpus=0 nr_cpus=70000 keep=9 tail_type=7 size=8 version=0 head_bytes=1 \
	head_bytes=8192 tail_bytes=4096000 bytes=100 bytes=16; do
	copy_event damaged meta
	forge meta $ROOT/$NUMBERED/meta $ROOT/damaged/meta $damage
	read_ 1 "damaged" attach damaged
	run timeout 20 "$LOADER" list
	like "$status" '^[01]$' "list works beside metadata with $damage" || diag "$err"
	like "$out" "^$NUMBERED " "and has the event that is not damaged"
	run timeout 20 "$LOADER" add signal:signal_deliver/name=other,head=4K,tail=8K/
	is "$status" 0 "so does add" || diag "$err"
	run timeout 20 "$LOADER" remove other
	is "$status" 0 "and remove" || diag "$err"
	rm -rf $ROOT/damaged
done

# A ring whose description or whose records are not what they should be: nothing wrong is shown,
# and nothing crashes.
copy_event damaged head/cpu0
read_ 1 "damaged/head.*missing.*remove it" attach damaged
rm -rf $ROOT/damaged
for pin in head/cpu0 tail/cpu0 meta counters control; do
	copy_event damaged $pin
	"$BPFTOOL" map create $ROOT/damaged/$pin type hash key 4 value 8 entries 4 name wrong
	read_ 1 "damaged/$pin: a map of another kind" attach damaged
	rm -rf $ROOT/damaged
done
copy_event damaged head/cpu0
forge ring $ROOT/$NUMBERED/head/cpu0 $ROOT/damaged/head/cpu0 bytes=8192
read_ 1 "damaged/head/cpu0: a ring of 8192 bytes.*4096" attach damaged
rm -rf $ROOT/damaged

copy_event damaged meta
forge meta $ROOT/$NUMBERED/meta $ROOT/damaged/meta record_id=7
run timeout 20 "$READER" attach damaged --json
like "$err" "damaged: corrupt buffer" "records of another event are mentioned"
is "$(jq -r 'select(.fields)' <<< "$out")" "" "and not shown"
rm -rf $ROOT/damaged

for damage in magic=1 version=9 header_size=8 header_size=255 size=4294967295 size=0 size=25 size=4000 \
	event_id=1 cpu=1 seq=0 seq=77777 seq=18446744073709551615; do
	copy_event damaged head/cpu0
	forge ring $ROOT/$NUMBERED/head/cpu0 $ROOT/damaged/head/cpu0 $damage
	run timeout 20 "$READER" attach damaged --json
	ok "a record with $damage: the reader ends by itself" test "$status" = 0 -o "$status" = 1
	is "$(jq -r 'select(.fields) | select(.cpu != 0 or .event != "'$NUMBERED'" or .seq < 1 or .seq > 100 or
		.fields.timer_id < 1 or .fields.timer_id > 100) | .seq' <<< "$out")" "" \
		"a record with $damage is not shown as if it were right" || diag "$out"
	like "$err" "damaged" "a record with $damage is mentioned" || diag "$out"
	rm -rf $ROOT/damaged
done

# Offsets of struct persist_array_ring
for damage in 0=0 8=0 8=3 8=0xffffffffffffffff 16=0xffffffffffffffff 64=0xffffffffffffffff \
	72=0xffffffffffffffff 72=0xff 72=0x7fffffffff02 bytes=64 bytes=4096 bytes=200; do
	copy_event damaged tail/cpu0
	forge array $ROOT/$NUMBERED/tail/cpu0 $ROOT/damaged/tail/cpu0 $damage
	run timeout 20 "$READER" attach damaged --json
	ok "an array ring with $damage: the reader ends by itself" test "$status" = 0 -o "$status" = 1
	is "$(jq -r 'select(.fields) | select(.seq < 1 or .seq > 100 or .fields.timer_id != .seq) | .seq' <<< "$out")" \
		"" "an array ring with $damage: nothing wrong is shown"
	rm -rf $ROOT/damaged
done
# Each word of the first records in turn
for ((offset = 128; offset < 128 + 160; offset += 8)); do
	copy_event damaged tail/cpu0
	forge array $ROOT/$NUMBERED/tail/cpu0 $ROOT/damaged/tail/cpu0 $offset=0xa5a5a5a5a5a5a5a5
	timeout 20 "$READER" attach damaged --json > "$TMP/out" 2> "$TMP/err"
	status=$?
	[ $status -le 1 ] || break
	rm -rf $ROOT/damaged
done
compare $status -le 1 "whatever stands in a record, the reader ends by itself"
rm -rf $ROOT/damaged

# ---- and nothing was lost --------------------------------------------------------------------------

is "$(tree_listing)" "$(cat "$TMP/before")" "the tree is what it was"
produce 0 1 101 > /dev/null
is "$("$READER" attach $NUMBERED --json | numbers_of | ranges)" 1-101 "the event has recorded all along"
finish
