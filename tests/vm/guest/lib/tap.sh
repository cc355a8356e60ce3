# SPDX-License-Identifier: GPL-2.0-only
#
# TAP for the suites of a guest: results go to standard output, which init has pointed at the
# host. Lines carry no numbers, as the host adds tests of its own and then writes the plan.

tap_tests=0

ok() {
	tap_tests=$((tap_tests + 1))
	echo "ok - $*"
}

not_ok() {
	tap_tests=$((tap_tests + 1))
	echo "not ok - $*"
}

diag() {
	echo "$*" | sed 's/^/# /'
}

# is ACTUAL EXPECTED DESCRIPTION
is() {
	if [ "$1" = "$2" ]; then
		ok "$3"
	else
		not_ok "$3"
		diag "expected: $2"
		diag "     got: $1"
	fi
}

# succeeds DESCRIPTION COMMAND...: the output is shown only when it fails.
succeeds() {
	tap_description=$1
	shift
	if "$@" > /tmp/output 2>&1; then
		ok "$tap_description"
	else
		tap_status=$?
		not_ok "$tap_description"
		diag "$* ended with $tap_status: $(tail -n 20 /tmp/output)"
	fi
}

# fails DESCRIPTION PATTERN COMMAND...: it must fail, and say something that matches.
fails() {
	tap_description=$1 tap_pattern=$2
	shift 2
	if "$@" > /tmp/output 2>&1; then
		not_ok "$tap_description"
		diag "$* succeeded: $(tail -n 20 /tmp/output)"
	elif grep -qE "$tap_pattern" /tmp/output; then
		ok "$tap_description"
	else
		not_ok "$tap_description"
		diag "no match for '$tap_pattern': $(tail -n 20 /tmp/output)"
	fi
}

# said DESCRIPTION PATTERN: the command before (of succeeds or fails) said what matches.
said() {
	if grep -qE "$2" /tmp/output; then
		ok "$1"
	else
		not_ok "$1"
		diag "no match for '$2': $(tail -n 20 /tmp/output)"
	fi
}

# within SECONDS COMMAND...: waits until the command succeeds.
within() {
	tap_tries=$(($1 * 10))
	shift
	until "$@" > /dev/null 2>&1; do
		tap_tries=$((tap_tries - 1))
		[ $tap_tries -gt 0 ] || return 1
		usleep 100000
	done
}

# run_cases NAME...: of cases/, one after the other
run_cases() {
	for case; do
		diag "case $case, $(cut -d ' ' -f 1 /proc/uptime) s after boot"
		. "./cases/$case.sh"
	done
}

# The host takes a guest that did not say this for one that crashed.
finish_tap() {
	echo "guest finished: $tap_tests tests"
}
