# SPDX-License-Identifier: GPL-2.0-only
#
# On a kernel that shows no BTF the tracepoint is recorded in the classic way.

mount -t tmpfs none /sys/kernel/btf
succeeds "without BTF: loader probe" loader probe
succeeds "without BTF: loader add" loader add 'mce:mce_record/name=without_btf/'
ftrace_start without_btf mce:mce_record
inject_many 0 10 4000
inject_many 1 10 5000
succeeds "20 machine checks" within 10 ftrace_has without_btf 20
ftrace_stop without_btf
mv /results/injected /results/without_btf/injected
keep_recorded without_btf without_btf mce:mce_record complete
keep_summary without_btf without_btf
succeeds "loader remove" loader remove without_btf
umount /sys/kernel/btf
