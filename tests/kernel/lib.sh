# SPDX-License-Identifier: GPL-2.0-only
#
# What the tests on the running kernel share. A test begins with
#
#	TIME_LIMIT=60
#	. "${0%/*}/lib.sh"
#
# and is then in a mount namespace of its own with an empty BPF file system at /sys/fs/bpf, so
# that the tree at the default root, $ROOT, is this test's and goes away with it. It ends with
# finish, which also checks that nothing is left and that the kernel did not complain.

set -u
export LC_ALL=C

# ---- TAP ---------------------------------------------------------------------------------------

tests_run=0

diag() {
	printf '%s\n' "$*" | sed 's/^/# /' >&2
}

skip_all() {
	echo "1..0 # SKIP $*"
	exit 0
}

# skip REASON...: counts as a passed test
skip() {
	tests_run=$((tests_run + 1))
	echo "ok $tests_run # SKIP $*"
}

report() { # STATUS DESCRIPTION
	tests_run=$((tests_run + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tests_run - $2"
	else
		echo "not ok $tests_run - $2"
	fi
	return "$1"
}

# ok DESCRIPTION COMMAND...: the command succeeds
ok() {
	local description=$1
	shift
	"$@"
	report $? "$description" || { diag "failed: $*"; return 1; }
}

# not_ok DESCRIPTION COMMAND...: the command fails, as it should
not_ok() {
	local description=$1
	shift
	! "$@"
	report $? "$description" || { diag "succeeded: $*"; return 1; }
}

# is ACTUAL EXPECTED DESCRIPTION
is() {
	[ "$1" = "$2" ]
	report $? "$3" && return
	diag "  actual: $1"
	diag "expected: $2"
	return 1
}

isnt() {
	[ "$1" != "$2" ]
	report $? "$3" && return
	diag "  actual: $1"
	diag "expected: anything else"
	return 1
}

# like ACTUAL EXTENDED-REGULAR-EXPRESSION DESCRIPTION: some line matches
like() {
	grep -qE -- "$2" <<< "$1"
	report $? "$3" && return
	diag "  actual: $(head -c 2000 <<< "$1")"
	diag "expected: /$2/"
	return 1
}

unlike() {
	! grep -qE -- "$2" <<< "$1"
	report $? "$3" && return
	diag "  actual: $(head -c 2000 <<< "$1")"
	diag "unexpected: /$2/"
	return 1
}

# compare NUMBER OPERATOR NUMBER DESCRIPTION, with an operator of test(1) such as -ge
compare() {
	test "$1" "$2" "$3"
	report $? "$4" && return
	diag "  actual: $1"
	diag "expected: $2 $3"
	return 1
}

# ---- set-up ------------------------------------------------------------------------------------

# Everything of this test happens in a mount namespace of its own, within its time. Tests that
# run at the same time would see each other's events, and count them: one after the other.
enter_namespace() {
	export PERSIST_TEST_INSIDE=$$
	exec flock --close "${TMPDIR:-/tmp}/persist-bpf-tests.lock" timeout --kill-after=10 "${TIME_LIMIT:-60}" \
		unshare --mount --propagation private bash "$0" "$@"
}

[ "$(id -u)" = 0 ] || skip_all "needs root"
if [ -z "${PERSIST_TEST_INSIDE:-}" ]; then
	unshare --mount --propagation private true 2> /dev/null ||
		skip_all "cannot make a mount namespace here"
	enter_namespace "$@"
fi
unset PERSIST_TEST_INSIDE

TESTS=$(cd "${0%/*}" && pwd)
cd "$TESTS/../.." || exit 1
LOADER=$(realpath "${LOADER:-./loader}")
READER=$(realpath "${READER:-./reader}")
HELPERS=$(realpath -m "${OUTPUT:-build}/tests")
BPFTOOL=${BPFTOOL:-$(PATH=$PATH:/usr/sbin:/usr/local/sbin command -v bpftool)}
ROOT=/sys/fs/bpf/persistent
TRACING=/sys/kernel/tracing

if ! mount -t bpf bpf /sys/fs/bpf 2> /dev/null; then
	skip_all "cannot mount a BPF file system here"
fi
[ -d $TRACING/events ] || mount -t tracefs tracefs $TRACING 2> /dev/null

TMP=$(mktemp -d "${TMPDIR:-/tmp}/persist-test.XXXXXX")
chmod 755 "$TMP"
background_pids=()
instances=()

clean_up() {
	local pid instance

	for pid in "${background_pids[@]}"; do
		kill -KILL "$pid" 2> /dev/null
		wait "$pid" 2> /dev/null
	done
	for instance in "${instances[@]}"; do
		rmdir "$TRACING/instances/$instance" 2> /dev/null
	done
	rm -rf "$TMP"
}
trap clean_up EXIT
# Without this, a time limit that is over would not run the trap above.
trap 'diag "killed: the time limit is over"; exit 1' TERM INT

for program in "$LOADER" "$READER"; do
	if [ ! -x "$program" ]; then
		echo "Bail out! $program is not there; run make first"
		exit 1
	fi
done

# The end of the kernel log now, to tell what is new later.
log_mark="persist-bpf test ${0##*/} $$ $RANDOM"
if [ -w /dev/kmsg ]; then
	echo "<6>$log_mark" > /dev/kmsg
fi

new_kernel_log() {
	dmesg 2> /dev/null | awk -v mark="$log_mark" 'found { print } index($0, mark) { found = 1 }'
}

# ---- running things ----------------------------------------------------------------------------

# run COMMAND...: sets $status, $out and $err
run() {
	"$@" > "$TMP/out" 2> "$TMP/err"
	status=$?
	out=$(tr -d '\0' < "$TMP/out")
	err=$(tr -d '\0' < "$TMP/err")
	return 0
}

# run_ok DESCRIPTION COMMAND...: runs it, and the exit status is 0
run_ok() {
	local description=$1
	shift
	run "$@"
	[ $status = 0 ]
	report $? "$description" && return
	diag "failed with $status: $*"
	diag "$err"
	return 1
}

# start_background COMMAND...: sets $background_pid; what is left at the end is killed. It has to
# be a program: killing the shell of a function would leave what that had started.
start_background() {
	"$@" &
	background_pid=$!
	background_pids+=("$background_pid")
}

# wait_until SECONDS COMMAND...
wait_until() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.02
	done
}

# is_in_file PATTERN FILE
is_in_file() {
	grep -qE -- "$1" "$2" 2> /dev/null
}

has_lines() { # FILE COUNT
	[ "$(wc -l < "$1")" -ge "$2" ]
}

is_running() {
	kill -0 "$1" 2> /dev/null
}

has_ended() {
	! is_running "$1"
}

# Runs a command as nobody, with no capability and no way to one.
as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --ambient-caps=-all
	--bounding-set=-all --no-new-privs)
