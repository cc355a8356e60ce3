#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Every command of the loader, repeated, in orders that people use.

TIME_LIMIT=240
. "${0%/*}/lib.sh"

json_of() { # EVENT FIELD
	"$LOADER" status --json | jq -r ".events[] | select(.event == \"$1\") | .$2"
}

link_id() {
	"$BPFTOOL" -j link show pinned "$ROOT/$1/link" | jq .id
}

boot_ns() {
	local seconds

	read -r seconds _ < /proc/uptime
	echo "${seconds/./}0000000"
}

# ---- start -------------------------------------------------------------------------------------

for command in list status "list --json" "status --json" "remove x" "clear x" "own x"; do
	# shellcheck disable=SC2086 # words
	run "$LOADER" $command
	is "$status" 1 "$command without a tree fails"
	like "$err" "^loader: error: $ROOT: there is no tree .*; to make one, run: $LOADER start$" "says what makes one"
	is "$out" "" "and nothing else"
done
run "$READER" list
is "$status ${err#reader}" "1 : error: $ROOT: there is no tree of persistent events; to make one, run: $LOADER start" \
	"so does the reader"
run "$LOADER" stop
is "$status" 0 "stop without a tree is no error"
not_ok "none of them makes one" test -e $ROOT

before=$(boot_ns)
run_ok "start" "$LOADER" start -e sched:sched_process_exec \
	-e "$NUMBERED_EVENT/keep=oldest,head=5000/"
after=$(($(boot_ns) + 20000000))
like "$out" "^$NUMBERED_EVENT: recording as $NUMBERED, persistent,config=[0-9]+$" \
	"start says what it records, and under which id"
is "$(processes_of "$LOADER")" "" "no process is left (KNOWN-PAIN 19)"
is "$(json_of $NUMBERED head_bytes)" 8192 "an odd size is rounded up to a ring's (KNOWN-PAIN 12)"
attached=$(json_of $NUMBERED attach_time_ns)
ok "the attach time is published and right (KNOWN-PAIN 18)" \
	test "$attached" -ge $((before - 20000000)) -a "$attached" -le "$after"
like "$("$LOADER" status $NUMBERED)" "before.* not seen" \
	"status says that what came before was not seen (KNOWN-PAIN 18)"

produce 0 10 > /dev/null
id=$(link_id $NUMBERED)
run_ok "start again" "$LOADER" start -e "$NUMBERED_EVENT/keep=oldest,head=5000/"
like "$out" "already recorded as $NUMBERED" "says that it is recorded already"
run_ok "start with another size that is rounded to the same (KNOWN-PAIN 1)" \
	"$LOADER" start -e "$NUMBERED_EVENT/keep=oldest,head=8K/"
is "$(link_id $NUMBERED) $(counter $NUMBERED 0 seen)" "$id 10" "what is there was left alone"

run "$LOADER" start -e "$NUMBERED_EVENT/keep=latest/" -e signal:signal_generate
is "$status" 1 "start with another policy fails (KNOWN-PAIN 2)"
like "$err" "$NUMBERED.*keep=oldest.*keep=latest.*loader remove $NUMBERED" \
	"says what differs, and what mends it (KNOWN-PAIN 2)"
is "$(link_id $NUMBERED) $(counter $NUMBERED 0 seen)" "$id 10" "the old event was left alone"
ok "the other event of that start is recorded all the same (KNOWN-PAIN 24)" \
	test -e $ROOT/signal_generate/link

# ---- what is in the tree -----------------------------------------------------------------------

is "$(cat $ROOT/type)" 6 "cat type"
is "$(cat $ROOT/format/persistent) $(cat $ROOT/format/config)" "attr5:23 config:0-63" "cat format/*"
tracepoint_id=$(cat $TRACING/events/syscalls/$NUMBERED/id)
is "$(cat $ROOT/events/$NUMBERED)" "persistent,config=$tracepoint_id" "cat events/NAME"
is "$(cat $ROOT/$NUMBERED/fmt)" "$(cat $TRACING/events/syscalls/$NUMBERED/format)" \
	"cat NAME/fmt is the kernel's format text"
is "$(cat $ROOT/sched_process_exec/fmt)" "$(cat $TRACING/events/sched/sched_process_exec/format)" \
	"that of another event too"
