#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A reader with no privilege at all reads and follows, and nobody can change what was recorded.

TIME_LIMIT=240
. "${0%/*}/lib.sh"

READER=$(public_copy "$READER")
ATTACKER=$(public_copy "$HELPERS/map_attacker")
SECCOMP=$(public_copy "$HELPERS/seccomp_run")
EVENT=$ROOT/$NUMBERED
sysctl=/proc/sys/kernel/unprivileged_bpf_disabled

numbers() { # COMMAND...
	"$@" 2> "$TMP/err" | numbers_of | ranges
}

# What an attack should have got: nothing that changes anything
check_attack() { # OUTPUT DESCRIPTION
	is "$(grep succeeded <<< "$1" | grep -vE ' (open-|mmap-read-only-)')" "" "$2"
}

diag "kernel.unprivileged_bpf_disabled is $(cat $sysctl)"

# ---- without --mode ------------------------------------------------------------------------------

run_ok "start without --mode" "$LOADER" start -e $NUMBERED_EVENT/keep=both,head=4K,tail=8K/
produce 0 100 > /dev/null
run unprivileged "$READER" attach $EVENT
is "$status" 1 "nobody cannot read"
like "$err" "$EVENT/meta: permission denied.*--group.*--mode" \
	"the error names the pin and the loader's options (KNOWN-PAIN 9)"
run unprivileged "$READER" list
is "$status" 1 "nobody cannot list"
like "$err" "$NUMBERED/meta: permission denied: only the owner may read it; as root, " "says why"
"$LOADER" add $NUMBERED_EVENT/name=second,head=4K/ $NUMBERED_EVENT/name=third,head=4K/ > /dev/null
LOADER_OF_ALL=$(public_copy "$LOADER")
for list in "$READER list" "$LOADER_OF_ALL list" "$LOADER_OF_ALL status" "$READER summary" "$READER top --stdio"; do
	# shellcheck disable=SC2086 # a program and its arguments
	run unprivileged $list
	is "$(grep -c ' error: ' <<< "$err")" 1 "${list##*/}: one message for all of them"
	like "$err" "denied, as for 2 more events: only the owner may" "with the remedy"
done
"$LOADER" remove second third > /dev/null
run unprivileged "$LOADER_OF_ALL" remove $NUMBERED nosuch
is "$(grep -c ' error: ' <<< "$err")" 1 "who may change nothing is told once"
is "$(unprivileged cat $ROOT/events/$NUMBERED)" \
	"persistent,config=$(cat $TRACING/events/syscalls/$NUMBERED/id)" "but can cat events/NAME"
like "$(unprivileged cat $EVENT/status)" "^ +0 +100 +100 " "and cat NAME/status"
run unprivileged "$ATTACKER" $EVENT/head/cpu0 $EVENT/tail/cpu0 $EVENT/meta $EVENT/counters \
	$EVENT/control $EVENT/wakeup $EVENT/link $EVENT/program $ROOT/registry
is "$(grep succeeded <<< "$out")" "" "no pin can be opened by nobody"

# ---- --mode 0666 ---------------------------------------------------------------------------------

run_ok "start --mode 0666 of a tree that is there" "$LOADER" start --mode 0666 \
	-e $NUMBERED_EVENT/keep=both,head=4K,tail=8K/
is "$(numbers unprivileged "$READER" attach $EVENT --json)" 1-100 \
	"nobody reads head and tail (KNOWN-PAIN 9)"
run unprivileged "$READER" list
is "$status" 0 "nobody lists the events"
like "$out" "^$NUMBERED " "all of them"
"$LOADER" add $NUMBERED_EVENT/name=added/ > /dev/null
"$LOADER" clear $NUMBERED > /dev/null
produce 0 50 101 > /dev/null
is "$(numbers unprivileged "$READER" attach $EVENT --json)" 101-150 "also after a clear"
is "$(numbers unprivileged "$READER" attach added --json)" 101-150 "also what is added later"

start_background "${as_nobody[@]}" "$READER" attach $EVENT --follow --json > "$TMP/followed"
follower=$background_pid
wait_until 10 has_lines "$TMP/followed" 50
produce 0 50 151 > /dev/null
ok "nobody follows" wait_until 10 has_lines "$TMP/followed" 100
kill "$follower"
wait "$follower" 2> /dev/null
is "$(numbers_of < "$TMP/followed" | ranges)" 101-200 "and sees every event once"

run unprivileged "$ATTACKER" $EVENT/head/cpu0 $EVENT/tail/cpu0
is "$(grep -c 'open-read-write succeeded' <<< "$out")" 2 "nobody opens the pins of the buffers"
like "$out" "head/cpu0 mmap-read-only-data succeeded" "and maps a ringbuf for reading"
like "$out" "tail/cpu0 mmap-read-only-[a-z]+ succeeded" "and an array ring"
like "$out" "head/cpu0 mmap-writable-consumer EPERM" "but not the ringbuf's consumer page to write"
like "$out" "head/cpu0 mprotect-writable-consumer E(PERM|ACCES)" "nor with mprotect"
check_attack "$out" "nobody can change a buffer"
run unprivileged "$ATTACKER" $EVENT/meta $EVENT/counters $EVENT/control $ROOT/registry
is "$(grep -c 'open-read-only succeeded' <<< "$out")" 4 \
	"nobody opens metadata, counters, control and registry for reading"
