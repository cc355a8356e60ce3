# SPDX-License-Identifier: GPL-2.0-only
#
# Many events of a module's tracepoint, fast: each write to the watchdog device is one
# watchdog:watchdog_start, as softdog keeps alive by starting again.

load_watchdog() {
	modprobe softdog soft_noboot=1
}

open_watchdog() {
	exec 3> /dev/watchdog
}

# V is the letter after which closing stops the timer.
close_watchdog() {
	printf V >&3
	exec 3>&-
}

# ping COUNT [CPU]: may run in the background.
ping() {
	if [ -n "${2:-}" ]; then
		taskset "$(printf '%x' $((1 << $2)))" dd if=/dev/zero bs=1 count="$1" >&3 2> /dev/null
	else
		dd if=/dev/zero bs=1 count="$1" >&3 2> /dev/null
	fi
}
