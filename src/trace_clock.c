// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "trace_clock.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "time_spec.h"
#include "tracefs.h"

/* Of so many measurements the one that took the shortest time counts. */
#define MEASUREMENTS 16

/*
 * NTP changes the frequency of CLOCK_BOOTTIME by 500 ppm at most (MAXFREQ in
 * include/linux/timex.h). What the kernel calibrates anew while it boots is less.
 */
#define DRIFT_PER_SECOND (NSEC_PER_SEC / 2000)

/* ---- which clock -------------------------------------------------------------------------- */

enum clock_kind {
	CLOCK_IS_BOOT,
	CLOCK_IS_MONO,
	CLOCK_RUNS_FREE, /* in nanoseconds, at its own speed */
};

static int find_kind(const char *name, enum clock_kind *kind)
{
	static const struct {
		const char *name;
		enum clock_kind kind;
	} clocks[] = {
		{ "boot", CLOCK_IS_BOOT },    { "mono", CLOCK_IS_MONO },
		{ "local", CLOCK_RUNS_FREE }, { "global", CLOCK_RUNS_FREE },
		{ "perf", CLOCK_RUNS_FREE },  { "mono_raw", CLOCK_RUNS_FREE },
	};

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (!strcmp(clocks[i].name, name)) {
			*kind = clocks[i].kind;
			return 0;
		}
	return -EOPNOTSUPP;
}

/* The file has all clocks, the one in use in brackets. */
static int read_name(const char *directory, char name[PERSIST_CLOCK_SIZE])
{
	char path[PATH_MAX], *text;
	const char *bracket;
	size_t len;
	int err;

	snprintf(path, sizeof(path), "%s/trace_clock", directory);
	err = tracefs__read_path(path, &text, &len);
	if (err)
		return err;
	bracket = strchr(text, '[');
	if (!bracket || sscanf(bracket, "[%15[^]]]", name) != 1)
		err = -EBADMSG;
	free(text);
	return err;
}

/* ---- measuring ---------------------------------------------------------------------------- */

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* For how long the machine has been suspended since it booted. */
static uint64_t suspended(void)
{
	uint64_t best = UINT64_MAX;

	/* CLOCK_BOOTTIME is read last: what is too much is the time in between. */
	for (int i = 0; i < MEASUREMENTS; i++) {
		uint64_t mono = now(CLOCK_MONOTONIC);
		uint64_t distance = now(CLOCK_BOOTTIME) - mono;

		if (distance < best)
			best = distance;
	}
	/* No suspend is as short as a disturbed measurement is long. */
	return best < NSEC_PER_MSEC ? 0 : best;
}

/* The statistics of a CPU's buffer have the present time of its clock, in microseconds. */
static int read_now(const char *path, uint64_t *time)
{
	unsigned long long seconds, micros;
	const char *line;
	char *text;
	size_t len;
	int err = tracefs__read_path(path, &text, &len);

	if (err)
		return err;
	line = strstr(text, "now ts:");
	if (line && sscanf(line, "now ts: %llu.%6llu", &seconds, &micros) == 2)
		*time = seconds * NSEC_PER_SEC + micros * NSEC_PER_USEC;
	else
		err = -EBADMSG;
	free(text);
	return err;
}

static int measure_offset(struct trace_clock *clock, const char *directory)
{
	uint64_t shortest = UINT64_MAX;
	char path[PATH_MAX];

	/* Whichever CPU's file it is, the clock is that of the one that reads it. */
	snprintf(path, sizeof(path), "%s/per_cpu/cpu0/stats", directory);
	for (int i = 0; i < MEASUREMENTS; i++) {
		uint64_t before = now(CLOCK_BOOTTIME), after, time;
		int err = read_now(path, &time);

		if (err)
			return err;
		after = now(CLOCK_BOOTTIME);
		if (after - before >= shortest)
			continue;
		shortest = after - before;
		/* The digits that are not shown are worth half a microsecond on average. */
		clock->offset = (int64_t)(before + shortest / 2) - (int64_t)(time + 500);
		clock->measured_ns = after;
	}
	clock->measured_error = shortest / 2 + 500;
	return 0;
}

int trace_clock__measure(struct trace_clock *clock, const struct log *log, const char *directory)
{
	enum clock_kind kind;
	int err;

	memset(clock, 0, sizeof(*clock));
	err = read_name(directory, clock->name);
	if (!err) {
		err = find_kind(clock->name, &kind);
		if (err)
			log_error(log,
				  "%s: its clock is \"%s\", whose times cannot be converted; boot "
				  "with trace_clock=boot, or have another instance",
				  directory, clock->name);
		if (err)
			return err;
	}
	if (!err && kind == CLOCK_IS_MONO) {
		clock->measured_error = suspended();
	} else if (!err && kind == CLOCK_RUNS_FREE) {
		err = measure_offset(clock, directory);
		clock->measured_error += suspended();
	}
	if (err)
		log_error(log, "%s: cannot find out about its clock: %s", directory,
			  err == -EBADMSG ? "the kernel says it in a way that is not known"
					  : strerror(-err));
	return err;
}

/* ---- converting --------------------------------------------------------------------------- */

uint64_t trace_clock__to_boottime(const struct trace_clock *clock, uint64_t time)
{
	if (clock->offset < 0 && time < (uint64_t)-clock->offset)
		return 0;
	return time + (uint64_t)clock->offset;
}

uint64_t trace_clock__error(const struct trace_clock *clock, uint64_t time_ns)
{
	uint64_t error = clock->measured_error;

	if (clock->measured_ns > time_ns)
		error += (clock->measured_ns - time_ns) / NSEC_PER_SEC * DRIFT_PER_SECOND +
			 (clock->measured_ns - time_ns) % NSEC_PER_SEC / 2000;
	return error;
}
