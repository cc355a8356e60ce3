# SPDX-License-Identifier: GPL-2.0-only
#
# For the benchmark growth-cpus: what an event takes on a machine with that many CPUs. Prints
# "growth: WHAT NUMBER".

milliseconds() {
	awk '{ printf "%d", $1 * 1000 }' /proc/uptime
}

number_of() { # NAME: in the JSON of loader status
	loader status --json sched_process_exec | sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" | head -n 1
}

loader start > /dev/null 2>&1
begin=$(milliseconds)
loader add sched:sched_process_exec > /dev/null
end=$(milliseconds)
echo "growth: add_ms $((end - begin))"
/bin/true
begin=$(milliseconds)
reader attach sched_process_exec --last 1 > /dev/null
end=$(milliseconds)
echo "growth: attach_ms $((end - begin))"
echo "growth: ring_bytes $(number_of ring_bytes)"
echo "growth: locked_bytes $(number_of locked_bytes)"