page=$(cat $ROOT/$NUMBERED/status)
like "$page" "source +$NUMBERED_EVENT$" "cat NAME/status: the source"
like "$page" "^ +0 +10 +10 +0 +0 +0 +0 +0$" "cat NAME/status: the counters of CPU 0"
like "$page" "^ +all +10 +10 " "cat NAME/status: their sum"
produce 0 5 > /dev/null
like "$(cat $ROOT/$NUMBERED/status)" "^ +0 +15 +15 " "the counters are live"

entry=$("$BPFTOOL" map dump pinned $ROOT/registry |
	jq -c ".[] | select(.value.name == \"$NUMBERED\") | [.key, .value.system,
		.value.tracepoint, .value.keep, .value.attr_type, .value.attr_config,
		.value.head_bytes, .value.tail_bytes, .value.abi_version]")
is "$entry" "[$tracepoint_id,\"syscalls\",\"$NUMBERED\",\"PERSIST_KEEP_OLDEST\",2,$tracepoint_id,8192,0,1]" \
	"bpftool shows the registry with field names"

# ---- add, names and ids ------------------------------------------------------------------------

run "$LOADER" add "$NUMBERED_EVENT/keep=oldest,head=8K/"
is "$status" 1 "add of an event that is there fails"
like "$err" "$NUMBERED.*there already" "says that it is there"
there=$(sed -n 's/.* already, as \([^;]*\);.*/\1/p' <<< "$err")
run_ok "what it is there as, $there, can be given" "$LOADER" start -e "$there"
like "$out" "already recorded as $NUMBERED" "and is the same"
run "$LOADER" add sched:sched_switch/name=$NUMBERED/
is "$status" 1 "add under a name that is taken fails"
like "$err" "$NUMBERED.*taken by $NUMBERED_EVENT" "says by what"
run_ok "the same tracepoint twice under other names" \
	"$LOADER" add "$NUMBERED_EVENT/name=second,wakeup=1/" "$NUMBERED_EVENT/name=third/"
is "$(json_of second id) $(json_of third id)" "65536 65537" "get ids of their own"
is "$(cat $ROOT/events/second)" "persistent,config=65536" "which events/NAME has"
is "$("$BPFTOOL" map dump pinned $ROOT/registry | jq -c '[.[] | select(.key >= 65536) |
	.value.attr_config] | unique')" "[$tracepoint_id]" "while attr.config is the tracepoint's"
produce 0 7 > /dev/null
is "$(counter second 0 seen) $(counter third 0 seen) $(counter $NUMBERED 0 seen)" "7 7 22" \
	"each of them sees every event"
run_ok "remove the first of them" "$LOADER" remove $NUMBERED
not_ok "its directory is gone" test -e $ROOT/$NUMBERED
not_ok "its name in events/ is gone" test -L $ROOT/events/$NUMBERED
is "$("$BPFTOOL" map dump pinned $ROOT/registry | jq "[.[] | select(.key == $tracepoint_id)] | length")" \
	0 "its entry in the registry is gone"
run_ok "add it again" "$LOADER" add $NUMBERED_EVENT
is "$(json_of $NUMBERED id) $(counter $NUMBERED 0 seen)" "$tracepoint_id 0" \
	"it has the tracepoint's id again, and begins anew"
run "$LOADER" remove nosuch third
is "$status" 1 "remove of one that is not there fails"
like "$err" "nosuch.*no such event" "says which"
not_ok "and the others of that command are removed" test -e $ROOT/third

rmdir $ROOT/staging
run_ok "add without staging/" "$LOADER" add $NUMBERED_EVENT/name=third/
rmdir $ROOT/staging
run_ok "clear without it" "$LOADER" clear third
rmdir $ROOT/staging
run_ok "remove without it" "$LOADER" remove third
ok "it is there again" test -d $ROOT/staging -a ! -e $ROOT/third

"$LOADER" add $NUMBERED_EVENT/name=some_1/ $NUMBERED_EVENT/name=some_2/ > /dev/null
run_ok "remove a pattern" "$LOADER" remove 'some_[1-9]'
is "$out" "some_1: removed
some_2: removed" "says which events that were"
ok "the others stay" test -e $ROOT/second/link -a ! -e $ROOT/some_1

