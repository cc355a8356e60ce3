# SPDX-License-Identifier: GPL-2.0-only
#
# Takes what our tools know of an event into /results/LABEL, where the host compares it with
# what ftrace knows (LABEL/ftrace) and with what was injected (LABEL/injected).

root=/sys/fs/bpf/persistent
page_size=$(awk '/^KernelPageSize/ { print $2 * 1024; exit }' /proc/self/smaps)

# has_totals SYSTEM:TRACEPOINT: does it report hardware errors, of which totals are kept?
has_totals() {
	case $1 in
	mce:* | ras:*) true ;;
	*) false ;;
	esac
}

# into FILE COMMAND...: so that a command with its output in a file can be an argument.
into() {
	into_file=$1
	shift
	timeout 60 "$@" > "$into_file"
}

# keep_recorded LABEL EVENT SYSTEM:TRACEPOINT PROPERTY: records and counters. What the host is
# to expect is
#   complete   nothing is missing
#   overfull   the first and the latest records are there, what was between is counted
keep_recorded() {
	keep_records "$@"
	keep_accounts "$1" "$2"
}

# keep_injected LABEL: the machine checks that were asked for, where it was these
keep_injected() {
	[ ! -e /results/injected ] || mv /results/injected "/results/$1/injected"
}

# keep_records LABEL EVENT SYSTEM:TRACEPOINT PROPERTY
keep_records() {
	keep_dir=/results/$1

	mkdir -p "$keep_dir"
	echo "$4" > "$keep_dir/expected"
	cp "/sys/kernel/tracing/events/${3%:*}/${3#*:}/format" "$keep_dir/format"
	succeeds "$1: the reader shows text" \
		into "$keep_dir/text" reader attach "$root/$2"
	succeeds "$1: the reader shows JSON" \
		into "$keep_dir/json" reader attach "$root/$2" --json
	succeeds "$1: reader record writes a file for perf" \
		reader record -q -o "$keep_dir/perf.data" -e "$root/$2" true
}

# keep_accounts LABEL EVENT: the counters, as the loader and as bpftool show them. They are read
# one after the other, so the event must not fire meanwhile.
keep_accounts() {
	mkdir -p "/results/$1"
	succeeds "$1: loader status --json" \
		into "/results/$1/status" loader status "$2" --json
	succeeds "$1: bpftool dumps the counters" \
		into "/results/$1/counters" bpftool -j map dump pinned "$root/$2/counters"
}

# keep_summary LABEL EVENT: what was counted, for the host to compare with the records.
keep_summary() {
	succeeds "$1: reader summary --json" \
		into "/results/$1/summary" reader summary "$2" --json
	succeeds "$1: reader summary" reader summary "$2"
	is "$(awk 'length > 80' /tmp/output)" "" "$1: it is 80 columns wide"
}
