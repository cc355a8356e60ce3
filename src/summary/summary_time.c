// SPDX-License-Identifier: GPL-2.0-only
#include "summary_time.h"

#include <time.h>

#include "time_spec.h"

void summary_time__format(const struct summary *summary, uint64_t ns, char text[SUMMARY_TIME_SIZE])
{
	int64_t wall_ns = (int64_t)ns + summary->wall_offset;
	time_t seconds = wall_ns / (int64_t)NSEC_PER_SEC;
	struct tm tm;

	text[0] = '\0';
	if (localtime_r(&seconds, &tm))
		strftime(text, SUMMARY_TIME_SIZE, "%Y-%m-%d %H:%M:%S", &tm);
}