run_ok "add a pattern" "$LOADER" add 'signal:signal_d*' 'syscalls:sys_enter_timer_[sd]*'
like "$out" "^syscalls:sys_enter_timer_settime: recording" "adds all that match"
like "$out" "^signal:signal_deliver: recording" "of each"
run "$LOADER" add 'nosuch:*'
is "$status" 1 "a pattern that matches nothing is an error"

# ---- list and status ---------------------------------------------------------------------------

like "$("$LOADER" list)" "^second +65536 +$NUMBERED_EVENT +both +[0-9]+ +7 +7 +0 +20..-..-.. ..:..:..$" "list"
is "$("$LOADER" list --json | jq -c 'select(.event == "second") | [.id, .system, .tracepoint, .keep,
	.head_bytes, .tail_bytes, .tail_type, .seen, .recorded, .lost]')" \
	"$(jq -c '.events[] | select(.event == "second") | [.id, .system, .tracepoint, .keep,
	.head_bytes, .tail_bytes, .tail_type, .seen, .recorded, (.lost | add)]' <<< "$("$LOADER" status --json)")" \
	"list --json says the same as status"
is "$("$LOADER" status --json | jq -r '.root')" $ROOT "status --json has the root"
for option in "" --json; do
	# shellcheck disable=SC2086 # words
	listed=$("$READER" list $option | grep $NUMBERED)
	is "$("$LOADER" list $option | grep $NUMBERED)" "$listed" "list $option of loader and reader is the same"
	isnt "$listed" "" "and something"
done
is "$("$READER" list --json | jq -c 'keys_unsorted' | sort -u)" \
	"$(sed -n '/^.Sh LIST/,/^.El/s/^.It Li //p' man/persist-reader.1 | grep -vE 'error|imported' | tr -d ' ' | tr ',' '\n' | jq -Rc . |
		jq -sc .)" "the man page names its members, in this order"
like "$("$LOADER" status)" "^second$" "status shows every event"
is "$("$LOADER" status second --json | jq -c '.events[] | [.event, .seen, .cpus[0].recorded]')" \
	'["second",7,7]' "status NAME --json"
objects_of_tree > /dev/null
locked=$(for pin in head/cpu0 tail/cpu0 head/cpu1 tail/cpu1; do
	[ -e $ROOT/second/$pin ] && "$BPFTOOL" -j map show pinned $ROOT/second/$pin
done | jq -s 'map(.bytes_memlock) | add')
if [ "$(cat /sys/devices/system/cpu/possible)" = 0-1 ]; then
	is "$(json_of second ring_bytes)" "$locked" \
		"status has the bytes that the rings lock (KNOWN-PAIN 17)"
else
	skip "for machines with two possible CPUs only"
fi
compare "$(json_of second locked_bytes)" -gt "$(json_of second ring_bytes)" \
	"and those of everything else (KNOWN-PAIN 17)"
run "$LOADER" status nosuch
is "$status" 1 "status of one that is not there fails"
like "$err" "nosuch: there is no such event" "says so"

# ---- clear -------------------------------------------------------------------------------------

run_ok "clear two" "$LOADER" clear second $NUMBERED
is "$(json_of second generation)" 2 "they have new buffers"
is "$(counter second 0 seen)" 7 "and go on counting"
produce 0 3 > /dev/null
is "$(counter second 0 seen) $(counter second 0 first_seq)" "10 8" \
	"the first event of the new buffers has the next number"
run "$LOADER" clear nosuch second
is "$status" 1 "clear of one that is not there fails"
is "$(json_of second generation)" 3 "and the others of that command are cleared"

run_ok "clear a pattern" "$LOADER" clear 'sec*' $NUMBERED
is "$out" "second: cleared
$NUMBERED: cleared" "says which events that were"
is "$(json_of second generation) $(json_of $NUMBERED generation)" "4 3" "and clears them"
run "$LOADER" clear 'nosuch*' 'sec?nd'
is "$status" 1 "clear of a pattern that nothing matches fails"
is "$err" "loader: error: $ROOT/nosuch*: no event matches; $LOADER list shows those there are" "says so"
is "$(json_of second generation)" 5 "and what else matches is cleared"

# ---- readers -----------------------------------------------------------------------------------

run_ok "reader list" "$READER" list
like "$out" "second.*$NUMBERED_EVENT" "reader list has the events"
produce 0 2 100 > /dev/null
for target in second $ROOT/second persistent/second/; do
	is "$("$READER" attach $target --json | numbers_of | ranges)" 100-101 \
		"reader attach $target"
