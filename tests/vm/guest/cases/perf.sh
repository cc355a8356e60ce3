# SPDX-License-Identifier: GPL-2.0-only
#
# perf list, record, script and stat.

perf_event=persistent/mce_record/

# What perf script shows of the injected machine checks: CPU and status, one a line. perf 6.1 does
# not know the print format of newer kernels and shows the fields instead, as decimal numbers.
recorded_by_perf() {
	perf script -i "$1" 2> /dev/null | grep persistent/mce_record/: | sed -n '
		s/.*CPU: \([0-9]*\),.* MC[0-9]*: \([0-9a-f]*\),.*/\1 0x\2/p
		s/.* status=\([0-9]*\) .* cpu=\([0-9]*\) .*/\2 \1/p' |
		while read -r cpu status; do
			printf '%d 0x%x\n' "$cpu" "$status"
		done
}

injected() {
	cut -d ' ' -f 2,4 /results/injected
}

modprobe mce-inject
succeeds "loader start" loader start -e mce:mce_record
perf_number=1
while [ $perf_number -le 6 ]; do
	inject_software $perf_number
	perf_number=$((perf_number + 1))
done
# A machine check is reported some time after it was injected.
has_seen() {
	[ "$(reader attach mce_record | wc -l)" -ge "$1" ]
}
succeeds "6 machine checks were recorded before perf" within 20 has_seen 6

succeeds "perf list" reader perf -- perf list
said "shows the event" "$perf_event"
perf_while_it_records() {
	sleep 1
	inject_software 7
	inject_software 8
	within 20 has_seen 8
	sleep 1
}
perf_while_it_records &
succeeds "perf record" reader perf -- perf record -o /tmp/perf.data -e $perf_event sleep 5
wait
diag "$(perf script -i /tmp/perf.data 2> /dev/null | head -n 2)"
is "$(recorded_by_perf /tmp/perf.data | sort)" "$(injected | sort)" \
	"all machine checks are in perf.data, those before perf and those while it recorded"
succeeds "perf record of everything, with other events" \
	reader perf -- perf record -a -o /tmp/perf.data -e $perf_event -e cpu-clock -e sched:sched_switch sleep 1
is "$(recorded_by_perf /tmp/perf.data | sort)" "$(injected | sort)" "has them, too"
is "$(perf script -i /tmp/perf.data 2> /dev/null | grep -c sched_switch: | grep -c '^[1-9]')" 1 \
	"and the other events"
succeeds "perf stat" reader perf -- perf stat -x, -e $perf_event true
said "counts them" "^8,"
fails "an event that does not exist is an error" 'no persistent event "nosuch"' \
	reader perf -- perf record -o /tmp/none -e persistent/nosuch/ true
is "$(find /tmp -name 'persist-perf.*')" "" "nothing is left in /tmp"
succeeds "loader stop" loader stop
