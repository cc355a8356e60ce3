# SPDX-License-Identifier: GPL-2.0-only
#
# Everything a kernel is tested for, in one boot. Some cases build on those before.

. ./lib/bpf_objects.sh
. ./lib/ftrace.sh
. ./lib/machine_checks.sh
. ./lib/pings.sh
. ./lib/recorded.sh

cases="start machine_checks totals small_rings boot_trace other_tracepoints unprivileged
	reader_alone without_btf module storm hotplug stop lockdown_later"

for case in $cases; do
	diag "case $case, $(cut -d ' ' -f 1 /proc/uptime) s after boot"
	. "./cases/$case.sh"
done