done
for target in 'se*' "$ROOT/[r-t]econd" 'persistent/?econd/'; do
	is "$("$READER" attach "$target" --json | numbers_of | ranges)" 100-101 "reader attach $target"
done
is "$("$READER" attach 'se*' second $NUMBERED --json 2> /dev/null | jq -r 'select(.fields).event' | sort | uniq -c |
	tr -s ' \n' ' ')" " 2 second 2 $NUMBERED " "an event that is named twice is read once"
run "$READER" attach $NUMBERED 'nosuch*'
is "$status $err" "1 reader: error: $ROOT/nosuch*: no event matches; $READER list shows those there are" \
	"a pattern that nothing matches is an error"

# ---- probe, stop -------------------------------------------------------------------------------

run_ok "probe" "$LOADER" probe
like "$out" "^bpffs +yes" "probe finds the BPF file system"
is "$("$LOADER" probe --json | jq -r '.tracefs.present')" true "probe --json"
for word in kernel capabilities btf lockdown overwrite_ringbuf perf_link mce_record; do
	like "$out" "^$word +(yes|no) " "probe has $word"
done
is "$(grep -A1 -E '^[a-z_]+ +no ' <<< "$out" | grep -cE 'remedy: .+')" \
	"$(grep -cE '^[a-z_]+ +no ' <<< "$out")" "everything that is missing has a remedy (KNOWN-PAIN 16)"
check_stop
run_ok "stop again" "$LOADER" stop

# ---- configuration files -----------------------------------------------------------------------

cat > "$TMP/events.conf" <<-EOF
	# what to record
	$NUMBERED_EVENT/name=one,keep=latest/   # the first

	    signal:signal_generate
	nosuch:event
	nosuch:*
EOF
run_ok "start -c FILE" "$LOADER" start -c "$TMP/events.conf"
is "$("$LOADER" list --json | jq -r .event | tr '\n' ' ')" "one signal_generate " \
	"records what the file says"
like "$out$err" "nosuch:event.*skip|skip.*nosuch:event" "says what was skipped (KNOWN-PAIN 24)"
like "$out$err" "no such tracepoint" "and why"
printf 'signal:signal_deliver\nsignal:signal_generate/keep=some/\n' > "$TMP/wrong.conf"
run "$LOADER" start -c "$TMP/wrong.conf"
is "$status" 2 "start with a file that is wrong is wrong usage"
like "$err" "/wrong.conf:2: event" "says where"
not_ok "and records nothing of it" test -e $ROOT/signal_deliver
run "$LOADER" start -c "$TMP/nosuch.conf"
is "$status" 1 "start with a file that is not there fails"
like "$err" "nosuch.conf: cannot be opened: No such file" "says so"

mkdir -p "$TMP/etc/persist-bpf"
cp -a /etc/. "$TMP/etc/"
mkdir -p "$TMP/etc/persist-bpf"
mount --bind "$TMP/etc" /etc
rm -f /etc/persist-bpf/events.conf
run_ok "start without events" "$LOADER" start
like "$out" "^mce:mce_record: (skipped, .*no such tracepoint|recording)" \
	"the default set has mce_record, or says why not"
like "$out" "^ras:" "and the ras events"
echo "$NUMBERED_EVENT/name=configured/" > /etc/persist-bpf/events.conf
run_ok "start with the system's configuration" "$LOADER" start
is "$out" "$NUMBERED_EVENT: recording as configured, persistent,config=65536" \
	"records just that"
umount /etc

# ---- roots -------------------------------------------------------------------------------------

check_stop
other=/sys/fs/bpf/other
umask 077
run_ok "start below another root" "$LOADER" start --root $other/ -e $NUMBERED_EVENT
umask 022
is "$(stat -c %a $other $other/$NUMBERED | tr '\n' ' ')" "755 755 " "whatever the umask is"
run_ok "list there" "$LOADER" list --root $other
like "$out" "^$NUMBERED" "shows it"
not_ok "the default root has nothing" "$LOADER" list 2> /dev/null
run_ok "stop there" "$LOADER" stop --root $other
run "$LOADER" start --root /sys/fs/bpf/no/such -e $NUMBERED_EVENT
is "$status" 1 "a root in a directory that is not there is an error"
like "$err" "/sys/fs/bpf/no: No such file" "says which directory"
finish