unprivileged() {
	"${as_nobody[@]}" "$@"
}

# Copies a program to where anybody may run it, and prints the path.
public_copy() {
	cp "$1" "$TMP/" && chmod 755 "$TMP/${1##*/}" && echo "$TMP/${1##*/}"
}

# ---- events ------------------------------------------------------------------------------------

# An event that fires only when the tests say so, with a number as its argument: what
# event_producer calls. Its name in the tree is $NUMBERED unless name= says otherwise.
NUMBERED=sys_enter_timer_getoverrun
NUMBERED_EVENT=syscalls:$NUMBERED

# produce CPU COUNT [FIRST]: exactly COUNT events on that CPU, with the numbers from FIRST (1) on
produce() {
	"$HELPERS/event_producer" "$@"
}

# The same in the background, until it is killed with SIGTERM; then $TMP/made says how many.
start_producer() { # CPU FIRST [MICROSECONDS]
	start_background "$HELPERS/event_producer" "$1" 0 "${@:2}" > "$TMP/made"
	producer=$background_pid
}

end_producer() {
	kill "$producer"
	wait "$producer" 2> /dev/null
	made=$(cat "$TMP/made")
}

# Numbers of the events in JSON lines (standard input).
numbers_of() {
	jq -r 'select(.fields) | .fields.timer_id'
}

# ranges: "1-5 7 9-12" of numbers (standard input, one a line) in the order they come
ranges() {
	awk 'function put() { printf "%s%s", separator, first == last ? first : first "-" last;
			separator = " " }
		NR > 1 && $1 != last + 1 { put(); first = $1 }
		NR == 1 { first = $1 }
		{ last = $1 }
		END { if (NR) { put(); print "" } }'
}

cpus_online() {
	awk 'BEGIN { RS = "," } { n = split($1, r, "-"); last = n > 1 ? r[2] : r[1]
		for (i = r[1]; i <= last; i++) print i }' /sys/devices/system/cpu/online
}

# forge_ring EVENT FIELD=VALUE...: puts a ring in the place of its first one on CPU 0 with three copies of
# that one's first record, the second of them with these values, see forge.c
forge_ring() {
	"$HELPERS/forge" ring "$ROOT/$1/head/cpu0" "$ROOT/$1/head/forged" "${@:2}" || return
	rm "$ROOT/$1/head/cpu0"
	mv "$ROOT/$1/head/forged" "$ROOT/$1/head/cpu0"
}

