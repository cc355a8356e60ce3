#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# persist_event_open() opens what `cat events/NAME` says, and refuses the rest as perf would.

TIME_LIMIT=180
. "${0%/*}/lib.sh"

OPEN=$(public_copy "$HELPERS/event_open")
SECCOMP=$(public_copy "$HELPERS/seccomp_run")
STOP_LOADER=$(realpath -m "${STOP_LOADER:-${OUTPUT:-build}/stop/loader}")
ID=$(cat $TRACING/events/syscalls/$NUMBERED/id)
EVENT=$ROOT/$NUMBERED
TEXT=persistent,config=$ID

# BPF_MAP_TYPE_*
ARRAY=2
RINGBUF=27

# refuses ERRNO DESCRIPTION OPTION...: as it does what is right apart from these options
refuses() {
	local errno=$1 description=$2
	shift 2
	is "$("$OPEN" open "$TEXT" "$@")" "$errno" "$errno: $description"
}

# opened LINE...: of the last run
opened() {
	awk -v key="$1" '$1 == key { $1 = ""; sub(/^ /, ""); print }' <<< "$out"
}

# ---- attrs ---------------------------------------------------------------------------------------

is "$("$OPEN" name $NUMBERED)" ENOENT "ENOENT: a name, and no tree"
is "$("$OPEN" text "$TEXT")" ENOENT "ENOENT: a text, and no tree"

run_ok "start" "$LOADER" start -e $NUMBERED_EVENT/keep=both,head=4K,tail=8K/
is "$("$OPEN" name $NUMBERED)" "6 $TEXT" "the attr of a name"
is "$("$OPEN" name $NUMBERED)" "$(cat $ROOT/type) $(cat $ROOT/events/$NUMBERED)" \
	"is what cat type and cat events/NAME show"
is "$("$OPEN" name nothing)" ENOENT "ENOENT: an unknown name"
for name in "" . .. ../registry $NUMBERED/ /etc/passwd; do
	is "$("$OPEN" name "$name")" EINVAL "EINVAL: \"$name\" cannot be a name"
done
is "$("$OPEN" text "config=0x$(printf %x "$ID"),persistent")" "6 $TEXT" "the attr of a text"
is "$("$OPEN" text "$TEXT,config1=2")" "6 $TEXT,config1=2" "with another field"
is "$("$OPEN" text "persistent,config=")" \
	"EINVAL 18: a decimal or hexadecimal (0x) number expected" "EINVAL: says where, and why"
is "$("$OPEN" text "nonsense")" "EINVAL 0: unknown term" "EINVAL: an unknown term"
is "$(unprivileged "$OPEN" name $NUMBERED)" "6 $TEXT" "nobody can do that as well"
is "$(unprivileged "$SECCOMP" none "$OPEN" name $NUMBERED)" "6 $TEXT" "also without bpf(2)"

# The same for any PMU of the kernel
for format in /sys/bus/event_source/devices/*/format; do
	pmu=${format%/format}
	term=$(cd "$format" && grep -l '^config:0' -- * | head -n 1)
	[ -n "$term" ] || continue
	like "$("$OPEN" text "$term=1" "$pmu")" "^$(cat "$pmu/type") [a-z_]+(=1)?$" \
		"a text of the PMU ${pmu##*/}"
	break
done

# ---- success -------------------------------------------------------------------------------------

produce 0 100 > /dev/null
run "$OPEN" open "$TEXT" config1:0-63=1
is "$status $(opened type)" "0 $RINGBUF" "opens the head ring"
is "$(opened close-on-exec)" yes "close-on-exec without being asked"
is "$(opened mmap-read-only)" succeeded "it can be mapped read-only"
is "$(opened mmap-writable)" EPERM "but not writable"
like "$(opened mprotect-writable)" "^E(PERM|ACCES)$" "nor made so"
is "$(opened poll)" "in" "it polls readable"
like "$(opened records)" "^[0-9]+ seq 1-[0-9]+$" "it has the first records of this CPU"
is "$(opened records-of-others)" 0 "and no others"

