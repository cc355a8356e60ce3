#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# loader run and loader own: events that belong to a command, their output, and exit statuses.

TIME_LIMIT=180
. "${0%/*}/lib.sh"

STOP_LOADER=$(realpath -m "${STOP_LOADER:-${OUTPUT:-build}/stop/loader}")
SPEC=$NUMBERED_EVENT/head=64K,tail=64K/
PRODUCE="$HELPERS/event_producer"

# exits STATUS DESCRIPTION COMMAND...
exits() {
	local expected=$1 description=$2
	shift 2
	run "$@"
	is "$status" "$expected" "$description" || diag "$err"
}

# ---- run: exit statuses --------------------------------------------------------------------------

exits 0 "run: the command succeeds" "$LOADER" run -e $SPEC -- true
exits 7 "run: the command's exit status" "$LOADER" run -e $SPEC -- sh -c 'exit 7'
exits 137 "run: 128 and the signal that ended it" "$LOADER" run -e $SPEC -- sh -c 'kill -KILL $$'
exits 127 "run: a command that is not there" "$LOADER" run -e $SPEC -- /no/such/command
like "$err" "/no/such/command: No such file" "says so"
exits 126 "run: a command that cannot be executed" "$LOADER" run -e $SPEC -- /etc/passwd
exits 1 "run: an event that is not there" "$LOADER" run -e nosuch:event -- touch "$TMP/touched"
not_ok "the command is not run then" test -e "$TMP/touched"
exits 2 "run: a malformed event" "$LOADER" run -e :: -- true
exits 2 "run: no event" "$LOADER" run -- true
exits 2 "run: nothing behind --" "$LOADER" run -e $SPEC --
like "$err" "COMMAND, behind --, is missing" "says what is missing"
exits 1 "run: without privileges" unprivileged "$(public_copy "$LOADER")" run -e $SPEC -- true
like "$err" "CAP_BPF" "says what is missing"
not_ok "none of them makes a tree" test -e $ROOT

# ---- run: output ---------------------------------------------------------------------------------

