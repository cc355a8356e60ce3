/* SPDX-License-Identifier: GPL-2.0-only */
/* Points in time as the summary's text has them. */
#ifndef SUMMARY_TIME_H
#define SUMMARY_TIME_H

#include "summary.h"

/* "2026-12-01 09:10:05" and the terminating NUL, with room to spare */
#define SUMMARY_TIME_SIZE 32

/* Local time of CLOCK_BOOTTIME @ns. */
void summary_time__format(const struct summary *summary, uint64_t ns, char text[SUMMARY_TIME_SIZE]);

#endif
