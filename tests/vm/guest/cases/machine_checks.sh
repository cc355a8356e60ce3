# SPDX-License-Identifier: GPL-2.0-only
#
# More than 200 machine checks, by software, by the exception and by the (emulated) hardware, recorded
# while no process of ours exists; the reader starts after the last one.

succeeds "mce-inject is loaded" modprobe mce-inject
ftrace_start machine_checks mce:mce_record

inject_many 0 100 1
inject_many 1 100 101
succeeds "200 machine checks by mce-inject" \
	within 10 ftrace_has machine_checks 200

inject_kinds
succeeds "24 more, of all kinds" within 10 ftrace_has machine_checks 224

inject_hardware 1
if is_intel; then
	# There the handler leaves an error to panic over in its bank, and who starts polling finds it.
	succeeds "the exception is handled" \
		within 20 sh -c 'dmesg | grep -q "Fake kernel panic"'
	poll_often
fi
succeeds "a fatal machine check, by the exception" \
	within 20 ftrace_has machine_checks 1 "MC3: be00000000000135"
is "$(dmesg | grep -c 'Fake kernel panic')" 1 "it would have been one panic"

poll_often
inject_by_monitor 0 5 0x9c00000000000151 0 0xfedcba987000 0x1122334455667788
succeeds "a machine check by QEMU's monitor, found by the poller" \
	within 20 ftrace_has machine_checks 1 "MC5: 9c00000000000151"
if is_intel; then
	inject_by_monitor 0 6 0xbc00000000000091 5 0xfedcba987000 0x8c
	succeeds "an uncorrected one that needs no action" \
		within 20 ftrace_has machine_checks 1 "MC6: bc00000000000091"
	inject_by_monitor 0 7 0xbd000000000000c1 5 0xfedcba988000 0x8c
	succeeds "one that leaves the action to software" \
		within 20 ftrace_has machine_checks 1 "MC7: bd000000000000c1"
fi

is "$(pidof reader)" "" "no reader ran meanwhile"
ftrace_stop machine_checks
mv /results/injected /results/machine_checks/injected
keep_recorded machine_checks mce_record mce:mce_record complete
keep_summary machine_checks mce_record
succeeds "the reader shows them raw" \
	into /results/machine_checks/raw reader attach --raw mce_record
succeeds "in JSON too" into /results/machine_checks/raw-json reader attach --raw --json mce_record

for target in mce_record persistent/mce_record/; do
	succeeds "the reader takes $target" into /tmp/text reader attach "$target"
	succeeds "$target shows the same" cmp /tmp/text /results/machine_checks/text
done
succeeds "status is a text file" grep -q mce_record $root/mce_record/status

for pass in 1 2; do
	succeeds "an export to rasdaemon's database, pass $pass" \
		reader export --to rasdaemon /results/machine_checks/rasdaemon.db mce_record
done
succeeds "metrics" into /results/machine_checks/metrics reader metrics
