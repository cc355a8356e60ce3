#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Our package on a Debian that boots systemd.

. "$(dirname "$0")/lib/kernel-test.sh"

packages=$vm_tests/../../build/deb
need_emulator amd64
need timeout coreutils
work=$(mktemp -d)
trap end_vm_test EXIT

kernel=$("$vm_tests/fetch-kernels" 6.12)
package=$(echo "$packages"/persist-bpf_*.deb)
need_file "$package" "make deb"
rootfs=$("$vm_tests/fetch-system" "$package")
"$vm_tests/build-system" "$kernel" "$rootfs" "$package" "$work/initramfs"
# trace_*: what docs/at-boot.md says of the gap. There is no udev, which would say that the terminal of the console is there.
vm_memory=1024 run_guest "$kernel" systemd 2 systemd.log_target=kmsg \
	systemd.mask=serial-getty@ttyS0.service \
	'trace_event=sched:sched_process_exec,ras:*' trace_buf_size=4M trace_clock=boot \
	'trace_instance=boot,mce:mce_record'
{
	check_guest_finished
	check_results_came
	"$vm_tests/check-kernel-log" "$work/console"
} | tee -a "$work/tap"
write_plan