is "$(grep -cE 'open-(read-write|write-only) EACCES' <<< "$out")" 8 "but not for writing"
check_attack "$out" "and can change none of them"
run unprivileged "$ATTACKER" $EVENT/wakeup
check_attack "$out" "nobody can put anything where readers wait"
run unprivileged "$ATTACKER" $EVENT/link $EVENT/program $EVENT/heads $EVENT/tails
is "$(grep succeeded <<< "$out")" "" "nobody opens link, program and what only the program needs"
run unprivileged rm -rf $ROOT
ok "nobody can remove a pin" test -e $EVENT/link -a -e $EVENT/head/cpu0 -a -L $ROOT/events/added

run "$ATTACKER" $EVENT/head/cpu0 $EVENT/tail/cpu0 $EVENT/meta
check_attack "$out" "root cannot change a buffer or the metadata either"
is "$(numbers "$READER" attach $EVENT --json)" 101-200 "all is still there"

# ---- elsewhere -----------------------------------------------------------------------------------

mkdir "$TMP/pins" "$TMP/nothing"
mount --bind $ROOT "$TMP/pins" && mount -o remount,bind,ro "$TMP/pins"
mount -t tmpfs -o size=1m none $TRACING
is "$(numbers unprivileged "$READER" attach "$TMP/pins/$NUMBERED" --json)" 101-200 \
	"nobody reads from a read-only bind mount, without tracefs (KNOWN-PAIN 10, 23)"
like "$(unprivileged "$READER" attach "$TMP/pins/$NUMBERED" | tail -n 1)" \
	"$NUMBERED: sys_timer_getoverrun\(timer_id: 0xc8\)$" "and as text"
umount $TRACING
umount "$TMP/pins"

run unprivileged "$SECCOMP" none "$READER" attach $EVENT
is "$status" 1 "where bpf(2) is not allowed, the reader fails"
like "$err" "bpf\(2\).*seccomp" "names the cause and the remedy (KNOWN-PAIN 10)"
like "$(unprivileged "$SECCOMP" none cat $EVENT/status)" "^ +all +200 +200 " \
	"but cat shows the status"
is "$(numbers unprivileged "$SECCOMP" read "$READER" attach $EVENT --json)" 101-200 \
	"three commands of bpf(2) are enough for a reader"
is "$(numbers unprivileged "$SECCOMP" read "$READER" attach $EVENT --json --follow --timeout 0.3)" \
	101-200 "and for a follower"

# ---- group ---------------------------------------------------------------------------------------

group=$(getent group audio daemon users | head -n 1 | cut -d: -f1)
gid=$(getent group "$group" | cut -d: -f3)
as_member() {
	setpriv --reuid=65534 --regid="$gid" --clear-groups --inh-caps=-all --ambient-caps=-all \
		--bounding-set=-all --no-new-privs "$@"
}

run_ok "start --mode 0600 takes it back" "$LOADER" start --mode 0600 -e $NUMBERED_EVENT/name=added/
run unprivileged "$READER" attach $EVENT
is "$status" 1 "nobody cannot read any more"
run_ok "start --group $group" "$LOADER" start --group "$group" -e $NUMBERED_EVENT/name=added/
is "$(numbers as_member "$READER" attach $EVENT --json)" 101-200 "a member of the group reads"
run unprivileged "$READER" attach $EVENT
is "$status" 1 "nobody else does"
run as_member "$ATTACKER" $EVENT/head/cpu0 $EVENT/tail/cpu0 $EVENT/meta $EVENT/counters \
	$EVENT/control $EVENT/wakeup $ROOT/registry
check_attack "$out" "a member can change nothing"
"$LOADER" add $NUMBERED_EVENT/name=later/ > /dev/null
"$LOADER" clear later > /dev/null
is "$(stat -c '%a %g' $ROOT/later/head/cpu0 $ROOT/later/meta | tr '\n' ' ')" \
	"660 $gid 640 $gid " "what is added and cleared later belongs to the group too"
check_stop

# ---- access from the beginning -------------------------------------------------------------------

run_ok "start --mode 0666 of a new tree" "$LOADER" start --mode 0666 \
	-e $NUMBERED_EVENT/wakeup=1,keep=latest/
start_background "${as_nobody[@]}" "$READER" attach $EVENT --follow --json > "$TMP/followed"
follower=$background_pid
sleep 0.3
produce 0 1 > /dev/null
ok "nobody is woken by one event" wait_until 5 has_lines "$TMP/followed" 1
run unprivileged "$ATTACKER" $EVENT/wakeup $EVENT/tail/cpu0
check_attack "$out" "and can put nothing where readers wait"
kill "$follower"
wait "$follower" 2> /dev/null
finish
