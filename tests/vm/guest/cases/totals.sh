# SPDX-License-Identifier: GPL-2.0-only
#
# Machine checks of every severity and of several kinds, in and without pages of memory, and a storm
# of them. What was counted is compared with the records, with what was injected, and with ftrace.

# Severity and kind are in the status. Bit 44 is AMD's for deferred errors. The addresses are said
# to be physical ones, which Intel wants to know.
mixed_statuses="
	0x8820000000000135 0x9c2000000000001a 0x9820000000000400 0xdc20000000000810
	0x9c20100000000135 0xbc20000000000135 0xbe20000000000810 0xfc20000000000011
	0x9c20000000000090 0xb820000000000001"

# inject_mixed CPU COUNT: addresses are in few pages
inject_mixed() {
	taskset -p "$(printf '%x' $((1 << $1)))" $$ > /dev/null
	for inject_number in $(seq "$2"); do
		for status in $mixed_statuses; do
			inject sw "$1" $((inject_number % 5)) "$status" \
				"$(printf '0x%x' $((0x1000000 + inject_number % 3 * 0x1000 + inject_number)))" \
				0x8c 0 0
		done
	done
	taskset -p ffff $$ > /dev/null
}

succeeds "loader add" loader add 'mce:mce_record/name=mixed,head=4K,tail=1M/'
ftrace_start mixed mce:mce_record
inject_mixed 0 12
inject_mixed 1 8
succeeds "200 machine checks of every severity" within 20 ftrace_has mixed 200
ftrace_stop mixed
mv /results/injected /results/mixed/injected
keep_recorded mixed mixed mce:mce_record complete
keep_summary mixed mixed
succeeds "loader remove" loader remove mixed

# ---- a storm -------------------------------------------------------------------------------------

totals_bytes() {
	for pin in totals pages sums; do
		bpftool map show pinned $root/mce_storm/$pin
	done | grep -o 'memlock [0-9]*'
}

succeeds "loader add" loader add 'mce:mce_record/name=mce_storm,head=4K,tail=8K/'
ftrace_start mce_storm mce:mce_record 64
totals_bytes > /tmp/bytes-before
console_level=$(cut -f 1 /proc/sys/kernel/printk)
# The kernel's own report of each would take minutes on an emulated serial line.
echo 1 > /proc/sys/kernel/printk
inject_storm 2000
storm_is_over() {
	storm_now=$(cat $root/mce_storm/status)
	usleep 500000
	[ "$storm_now" = "$(cat $root/mce_storm/status)" ]
}
succeeds "a storm of 2000 machine checks" within 60 storm_is_over
echo "$console_level" > /proc/sys/kernel/printk
totals_bytes > /tmp/bytes-after
succeeds "totals take no more memory than before" \
	sh -c '[ -s /tmp/bytes-before ] && cmp /tmp/bytes-before /tmp/bytes-after'
ftrace_stop_counting mce_storm
rm -f /results/injected
keep_accounts mce_storm mce_storm
keep_summary mce_storm mce_storm
succeeds "loader clear" loader clear mce_storm
succeeds "totals survive it" \
	sh -c 'reader summary mce_storm --json > /tmp/summary && grep -q "\"address\":4096" /tmp/summary'
succeeds "loader remove" loader remove mce_storm

# ---- CXL -----------------------------------------------------------------------------------------

# There is no such device here: that its events can be counted is seen from their totals.
for event in general_media dram aer_correctable_error aer_uncorrectable_error \
	port_aer_correctable_error port_aer_uncorrectable_error; do
	[ -d /sys/kernel/tracing/events/cxl/cxl_$event ] || continue
	succeeds "loader add cxl:cxl_$event" loader add cxl:cxl_$event
	succeeds "it has totals" reader summary cxl_$event
	succeeds "loader remove" loader remove cxl_$event
done
