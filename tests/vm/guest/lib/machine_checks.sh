# SPDX-License-Identifier: GPL-2.0-only
#
# Three ways to a real mce_record. Each leaves a line of what it asked for in
# /results/injected: how cpu bank status addr misc synd ipid (hexadecimal but for cpu, bank).

mce_inject=/sys/kernel/debug/mce-inject
machinecheck=/sys/devices/system/machinecheck

# inject HOW CPU BANK STATUS ADDR MISC SYND IPID, HOW being sw or hw. Writing the bank does it.
inject() {
	echo "$4" > $mce_inject/status
	echo "$5" > $mce_inject/addr
	echo "$6" > $mce_inject/misc
	echo "$7" > $mce_inject/synd
	echo "$8" > $mce_inject/ipid
	echo "$1" > $mce_inject/flags
	echo "$2" > $mce_inject/cpu
	echo "$3" > $mce_inject/bank
	echo "$@" >> /results/injected
}

# Values that differ in every field and every bit position, sign bits included.
inject_software() {
	inject_index=$1
	inject_value=$((inject_index * 0x9e3779b97f4a7c15))

	# The kernel sets the bits of a valid status (63), of misc (59) and synd (53) itself,
	# so they are set here too. Corrected errors only: no bit 61. Bit 20 keeps clear of an
	# error code that the kernel filters out (GART, bank 4).
	inject sw $((inject_index % 2)) $((inject_index % 7)) \
		"$(printf '0x%x' $((inject_value & 0x1fffffffffffffff | 0x8820000000100000)))" \
		"$(printf '0x%x' $((inject_value ^ 0x5555555555555555)))" \
		"$(printf '0x%x' $((~inject_value)))" \
		"$(printf '0x%x' $((inject_value * 3)))" \
		"$(printf '0x%x' $((inject_value << 1 | 1)))"
}

# inject_many CPU COUNT FIRST: all from one CPU, which is also where the kernel reports them.
inject_many() {
	taskset -p "$(printf '%x' $((1 << $1)))" $$ > /dev/null
	for inject_number in $(seq "$3" $(($3 + $2 - 1))); do
		inject_software "$inject_number"
	done
	taskset -p ffff $$ > /dev/null
}

# One of each severity and of many kinds, in banks of their own. Only what is told of them is at
# stake: by software, so that the kernel handles none of them.
inject_kinds() {
	inject_number=0
	for inject_status in \
		0x8000000000000000 0x9400000000000001 0x9400000000000005 0x9400000000000400 \
		0x9400000000000e0b 0x940000000000000d 0x9400000000000016 0x9c00004000000091 \
		0xdc000080000000cf 0x9400000000000151 0x9400000000001151 0x9400000000000295 \
		0x9400000000000b1a 0x9400000000000600 0x9400100000000135 0x9400080000000135 \
		0xb400000000000135 0xb5000000000000c1 0xb400000000000ac1 0xbd80000000000134 \
		0xfd80000000000150 0xbe00000000000134 0xa200000000000134 0xb480000000000134; do
		# The kernel sets the bit of a valid misc (59) itself, so it is set here too.
		inject sw 0 $((inject_number % 10)) \
			"$(printf '0x%x' $((inject_status | 0x0800000000000000)))" 0x123456789abc 0x8c 0 0
		inject_number=$((inject_number + 1))
	done
}

# inject_storm COUNT: all on CPU 0. One page has every fourth error; the others are more than there are places for.
inject_storm() {
	echo sw > $mce_inject/flags
	taskset -p 1 $$ > /dev/null
	for inject_number in $(seq "$1"); do
		inject_page=$((inject_number % 4 ? 0x100 + inject_number : 1))
		# The kernel forgets these with each injection.
		echo 0x9c20000000000135 > $mce_inject/status
		printf '0x%x' $((inject_page * 0x1000)) > $mce_inject/addr
		echo 0x8c > $mce_inject/misc
		echo 4 > $mce_inject/bank
		# The kernel keeps some dozens until it comes to report them.
		[ $((inject_number % 30)) != 0 ] || usleep 10000
	done
	taskset -p ffff $$ > /dev/null
}

# A fatal machine check that goes through the exception handler. fake_panic makes the kernel
# only say that it would have panicked; it stays set, as the exception comes some time later.
inject_hardware() {
	echo 1 > /sys/kernel/debug/mce/fake_panic
	inject hw "$1" 3 0xbe00000000000135 0x123456789abc 0x8c 0 0
}

# inject_by_monitor CPU BANK STATUS MCGSTATUS ADDR MISC: QEMU puts it into a bank of a CPU, as
# hardware does. The host runs the monitor's command when it reads the line.
inject_by_monitor() {
	echo "monitor: mce $*"
	echo "monitor $1 $2 $3 $5 $6 0 0" >> /results/injected
}

# The poller looks each second, so that it finds what raises no exception.
poll_often() {
	for directory in $machinecheck/machinecheck*; do
		echo 1 > "$directory/check_interval"
	done
}

# Does the processor have software recovery, and so severities that only Intel's have?
is_intel() {
	grep -q GenuineIntel /proc/cpuinfo
}
