#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A loader that is killed before any of its changes leaves the old state or the new one: events
# that are there are readable and go on being recorded. The next loader clears what was staged.

TIME_LIMIT=300
. "${0%/*}/lib.sh"

# A build whose loader kills itself before its Nth change, see src/bpffs.c.
STOP_LOADER=$(realpath -m "${STOP_LOADER:-${OUTPUT:-build}/stop/loader}")
if [ ! -x "$STOP_LOADER" ]; then
	make -s OUTPUT="$(realpath -m "${OUTPUT:-build}")/stop" STOP_POINTS=1 "$STOP_LOADER" >&2 ||
		{ echo "Bail out! no $STOP_LOADER"; exit 1; }
fi

KEPT=$NUMBERED_EVENT/name=kept,head=4K,tail=16K/
OTHER=$NUMBERED_EVENT/name=other,keep=latest,tail=64K/

number=0 # of the last event that was produced
problems=

problem() {
	problems+="$*; "
}

produce_more() { # COUNT
	produce 0 "$1" $((number + 1)) > /dev/null || problem "cannot produce"
	number=$((number + $1))
}

# The numbers that the reader shows of an event
shown() {
	"$READER" attach "$1" --json 2> "$TMP/reader-err" > "$TMP/reader-out" ||
		problem "reader attach $1 fails: $(cat "$TMP/reader-err")"
	# As numbers_of, but there are hundreds of these.
	sed -n 's/.*"timer_id":\([0-9]*\)}}$/\1/p' "$TMP/reader-out" | ranges
}

listed() {
	local list

	list=$("$LOADER" list 2> "$TMP/list-err") || problem "loader list fails: $(cat "$TMP/list-err")"
	awk 'NR > 1 { printf "%s ", $1 }' <<< "$list"
}

readable_list() {
	local list

	list=$("$READER" list 2> "$TMP/list-err") || problem "reader list fails: $(cat "$TMP/list-err")"
	awk 'NR > 1 { printf "%s ", $1 }' <<< "$list"
}

# kill_at N COMMAND...: false if it came to its end without being killed
kill_at() {
	local n=$1
	shift
	{
		PERSIST_STOP_AT=$n PERSIST_STOP_LOG=1 "$STOP_LOADER" "$@" > "$TMP/stop-out" \
			2> "$TMP/stop-err"
		status=$?
	} 2> /dev/null # where bash says that it was killed
	where=$(sed -n "s|^stop point $n: ||p" "$TMP/stop-err")
	[ $status = 137 ]
}

expect_tree() { # FILE: the listing that there should be now
	diff "$1" <(tree_listing) > "$TMP/diff" || problem "tree differs: $(grep '^[<>]' "$TMP/diff" | tr '\n' ' ')"
}

expect_staging_empty() {
	[ -z "$(ls $ROOT/staging 2> /dev/null)" ] || problem "left in staging: $(ls $ROOT/staging)"
}

result() { # DESCRIPTION
	is "$problems" "" "$1"
	problems=
}

# The next loader: a start that changes nothing itself where the tree is whole.
start_again() {
	"$LOADER" start -e $KEPT > /dev/null 2> "$TMP/next-err" ||
		problem "the next loader fails: $(cat "$TMP/next-err")"
	expect_staging_empty
}

# The same, and quicker: a command that has nothing to do.
settle() {
	"$LOADER" remove nosuch > /dev/null 2> "$TMP/next-err"
	grep -q 'nosuch: there is no such event' "$TMP/next-err" ||
		problem "the next loader fails: $(cat "$TMP/next-err")"
	expect_staging_empty
}

# The pins of one event are the same in every command: those of add, remove and clear are all
# tried, of the others every fourth.
next_change() {
	case $where in
	*/staging/kept* | */staging/other*) n=$((n + 4)) ;;
	*) n=$((n + 1)) ;;
	esac
}

# ---- start of a new tree -----------------------------------------------------------------------

"$LOADER" start -e $KEPT > /dev/null
tree_listing > "$TMP/with-kept"
"$LOADER" stop > /dev/null

for ((n = 1; ; )); do
	kill_at $n start -e $KEPT || break
	produce_more 2
	case $(listed) in
	"") ;;
	"kept ") [ "$(shown kept)" = "$((number - 1))-$number" ] || problem "shows $(shown kept)" ;;
	*) problem "list: $(listed)" ;;
	esac
	start_again
	expect_tree "$TMP/with-kept"
	produce_more 1
	grep -qw "$number" <<< "$(shown kept | tr '-' ' ')" || problem "does not record afterwards"
	"$LOADER" stop > /dev/null || problem "stop fails"
	[ ! -e $ROOT ] || problem "stop leaves the root"
	result "start killed before change $n: $where"
	next_change
done
compare $n -gt 20 "start was killed at every one of its changes"
is "$(listed)" "kept " "and then came to its end"

# ---- add, remove -------------------------------------------------------------------------------

"$LOADER" add $OTHER > /dev/null
tree_listing > "$TMP/with-both"
"$LOADER" remove other > /dev/null
begin=$((number + 1))
produce_more 1

