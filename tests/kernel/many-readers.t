#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A reader in each of 8 threads and 8 processes over one event, while it is being recorded on all
# CPUs: each of them sees the same records, and all of them.

TIME_LIMIT=180
. "${0%/*}/lib.sh"

mapfile -t cpus < <(cpus_online)
PER_CPU=20000
TOTAL=$((PER_CPU * ${#cpus[@]}))

# read_by_many PROGRAM KEEP: the distinct lines of all readers, with how many of them said so
read_by_many() {
	local cpu producers=()

	"$LOADER" start -e "$NUMBERED_EVENT/$2/" > /dev/null
	for cpu in "${cpus[@]}"; do
		produce "$cpu" $((PER_CPU / 2)) > /dev/null
	done
	"$1" $NUMBERED 8 8 $TOTAL > "$TMP/seen" 2> "$TMP/seen-err" &
	reader=$!
	for cpu in "${cpus[@]}"; do
		produce "$cpu" $((PER_CPU / 2)) $((PER_CPU / 2 + 1)) > /dev/null &
		producers+=($!)
	done
	wait "${producers[@]}" "$reader"
	sort "$TMP/seen" | uniq -c | sed 's/^ *//'
	cat "$TMP/seen-err"
	"$LOADER" stop > /dev/null
}

export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1

for program in "$HELPERS/many_readers" "${HELPERS%/tests}/asan/tests/many_readers"; do
	if [ ! -x "$program" ]; then
		skip "no $program"
		continue
	fi
	build=$([[ $program = */asan/* ]] && echo ", under sanitizers")
	for keep in keep=both,head=1M,tail=8M keep=latest,tail=8M,wakeup=16 keep=oldest,head=8M; do
		like "$(read_by_many "$program" $keep)" "^16 records $TOTAL lost 0 hash [0-9a-f]+$" \
			"8 threads and 8 processes see all $TOTAL records, $keep$build"
	done
done
finish
