# SPDX-License-Identifier: GPL-2.0-only
#
# For the benchmark mce: what is attached to mce_record takes, for each event. Prints
# "cost: WHAT EVENTS MEDIAN".

. ./lib/machine_checks.sh

has_said() { # FILE WORD
	for cost_try in $(seq 100); do
		grep -q "$2" "$1" && return
		usleep 100000
	done
	return 1
}

# measure WHAT BEGIN END: commands that attach something, and that detach it
measure() {
	mkfifo /tmp/to-span
	span mce_record < /tmp/to-span > /tmp/span 2>&1 &
	cost_span=$!
	exec 5> /tmp/to-span
	has_said /tmp/span begun && $2 && echo >&5 && has_said /tmp/span measuring || {
		cat /tmp/span
		return
	}
	inject_storm 600
	sleep 2
	exec 5>&-
	wait $cost_span
	$3
	echo "cost: $1 $(tail -n 1 /tmp/span)"
	rm /tmp/to-span
}

begin_reference() { # PROGRAM
	mkfifo /tmp/to-reference
	# Not with the descriptor whose end the other one waits for.
	reference $1 mce:mce_record < /tmp/to-reference > /tmp/reference 2>&1 5>&- &
	cost_reference=$!
	exec 6> /tmp/to-reference
	has_said /tmp/reference attached
}

end_reference() {
	exec 6>&-
	wait $cost_reference
	rm /tmp/to-reference
}

begin_event() { # SPEC
	loader start -e "mce:mce_record/$1/" > /tmp/loader 2>&1 || cat /tmp/loader
}


modprobe mce-inject
# The kernel's own report of each would take minutes on an emulated serial line.
echo 1 > /proc/sys/kernel/printk
measure nothing true true
measure empty "begin_reference empty_raw" end_reference
measure floor "begin_reference clock_and_task_raw" end_reference
measure head "begin_event keep=oldest,head=4M" "loader stop"
measure tail "begin_event keep=latest" "loader stop"
