// SPDX-License-Identifier: GPL-2.0-only
/* What totals cannot tell, said of the events at hand and not in general where that is possible. */
#define _GNU_SOURCE
#include "program_name.h"
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

/* When each of them began stands above; what is said is that there was a time before. */
static int say_beginnings(const struct summary *summary, struct summary_limits *limits)
{
	const struct persist_meta *first = NULL, *last = NULL;
	char since[SUMMARY_TIME_SIZE];

	for (size_t i = 0; i < summary->nr_events; i++) {
		const struct persist_meta *meta = &summary->events[i].info.meta;

		if (!summary->events[i].totals)
			continue;
		if (!first || meta->attach_time_ns < first->attach_time_ns)
			first = meta;
		if (!last || meta->attach_time_ns > last->attach_time_ns)
			last = meta;
	}
	if (!first)
		return 0;
	if (first == last) {
		summary_time__format(summary, first->attach_time_ns, since);
		return say(limits,
			   "errors before %s (%.3f s after boot) were not seen: the loader had not "
			   "attached to %s yet",
			   since, (double)first->attach_time_ns / 1e9, first->name);
	}
	return say(limits,
		   "errors before each event's \"since\" (from %.3f s after boot, %s, to %.3f s, "
		   "%s) were not seen: the loader had not attached to it yet",
		   (double)first->attach_time_ns / 1e9, first->name,
		   (double)last->attach_time_ns / 1e9, last->name);
}

/* What came, and is not in the totals, or only in part of them. */
static int say_losses(const struct persist_totals *totals, struct summary_limits *limits)
{
	const struct persist_totals_sums *sums = &totals->sums;
	const char *name = totals->meta.name;
	int err = 0;

	if (sums->overflows)
		err = say(
			limits,
			"%s: %llu of its events said that the register had held an error already: "
			"the hardware lost others, and nobody knows how many",
			name, NUMBER(sums->overflows));
	if (!err && totals->missed)
		err = say(limits,
			  "%s: besides these there were %llu that the program was not told of, "
			  "because another BPF program was running on that CPU",
			  name, NUMBER(totals->missed));
	if (!err && !totals->missed_is_known)
		err = say(
			limits,
			"%s: whether there were events that the program was not told of, only the "
			"owner of the tree can see",
			name);
	if (!err && sums->nested_events)
		err = say(
			limits,
			"%s: %llu of its events interrupted the counting of another one, and are in "
			"no total",
			name, NUMBER(sums->nested_events));
	if (!err && (sums->no_room_events || sums->busy_events))
		err = say(limits,
			  "%s: %llu of its events are counted by severity only, and not by place: "
			  "there was no room for more than %zu totals, or the map could not be "
			  "changed just then",
			  name, NUMBER(sums->no_room_events + sums->busy_events),
			  totals->max_entries);
	if (!err && sums->evicted_errors)
		err = say(
			limits,
			"%s: pages had to make room for others %llu times, and %llu of its errors "
			"were in these; MISSED is how many of them a page can have had at most",
			name, NUMBER(sums->evicted_pages), NUMBER(sums->evicted_errors));
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
		"fields; it was seen %llu times, and %llu records were made of it. `%s remove %s` "
		"and `%s add %s:%s` make a new one, which counts",
		meta->name, NUMBER(event->info.seen), NUMBER(event->info.recorded),
		program_name__loader(), meta->name, program_name__loader(), meta->system,
		meta->tracepoint);
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
	int err;

	*limits = (struct summary_limits){};
	err = say_beginnings(summary, limits);
	for (size_t i = 0; i < summary->nr_events && !err; i++) {
		const struct summary_event *event = &summary->events[i];

		err = event->totals ? say_losses(event->totals, limits)
				    : say_no_totals(event, limits);
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
