# SPDX-License-Identifier: GPL-2.0-only
#
# Errors of a PCI Express port, and nothing else.

. ./lib/ftrace.sh
. ./lib/recorded.sh

succeeds "loader start" loader start
. ./cases/aer.sh
