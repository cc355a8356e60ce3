#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# arm64 with pages of 16K, and with instructions for atomic operations (LSE).

. "$(dirname "$0")/lib/kernel-test.sh"

machine=(-device pcie-root-port,id=port0,chassis=1,slot=1)
vm_test arm64-16k arm64 3 maxcpus=2 expected_page_size=16384 expected_tail=array \
	expected_ringbuf=overwrite_ringbuf