# counters EVENT: one line for each CPU: cpu seen recorded lost, from the kernel's own map
counters() {
	"$BPFTOOL" map dump pinned "$ROOT/$1/counters" |
		jq -r '.[0].values[] | "\(.cpu) \(.value.seen) \(.value.recorded) \(
			[.value | to_entries[] | select(.key | startswith("lost_")) | .value] | add)"'
}

# check_sums EVENT: seen = recorded + lost on every CPU. While it goes on, a CPU can be looked
# at in the middle of an event: such a moment is over by the next try.
sums_hold() {
	counters "$1" > "$TMP/counters" && [ -s "$TMP/counters" ] &&
		awk '$2 != $3 + $4 { bad = 1 } END { exit bad }' "$TMP/counters"
}

check_sums() {
	wait_until 5 sums_hold "$1"
	report $? "$1: seen = recorded + lost on every CPU (KNOWN-PAIN 11)" || diag "$(cat "$TMP/counters")"
}

# counter EVENT CPU FIELD
counter() {
	"$BPFTOOL" map dump pinned "$ROOT/$1/counters" |
		jq -r ".[0].values[] | select(.cpu == $2) | .value.$3"
}

# new_instance: makes an ftrace instance with a clock and pointers like ours, and sets $instance
new_instance() {
	local name=persist-test-$$-${#instances[@]}

	instance=$TRACING/instances/$name
	mkdir "$instance" || return 1
	instances+=("$name")
	echo boot > "$instance/trace_clock"
	echo 0 > "$instance/options/hash-ptr" 2> /dev/null
	echo 0 > "$instance/options/overwrite"
}

# tree_listing: names, types, modes and owners of everything in the tree
tree_listing() {
	(cd "$ROOT" && find . -printf '%y %m %u:%g %p %l\n' | LC_ALL=C sort -k4)
}

# ---- the end -----------------------------------------------------------------------------------

# Kernel objects that are pinned in the tree, and those that they hold: "prog 12", "map 13", ...
objects_of_tree() {
	local pinned='select(any(.pinned[]?; startswith("'$ROOT'/")))'

	"$BPFTOOL" -f -j link show | jq -r ".[] | $pinned"' | "link \(.id)", "prog \(.prog_id)"'
	"$BPFTOOL" -f -j map show | jq -r ".[] | $pinned"' | "map \(.id)"'
	"$BPFTOOL" -f -j prog show > "$TMP/progs.json"
	jq -r ".[] | $pinned"' | "prog \(.id)", "map \(.map_ids[]?)"' "$TMP/progs.json"
}

existing_objects() {
	local kind

	for kind in link prog map; do
		"$BPFTOOL" -j $kind show | jq -r ".[] | \"$kind \\(.id)\""
	done
}

left_objects() { # FILE with those that should be gone
	existing_objects | grep -Fxf "$1"
}

are_gone() {
	[ ! -s "$1" ] || ! left_objects "$1" > /dev/null
}

# The kernel frees these in the background, after grace periods.
check_objects_gone() { # FILE DESCRIPTION
	wait_until 20 are_gone "$1"
	report $? "$2" || diag "left: $(left_objects "$1" | tr '\n' ' ')"
}

processes_of() { # PROGRAM
	local exe

	for exe in /proc/[0-9]*/exe; do
		[ "$exe" -ef "$1" ] && echo "${exe%/exe}"
	done
}

# Stops everything and checks that nothing is left: no pin, no object in the kernel, no process.
check_stop() {
	objects_of_tree | sort -u > "$TMP/objects"
	run_ok "loader stop" "$LOADER" stop
	# The kernel itself may put its preloaded iterators there, maps.debug and progs.debug.
	is "$(find /sys/fs/bpf -mindepth 1 ! -name "*.debug")" "" "stop leaves no pin (KNOWN-PAIN 4)"
	check_objects_gone "$TMP/objects" \
		"stop leaves no link, program or map in the kernel (KNOWN-PAIN 4)"
	is "$(processes_of "$LOADER")" "" "no process of the loader is left"
}

check_kernel_log() {
	local complaints

	complaints=$(new_kernel_log |
		grep -E 'BUG|WARNING:|Oops|Call Trace|general protection|blocked for more|lockup|stall')
	is "$complaints" "" "no complaint in the kernel log"
}

# finish: the last command of a test
finish() {
	[ -e "$ROOT" ] && check_stop
	check_kernel_log
	echo "1..$tests_run"
}
