# SPDX-License-Identifier: GPL-2.0-only
#
# Everything a kernel is tested for, in one boot. Some cases build on those before.

. ./lib/bpf_objects.sh
. ./lib/ftrace.sh
. ./lib/machine_checks.sh
. ./lib/pings.sh
. ./lib/recorded.sh

# What those cases record to which one event is as good as another, and the event that some read.
some_event=mce:mce_record
known_event=mce_record
fire() { # CPU COUNT FIRST
	inject_many "$@"
}
# More than two pages take, for CPU 0 and 1
overfull_0=70 overfull_1=90

run_cases start machine_checks totals memory_failures small_rings boot_trace \
	other_tracepoints unprivileged reader_alone without_btf module storm hotplug stop lockdown_later