run "$OPEN" open "$TEXT" config1:0-63=2
is "$status" 0 "opens the tail ring"
like "$(opened type)" "^($ARRAY|$RINGBUF)$" "of the kind that the kernel has"
is "$(opened mmap-read-only)" succeeded "it can be mapped read-only"
is "$(opened mmap-writable)" EPERM "but not writable"
like "$(opened mprotect-writable)" "^E(PERM|ACCES)$" "nor made so"
like "$(opened records)" "^[0-9]+ seq [0-9]+-100$" "it has the latest records"
tail=$out
run "$OPEN" open "$TEXT"
is "$out" "$tail" "config1 = 0 is the tail, where there is one"
is "$("$OPEN" open "$TEXT" flags=8)" "$tail" "PERF_FLAG_FD_CLOEXEC changes nothing"
is "$("$OPEN" open "$TEXT" root=$ROOT)" "$tail" "the same by the path of the tree"
is "$("$OPEN" open "$TEXT" size=64)" "$tail" "the first version of the attr is enough"
is "$("$OPEN" open "$TEXT" size=0)" "$tail" "and has the size 0 as well"
is "$("$OPEN" open "$TEXT" size=1024)" "$tail" "a later one will do if it says nothing more"

last_cpu=$(cpus_online | tail -n 1)
if [ "$last_cpu" != 0 ]; then
	produce "$last_cpu" 3 > /dev/null
	run "$OPEN" open "$TEXT" cpu="$last_cpu" config1:0-63=1
	is "$(opened records)" "3 seq 1-3" "another CPU has a buffer of its own"
	is "$(opened records-of-others)" 0 "and nothing of the first"
else
	skip "one CPU"
fi
for cpu in $(tr ',' '\n' < /sys/devices/system/cpu/possible | awk -F- '{ print $NF }'); do
	like "$("$OPEN" open "$TEXT" cpu="$cpu")" "^mmap-read-only succeeded" "CPU $cpu is possible"
done

# ---- errors --------------------------------------------------------------------------------------

refuses ENOENT "an unknown id" config:0-63=$((ID + 1))
refuses ENOENT "an id that is none" config:0-63=$((ID + (1 << 32)))
refuses EINVAL "the type of a tracepoint" type=2
refuses EINVAL "no type" type=0
refuses EINVAL "the persistent bit is missing" attr5:23=0
refuses EINVAL "another flag" attr5:0=1
refuses EINVAL "a flag without a meaning" attr5:63=1
refuses EINVAL "a sample period" attr2:0-63=1
refuses EINVAL "a sample type" attr3:10=1
refuses EINVAL "a read format" attr4:0=1
refuses EINVAL "wakeup_events" attr6:0=1
refuses EINVAL "config2" config2:0=1
refuses EINVAL "the last field" attr15:63=1
refuses EINVAL "config1 names no buffer" config1:0-63=4
refuses EINVAL "config1 far beyond" config1:63=1
refuses EINVAL "the event wakes nobody" config1:0-63=3
refuses EINVAL "a negative CPU" cpu=-1
refuses EINVAL "a CPU that there cannot be" cpu=8192
refuses EINVAL "the CPU behind the last one" \
	cpu=$(($(sed 's/.*[-,]//' /sys/devices/system/cpu/possible) + 1))
refuses EINVAL "a group" group_fd=0
refuses EINVAL "no group, but -2" group_fd=-2
for flag in 1 2 4 16 0x80000000; do
	refuses EINVAL "the flags $flag" flags=$flag
done
refuses EOPNOTSUPP "this task" pid=0
refuses EOPNOTSUPP "another task" pid=1
refuses EFAULT "no attr" null
refuses E2BIG "a size that no version has" size=63
refuses E2BIG "a size of more than a page" size=1048576
refuses E2BIG "a bit that no version knows" size=4096 beyond
refuses ENOENT "no directory there" root=/nowhere
refuses ENOENT "no tree there" root=/sys/fs/bpf
refuses EMEDIUMTYPE "not a BPF file system" root="$TMP"
refuses ENAMETOOLONG "a root that is too long" root="/$(printf '%05000d' 0)"

is "$(unprivileged "$OPEN" open "$TEXT")" EACCES "EACCES: the mode does not let nobody read"
"$LOADER" start --mode 0666 -e $NUMBERED_EVENT/keep=both,head=4K,tail=8K/ > /dev/null
is "$(unprivileged "$OPEN" open "$TEXT")" "$tail" "with another mode, nobody opens the same"
is "$(unprivileged "$SECCOMP" read "$OPEN" open "$TEXT")" "$tail" \
	"three commands of bpf(2) are enough"
is "$(unprivileged "$SECCOMP" none "$OPEN" open "$TEXT")" EPERM "EPERM: where bpf(2) is not allowed"

