#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A PREEMPT_RT kernel: its records have a longer common header.

. "$(dirname "$0")/lib/kernel-test.sh"

vm_test 6.1-rt main 3 maxcpus=2 expected_tail=array
