#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel locked down for confidentiality from its start.

. "$(dirname "$0")/lib/kernel-test.sh"

vm_test newest lockdown 2 lockdown=confidentiality
