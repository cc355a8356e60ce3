#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# arm64 with the oldest kernel supported, pages of 4K, and a processor that has no instructions for
# atomic operations: the kernel's JIT makes loops of them.

. "$(dirname "$0")/lib/kernel-test.sh"

vm_cpu=cortex-a72
machine=(-device pcie-root-port,id=port0,chassis=1,slot=1)
vm_test arm64 arm64 3 maxcpus=2 expected_page_size=4096 expected_tail=array
