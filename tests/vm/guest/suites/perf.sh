# SPDX-License-Identifier: GPL-2.0-only
#
# Machine checks that were injected before perf started are in what unmodified perf records, and
# those that come while it does.

. ./lib/machine_checks.sh

cd /tests || exit
. ./cases/perf.sh
