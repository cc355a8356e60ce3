# SPDX-License-Identifier: GPL-2.0-only
#
# The default events where no kernel has machine checks of x86: mce_record is left out, and
# that is said.

is "$(ls -d /sys/kernel/tracing/events/mce 2> /dev/null)" "" "this kernel has no mce_record"
succeeds "loader start said that it was left out" \
	grep "^mce:mce_record: skipped, this kernel has no such tracepoint" /results/start-output
fails "by name it is an error" "mce_record: .*x86" loader add mce:mce_record
