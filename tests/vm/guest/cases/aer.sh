# SPDX-License-Identifier: GPL-2.0-only
#
# Errors that QEMU's monitor makes a PCI Express port report, counted by device and status. (Those
# that are corrected its port does not pass on to this kernel.)

# inject_aer STATUS NR: the host runs the monitor's command when it reads the line. NR is how many
# there are with this one: the port forgets an error that comes before the kernel took the last one.
inject_aer() {
	echo "monitor: pcie_aer_inject_error port0 $1"
	succeeds "PCIe error $2, status $1" within 20 ftrace_has aer "$2"
}

ftrace_start aer ras:aer_event
inject_aer 0x1000 1
inject_aer 0x4000 2
inject_aer 0x1000 3
ftrace_stop aer
# This event's print format ends with a newline, for which ftrace shows an empty line. The host cannot
# evaluate that format; so the texts are compared here.
succeeds "the reader shows text" into /tmp/text reader attach aer_event
is "$(wc -l < /tmp/text)" 3 "a line for each error"
is "$(sed 's/.*: ras:aer_event: //' /tmp/text)" \
	"$(sed '/^$/d; s/.*: aer_event: //' /results/aer/ftrace)" "each line is what ftrace printed"
rm /results/aer/ftrace
echo complete > /results/aer/expected
succeeds "the reader shows JSON" into /results/aer/json reader attach aer_event --json
keep_accounts aer aer_event
keep_summary aer aer_event
