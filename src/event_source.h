/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * One event that a reader was told to read: its streams, one for each CPU, and what happens to it
 * while it is followed: its buffers are cleared, it is removed, or removed and added again.
 */
#ifndef PERSIST_EVENT_SOURCE_H
#define PERSIST_EVENT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu_stream.h"
#include "event_view.h"
#include "persist_event.h"

enum source_state {
	SOURCE_LIVE,
	SOURCE_REMOVED, /* just now: programs that are running may still record something */
	SOURCE_ENDING,	/* all that will ever come is there */
	SOURCE_OVER,
};

struct event_source {
	char *path;
	const struct log *log;
	const struct cpu_list *cpus; /* wanted ones; NULL: all */
	bool follow;
	enum source_state state;
	int doorbell_fd; /* rings at new records; -1: the event wakes nobody */
	bool was_stale;	 /* at the last check, see event_view__is_stale() */
	struct event_view *view;
	struct persist_event *event;
	struct cpu_stream *streams;
	uint32_t nr_streams;
	/* Counters of each CPU: when the source was opened, then at the last count. */
	struct persist_counters *before;
};

/*
 * Opens the event at @path. With @follow it is read without end, else as far as it has come.
 * Returns 0 or -errno; everything but -ENOENT was logged.
 */
int event_source__new(const char *path, bool follow, const struct cpu_list *cpus,
		      const struct log *log, struct event_source **source);
int event_source__of_attached(const struct attached_event *attached, bool follow,
			      const struct cpu_list *cpus, const struct log *log,
			      struct event_source **source);
void event_source__free(struct event_source *source);

/*
 * Reads no further than what was there when the source was opened, and reports as lost what is
 * missing of that.
 */
void event_source__limit(struct event_source *source);
void event_source__remove_limit(struct event_source *source);

/*
 * To be called now and then when following: goes on with new buffers after a clear, and notices
 * that the event was removed. Returns true if another event has taken its place.
 */
bool event_source__check(struct event_source *source);

/* To be called about once a second: has events reported that were lost since the last time. */
void event_source__count(struct event_source *source);

#endif
