#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Unmodified perf on persistent events: what it lists, records, counts and shows; that nothing is
# missing and nothing there twice; that other events, the command that perf runs, and its
# environment are as without us.

TIME_LIMIT=300
. "${0%/*}/lib.sh"

PERF=$(command -v perf) || skip_all "perf is not installed"
LIBRARY=$(realpath "${OUTPUT:-build}/libpersist-perf.so")
export TMPDIR=$TMP

with_perf() { # ARGUMENT...
	run "$READER" perf -- "$PERF" "$@"
}

record() { # FILE ARGUMENT...
	rm -f "$TMP/$1"
	with_perf record -o "$TMP/$1" "${@:2}"
}

script() { # FILE OPTION...
	"$PERF" script -f -i "$TMP/$1" "${@:2}" 2> "$TMP/script-err"
}

# Numbers of the events in perf script's lines (standard input), of the event that is named
numbers() { # EVENT
	awk -v event="persistent/$1/:" 'index($0, event) { sub(/.*timer_id: /, ""); print }' |
		perl -ne 'print hex, "\n"'
}

recorded() { # FILE EVENT
	script "$1" | numbers "$2" | ranges
}

seen_of() { # EVENT
	counters "$1" | awk '{ n += $2 } END { print n }'
}

views_left() {
	find "$TMP" -maxdepth 1 -name 'persist-perf.*'
}

"$LOADER" start -e "$NUMBERED_EVENT/name=numbered,keep=oldest,head=64M/" \
	-e "$NUMBERED_EVENT/name=other,keep=oldest,head=1M/" \
	-e "$NUMBERED_EVENT/name=small,keep=latest,tail=4K/" \
	-e sched:sched_process_exec/name=exec/ > /dev/null
last_cpu=$(cpus_online | tail -n 1)

# ---- perf list, perf record --------------------------------------------------------------------

with_perf list
is "$status" 0 "perf list"
for event in numbered other small exec; do
	like "$out" "^ *persistent/$event/ " "shows persistent/$event/"
done
produce 0 100 1 > /dev/null
produce "$last_cpu" 50 101 > /dev/null
record history -e persistent/numbered/ true
is "$status" 0 "perf record of a command that ends at once" || diag "$err"
is "$(recorded history numbered)" 1-150 "has what was recorded before"
like "$(script history | head -n 1)" \
	'^ *event_producer +[0-9]+ \[000\] +[0-9]+\.[0-9]+: +persistent/numbered/: timer_id: 0x00000001$' \
	"with the thread's name, although that is gone, CPU, time and fields"
is "$(script history -F time | sort -n | head -n 1)" "$(script history -F time | head -n 1)" \
	"in the order of time"
record exec -e persistent/exec/ /bin/true
like "$(script exec | tail -n 1)" 'filename=/bin/true' "and what the command itself has caused"
is "$(views_left)" "" "nothing is left in TMPDIR"

# ---- 100,000 events, across the command ----------------------------------------------------------

"$LOADER" clear numbered other > /dev/null
cat > "$TMP/workload" <<-EOF
	#!/bin/sh
	"$HELPERS/event_producer" 0 30000 40001
	"$HELPERS/event_producer" $last_cpu 30000 70001
EOF
chmod 755 "$TMP/workload"
produce 0 20000 1 > /dev/null
produce "$last_cpu" 20000 20001 > /dev/null
record many -e persistent/numbered/ "$TMP/workload"
is "$status" 0 "perf record of 100000 events, before the command and during it"
script many | numbers numbered | sort -n > "$TMP/numbers"
is "$(ranges < "$TMP/numbers")" 1-100000 "all are there, none twice"
unlike "$err" "lost|order" "nothing is lost or in disorder"

# CPU time of perf: our process is its parent, and counts as well.
cpu_time() { # COMMAND...: in hundredths of a second, with all children
	perl -e 'system(@ARGV); my ($u, $s, $cu, $cs) = times; printf "%d\n", ($cu + $cs) * 100' \
		"$@" 2> /dev/null > "$TMP/cpu-time-out"
	tail -n 1 "$TMP/cpu-time-out"
}
"$LOADER" clear numbered > /dev/null
plain=$(cpu_time "$PERF" record -o "$TMP/plain" -a -e $NUMBERED_EVENT "$TMP/workload")
ours=$(cpu_time "$READER" perf -- "$PERF" record -o "$TMP/ours" -a -e persistent/numbered/ "$TMP/workload")
compare "$ours" -le $((2 * plain + 10)) \
	"CPU time is at most twice that of a plain tracepoint recording ($ours and $plain)"
rm -f "$TMP/plain" "$TMP/ours"

