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

ping 6000 &
echo 0 > $cpus/cpu1/online
echo 1 > $cpus/cpu1/online
echo 0 > $cpus/cpu2/online
wait $!
online 0-1
ping 100 1
close_watchdog

ftrace_stop hotplug
keep_recorded hotplug hotplug watchdog:watchdog_start complete
succeeds "loader remove with a CPU offline" loader remove hotplug
rmmod softdog
