# SPDX-License-Identifier: GPL-2.0-only
#
# What there is without machine checks, for machines that are no x86: other pages, another JIT,
# other system calls.

. ./lib/bpf_objects.sh
. ./lib/ftrace.sh
. ./lib/pings.sh
. ./lib/recorded.sh

# What those cases record to which one event is as good as another, and the event that some read.
some_event=watchdog:watchdog_start
known_event=memory_failure_event
fire() { # CPU COUNT FIRST
	ping "$2" "$1"
}
# More than two pages take, for CPU 0 and 1
overfull_0=700 overfull_1=900

is "$page_size" "$expected_page_size" "the kernel's pages have $expected_page_size bytes"

# set_bit FILE BYTE BIT
set_bit() {
	set_bit_old=$(dd if="$1" bs=1 skip="$2" count=1 2> /dev/null | hexdump -e '1/1 "%d"')
	printf "\\$(printf %o $((set_bit_old | 1 << $3)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2> /dev/null
}

# What firmware does on other machines: a port reports system errors (SERR, bit 8 of its command).
for device in /sys/bus/pci/devices/*; do
	[ "$(cat "$device/class")" != 0x060400 ] || set_bit "$device/config" 5 0
done

run_cases start without_machine_checks
# A kernel whose JIT does not know an instruction would interpret the program.
bpftool prog show > /tmp/programs
succeeds "bpftool shows programs" grep xlated /tmp/programs
is "$(grep -c 'xlated .* jited ' /tmp/programs)" "$(grep -c 'xlated ' /tmp/programs)" \
	"the JIT has compiled all programs"
run_cases memory_failures aer
load_watchdog
open_watchdog
succeeds "loader add, by name" loader add $some_event
run_cases small_rings follow unprivileged without_btf
close_watchdog
run_cases other_tracepoints reader_alone storm hotplug stop