# A ring of one page, several rings of one event, an event that is named twice.
"$LOADER" clear numbered other > /dev/null
produce 0 3000 1 > /dev/null
produce "$last_cpu" 2000 3001 > /dev/null
for options in "-m 1" "-a -m 1" "-a --per-thread" "-a --aio" "-a --threads" "-a -z" "-k CLOCK_BOOTTIME" \
	"-p $$" "-C 0,$last_cpu" "-g" "--call-graph dwarf" "-R -d"; do
	rm -rf "$TMP/options"
	# shellcheck disable=SC2086 # options are words
	record options $options -e persistent/numbered/ -e persistent/numbered/ sleep 0.1
	is "$(script options | numbers numbered | sort -n | uniq -c | awk '{ print $1 }' | sort | uniq -c | xargs)" \
		"5000 2" "perf record $options: each event once for each time that it is asked for" ||
		diag "$status: $err"
done
record cpu -C 0 -e persistent/numbered/ true
is "$(recorded cpu numbered)" 1-3000 "-C 0: those of that CPU"
record period -c 10 -e persistent/numbered/ true
is "$(script period | wc -l)" 500 "-c 10: each tenth"
"$READER" perf -- "$PERF" record -o - -e persistent/numbered/ true 2> /dev/null |
	"$PERF" script -i - 2> /dev/null > "$TMP/piped"
is "$(numbers numbered < "$TMP/piped" | sort -n | ranges)" 1-5000 "through a pipe"

# ---- losses ----------------------------------------------------------------------------------------

produce 0 1000 1 > /dev/null
record lost -e persistent/small/ true
there=$(script lost | wc -l)
lost=$(script lost --show-lost-events | awk '/PERF_RECORD_LOST/ { n += $NF } END { print n + 0 }')
is $((there + lost)) "$(seen_of small)" \
	"what was overwritten is a PERF_RECORD_LOST: $there samples, $lost lost"
like "$err" "[Ll]ost" "which perf reports"

# ---- a damaged buffer ------------------------------------------------------------------------------

"$LOADER" add sched:sched_process_exec/name=damaged,keep=oldest,head=4K/ > /dev/null
taskset -c 0 true
for damage in 64=0xffffffffffffffff 72=0xffff; do
	forge_ring damaged $damage || diag "forge fails"
	record damaged -C 0 -e persistent/damaged/ true
	is "$status" 0 "perf record of a payload with $damage" || diag "$err"
	is "$(script damaged -F comm | head -n 3 | wc -l)" 3 "perf script shows it and those beside it"
done
"$LOADER" remove damaged > /dev/null

# ---- together with events of the kernel ------------------------------------------------------------

"$LOADER" clear numbered > /dev/null
produce 0 40000 1 > /dev/null
record mixed -a -e persistent/numbered/ -e cpu-clock -e sched:sched_process_exec "$TMP/workload"
is "$status" 0 "perf record of persistent and other events"
script mixed > "$TMP/mixed.txt"
is "$(numbers numbered < "$TMP/mixed.txt" | sort -n | ranges)" 1-100000 "has all of the persistent ones"
compare "$(grep -c cpu-clock: "$TMP/mixed.txt")" -gt 10 "has samples of cpu-clock"
like "$(grep sched:sched_process_exec: "$TMP/mixed.txt")" "filename=$TMP/workload" "and the tracepoint"
unlike "$(cat "$TMP/script-err")" "out of order" "in the order of time"
# The same happening by both ways has the same time.
record both -e persistent/exec/ -e sched:sched_process_exec sh -c '/bin/true; /bin/true; /bin/true'
script both -F event,time,trace --ns | awk '
	!/filename=\/bin\/true/ { next }
	{ time = $1; sub(":", "", time); pid = $0; sub(/.* pid=/, "pid=", pid) }
	/persistent\/exec/ { ours[pid] = time }
	/sched:sched_process_exec/ { theirs[pid] = time }
	END {
		for (pid in theirs) {
			off = (ours[pid] - theirs[pid]) * 1e6
			print (pid in ours) ? (off < 0 ? -off : off) : "missing"
		}
	}' > "$TMP/off"
is "$(wc -l < "$TMP/off")" 3 "three events are there by both ways"
compare "$(sort -n "$TMP/off" | head -n 1 | cut -d. -f1)" -lt 100 \
	"at the same time: $(xargs < "$TMP/off") us"
with_perf record -o "$TMP/kernel" -e sched:sched_process_exec true
is "$(script kernel | wc -l)" 1 "without a persistent event, perf is perf"

# ---- perf stat, perf top, perf trace --------------------------------------------------------------

