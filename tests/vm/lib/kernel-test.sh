# SPDX-License-Identifier: GPL-2.0-only
#
# What each .t file here is: one kernel, one suite, one boot. Prints TAP.
# A guest that hangs, crashes or cannot be had fails the test: it passes only if the guest says
# that it came to its end, and the plan is printed after everything else.

set -euo pipefail

vm_tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$vm_tests/lib/common.sh"
. "$vm_tests/lib/boot.sh"

: "${PERSIST_VM_SECONDS:=300}"

# What the guest needs beside our own programs: nothing, or "perf".
: "${vm_programs:=}"

# vm_test KERNEL SUITE CPUS [KERNEL-PARAMETER...]
vm_test() {
	local kernel suite=$2 cpus=$3 name=$1
	shift 3

	need timeout coreutils
	need_perl_module JSON::PP
	work=$(mktemp -d)
	trap end_vm_test EXIT

	kernel=$("$vm_tests/fetch-kernels" "$name")
	need_emulator "$(kernel_architecture "$kernel")"
	# shellcheck disable=SC2086 # nothing, or a word
	"$vm_tests/build-initramfs" "$kernel" "$work/initramfs" $vm_programs
	run_guest "$kernel" "$suite" "$cpus" "$@"
	{
		check_guest_finished
		check_results_came
		"$vm_tests/check-kernel-log" "$work/console"
		"$vm_tests/check-results" "$work/results"
	} | tee -a "$work/tap"
	write_plan
}

# Boots $work/initramfs and shows what the guest reports until it is gone.
run_guest() { # KERNEL-DIRECTORY SUITE CPUS [KERNEL-PARAMETER...]
	echo "# $(cat "$1/release"), suite $2"
	boot "$1" "$work/initramfs" "$work" "$2" "$PERSIST_VM_SECONDS" "${@:3}"
	follow_report "$work" | tee "$work/tap"
	wait "$guest" || echo "# the guest's emulator ended with $?: 124 means that time was up"
	guest=
}

# The last line of the guest says how many tests there were, so that none can be lost.
check_guest_finished() {
	local said

	said=$(sed -n 's/^guest finished: \([0-9]*\) tests$/\1/p' "$work/tap")
	if [ -n "$said" ] && [ "$said" = "$(grep -cE '^(not )?ok ' "$work/tap")" ]; then
		echo "ok - the guest came to its end"
	else
		echo "not ok - the guest came to its end"
		show_console
	fi
}

# What a crash or a stall says first, and the end; on standard error, which a log of all tests has.
show_console() {
	{
		echo "# of the guest's console:"
		tr -d '\r' < "$work/console" |
			grep -m 12 -E 'BUG|Oops|panic|RIP: 0010|rcu: INFO|soft lockup' || true
		echo "# and its end:"
		tail -n 20 "$work/console" | tr -d '\r'
	} | sed 's/^[^#]/#   &/' >&2
}

check_results_came() {
	if unpack_results "$work"; then
		echo "ok - the guest's results came whole"
	else
		echo "not ok - the guest's results came whole"
	fi
}

write_plan() {
	echo "1..$(grep -cE '^(not )?ok ' "$work/tap")"
	! grep -q '^not ok ' "$work/tap" || failed=yes
}

failed=no
guest=
end_vm_test() {
	local status=$?

	[ -z "$guest" ] || kill "$guest" 2> /dev/null || true
	if [ $status != 0 ] || [ $failed = yes ]; then
		rm -f "$work/initramfs" "$work/disk"
		echo "# console, report and results of the guest are kept in $work"
	else
		rm -rf "$work"
	fi
}

need_perl_module() {
	perl -M"$1" -e 1 2> /dev/null || die "perl's $1 is missing; it comes with the package perl"
}
