#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The oldest kernel supported: mce_record without ppin, array rings. One CPU is offline from
# the start and another only possible.

. "$(dirname "$0")/lib/kernel-test.sh"

vm_test 6.1 main 3,maxcpus=4 maxcpus=2 expected_tail=array
