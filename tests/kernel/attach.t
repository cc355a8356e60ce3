#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Events that belong to a process, and events that nobody owns: detach, attach, and the end of each.
# The helpers that use the library are those built with sanitizers, if there are any.

TIME_LIMIT=300
. "${0%/*}/lib.sh"

USERS=${HELPERS%/tests}/asan/tests
[ -x "$USERS/owner" ] || USERS=$HELPERS
OWNER=$USERS/owner
RACE=$USERS/attach_race
export ASAN_OPTIONS=detect_leaks=1:log_path=$TMP/sanitizer
export UBSAN_OPTIONS=print_stacktrace=1:log_path=$TMP/sanitizer
SPEC=$NUMBERED_EVENT/head=64K,tail=2M/

# Links, programs and maps that the process has open
objects_of_process() { # PID
	cat "/proc/$1/fdinfo/"* 2> /dev/null | sed -n 's/^\(link\|prog\|map\)_id:[\t ]*/\1 /p' | sort -u
}

numbers_in_tree() {
	"$READER" attach $NUMBERED --json | numbers_of | ranges
}

steps() { # COMMAND...: what it prints, as one line
	"$@" | tr '\n' ' '
}

# ---- attached: the end of the process is the end of the event ------------------------------------

start_background "$OWNER" "make=$SPEC" wait > "$TMP/owner-out"
wait_until 10 has_lines "$TMP/owner-out" 1
is "$(cat "$TMP/owner-out")" "make ok" "an event of a process"
objects_of_process "$background_pid" > "$TMP/objects"
is "$(cut -d ' ' -f 1 "$TMP/objects" | uniq | tr '\n' ' ')" "link map prog " \
	"has a link, a program and maps"
not_ok "and no pins" test -e $ROOT
kill -KILL "$background_pid"
wait "$background_pid" 2> /dev/null
check_objects_gone "$TMP/objects" "killed with SIGKILL: nothing is left in the kernel"

start_background "$OWNER" "make=$SPEC" "run=$HELPERS/event_producer 0 5 > /dev/null" read free wait \
	> "$TMP/owner-out"
wait_until 10 has_lines "$TMP/owner-out" 9
is "$(tr '\n' ' ' < "$TMP/owner-out")" "make ok run ok 1 2 3 4 5 read ok free ok " \
	"an attached event is read, and freed"
is "$(objects_of_process "$background_pid" | grep link)" "" \
	"then nothing of it is left, though the process goes on"
kill -KILL "$background_pid"

is "$(steps "$OWNER" make=nosuch:event 'make=sched:*' make=:: attach=$NUMBERED 2> /dev/null)" \
	"make ENOENT make EINVAL make EINVAL attach ENOENT " "errors"

# ---- detached: it lives on, with everything ------------------------------------------------------

# The producer goes on from before the call until after it.
produce_in_background="$HELPERS/event_producer 0 10000 1 50 > $TMP/made & sleep 0.2"
is_producing="run=test ! -s $TMP/made"
has_produced() {
	[ -s "$TMP/made" ]
}

is "$(steps "$OWNER" "make=$SPEC" "run=$produce_in_background" "$is_producing" detach \
	"$is_producing" detach read)" \
	"make ok run ok run ok detach ok run ok detach EALREADY read EINVAL " \
	"detached while events come; once"
wait_until 60 has_produced
is "$(numbers_in_tree)" 1-10000 "10,000 events across the detach: none lost, none twice"
is "$(counter $NUMBERED 0 seen)" 10000 "as the counters say"
run_ok "it is an event of the tree: clear" "$LOADER" clear $NUMBERED
produce 0 3 > /dev/null
is "$(numbers_in_tree)" 1-3 "and goes on being recorded"
is "$(steps "$OWNER" "make=$SPEC" detach free 2> "$TMP/err")" "make ok detach EEXIST free ok " \
	"detached to a name that is taken: EEXIST"
