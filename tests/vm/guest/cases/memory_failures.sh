# SPDX-License-Identifier: GPL-2.0-only
#
# Pages that the kernel takes out of use, in the totals.

# A page that nobody uses: bit 10 of its flags, KPF_BUDDY
is_free_page() {
	free_flags=$(dd if=/proc/kpageflags bs=8 skip="$1" count=1 2> /dev/null | hexdump -v -e '1/4 "%u "')
	[ $((${free_flags%% *} >> 10 & 1)) = 1 ]
}

ram_end=$((0x$(sed -n 's/^[0-9a-f]*-\([0-9a-f]*\) : System RAM$/\1/p' /proc/iomem | tail -n 1) + 1))
pages_of() { # MEGABYTES
	echo $(($1 * 1048576 / page_size))
}

offlined=
last=$((ram_end / page_size - $(pages_of 32)))
for number in $(seq $((last - $(pages_of 224))) "$(pages_of 1)" $last); do
	is_free_page "$number" || continue
	echo $((number * page_size)) > /sys/devices/system/memory/hard_offline_page || continue
	offlined="$offlined $number"
	[ "$(echo "$offlined" | wc -w)" -lt 3 ] || break
done
is "$(echo "$offlined" | wc -w)" 3 "three pages of memory fail"
succeeds "reader summary of memory failures" \
	into /tmp/summary reader summary memory_failure_event --json
for number in $offlined; do
	succeeds "the page at $((number * page_size)) is in the summary" \
		grep -q "\"address\":$((number * page_size)),\"errors\":1," /tmp/summary
done
succeeds "and no other" grep -q '"by_severity":{"uncorrected":3}' /tmp/summary