seen=$(seen_of numbered)
with_perf stat -x, -e persistent/numbered/ true
is "$(cut -d, -f1 <<< "$err")" "$seen" "perf stat counts what there was since it was recorded"
with_perf stat -x, -a -e '{persistent/numbered/,cpu-clock}' true
is "$(grep numbered <<< "$err" | cut -d, -f1)" "$seen" "and in a group"
with_perf stat -x, -I 100 -e persistent/numbered/ sleep 0.35
is "$(sed -n '/numbered/p' <<< "$err" | head -n 2 | cut -d, -f2 | xargs)" "$seen 0" "and in intervals"
(
	wait_until 20 is_in_file "timer_id" "$TMP/top"
	echo q
) | timeout 40 "$READER" perf -- "$PERF" top --stdio -d 1 -e persistent/numbered/ > "$TMP/top" 2>&1
ok "perf top --stdio shows the event" is_in_file 'persistent:numbered' "$TMP/top"
ok "and its history" is_in_file '% +timer_id: 0x' "$TMP/top"
with_perf trace -e persistent/other/ --max-events 2 sleep 0.1
like "$err$out" 'persistent:other\(.*timer_id: 1' "perf trace shows it"
# Of all CPUs it wants nothing of itself, by a filter.
with_perf trace -e persistent/other/ -a --max-events 2 sleep 0.1
like "$err$out" 'persistent:other\(.*timer_id: 1' "perf trace -a, too"

# ---- what perf runs --------------------------------------------------------------------------------

LD_PRELOAD=libm.so.6 SYSFS_PATH=/sys record environment -e persistent/other/ \
	sh -c "env > $TMP/environment.txt; grep SigBlk /proc/self/status > $TMP/blocked.txt"
like "$(cat "$TMP/environment.txt")" '^LD_PRELOAD=libm.so.6$' "the command has the user's LD_PRELOAD"
like "$(cat "$TMP/environment.txt")" '^SYSFS_PATH=/sys$' "and SYSFS_PATH"
unlike "$(cat "$TMP/environment.txt")" 'PERSIST_PERF|libpersist-perf' "and nothing of ours"
like "$(cat "$TMP/blocked.txt")" '0000000000000000$' "and no signal is blocked"
record status -e persistent/other/ sh -c 'exit 3'
is "$status" "$("$PERF" record -o "$TMP/status" -e cpu-clock sh -c 'exit 3' > /dev/null 2>&1; echo $?)" \
	"the exit status is perf's"
for signal in INT TERM; do
	start_background "$READER" perf -- "$PERF" record -o "$TMP/killed" -a -e persistent/other/ 2> /dev/null
	wait_until 10 is_in_file 'libpersist-perf' "/proc/$(pgrep -P $background_pid)/maps"
	sleep 1
	kill -$signal $background_pid
	ok "SIG$signal ends it" wait_until 20 has_ended $background_pid
	wait $background_pid
	is "$(script killed | numbers other | wc -l)" "$("$READER" attach other --json | numbers_of | wc -l)" \
		"and the file is whole"
	is "$(views_left)" "" "and nothing is left in TMPDIR"
done

# SIGKILL leaves what perf looks at. The next one removes it, but not what is in use: also not while
# only perf is left of the two.
start_view() {
	start_background "$READER" perf -- "$PERF" record -o "$TMP/killed" -a -e persistent/other/ 2> /dev/null
	wait_until 10 is_in_file 'libpersist-perf' "/proc/$(pgrep -P $background_pid)/maps"
	started=$background_pid
	perf_pid=$(pgrep -P $started)
}
start_view
with_perf list
is "$(views_left | wc -l)" 1 "the view of another one is left alone"
kill -KILL $started
wait $started 2> /dev/null
is "$(views_left | wc -l)" 1 "SIGKILL leaves it"
with_perf list
is "$(views_left | wc -l)" 1 "as long as perf uses it, it stays"
kill -TERM "$perf_pid"
wait_until 20 has_ended "$perf_pid"
mkdir "$TMP/persist-perf.kept-by-others"
with_perf list
is "$(views_left)" "$TMP/persist-perf.kept-by-others" "after that, the next one removes it, and nothing else"
rmdir "$TMP/persist-perf.kept-by-others"

# ---- a user without privileges ---------------------------------------------------------------------

public=$TMP/public
mkdir -m 755 "$public"
mkdir -m 777 "$public/out"
cp "$READER" "$LIBRARY" "$public"
"$LOADER" stop > /dev/null
"$LOADER" start --mode 0666 -e "$NUMBERED_EVENT/name=numbered,keep=oldest/" > /dev/null
produce 0 100 1 > /dev/null
produce "$last_cpu" 50 101 > /dev/null
chmod 755 "$TMP"
export HOME=$public/out TMPDIR=$public/out
run unprivileged "$public/reader" perf -- "$PERF" record -o "$public/out/data" -e persistent/numbered/ sleep 0.1
is "$status" 0 "nobody may, if the pins may be read (perf_event_paranoid is $(cat /proc/sys/kernel/perf_event_paranoid))"
is "$("$PERF" script -f -i "$public/out/data" 2> /dev/null | numbers numbered | ranges)" 1-150 \
	"also where tracefs cannot be read"
