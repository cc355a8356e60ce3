// SPDX-License-Identifier: GPL-2.0-only
/* What totals cannot tell, said of the events at hand and not in general where that is possible. */
#define _GNU_SOURCE
#include "summary.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "summary_time.h"
#include "totals_layout.h"

__attribute__((format(printf, 2, 3))) static int say(struct summary_limits *limits,
						     const char *format, ...)
{
	char **more = reallocarray(limits->sentences, limits->nr + 1, sizeof(*more));
	va_list args;
	int len;

	if (!more)
		return -ENOMEM;
	limits->sentences = more;
	va_start(args, format);
	len = vasprintf(&more[limits->nr], format, args);
	va_end(args);
	if (len < 0)
		return -ENOMEM;
	limits->nr++;
	return 0;
}

#define NUMBER(value) ((unsigned long long)(value))

static int say_beginning(const struct summary *summary, const struct summary_event *event,
			 struct summary_limits *limits)
{
	const struct persist_meta *meta = &event->info.meta;
	char since[SUMMARY_TIME_SIZE];

	summary_time__format(summary, meta->attach_time_ns, since);
	return say(limits,
		   "%s: errors before %s (%.3f s after boot) were not seen: the loader had not "
		   "attached to it yet",
		   meta->name, since, (double)meta->attach_time_ns / 1e9);
}

/* What came, and is not in the totals, or only in part of them. */
static int say_losses(const struct persist_totals *totals, struct summary_limits *limits)
{
	const struct persist_totals_sums *sums = &totals->sums;
	const char *name = totals->meta.name;
	int err = 0;

	if (sums->overflows)
		err = say(limits,
			  "%s: %llu events say that their register held an error already: the "
			  "hardware lost others, nobody knows how many",
			  name, NUMBER(sums->overflows));
	if (!err && totals->missed)
		err = say(
			limits,
			"%s: %llu events were not told to the program, because another BPF program "
			"was running on that CPU",
			name, NUMBER(totals->missed));
	if (!err && !totals->missed_is_known)
		err = say(
			limits,
			"%s: whether the kernel withheld events from the program can be seen only "
			"by the owner of the tree",
			name);
	if (!err && sums->nested_events)
		err = say(
			limits,
			"%s: %llu events interrupted another one and are in no total, only in the "
			"event's counters",
			name, NUMBER(sums->nested_events));
	if (!err && (sums->no_room_events || sums->busy_events))
		err = say(
			limits,
			"%s: of %llu events only the severity is known, not the place: there was no "
			"room for more than %zu totals, or the map could not be changed just then",
			name, NUMBER(sums->no_room_events + sums->busy_events),
			totals->max_entries);
	if (!err && sums->evicted_errors)
		err = say(limits,
			  "%s: %llu errors were in pages that had to make room for others (%llu "
			  "times); a page's MISSED is how many of them it can have had at most",
			  name, NUMBER(sums->evicted_errors), NUMBER(sums->evicted_pages));
	if (!err && !totals->is_settled)
		err = say(
			limits,
			"%s: errors came while this was read: the sums can differ by those of that "
			"moment",
			name);
	return err;
}

static int say_no_totals(const struct summary_event *event, struct summary_limits *limits)
{
	const struct persist_meta *meta = &event->info.meta;

	if (event->error != -ENODATA)
		return say(limits, "%s: its totals cannot be read: %s", meta->name,
			   strerror(-event->error));
	if (!persist_event__has_totals(meta->system, meta->tracepoint))
		return say(limits,
			   "%s: there are no totals of this kind of event; it was seen %llu times, "
			   "and %llu records were made of it",
			   meta->name, NUMBER(event->info.seen), NUMBER(event->info.recorded));
	return say(
		limits,
		"%s: has no totals: an older loader made it, or this kernel's event lacks the "
		"fields; it was seen %llu times, and %llu records were made of it. `loader remove "
		"%s` and `loader add %s:%s` make a new one, which counts",
		meta->name, NUMBER(event->info.seen), NUMBER(event->info.recorded), meta->name,
		meta->system, meta->tracepoint);
}

static bool is_recorded(const struct summary *summary, const char *system, const char *tracepoint)
{
	for (size_t i = 0; i < summary->nr_events; i++)
		if (!strcmp(summary->events[i].info.meta.system, system) &&
		    !strcmp(summary->events[i].info.meta.tracepoint, tracepoint))
			return true;
	return false;
}

/* The events of the default set that nobody counts here. */
static int say_not_recorded(const struct summary *summary, struct summary_limits *limits)
{
	const char *system, *tracepoint;
	char names[512] = "";
	size_t len = 0;

	for (size_t i = 0; totals_layout__event(i, &system, &tracepoint); i++) {
		if ((strcmp(system, "mce") && strcmp(system, "ras")) ||
		    is_recorded(summary, system, tracepoint))
			continue;
		len += snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "",
				tracepoint);
	}
	if (!len)
		return 0;
	return say(limits,
		   "not recorded in this tree, because the kernel does not have them or the loader "
		   "was not told to: %s",
		   names);
}

int summary__find_limits(const struct summary *summary, struct summary_limits *limits)
{
	char boot[SUMMARY_TIME_SIZE];
	int err = 0;

	*limits = (struct summary_limits){};
	for (size_t i = 0; i < summary->nr_events && !err; i++) {
		const struct summary_event *event = &summary->events[i];

		if (event->totals) {
			err = say_beginning(summary, event, limits);
			if (!err)
				err = say_losses(event->totals, limits);
		} else {
			err = say_no_totals(event, limits);
		}
	}
	if (!err && summary->is_whole_tree)
		err = say_not_recorded(summary, limits);
	summary_time__format(summary, 0, boot);
	if (!err)
		err = say(
			limits,
			"totals are in the memory of the running kernel: the boot at %s wiped all "
			"that had been counted before, as removing an event does",
			boot);
	if (!err)
		err = say(
			limits,
			"errors that the firmware keeps to itself, and those of hardware for which "
			"the kernel has no driver, reach no event");
	return err;
}

void summary_limits__free(struct summary_limits *limits)
{
	for (size_t i = 0; i < limits->nr; i++)
		free(limits->sentences[i]);
	free(limits->sentences);
	*limits = (struct summary_limits){};
}
