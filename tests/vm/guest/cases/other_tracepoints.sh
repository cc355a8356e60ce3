# SPDX-License-Identifier: GPL-2.0-only
#
# Tracepoints with strings, and of system calls. They fire all the time, so ftrace sees other
# ones before and after ours; what the threads named in LABEL/threads did is compared.

other_tracepoint() {
	label=$1 tracepoint=$2
	name=${tracepoint#*:}

	ftrace_start "$label" "$tracepoint"
	succeeds "loader add $tracepoint" loader add "$tracepoint"
	for i in $(seq 20); do
		sh -c "echo \$\$ >> /results/$label/threads
			exec cat /etc/passwd /no/such/file '/name with spaces and \"quotes\"'" 2> /dev/null
	done > /dev/null
	keep_records "$label" "$name" "$tracepoint" complete
	ftrace_stop "$label"
	succeeds "loader remove $name" loader remove "$name"
}

mkdir -p /results/exec /results/openat
other_tracepoint exec sched:sched_process_exec
other_tracepoint openat syscalls:sys_enter_openat