"$LOADER" stop > /dev/null
"$LOADER" start --mode 0600 -e "$NUMBERED_EVENT/name=numbered,keep=oldest/" > /dev/null
run unprivileged "$public/reader" perf -- "$PERF" record -o "$public/out/data" -e persistent/numbered/ sleep 0.1
isnt "$status" 0 "but not if they may not be read"
export TMPDIR=$TMP

# ---- what does not work, and says so ---------------------------------------------------------------

with_perf record -o "$TMP/none" -e persistent/nosuch/ true
isnt "$status" 0 "an event that does not exist"
like "$err" 'reader: error: .* no persistent event "nosuch"' "is an error that names it"
with_perf record -o "$TMP/none" -e persistent/numbered/ --overwrite true
like "$err" "no --overwrite" "--overwrite is refused"
isnt "$status" 0 "and fails"
with_perf record -o "$TMP/none" -e persistent/numbered/ --filter 'timer_id == 1' true
like "$err" "no --filter" "--filter is refused"
run "$READER" perf --root /sys/fs/bpf/nosuch -- "$PERF" list
is "$status" 1 "no tree"
like "$err" "no tree of persistent events" "is an error that says so"
run "$READER" perf -- "$TMP/nosuch"
is "$status" 127 "no perf"
cat > "$TMP/static.c" <<< 'int main(void) { return 0; }'
gcc -static -o "$TMP/perf-static" "$TMP/static.c"
run "$READER" perf -- "$TMP/perf-static" list
is "$status" 1 "a statically linked perf"
like "$err" "perf-static: is statically linked" "is an error that says so"
gcc -o "$TMP/mute" "$TMP/static.c"
run "$READER" perf --library "$TMP/mute" -- "$TMP/mute"
is "$status" 1 "a library that perf does not load"
like "$err" "has not loaded" "is an error that says so"
gcc -o "$TMP/mute129" -x c - <<< 'int main(void) { return 129; }'
run "$READER" perf --library "$TMP/mute" -- "$TMP/mute129"
is "$status" 1 "also if it fails as perf does of wrong usage"
like "$err" "has not loaded" "and says so"
printf '\177ELF' > "$TMP/no-program"
chmod 755 "$TMP/no-program"
run "$READER" perf -- "$TMP/no-program"
is "$status" 126 "what cannot be executed"
unlike "$err" "has not loaded" "has one error"
mkdir "$TMP/a place: with \$signs"
cp "$LIBRARY" "$TMP/a place: with \$signs/library.so"
run "$READER" perf --library "$TMP/a place: with \$signs/library.so" -- "$PERF" list
is "$status" 0 "a library whose path the dynamic linker would take apart"
like "$out" 'persistent/numbered/' "is loaded"
is "$err" "" "without a complaint"
run env TMPDIR="$TMP/a place: with \$signs" "$READER" perf \
	--library "$TMP/a place: with \$signs/library.so" -- "$PERF" list
is "$status" 1 "with such a TMPDIR as well"
like "$err" "a space, a colon or a dollar sign; TMPDIR names another" "is an error with the remedy"
is "$(find "$TMP/a place: with \$signs" -name 'persist-perf.*')" "" "and leaves nothing"

# What perf says of its own options is all there is to say.
for options in "--filter x" "--cgroup absent"; do
	# shellcheck disable=SC2086 # options are words
	with_perf record -o "$TMP/none" $options -e persistent/numbered/ true
	is "$status" 129 "perf record $options in front of the event"
	unlike "$err" "^reader" "gets no hint of ours"
done
with_perf record -o "$TMP/none" -e persistent/persistent,config=0/ true
like "$err" "there is no event with the id 0; reader list" "an id that no event has"
with_perf record -o "$TMP/none" -e "persistent/config=$(< $TRACING/events/sched/sched_process_exec/id)/" true
like "$err" "warning: persistent/config=[0-9]+/: this is the kernel's own" "what is not persistent"
with_perf record -o "$TMP/none" -e persistent/numbered/ -e persistent/absent/ -e persistent/gone,name=x/ \
	--nosuchoption ls $ROOT/numbered
is "$(grep -oE 'no persistent event "[a-z]*"' <<< "$err" | xargs)" \
	"no persistent event absent no persistent event gone" "each event that is missing is named"

cat > "$TMP/wrapper" <<-EOF
	#!/bin/sh
	exec "$PERF" "\$@"
EOF
chmod 755 "$TMP/wrapper"
run "$READER" perf -- "$TMP/wrapper" list
like "$out" 'persistent/numbered/' "a script that executes perf will do"
run "$READER" perf
is "$status" 2 "no command is wrong usage"
run "$READER" perf --help
is "$status" 0 "--help"
is "$(views_left)" "" "nothing is left in TMPDIR"
finish
