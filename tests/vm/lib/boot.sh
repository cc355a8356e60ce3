# SPDX-License-Identifier: GPL-2.0-only
#
# Boots a guest and follows what it reports. Sourced after common.sh.

# boot KERNEL-DIRECTORY INITRAMFS WORK-DIRECTORY SUITE SECONDS CPUS [KERNEL-PARAMETER...]
#
# $machine, an array, has more arguments for the emulator.
#
# Leaves the guest running in the background: its pid is $guest, its console is in
# $work/console, what it reports in $work/report, and its disk is $work/disk. Its processor is
# $vm_cpu; without that it is one of AMD, or of Arm, that has all that the emulator can do.
#
# The guest's processors take turns in one thread. With a thread for each, QEMU 7.2 goes on running
# what it had translated of code that the guest's kernel has patched since: a breakpoint that is no
# longer there, for which the kernel crashes, or which a processor with interrupts off takes for
# ever. It is no faster either: most of what a guest does here is done by one processor at a time.
boot() {
	local kernel=$1 initramfs=$2 work=$3 suite=$4 seconds=$5 cpus=$6 architecture
	local cpu console report ports
	shift 6
	architecture=$(kernel_architecture "$kernel")
	board_of "$architecture" "$work"

	rm -f "$work/monitor" "$work/disk"
	mkfifo "$work/monitor"
	# Opened for both directions: neither side then waits for the other to open it.
	exec {monitor}<> "$work/monitor"
	: > "$work/report"
	truncate -s 64M "$work/disk"
	timeout --kill-after=5 "$seconds" "$(emulator_of "$architecture")" \
		-accel tcg,thread=single -cpu "${vm_cpu:-$cpu}" -smp "$cpus" -m "${vm_memory:-512}" \
		-nodefaults -display none -no-reboot ${machine[@]+"${machine[@]}"} \
		-kernel "$kernel/vmlinuz" -initrd "$initramfs" \
		-append "console=$console panic=-1 log_buf_len=4M persist_suite=$suite persist_report=$report $*" \
		-drive "file=$work/disk,format=raw,if=virtio" "${ports[@]}" \
		-monitor stdio < "$work/monitor" > "$work/monitor-output" 2>&1 &
	guest=$!
}

# What differs between the machines of two architectures, for boot(): $cpu, $ports, an array, and
# what the guest calls the serial ports of $console and $report.
board_of() { # ARCHITECTURE WORK-DIRECTORY
	ports=(-serial "file:$2/console")
	case $1 in
	arm64)
		# Its signatures of pointers (PAC) are otherwise half of what a guest computes.
		cpu=max,pauth-impdef=on console=ttyAMA0 report=ttyS0
		# The board has one port; the other is a card.
		ports+=(-machine virt,gic-version=3
			-chardev "file,id=report,path=$2/report" -device pci-serial,chardev=report)
		;;
	*)
		cpu=max console=ttyS0 report=ttyS1
		ports+=(-serial "file:$2/report")
		;;
	esac
}

# Prints the guest's TAP as it comes and runs the monitor commands it asks for, until the guest
# is gone.
follow_report() {
	local work=$1 line

	while read -r line; do
		case $line in
		"monitor: "*) echo "${line#monitor: }" >&"$monitor" ;;
		"archive: "*) ;;
		*) echo "$line" ;;
		esac
	done < <(tail -n +1 -s 0.2 -f --pid="$guest" "$work/report")
}

# Unpacks the archive on a guest's disk. Fails if the guest did not come to write it.
unpack_results() {
	local work=$1 size

	mkdir "$work/results"
	size=$(sed -n 's/^archive: \([0-9]*\) bytes$/\1/p' "$work/report")
	[ -n "$size" ] && head -c "$size" "$work/disk" | tar -xz -C "$work/results"
}
