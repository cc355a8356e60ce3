# SPDX-License-Identifier: GPL-2.0-only
#
# ftrace instances that record an event beside ours, for comparison.

ftrace_root=/sys/kernel/tracing/instances

# ftrace_start LABEL SYSTEM:EVENT [KILOBYTES]
ftrace_start() {
	ftrace_dir=$ftrace_root/$1

	mkdir "$ftrace_dir"
	echo boot > "$ftrace_dir/trace_clock"
	echo "${3:-1024}" > "$ftrace_dir/buffer_size_kb"
	echo 1 > "$ftrace_dir/events/${2%:*}/${2#*:}/enable"
}

# ftrace_has LABEL COUNT [PATTERN]: true if it has that many records (that match).
ftrace_has() {
	[ "$(grep -c "^ .*${3:-}" "$ftrace_root/$1/trace")" -ge "$2" ]
}

# ftrace_stop LABEL: leaves what it recorded in /results/LABEL/ftrace.
ftrace_stop() {
	ftrace_dir=$ftrace_root/$1

	mkdir -p "/results/$1"
	echo 0 > "$ftrace_dir/events/enable"
	grep -v '^#' "$ftrace_dir/trace" > "/results/$1/ftrace"
	is "$(cat "$ftrace_dir"/per_cpu/cpu*/stats | grep -cE '^(overrun|dropped events): [1-9]')" 0 \
		"$1: ftrace lost nothing itself"
	rmdir "$ftrace_dir"
}

# ftrace_stop_counting LABEL: for events too many to compare as text, leaves how many there were on
# each CPU in /results/LABEL/seen.
ftrace_stop_counting() {
	ftrace_dir=$ftrace_root/$1

	mkdir -p "/results/$1"
	for cpu in 0 1 2; do
		stats=$ftrace_dir/per_cpu/cpu$cpu/stats
		echo $cpu $(($(awk '/^(entries|overrun|dropped)/ { n += $NF } END { print n }' $stats)))
	done > "/results/$1/seen"
	echo 0 > "$ftrace_dir/events/enable"
	rmdir "$ftrace_dir"
}
