#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mce_record with ppin and microcode, array rings; a processor of Intel. mce=0: a machine check
# does not wait for the other CPUs, which no emulated one reaches at the same time.

. "$(dirname "$0")/lib/kernel-test.sh"

vm_cpu=max,vendor=GenuineIntel
vm_test 6.12 main 3 maxcpus=2 mce=0 expected_tail=array