like "$(cat "$TMP/err")" "$NUMBERED: it is there already, as $NUMBERED_EVENT" "says what is there"
is "$(numbers_in_tree)" 1-3 "what was there is left alone"
check_stop

is "$(steps "$OWNER" "make=$SPEC" forget detach)" "make ok forget ok detach ok " \
	"an event outlives the handle of its tree"

# Whoever has detached an event has no part in it any more.
start_background "$OWNER" "make=$NUMBERED_EVENT/name=other/" detach wait > "$TMP/owner-out"
wait_until 10 has_lines "$TMP/owner-out" 2
objects_of_tree | grep link | sort -u > "$TMP/objects"
"$LOADER" stop > /dev/null
check_objects_gone "$TMP/objects" "removed while the process that made it still runs: it is gone"
kill -KILL "$background_pid"

# ---- attached again ------------------------------------------------------------------------------

run_ok "start" "$LOADER" start -e "$SPEC" -e signal:signal_generate
produce 0 5 > /dev/null
start_background "$READER" attach $NUMBERED --follow --json > "$TMP/followed"
follower=$background_pid
wait_until 10 has_lines "$TMP/followed" 5
objects_of_tree | sort -u > "$TMP/objects"
is "$(steps "$OWNER" attach=$NUMBERED attach=$NUMBERED \
	"run=$HELPERS/event_producer 0 5 6" 2> /dev/null)" \
	"5 attach ok attach ENOENT run ok " "taken over, once"
not_ok "its pins are gone" test -e $ROOT/$NUMBERED
not_ok "so is its name in events/" test -L $ROOT/events/$NUMBERED
ok "a follower ends" wait_until 10 has_ended "$follower"
like "$(numbers_of < "$TMP/followed" | ranges)" "^1-([5-9]|10)$" \
	"and has seen what came while it had the event"
"$LOADER" stop > /dev/null
check_objects_gone "$TMP/objects" "closed by its owner: nothing is left in the kernel"

# A reader that follows goes on where it was when the event comes back.
run_ok "start" "$LOADER" start -e "$SPEC" -e signal:signal_generate
start_background "$READER" attach $NUMBERED signal_generate --follow --json \
	> "$TMP/followed" 2> /dev/null
produce 0 5 > /dev/null
followed_numbers() {
	jq -r "select(.event == \"$NUMBERED\") | .fields.timer_id" < "$TMP/followed"
}
is_followed_to() {
	[ "$(followed_numbers | tail -n 1)" = "$1" ]
}
wait_until 10 is_followed_to 5
run_ok "owned for a moment" "$LOADER" own $NUMBERED --detach -- \
	"$HELPERS/event_producer" 0 5 6
run_ok "owned for a second" "$LOADER" own $NUMBERED --detach -- \
	sh -c "$HELPERS/event_producer 0 5 11 > /dev/null; sleep 1"
produce 0 5 16 > /dev/null
ok "a follower has what was recorded since" wait_until 10 is_followed_to 20
is "$(followed_numbers | ranges)" 1-20 "every event once, whoever owned it meanwhile"
kill "$background_pid"
is "$(numbers_in_tree)" 1-20 "and so have the buffers"

# ---- two takers ----------------------------------------------------------------------------------

seen=$(counter $NUMBERED 0 seen)
run "$RACE" $ROOT $NUMBERED 100
is "$status" 0 "100 rounds of attach and detach by two at once: one owner, and one event" ||
	diag "$out$err"
like "$out" "^owned [1-9][0-9]* [1-9][0-9]*$" "each of them had it"
produce 0 5 21 > /dev/null
is "$(numbers_in_tree)" 1-25 "with all its records"
is "$(counter $NUMBERED 0 seen)" $((seen + 5)) "and its counters"
check_stop

is "$(cat "$TMP"/sanitizer.* 2> /dev/null)" "" "no sanitizer has anything to report"
finish
