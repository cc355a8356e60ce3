#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Unmodified perf on persistent events, on the oldest kernel that is supported.

vm_programs=perf
. "$(dirname "$0")/lib/kernel-test.sh"

vm_test 6.1 perf 3 maxcpus=2
