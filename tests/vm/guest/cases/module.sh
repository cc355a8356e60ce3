# SPDX-License-Identifier: GPL-2.0-only
#
# A tracepoint of a module, by name. While its event is recorded the module cannot be unloaded.

fails "a tracepoint of a module that is not loaded is an error" watchdog_start \
	loader add watchdog:watchdog_start
succeeds "the module is loaded" load_watchdog
succeeds "loader add, by name" loader add watchdog:watchdog_start
ftrace_start module watchdog:watchdog_start

open_watchdog
ping 200 0
ping 100 1
close_watchdog
ftrace_stop module
keep_recorded module watchdog_start watchdog:watchdog_start complete
is "$(cat $root/events/watchdog_start)" \
	"persistent,config=$(cat /sys/kernel/tracing/events/watchdog/watchdog_start/id)" \
	"it has the kernel's id of the tracepoint"

succeeds "rmmod of a module above works" rmmod softdog
fails "rmmod of a module whose event is recorded is refused" "temporarily unavailable|in use|busy" \
	rmmod watchdog
succeeds "loader remove" loader remove watchdog_start
# The kernel lets go of the module a little after the link is gone.
succeeds "rmmod works once the event is removed" within 10 rmmod watchdog
