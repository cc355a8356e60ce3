#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A CPU goes and comes again: what it recorded stays, and it records again (KNOWN-PAIN 22).

TIME_LIMIT=240
. "${0%/*}/lib.sh"

last_cpu=$(cpus_online | tail -n 1)
switch=/sys/devices/system/cpu/cpu$last_cpu/online
[ "$last_cpu" != 0 ] || skip_all "one CPU only"
[ -w "$switch" ] || skip_all "CPU $last_cpu cannot be switched off here"

clean_up_cpu() {
	[ "$(cat "$switch")" = 1 ] || echo 1 > "$switch"
	clean_up
}
trap clean_up_cpu EXIT

shown() {
	"$READER" attach "$1" --json --cpu "$last_cpu" | numbers_of | ranges
}

"$LOADER" start -e $NUMBERED_EVENT/name=before,head=4K,tail=64K/ > /dev/null
produce "$last_cpu" 100 > /dev/null
start_background "$READER" attach before --follow --json > "$TMP/followed"
follower=$background_pid
wait_until 10 has_lines "$TMP/followed" 100
if ! echo 0 > "$switch" 2> /dev/null; then
	kill "$follower"
	skip_all "the kernel does not let CPU $last_cpu go"
fi
is "$(shown before)" 1-100 "what a CPU recorded is there after it is gone"
run_ok "an event can be added meanwhile" "$LOADER" add $NUMBERED_EVENT/name=meanwhile,keep=latest,wakeup=1/
ok "it has a buffer for the CPU that is gone" test -e "$ROOT/meanwhile/tail/cpu$last_cpu"
run_ok "and one can be cleared" "$LOADER" clear meanwhile
produce 0 10 101 > /dev/null
is "$("$READER" attach meanwhile --json 2> "$TMP/err" | numbers_of | ranges)" 101-110 "the others record"
is "$(cat "$TMP/err")" "" "and nobody complains"
run_ok "status" "$LOADER" status
echo 1 > "$switch"
wait_until 5 grep -qx 1 "$switch"
produce "$last_cpu" 50 111 > /dev/null
is "$(shown before)" "1-100 111-160" "once it is back, it records again"
is "$(shown meanwhile)" 111-160 "also what was added meanwhile"
wait_until 10 has_lines "$TMP/followed" 160
is "$(numbers_of < "$TMP/followed" | ranges)" 1-160 "a follower has all of it"
check_sums before
check_sums meanwhile
kill "$follower"
wait "$follower" 2> /dev/null
finish