# ---- other events --------------------------------------------------------------------------------

"$LOADER" add $NUMBERED_EVENT/name=oldest,keep=oldest,head=64K/ \
	$NUMBERED_EVENT/name=latest,keep=latest,tail=8K,wakeup=1/ > /dev/null
produce 0 10 > /dev/null
OLDEST=$(cat $ROOT/events/oldest)
LATEST=$(cat $ROOT/events/latest)
like "$OLDEST $LATEST" "config=65536 .*config=65537$" "other events have numbers of their own"
run "$OPEN" open "$OLDEST"
is "$(opened records)" "10 seq 1-10" "config1 = 0 is the head where there is no tail"
is "$("$OPEN" open "$OLDEST" config1:0-63=1)" "$out" "as is 1"
is "$("$OPEN" open "$OLDEST" config1:0-63=2)" EINVAL "EINVAL: it has no tail"
run "$OPEN" open "$LATEST"
is "$(opened records)" "10 seq 1-10" "config1 = 0 is the tail where there is no head"
is "$("$OPEN" open "$LATEST" config1:0-63=1)" EINVAL "EINVAL: it has no head"

start_background "$OPEN" wait "$LATEST" config1:0-63=3 > "$TMP/waited"
ok "waits for the doorbell" wait_until 5 is_in_file waiting "$TMP/waited"
produce 0 1 > /dev/null
ok "and is woken by a record" wait_until 5 is_in_file woken "$TMP/waited"
is "$(unprivileged "$OPEN" open "$LATEST" config1:0-63=3 | head -n 1)" "type 31" \
	"nobody can wait as well"

# ---- clear and remove ----------------------------------------------------------------------------

clear_often() {
	for _ in {1..20}; do
		"$LOADER" clear $NUMBERED
	done
}

start_background clear_often > /dev/null
clearer=$background_pid
wrong=
rounds=0
while is_running "$clearer"; do
	run "$OPEN" open "$TEXT" times=100
	[ "$out" = "opened 100" ] || wrong+="$out; "
	rounds=$((rounds + 1))
done
is "$wrong" "" "opens during clears"
compare $rounds -gt 1 "more than a few times"
produce 0 1 > /dev/null
run "$OPEN" open "$TEXT" config1:0-63=1
is "$(opened records | sed 's/ seq.*//')" 1 "after a clear, the new buffer is opened"

if [ -x "$STOP_LOADER" ]; then
	wrong=
	killed=137
	for ((n = 0; killed == 137; n++)); do
		{
			PERSIST_STOP_AT=$((n + 1)) "$STOP_LOADER" clear latest > /dev/null 2>&1
			killed=$?
		} 2> /dev/null # where bash says that it was killed
		produce 0 1 > /dev/null
		run "$OPEN" open "$LATEST"
		[ "$(opened records | sed 's/.*-//')" = "$(counter latest 0 seen)" ] ||
			wrong+="$n: $out; "
	done
	is "$wrong" "" "after a killed clear, the buffer that is written to is opened"
	compare $n -gt 20 "for a clear that was killed before each of its changes"
else
	skip "no $STOP_LOADER"
fi

rm $ROOT/latest/tail/cpu0
is "$("$OPEN" open "$LATEST")" EBADMSG "EBADMSG: the pin of the buffer is missing"
"$BPFTOOL" map pin pinned $EVENT/head/cpu0 $ROOT/latest/tail/cpu0
is "$("$OPEN" open "$LATEST")" EBADMSG "EBADMSG: the pin is of another size"
rm $ROOT/latest/tail/cpu0
"$BPFTOOL" map pin pinned $EVENT/counters $ROOT/latest/tail/cpu0
is "$("$OPEN" open "$LATEST")" EBADMSG "EBADMSG: the pin is something else"
mv $ROOT/registry $ROOT/kept
"$BPFTOOL" map pin pinned $EVENT/counters $ROOT/registry
is "$("$OPEN" open "$LATEST")" EBADMSG "EBADMSG: the registry is something else"
rm $ROOT/registry
mv $ROOT/kept $ROOT/registry
"$LOADER" remove latest oldest > /dev/null
is "$("$OPEN" open "$LATEST")" ENOENT "ENOENT: the event was removed"
is "$("$OPEN" name latest)" ENOENT "ENOENT: and so was its name"
finish
