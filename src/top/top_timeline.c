// SPDX-License-Identifier: GPL-2.0-only
#include "top/top_timeline.h"

#include <stddef.h>
#include <string.h>

#include "time_spec.h"

struct top_second *top_timeline__at(struct top_timeline *timeline, uint64_t time_ns)
{
	uint64_t second = time_ns / NSEC_PER_SEC;

	if (second > timeline->newest) {
		uint64_t skipped = second - timeline->newest;

		if (skipped > TOP_TIMELINE_SECONDS)
			skipped = TOP_TIMELINE_SECONDS;
		for (uint64_t i = 0; i < skipped; i++)
			timeline->seconds[(second - i) % TOP_TIMELINE_SECONDS] =
				(struct top_second){ 0 };
		timeline->newest = second;
	}
	if (timeline->newest - second >= TOP_TIMELINE_SECONDS)
		return NULL;
	return &timeline->seconds[second % TOP_TIMELINE_SECONDS];
}

/*
 * Of @nr events that lie evenly between two times, those up to @time_ns, which is after the first:
 * rounded down, so that the differences of such numbers add up to all of them.
 */
static uint64_t events_until(uint64_t nr, uint64_t after_ns, uint64_t before_ns, uint64_t time_ns)
{
	/* Between two times that are the same they are all at that time. */
	if (time_ns >= before_ns || after_ns == before_ns)
		return nr;
	return (uint64_t)((unsigned __int128)nr * (time_ns - after_ns) / (before_ns - after_ns));
}

void top_timeline__add_lost(struct top_timeline *timeline, uint64_t lost, uint64_t after_ns,
			    uint64_t before_ns)
{
	uint64_t first, last = before_ns / NSEC_PER_SEC, counted = 0;

	if (!top_timeline__at(timeline, before_ns))
		return;
	if (after_ns > before_ns)
		after_ns = before_ns;
	first = after_ns / NSEC_PER_SEC;
	if (timeline->newest - first >= TOP_TIMELINE_SECONDS)
		first = timeline->newest - TOP_TIMELINE_SECONDS + 1;
	if (first * NSEC_PER_SEC > after_ns)
		counted = events_until(lost, after_ns, before_ns, first * NSEC_PER_SEC);
	for (uint64_t second = first; second <= last; second++) {
		uint64_t end = second == last ? before_ns : (second + 1) * NSEC_PER_SEC;
		uint64_t until = events_until(lost, after_ns, before_ns, end);

		timeline->seconds[second % TOP_TIMELINE_SECONDS].lost += until - counted;
		counted = until;
	}
}

struct top_second top_timeline__sum(const struct top_timeline *timeline, uint64_t first,
				    uint64_t last)
{
	struct top_second sum = { 0 };

	if (last > timeline->newest)
		last = timeline->newest;
	if (last >= TOP_TIMELINE_SECONDS && first <= last - TOP_TIMELINE_SECONDS)
		first = last - TOP_TIMELINE_SECONDS + 1;
	for (uint64_t second = first; second <= last; second++) {
		/* It may be older than what is kept although @last is not. */
		if (timeline->newest - second >= TOP_TIMELINE_SECONDS)
			continue;
		sum.events += timeline->seconds[second % TOP_TIMELINE_SECONDS].events;
		sum.lost += timeline->seconds[second % TOP_TIMELINE_SECONDS].lost;
	}
	return sum;
}

/* The first second of those that make up the rate of now. */
static uint64_t first_of_rate(uint64_t now_ns)
{
	uint64_t now = now_ns / NSEC_PER_SEC;

	return now > TOP_RATE_SECONDS ? now - TOP_RATE_SECONDS : 0;
}

/* What is recorded after "now" was taken belongs to the same second, or to the next one. */
static double rate_of(uint64_t events, uint64_t now_ns)
{
	return (double)events / (TOP_RATE_SECONDS + (double)(now_ns % NSEC_PER_SEC) / NSEC_PER_SEC);
}

struct top_second top_timeline__recent(const struct top_timeline *timeline, uint64_t now_ns)
{
	return top_timeline__sum(timeline, first_of_rate(now_ns), now_ns / NSEC_PER_SEC);
}

double top_timeline__rate(const struct top_timeline *timeline, uint64_t now_ns)
{
	struct top_second recent = top_timeline__recent(timeline, now_ns);

	return rate_of(recent.events + recent.lost, now_ns);
}

void top_recent__add(struct top_recent *recent, uint64_t time_ns)
{
	uint64_t second = time_ns / NSEC_PER_SEC;

	if (second > recent->newest) {
		if (second - recent->newest >= TOP_RECENT_SECONDS)
			memset(recent->events, 0, sizeof(recent->events));
		else
			for (uint64_t i = recent->newest + 1; i <= second; i++)
				recent->events[i % TOP_RECENT_SECONDS] = 0;
		recent->newest = second;
	}
	if (recent->newest - second < TOP_RECENT_SECONDS)
		recent->events[second % TOP_RECENT_SECONDS]++;
}

uint64_t top_recent__sum(const struct top_recent *recent, uint64_t now_ns)
{
	uint64_t last = now_ns / NSEC_PER_SEC, events = 0;

	if (last > recent->newest)
		last = recent->newest;
	for (uint64_t second = first_of_rate(now_ns); second <= last; second++)
		if (recent->newest - second < TOP_RECENT_SECONDS)
			events += recent->events[second % TOP_RECENT_SECONDS];
	return events;
}

double top_recent__rate(const struct top_recent *recent, uint64_t now_ns)
{
	return rate_of(top_recent__sum(recent, now_ns), now_ns);
}
