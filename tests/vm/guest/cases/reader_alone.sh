# SPDX-License-Identifier: GPL-2.0-only
#
# A reader needs neither tracefs nor debugfs, nor BTF; the loader says what it misses.

without_tracefs() {
	unshare -m sh -c "umount -l /sys/kernel/debug && umount /sys/kernel/tracing &&
		mount -t tmpfs none /sys/kernel/btf && $*"
}

reader attach $known_event > /tmp/text
without_tracefs reader attach $known_event > /tmp/text-alone
succeeds "the reader shows the same without tracefs, debugfs and BTF" cmp /tmp/text /tmp/text-alone
fails "the loader says that tracefs is missing" tracefs \
	without_tracefs loader add sched:sched_process_exec
