#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mce_record with v_data and another argument, overwrite ring buffers.

. "$(dirname "$0")/lib/kernel-test.sh"

vm_test newest main 3 maxcpus=2 expected_tail=overwrite_ringbuf
