# SPDX-License-Identifier: GPL-2.0-only
#
# CPUs go and come while events go on; one comes that was never there before, as buffers exist
# for every possible CPU.

cpus=/sys/devices/system/cpu
online() {
	is "$(cat $cpus/online)" "$1" "CPUs online: $1"
}

succeeds "loader add" loader add 'watchdog:watchdog_start/name=hotplug,tail=1M/'
ftrace_start hotplug watchdog:watchdog_start
online 0-1
open_watchdog
ping 300 1

echo 1 > $cpus/cpu2/online
online 0-2
ping 200 2
ftrace_stop hotplug
keep_recorded hotplug hotplug watchdog:watchdog_start complete
succeeds "loader remove" loader remove hotplug

# A thread that goes on meanwhile is moved between CPUs, on newer kernels (7.3 is one) also after
# ftrace has recorded an event and before we have: there a tracepoint does not disable preemption, but
# each of its users does. So what threads did is compared, and not what CPUs did.
succeeds "loader add" loader add 'watchdog:watchdog_start/name=moved,tail=1M/'
ftrace_start moved watchdog:watchdog_start
ping 6000 &
echo 0 > $cpus/cpu1/online
echo 1 > $cpus/cpu1/online
echo 0 > $cpus/cpu2/online
wait $!
online 0-1
ping 100 1
close_watchdog
ftrace_stop moved
sed -n 's/.*-\([0-9]*\) *\[0.*/\1/p' /results/moved/ftrace | sort -u > /results/moved/threads
is "$(wc -l < /results/moved/threads)" 3 "three threads have made events"
keep_recorded moved moved watchdog:watchdog_start complete
succeeds "loader remove with a CPU offline" loader remove moved
rmmod softdog
