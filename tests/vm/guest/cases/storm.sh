# SPDX-License-Identifier: GPL-2.0-only
#
# A storm on two CPUs, into rings of few pages: memory stays what it was, and every
# event is counted.

succeeds "the module is loaded again" load_watchdog
succeeds "loader add" loader add 'watchdog:watchdog_start/name=storm,head=16K,tail=64K/'
ftrace_start storm watchdog:watchdog_start 256
storm_pin_bytes() {
	for pin in $root/storm/*/cpu* $root/storm/counters; do
		bpftool map show pinned "$pin"
	done | grep -o 'memlock [0-9]*'
}
storm_pin_bytes > /tmp/bytes-before

open_watchdog
ping 20000 0 &
# Both CPUs take turns at a lock of the watchdog's. An emulated PREEMPT_RT kernel takes anything
# from seconds to minutes for that, so there it is one CPU after the other.
! uname -v | grep -q PREEMPT_RT || wait $!
ping 30000 1
wait $!
close_watchdog

ftrace_stop_counting storm
keep_accounts storm storm
echo overfull > /results/storm/expected
succeeds "storm: the reader shows JSON" \
	into /results/storm/json reader attach storm --json
storm_pin_bytes > /tmp/bytes-after
succeeds "the rings take no more memory than before" \
	sh -c '[ -s /tmp/bytes-before ] && cmp /tmp/bytes-before /tmp/bytes-after'
succeeds "loader remove after a storm" loader remove storm
