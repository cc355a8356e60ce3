#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Unmodified perf on persistent events, on the newest kernel.

vm_programs=perf
. "$(dirname "$0")/lib/kernel-test.sh"

vm_test newest perf 3 maxcpus=2