exits 0 "run --print --json" "$LOADER" run -e $SPEC --print --json -- "$PRODUCE" 0 100
is "$(grep fields <<< "$out" | numbers_of | ranges)" 1-100 "prints all records of the command"
exits 0 "run --print" "$LOADER" run -e $SPEC --print -- "$PRODUCE" 0 3
is "$(grep -c "$NUMBERED_EVENT: sys_timer_getoverrun(timer_id: " <<< "$out")" 3 "prints text"
exits 0 "without --print" "$LOADER" run -e $SPEC -- "$PRODUCE" 0 3
is "$out" 3 "prints nothing but what the command does"
exits 5 "its output is closed: the command goes on to its end all the same" bash -c '
	set -o pipefail
	"$@" | head -n 1 > /dev/null' - \
	"$LOADER" run -e $SPEC --print -- \
	sh -c "$PRODUCE 0 1000 > /dev/null; sleep 0.3; $PRODUCE 0 1000 > /dev/null; touch $TMP/ended; exit 5"
ok "which has come" test -e "$TMP/ended"

# ---- run: signals --------------------------------------------------------------------------------

# has_child PID
has_child() {
	[ -n "$(pgrep -P "$1")" ]
}

for signal in INT TERM HUP; do
	start_background "$LOADER" run -e $SPEC > /dev/null
	wait_until 10 is_in_file "anon_inode:\[signalfd\]" <(ls -l "/proc/$background_pid/fd" 2> /dev/null)
	sleep 0.5
	kill -$signal "$background_pid"
	ok "SIG$signal ends run without a command" wait_until 10 has_ended "$background_pid"
	wait "$background_pid"
	is "$?" 0 "with success"
done

for signal in TERM HUP; do
	start_background "$LOADER" run -e $SPEC -- sh -c 'trap "exit 9" '$signal'; while :; do sleep 0.05; done'
	wait_until 10 has_child "$background_pid"
	sleep 0.2
	kill -$signal "$background_pid"
	ok "SIG$signal is passed on to the command" wait_until 10 has_ended "$background_pid"
	wait "$background_pid"
	is "$?" 9 "which decides how it ends"
done

start_background "$LOADER" run -e $SPEC -- sleep 1
wait_until 10 has_child "$background_pid"
kill -INT "$background_pid"
wait "$background_pid"
is "$?" 0 "SIGINT is the command's own affair"

start_background "$LOADER" run -e $SPEC --detach -- sleep 100
wait_until 10 has_child "$background_pid"
child=$(pgrep -P "$background_pid")
kill -KILL "$background_pid"
wait "$background_pid" 2> /dev/null
not_ok "SIGKILL leaves no pins, with --detach either" test -e $ROOT/$NUMBERED
kill "$child"

# ---- run --detach --------------------------------------------------------------------------------

exits 0 "run --detach" "$LOADER" run -e "$SPEC" -e signal:signal_generate --detach -- "$PRODUCE" 0 100
like "$err" "^$NUMBERED_EVENT: persistent as $NUMBERED, persistent,config=[0-9]+$" "says what is left"
is "$(cat $ROOT/events/$NUMBERED)" "$(sed -n "s/^$NUMBERED_EVENT: .*, \(persistent,.*\)/\1/p" <<< "$err")" \
	"under this id"
produce 0 5 101 > /dev/null
is "$("$READER" attach $NUMBERED --json | numbers_of | ranges)" 1-105 "with everything"
exits 1 "run --detach to a name that is taken" "$LOADER" run -e $SPEC --detach -- true
like "$err" "$NUMBERED: it is there already" "says so"
exits 3 "run --detach and a command that fails" \
	"$LOADER" run -e "$NUMBERED_EVENT/name=second/" --detach -- sh -c 'exit 3'
ok "detaches all the same" test -e $ROOT/second/link

# ---- own -----------------------------------------------------------------------------------------

exits 0 "own --print --json" "$LOADER" own $NUMBERED --print --json -- "$PRODUCE" 0 5 106
is "$(grep fields <<< "$out" | numbers_of | ranges)" 1-110 "prints what was recorded before, too"
not_ok "then the event is gone" test -e $ROOT/$NUMBERED
exits 1 "own, again" "$LOADER" own $NUMBERED -- touch "$TMP/touched"
like "$err" "$NUMBERED: there is no such event" "says why not"
not_ok "the command is not run then" test -e "$TMP/touched"
exits 4 "own --detach" "$LOADER" own second --detach -- sh -c 'exit 4'
ok "puts it back" test -e $ROOT/second/link
exits 1 "own of two, one of which is not there" "$LOADER" own second nosuch -- true
ok "leaves the other in the tree" test -e $ROOT/second/link
"$LOADER" remove second > /dev/null
exits 2 "own without a name" "$LOADER" own -- true
check_stop

# ---- killed between any two changes --------------------------------------------------------------

# Kills "loader $*" before its Nth change. False if it came to its end.
kill_at() { # N ARGUMENT...
	local n=$1
	shift
	{
		PERSIST_STOP_AT=$n PERSIST_STOP_LOG=1 "$STOP_LOADER" "$@" > /dev/null 2> "$TMP/stop-err"
		status=$?
	} 2> /dev/null # where bash says that it was killed
	where=$(sed -n "s|^stop point $n: ||p" "$TMP/stop-err")
	[ $status = 137 ]
}

# The pins of the event are all the same: every fourth of them is tried.
next_change() {
	case $where in
	*/staging/$NUMBERED*) n=$((n + 4)) ;;
	*) n=$((n + 1)) ;;
	esac
}

# After the next loader has tidied up, $NUMBERED is there and works, or nothing of it is.
look() {
	"$LOADER" remove nosuch > /dev/null 2>&1
	[ -z "$(ls $ROOT/staging 2> /dev/null)" ] || echo "left in staging"
	if [ -e $ROOT/$NUMBERED ]; then
		produce 0 1 4 > /dev/null
		[ "$("$READER" attach $NUMBERED --json 2>&1 | numbers_of | tail -n 1)" = 4 ] ||
			echo "it does not work"
	else
		[ ! -L $ROOT/events/$NUMBERED ] || echo "left in events/"
		are_gone "$TMP/objects" || wait_until 10 are_gone "$TMP/objects" || echo "left in the kernel"
	fi
}

if [ -x "$STOP_LOADER" ]; then
	problems=
	: > "$TMP/objects"
	for ((n = 1; ; )); do
		kill_at $n run -e $NUMBERED_EVENT/keep=oldest,head=4K/ --detach -- true || break
		problems+=$(look)
		"$LOADER" stop > /dev/null 2>&1
		next_change
	done
	is "$problems" "" "run --detach, killed before each kind of its changes: it is there, or not"
	"$LOADER" stop > /dev/null

	problems=
	for ((n = 1; ; )); do
		"$LOADER" start -e $NUMBERED_EVENT/keep=oldest,head=4K/ > /dev/null
		"$BPFTOOL" -j link show pinned $ROOT/$NUMBERED/link |
			jq -r '"link \(.id)", "prog \(.prog_id)"' > "$TMP/objects"
		kill_at $n own $NUMBERED -- true || break
		problems+=$(look)
		"$LOADER" stop > /dev/null
		next_change
	done
	is "$problems" "" "own, killed before each kind of its changes: it is there, or not"
else
	skip "no $STOP_LOADER"
fi

finish
