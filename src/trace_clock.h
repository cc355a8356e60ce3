/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * From the clock of a tracing buffer to CLOCK_BOOTTIME.
 *
 * With trace_clock=boot there is nothing to do. The clock "mono" is as exact as long as the
 * machine has never been suspended. Of those that come from sched_clock() ("local", which is what
 * a buffer has that was not told otherwise, "global", "perf") and of "mono_raw", the difference is
 * measured; they are not steered by NTP as CLOCK_BOOTTIME is, so that it was another one before.
 */
#ifndef PERSIST_TRACE_CLOCK_H
#define PERSIST_TRACE_CLOCK_H

#include <stdint.h>

#include "log.h"
#include "persist_record.h"

struct trace_clock {
	char name[PERSIST_CLOCK_SIZE];
	int64_t offset;		 /* CLOCK_BOOTTIME is so much ahead, in ns */
	uint64_t measured_ns;	 /* when that was found, CLOCK_BOOTTIME; 0: it does not change */
	uint64_t measured_error; /* by so much @offset can be wrong at that time */
};

/**
 * trace_clock__measure() - find out how a buffer takes the time
 * @clock:     set to what was found
 * @log:       gets messages
 * @directory: of the buffer in tracefs
 *
 * Return: 0; -EOPNOTSUPP if its times cannot be converted; or another -errno, with a message.
 */
int trace_clock__measure(struct trace_clock *clock, const struct log *log, const char *directory);

/* The time @time of the buffer as CLOCK_BOOTTIME. */
uint64_t trace_clock__to_boottime(const struct trace_clock *clock, uint64_t time);

/* By so much the CLOCK_BOOTTIME @time_ns, so converted, can be wrong; 0: it is exact. */
uint64_t trace_clock__error(const struct trace_clock *clock, uint64_t time_ns);

#endif
