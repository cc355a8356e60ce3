# SPDX-License-Identifier: GPL-2.0-only
#
# On a kernel that shows no BTF the tracepoint is recorded in the classic way.

mount -t tmpfs none /sys/kernel/btf
succeeds "without BTF: loader probe" loader probe
succeeds "without BTF: loader add" loader add "$some_event/name=without_btf/"
ftrace_start without_btf "$some_event"
fire 0 10 4000
fire 1 10 5000
succeeds "20 events" within 10 ftrace_has without_btf 20
ftrace_stop without_btf
keep_injected without_btf
keep_recorded without_btf without_btf "$some_event" complete
! has_totals "$some_event" || keep_summary without_btf without_btf
succeeds "loader remove" loader remove without_btf
umount /sys/kernel/btf
