#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Errors of a PCI Express port, reported as hardware does: Advanced Error Reporting.

. "$(dirname "$0")/lib/kernel-test.sh"

machine=(-machine q35 -device pcie-root-port,id=port0,chassis=1,slot=1)
vm_test newest aer 2
