# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel that is locked down while events are recorded goes on recording them, and they are
# read. Nothing can be injected from inside any more, so the monitor does it.

succeeds "loader start, before the lockdown" loader start
succeeds "the kernel is locked down" \
	sh -c 'echo confidentiality > /sys/kernel/security/lockdown'
poll_often
inject_by_monitor 1 5 0x9c00000000000151 0 0xfedcba987000 0x1122334455667788
lockdown_records() {
	reader attach mce_record | grep -q "MC5: 9c00000000000151"
}
succeeds "a machine check under lockdown is recorded and read" within 20 lockdown_records
succeeds "loader status works under lockdown" loader status

# Nothing may be read from the kernel but what is handed to the program: fields of fixed size.
succeeds "an event with strings is added under lockdown" loader add sched:sched_process_exec
said "it is said that its strings are not recorded" "locked down.*strings"
true_pid=$(sh -c 'echo $$; exec true')
reader attach sched_process_exec > /tmp/text
succeeds "its other fields are recorded and read, and what is missing is said" \
	grep "sched_process_exec: filename= pid=$true_pid old_pid=$true_pid (incomplete" /tmp/text
succeeds "loader stop works under lockdown" loader stop
is "$(find $root 2> /dev/null)" "" "nothing is left under lockdown"
rm -f /results/injected
