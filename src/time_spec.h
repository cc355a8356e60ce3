/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Points in time as a user gives them, turned into the clock of the records (CLOCK_BOOTTIME), and
 * the clock of the records turned into wall-clock time.
 */
#ifndef PERSIST_TIME_SPEC_H
#define PERSIST_TIME_SPEC_H

#include <stddef.h>
#include <stdint.h>

#define NSEC_PER_SEC  1000000000ull
#define NSEC_PER_MSEC 1000000ull
#define NSEC_PER_USEC 1000ull

uint64_t boottime_now(void);

/* CLOCK_REALTIME - CLOCK_BOOTTIME, at the moment: the clock can be set. */
int64_t wall_clock_offset(void);

/**
 * time_spec__parse() - what a user means by a point in time
 * @text:   one of
 *          "1234.567890": seconds of CLOCK_BOOTTIME, as the text output shows them;
 *          "now"; "-10s", "-5m", "-2h", "-1d": before now;
 *          "2026-01-02T03:04:05Z", "...05.678+01:00": RFC 3339;
 *          "2026-01-02", "2026-01-02 03:04", "2026-01-02 03:04:05": local time
 * @now:    CLOCK_BOOTTIME in nanoseconds, that "now" stands for
 * @offset: CLOCK_REALTIME - CLOCK_BOOTTIME
 * @result: nanoseconds of CLOCK_BOOTTIME; 0 for what was before it began
 *
 * Return: 0, -EINVAL for anything else, -ERANGE for a time too far away.
 */
int time_spec__parse(const char *text, uint64_t now, int64_t offset, uint64_t *result);

/* "2026-01-02 03:04:05" and the terminating NUL; with room for years of more digits */
#define LOCAL_TIME_SIZE 32

/* Writes @wall_ns, nanoseconds of CLOCK_REALTIME, in local time: what time_spec__parse() takes. */
void local_time__format(int64_t wall_ns, char text[LOCAL_TIME_SIZE]);

/* "2026-01-02T03:04:05.123456789Z" and the terminating NUL */
#define RFC3339_SIZE 31

/* Writes @wall_ns, nanoseconds of CLOCK_REALTIME, as RFC 3339 in UTC. */
void rfc3339__format(int64_t wall_ns, char text[RFC3339_SIZE]);

/* Replaces the nanoseconds in such a text. */
void rfc3339__put_fraction(uint64_t ns, char text[RFC3339_SIZE]);

#endif
