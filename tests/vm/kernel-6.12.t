#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mce_record with ppin and microcode, array rings.

. "$(dirname "$0")/lib/kernel-test.sh"

vm_test 6.12 main 3 maxcpus=2 expected_tail=array
