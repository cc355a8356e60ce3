# SPDX-License-Identifier: GPL-2.0-only
#
# Rings too small for what comes keep the first and the latest records and count the rest.

succeeds "loader add, a second event on mce_record with small rings" \
	loader add 'mce:mce_record/name=small_rings,head=4K,tail=4K/'
ftrace_start small_rings mce:mce_record
# Not the same number on each CPU, so that no sum hides a mistake.
inject_many 0 70 1000
inject_many 1 90 2000
succeeds "160 machine checks" within 10 ftrace_has small_rings 160
ftrace_stop small_rings
mv /results/injected /results/small_rings/injected
keep_recorded small_rings small_rings mce:mce_record overfull

id=$(sed 's/.*config=//' $root/events/small_rings)
succeeds "a second event on a tracepoint has an id that no tracepoint has" [ "$id" -ge 65536 ]

# expected_tail comes from the kernel's command line: the host knows what this kernel can do.
overwrite_flag=$((1 << 19))
tail_kind() {
	for pin in "$root/$1"/tail/*; do
		bpftool map show pinned "$pin" | sed -n 's/^[0-9]*: \([a-z_]*\) .*flags \(.*\)/\1 \2/p'
	done | while read -r type flags; do
		if [ $((flags & overwrite_flag)) != 0 ]; then
			echo "overwrite $type"
		else
			echo "$type"
		fi
	done | sort -u
}
is "$(tail_kind small_rings)" "$(echo $expected_tail | tr _ ' ')" "the tail is what this kernel can do"

succeeds "loader remove" loader remove small_rings
fails "a removed event is not read" small_rings reader attach small_rings
