/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CLOCK_BOOTTIME, which our records have, on the clock that a perf session uses: the kernel's
 * local_clock(), which cannot be read from user space, or one that perf has chosen
 * (perf_event_attr.use_clockid).
 *
 * local_clock() is asked for by a page fault of our own: the sample of that fault has its time, and
 * CLOCK_BOOTTIME is read before and after it. Going back from there, the two differ by what NTP
 * does to CLOCK_BOOTTIME, which is taken to have been the same since boot: that of
 * CLOCK_MONOTONIC_RAW against CLOCK_MONOTONIC in all.
 */
#ifndef PERF_CLOCK_H
#define PERF_CLOCK_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum perf_clock_kind {
	PERF_CLOCK_BOOTTIME, /* nothing is to be converted */
	PERF_CLOCK_ID,	     /* a clock that can be read */
	PERF_CLOCK_LOCAL,    /* local_clock() */
};

struct perf_clock {
	enum perf_clock_kind kind;
	clockid_t id;
	int fault_fd;	   /* counts page faults of this thread; -1: not yet, or it may not */
	void *fault_ring;  /* its ring */
	char *fault_pages; /* what is touched */
	/* The same moment on both clocks, and how much faster than the other one runs per second.
	 */
	uint64_t boot_ns, perf_ns;
	double rate;
	uint64_t last_perf_ns; /* what was returned last */
};

/**
 * perf_clock__init() - find out how to convert
 * @clock: set
 * @attr:  of an event of the session
 *
 * Return: 0, or -errno if local_clock() cannot be had, because this process may not open perf
 * events; then times are left as they are.
 */
int perf_clock__init(struct perf_clock *clock, const struct perf_event_attr *attr);

void perf_clock__destroy(struct perf_clock *clock);

/* To be called now and then, by the thread that has called perf_clock__init(). */
void perf_clock__adjust(struct perf_clock *clock);

/**
 * perf_clock__convert() - a time of CLOCK_BOOTTIME on the session's clock
 * @clock:   the clock
 * @boot_ns: may lie in the past
 *
 * Adjusting the clock does not change the order of what is converted one after the other.
 */
uint64_t perf_clock__convert(struct perf_clock *clock, uint64_t boot_ns);

#endif
