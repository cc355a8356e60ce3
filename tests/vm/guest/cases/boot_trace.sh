# SPDX-License-Identifier: GPL-2.0-only
#
# loader add --import-boot-trace, from an instance that stands for one of the kernel's command line:
# mapped where the kernel can do that, else read.

ftrace_start boot_trace mce:mce_record
inject_many 0 40 3000
inject_many 1 30 4000
succeeds "70 machine checks" within 10 ftrace_has boot_trace 70
mkdir -p /results/boot_trace
sed -n 's/.*mce_record: //p' $ftrace_root/boot_trace/trace > /tmp/traced
succeeds "loader add --import-boot-trace" \
	loader add mce:mce_record/name=with_history/ --import-boot-trace=boot_trace
said "70 of them" "event with_history: 70 earlier events imported"
is "$(cat $ftrace_root/boot_trace/events/mce/mce_record/enable)" 0 "tracing them has ended"
inject_many 0 2 5000
reader attach with_history --raw | sed -n 's/.*mce:with_history: //p' > /tmp/recorded
succeeds "the same that ftrace shows" sh -c "head -n 70 /tmp/recorded | cmp - /tmp/traced"
is "$(wc -l < /tmp/recorded)" 72 "what comes after follows"
is "$(reader attach with_history --json | grep -c '"imported":true')" 70 "those of before are marked"
# More than 4 MiB of records.
ftrace_start many raw_syscalls:sys_enter 8192
dd if=/dev/zero of=/dev/null bs=1 count=30000 2> /dev/null
echo 0 > $ftrace_root/many/events/enable
traced=$(cat $ftrace_root/many/per_cpu/cpu*/stats | awk '/^entries/ { n += $2 } END { print n }')
succeeds "a long history" loader add raw_syscalls:sys_enter/keep=latest,tail=16K/ --import-boot-trace=many
is "$(reader attach sys_enter --json | grep -c '"imported":true')" "$traced" "all of it"
succeeds "loader remove" loader remove with_history sys_enter
rmdir $ftrace_root/boot_trace $ftrace_root/many
