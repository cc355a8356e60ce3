# SPDX-License-Identifier: GPL-2.0-only
#
# A user without any privilege reads a tree of mode 0666, where bpf(2) is denied to
# the unprivileged for everything that would need privilege.

as_nobody() {
	timeout 60 su -s /bin/sh nobody -c "$*"
}

open_root=/sys/fs/bpf/open
open_event=${some_event#*:}
is "$(cat /proc/sys/kernel/unprivileged_bpf_disabled)" 2 "kernel.unprivileged_bpf_disabled is 2"
succeeds "loader start, another tree with --mode 0666" \
	loader start --root $open_root --mode 0666 -e "$some_event"
fire 0 10 3000
succeeds "another tree counts for itself" within 10 \
	sh -c "reader attach $open_root/$open_event | grep -c $open_event: | grep -qx 10"

is "$(as_nobody id -u)" 65534 "a user without privilege"
reader attach $open_root/$open_event > /tmp/as-root
as_nobody reader attach $open_root/$open_event > /tmp/as-nobody
succeeds "it reads the same text as root" cmp /tmp/as-root /tmp/as-nobody
succeeds "it lists events" as_nobody reader list --root $open_root
succeeds "it reads the text files" as_nobody cat $open_root/events/$open_event
fails "it cannot stop anything" . as_nobody loader stop --root $open_root
succeeds "loader stop, the other tree" loader stop --root $open_root
rm -f /results/injected
