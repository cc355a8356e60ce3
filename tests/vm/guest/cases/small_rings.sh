# SPDX-License-Identifier: GPL-2.0-only
#
# Rings too small for what comes keep the first and the latest records and count the rest.

overwrite_flag=$((1 << 19))
tail_kind() {
	for pin in "$root/$1"/tail/*; do
		bpftool map show pinned "$pin" | sed -n 's/^[0-9]*: \([a-z_]*\) .*flags \(.*\)/\1 \2/p'
	done | while read -r type flags; do
		if [ $((flags & overwrite_flag)) != 0 ]; then
			echo "overwrite_$type"
		else
			echo "$type"
		fi
	done | sort -u
}

# overfill NAME OPTIONS TAIL: not the same number on each CPU, so that no sum hides a mistake.
overfill() {
	overfull=$((overfull_0 + overfull_1))
	small_event="$some_event/name=$1,head=4K,tail=4K$2/"
	succeeds "loader add, another event on $some_event with small rings" \
		loader add "$small_event"
	succeeds "asked for again, it is left as it is" loader start -e "$small_event"
	ftrace_start "$1" "$some_event"
	fire 0 "$overfull_0" 1000
	fire 1 "$overfull_1" 2000
	succeeds "$overfull events" within 10 ftrace_has "$1" "$overfull"
	ftrace_stop "$1"
	keep_injected "$1"
	keep_recorded "$1" "$1" "$some_event" overfull
	succeeds "a ring is at least a page of this kernel: $page_size bytes" \
		grep -qx " *\"head_bytes\": $page_size," "/results/$1/status"
	id=$(sed 's/.*config=//' "$root/events/$1")
	succeeds "another event on a tracepoint has an id that no tracepoint has" [ "$id" -ge 65536 ]
	is "$(tail_kind "$1")" "$3" "the tail is of the kind $3"
	succeeds "loader remove" loader remove "$1"
	fails "a removed event is not read" "$1" reader attach "$1"
}

# What they are on the kernel's command line: the host knows what this kernel can do.
overfill small_rings "" "$expected_tail"
# Where that is not what is taken without being asked for.
[ -z "${expected_ringbuf:-}" ] || overfill small_ringbufs ,ring=ringbuf "$expected_ringbuf"
