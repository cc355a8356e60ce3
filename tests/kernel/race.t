#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Several loaders at once, and readers that are attached meanwhile: each command ends well, and
# the tree is whole at every moment (KNOWN-PAIN 6).

TIME_LIMIT=240
. "${0%/*}/lib.sh"

A=signal:signal_generate/name=a,head=4K,tail=8K/
B=signal:signal_deliver/name=b,head=4K,tail=8K/

# What the commands printed
results() {
	cat "$TMP"/result.* 2> /dev/null
	rm -f "$TMP"/result.*
}

# together N COMMAND...: runs it N times at once; prints those that fail
together() {
	local n=$1 i pids=()
	shift
	for ((i = 0; i < n; i++)); do
		"$@" "$i" > "$TMP/result.$BASHPID.$i" 2>&1 &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i" || echo "a process failed with $?"
	done
}

start_both() {
	"$LOADER" start -e $A -e $B
}

for n in 2 8; do
	failed=0
	for ((round = 0; round < 3; round++)); do
		[ -z "$(together $n start_both)" ] || failed=1
		[ "$(cat "$TMP"/result.* | grep -c 'recording as [ab],')" = 2 ] || {
			failed=1
			diag "$(cat "$TMP"/result.* | sort | uniq -c)"
		}
		rm -f "$TMP"/result.*
		[ "$("$LOADER" list | awk 'NR > 1 { printf "%s ", $1 }')" = "a b " ] || failed=1
		[ -z "$(ls $ROOT/staging)" ] || failed=1
		"$LOADER" stop > /dev/null || failed=1
	done
	is $failed 0 "$n starts at once: all end well, each event is made once"
done

# ---- start and stop ------------------------------------------------------------------------------

start_or_stop() { # NUMBER
	local i

	for ((i = 0; i < 5; i++)); do
		if [ $(($1 % 2)) = 0 ]; then
			"$LOADER" start -e $A -e $B || return 1
		else
			"$LOADER" stop || return 1
		fi
	done
}

for n in 2 8; do
	is "$(together $n start_or_stop)" "" "$n loops of start and stop at once: all end well" ||
		diag "$(cat "$TMP"/result.* | grep -i error | sort | uniq -c | head)"
	is "$(results | grep -iE 'exists|error')" "" "and none complains"
	run_ok "a start after that" "$LOADER" start -e $A -e $B
	is "$("$LOADER" list | awk 'NR > 1 { printf "%s ", $1 }')" "a b " "leaves a whole tree"
	check_stop
done

# ---- add, clear and remove -----------------------------------------------------------------------

add_and_remove() { # NUMBER
	local i

	for ((i = 0; i < 4; i++)); do
		"$LOADER" add signal:signal_generate/name=n$1,head=4K,tail=8K/ || return 1
		"$LOADER" clear n$1 a || return 1
		"$LOADER" remove n$1 || return 1
	done
}

start_both > /dev/null
tree_listing > "$TMP/before"
is "$(together 4 add_and_remove)" "" "4 loops of add, clear and remove at once: all end well" ||
	diag "$(cat "$TMP"/result.* | grep -i error | sort | uniq -c | head)"
is "$(results | grep -iE 'exists|error')" "" "and none complains"
is "$(tree_listing)" "$(cat "$TMP/before")" "the tree is what it was"
is "$("$BPFTOOL" map dump pinned $ROOT/registry | jq -c '[.[].value.name] | sort')" '["a","b"]' \
	"so is the registry"
is "$("$LOADER" status a --json | jq '.events[0].generation')" 17 "each clear was done once"

same_name() { # NUMBER
	"$LOADER" add signal:signal_deliver/name=same/
}
is "$(together 4 same_name | wc -l)" 3 "of 4 adds of the same name, one succeeds"
is "$(results | grep -c 'same: it is there already')" 3 "and the others are told what is there"
"$LOADER" remove same > /dev/null

# ---- what readers see ----------------------------------------------------------------------------

list_often() {
	local i

	for ((i = 0; i < 20; i++)); do
		"$READER" list > /dev/null || return 1
		"$LOADER" list > /dev/null || return 1
		"$LOADER" status > /dev/null || return 1
		"$READER" attach a > /dev/null || return 1
		cat $ROOT/a/status > /dev/null || return 1
		cat $ROOT/events/* > /dev/null 2>&1
	done
}
list_often > "$TMP/list-out" 2>&1 &
lister=$!
together 2 add_and_remove > "$TMP/failed"
wait "$lister"
is $? 0 "list, status, attach and cat while events come and go: all end well" ||
	diag "$(cat "$TMP/list-out")"
is "$(cat "$TMP/failed" "$TMP/list-out")" "" "and say nothing on standard error"
results > /dev/null

# ---- stop while readers are attached -------------------------------------------------------------

"$LOADER" add $NUMBERED_EVENT/keep=latest,wakeup=1/ > /dev/null
start_background "$READER" attach $NUMBERED --follow --json > "$TMP/followed" 2> "$TMP/follow-err"
first=$background_pid
start_background "$READER" attach $NUMBERED a b --follow --json > "$TMP/followed-all" 2> /dev/null
second=$background_pid
produce 0 100 > /dev/null
wait_until 10 has_lines "$TMP/followed" 100
start_producer 0 101
sleep 0.2
objects_of_tree | sort -u > "$TMP/objects"
run_ok "stop while readers follow" "$LOADER" stop
end_producer
ok "a follower of the removed event ends" wait_until 10 has_ended "$first"
wait "$first"
is "$?" 0 "with success"
ok "so does one of several events" wait_until 10 has_ended "$second"
like "$(numbers_of < "$TMP/followed" | ranges)" "^1-[0-9]+$" "it has seen everything until the end"
is "$(find /sys/fs/bpf -mindepth 1 ! -name '*.debug')" "" "nothing is pinned any more"
check_objects_gone "$TMP/objects" "nothing is left in the kernel once the readers are gone (KNOWN-PAIN 4)"
# ---- a lock that is not a loader's ---------------------------------------------------------------

"$LOADER" start -e $A > /dev/null
start_background "${as_nobody[@]}" flock "$ROOT" sleep 60
holder=$background_pid
is_locked() { ! flock -n "$ROOT" true; }
wait_until 10 is_locked
"$LOADER" add $B > /dev/null 2> "$TMP/add.err" &
adding=$!
background_pids+=($adding)
ok "a loader that waits says for whom" wait_until 20 is_in_file \
	"$ROOT: waiting for process [0-9]+ \((flock|sleep)\), which has locked it" "$TMP/add.err"
ok "it names the one that can be ended" grep -qE "process ($holder|$(pgrep -P "$holder")) " "$TMP/add.err"
run_ok "readers do not wait" timeout 20 "$READER" list
pkill -P "$holder"
kill "$holder"
wait "$adding"
is $? 0 "and then it goes on"
finish
