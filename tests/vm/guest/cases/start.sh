# SPDX-License-Identifier: GPL-2.0-only
#
# The loader, started with no arguments, publishes the default set and is gone.

registry_names() {
	bpftool map dump pinned $root/registry | grep -q "\"name\": \"$1\""
}

bpf_objects > /tmp/bpf-objects-before

succeeds "loader start, with no arguments" loader start
cp /tmp/output /results/start-output
is "$(pidof loader reader)" "" "no process of ours is left"

is "$(cat $root/type)" 6 "type is PERF_TYPE_PERSISTENT"
is "$(cat $root/format/persistent)" attr5:23 "format/persistent"
is "$(cat $root/format/config)" config:0-63 "format/config"
for event in $(cd /sys/kernel/tracing/events && ls -d mce/mce_record ras/*/ 2> /dev/null); do
	event=${event%/}
	is "$(cat "$root/events/${event#*/}")" \
		"persistent,config=$(cat "/sys/kernel/tracing/events/$event/id")" \
		"events/${event#*/} has the kernel's id of the tracepoint"
done

succeeds "loader start again changes nothing" loader start
succeeds "loader list" loader list
succeeds "bpftool dumps the registry with field names" registry_names "${event#*/}"
