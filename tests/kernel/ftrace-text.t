#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The text of events equals ftrace's, for every event that can be made to fire here: an ftrace
# instance records them system by system beside a workload, then its text and its raw records
# are compared one by one (see ftrace_raw.c).
#
# Texts that cannot be equal are counted as "inexact", not compared:
#   - strings of the kernel of which the record has only the address (%s of a const char *)
#   - values that are made of a variable of the kernel (vmemmap_base, jiffies)
#   - print formats that call a function of the kernel (kvmmmu:kvm_mmu_get_page and its like)
# "ftrace_raw formats" lists the events of the running kernel of which this is true.

TIME_LIMIT=120
BUDGET=50 # seconds after which no further system is begun: switching events on can be slow
. "${0%/*}/lib.sh"

HELPER=$HELPERS/ftrace_raw

done_systems= not_tried=

# cannot_fire SYSTEM: no tracepoints; at boot only; or a file system that is not in use, which
# have hundreds of events that take seconds to switch on
cannot_fire() {
	case $1 in
	ftrace | initcall) return 0 ;;
	btrfs | erofs | ext4 | f2fs | xfs) ! grep -q " $1 " /proc/mounts ;;
	*) return 1 ;;
	esac
}

set_up_instance() {
	new_instance || return
	echo 8192 > "$instance/buffer_size_kb"
	echo nocontext-info > "$instance/trace_options"
	echo noannotate > "$instance/trace_options" 2> /dev/null
	return 0
}

# record SYSTEM: its events of a moment; fails if they cannot be switched on
record() {
	local status

	echo 1 > "$instance/tracing_on"
	echo 1 2> /dev/null > "$instance/events/$1/enable"
	status=$?
	sleep 0.1
	echo 0 > "$instance/tracing_on"
	echo 0 > "$instance/events/$1/enable"
	return $status
}

compare_system() {
	record "$1" || return
	run "$HELPER" compare "$instance" "$1"
	case $out in
	"0 events, "*) return ;; # nothing that fires here
	esac
	[ $status = 0 ]
	report $? "$1: ${out##*$'\n'}" || diag "$out"
}

run "$HELPER" formats
is $status 0 "the format of every event can be read: ${out##*# }"
unlike "$out" '^# (mce|ras):' "texts of mce and ras events are exact"

if ! set_up_instance; then
	skip "no ftrace instance can be made here"
	finish
fi
start_background "$HELPER" workload "$TIME_LIMIT"
# Those that matter most to users, then all others.
for system in sched syscalls raw_syscalls irq timer block net tcp $(ls "$TRACING/events"); do
	[ -d "$TRACING/events/$system" ] || continue
	[[ " $done_systems " != *" $system "* ]] || continue
	done_systems+=" $system"
	cannot_fire "$system" && continue
	if [ $SECONDS -ge $BUDGET ]; then
		not_tried+=" $system"
		continue
	fi
	compare_system "$system"
done
[ -z "$not_tried" ] || diag "not tried for lack of time:$not_tried"
finish
