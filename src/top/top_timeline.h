/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When events happened: counts of each of the last seconds, by the times of the records, so that
 * what was recorded long before anybody looked is in its place.
 */
#ifndef TOP_TIMELINE_H
#define TOP_TIMELINE_H

#include <stdint.h>

/* A power of two: 17 minutes. */
#define TOP_TIMELINE_SECONDS 1024

/* A rate is that of this many whole seconds and of the one that has begun. */
#define TOP_RATE_SECONDS 5

/* What happened in one second, or in several: events that were recorded, and those that were lost.
 */
struct top_second {
	uint64_t events;
	uint64_t lost;
};

/* Starts as { 0 }. */
struct top_timeline {
	uint64_t newest; /* the latest second for which something was counted */
	struct top_second seconds[TOP_TIMELINE_SECONDS]; /* of second % TOP_TIMELINE_SECONDS */
};

/**
 * top_timeline__at() - where to count what happened at a time
 * @timeline: moved on if the time is later than all before
 * @time_ns:  of the record, in nanoseconds
 *
 * Return: the second, to be added to; NULL if it is so long ago that it is not kept.
 */
struct top_second *top_timeline__at(struct top_timeline *timeline, uint64_t time_ns);

/**
 * top_timeline__add_lost() - count events of which it is known only between which times they were
 * @timeline:  as in top_timeline__at()
 * @lost:      how many
 * @after_ns:  they were after this time, in nanoseconds
 * @before_ns: and not after this one
 *
 * They are spread evenly. The sum is exact, except for what would be in seconds that are not kept.
 * However long the time is, it costs no more than TOP_TIMELINE_SECONDS steps.
 */
void top_timeline__add_lost(struct top_timeline *timeline, uint64_t lost, uint64_t after_ns,
			    uint64_t before_ns);

/* What happened from second @first to second @last, both included, as far as it is kept. */
struct top_second top_timeline__sum(const struct top_timeline *timeline, uint64_t first,
				    uint64_t last);

/* What happened in the seconds that make up the rate at @now_ns. */
struct top_second top_timeline__recent(const struct top_timeline *timeline, uint64_t now_ns);

/* Events a second at @now_ns, lost ones included. */
double top_timeline__rate(const struct top_timeline *timeline, uint64_t now_ns);

/* ---- the same for a rate only, in less memory -------------------------------------------- */

/* A power of two, of more than TOP_RATE_SECONDS + 1. */
#define TOP_RECENT_SECONDS 8

/* Starts as { 0 }. */
struct top_recent {
	uint64_t newest;
	uint32_t events[TOP_RECENT_SECONDS];
};

void top_recent__add(struct top_recent *recent, uint64_t time_ns);

/* Events of the seconds that make up the rate at @now_ns, and how many these are a second. */
uint64_t top_recent__sum(const struct top_recent *recent, uint64_t now_ns);
double top_recent__rate(const struct top_recent *recent, uint64_t now_ns);

#endif