for ((n = 1; ; n++)); do
	kill_at $n add $OTHER || break
	produce_more 2
	[ "$(shown kept)" = "$begin-$number" ] || problem "kept shows $(shown kept)"
	case $(listed) in
	"kept ") next="$TMP/with-kept" ;;
	"kept other ")
		next="$TMP/with-both"
		[ "$(shown other)" = "$((number - 1))-$number" ] || problem "shows $(shown other)"
		;;
	*) problem "list: $(listed)" ;;
	esac
	settle
	expect_tree "$next"
	[ "$next" = "$TMP/with-kept" ] || "$LOADER" remove other > /dev/null || problem "remove fails"
	result "add killed before change $n: $where"
done
compare $n -gt 10 "add was killed at every one of its changes"
is "$(listed)" "kept other " "and then came to its end"

for ((n = 1; ; n++)); do
	produce_more 1
	old=$(shown other)
	kill_at $n remove other || break
	produce_more 1
	[ "$(shown kept)" = "$begin-$number" ] || problem "kept shows $(shown kept)"
	case $(listed) in
	"kept ") next="$TMP/with-kept" ;;
	"kept other ")
		next="$TMP/with-both"
		[ "$(shown other)" = "${old%-*}-$number" ] || problem "shows $(shown other), had $old"
		;;
	*) problem "list: $(listed)" ;;
	esac
	settle
	expect_tree "$next"
	if [ "$next" = "$TMP/with-kept" ]; then
		"$LOADER" add $OTHER > /dev/null || problem "add fails"
		produce_more 1
	fi
	result "remove killed before change $n: $where"
done
compare $n -gt 10 "remove was killed at every one of its changes"
is "$(listed)" "kept " "and then came to its end"

# ---- clear -------------------------------------------------------------------------------------

"$LOADER" add $OTHER > /dev/null
first=$((number + 1))
produce_more 1
start_background "$READER" attach other --follow --json > "$TMP/followed"
follower=$background_pid

# The reader shows the old events and the new ones, or only those since the clear.
check_cleared() { # FIRST-BEFORE LAST-BEFORE
	local now

	now=$(shown other)
	[ "$now" = "$1-$number" ] || [ "$now" = "$(($2 + 1))-$number" ] ||
		problem "shows $now, where $1-$number or $(($2 + 1))-$number are expected"
}

oldest() {
	shown other | sed 's/-.*//'
}

for ((n = 1; ; n++)); do
	from=$(oldest)
	last=$number
	kill_at $n clear other || break
	produce_more 2
	check_cleared "$from" $last
	[ "$(readable_list)" = "kept other " ] || problem "reader list: $(readable_list)"
	settle
	check_cleared "$from" $last
	expect_tree "$TMP/with-both"
	produce_more 1
	check_cleared "$from" $last
	result "clear killed before change $n: $where"
done
compare $n -gt 20 "clear was killed at every one of its changes"
produce_more 1
is "$(shown other)" "$number" "and then came to its end"

# Killed, and the loader after it killed as well.
for at in 21; do
	for ((n = 1; n < 60; n++)); do
		from=$(oldest)
		last=$number
		kill_at $at clear other || problem "clear not killed"
		kill_at $n remove nosuch || break
		produce_more 2
		check_cleared "$from" $last
		settle
		check_cleared "$from" $last
	done
	expect_tree "$TMP/with-both"
	result "clear killed before change $at, and the next loader before each of its own ($n)"
done
settle

wait_until 5 is_in_file "\"timer_id\":\"?$number" "$TMP/followed"
is "$(numbers_of < "$TMP/followed" | ranges)" "$first-$number" \
	"a reader that followed all the time has every event once, in order"
ok "and still runs" is_running "$follower"
kill "$follower"
wait "$follower" 2> /dev/null

# ---- stop --------------------------------------------------------------------------------------

"$LOADER" stop > /dev/null
"$LOADER" start -e $KEPT -e $OTHER > /dev/null
for ((n = 1; ; )); do
	kill_at $n stop || break
	produce_more 1
	for event in $(listed); do
		shown "$event" > "$TMP/shown"
		grep -qE "(^|[- ])$number\$" "$TMP/shown" || problem "$event shows $(cat "$TMP/shown")"
	done
	start_again
	"$LOADER" add $OTHER > /dev/null 2>&1
	expect_tree "$TMP/with-both"
	result "stop killed before change $n: $where"
	next_change
done
compare $n -gt 20 "stop was killed at every one of its changes"
not_ok "and then came to its end" test -e $ROOT

# ---- between a change and the mode that belongs to it -----------------------------------------

if command -v strace > /dev/null && strace -o /dev/null true 2> /dev/null; then
	umask 077
	for ((n = 1; n < 8; n++)); do
		{
			strace -o /dev/null -e inject=chmod,fchmodat:signal=KILL:when=$n \
				"$LOADER" start -e $KEPT > /dev/null 2>&1
		} 2> /dev/null # where bash says that it was killed
		[ -d $ROOT ] || problem "nothing was made"
		start_again
		expect_tree "$TMP/with-kept"
		"$LOADER" stop > /dev/null || problem "stop fails"
	done
	umask 022
	result "killed before a chmod, with a umask of 077: the next loader sets the modes"
else
	skip "no strace here, or not allowed to trace"
fi
"$LOADER" start -e $KEPT > /dev/null
finish
