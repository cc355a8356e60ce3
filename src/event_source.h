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
	int doorbell_fd;     /* rings at new records; -1: the event wakes nobody */
	bool wakes_at_once;  /* at each record */
	uint64_t known_ns;   /* all events until then are in the buffers that are known here */
	uint64_t doubted_ns; /* since when there may be others; 0: at the last check there were none
			      */
	uint64_t state_ns;   /* of the check at which @state became what it is */
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
 * To be called when a loader may have changed something: goes on with new buffers after a clear,
 * and notices that the event was removed. @now_ns: CLOCK_BOOTTIME. Until @state is SOURCE_OVER, a
 * removed event is to be checked further.
 */
void event_source__check(struct event_source *source, uint64_t now_ns);

/*
 * As of the last check, which was told the same @now_ns: until when everything that happened is in
 * buffers that the source knows. What came later in others is not to be overtaken by other events.
 */
uint64_t event_source__known_until(const struct event_source *source, uint64_t now_ns);

/* Whether the event is in a tree: one that is attached only has a name. */
static inline bool event_source__has_path(const struct event_source *source)
{
	return !source->view->attached_format;
}

/* To be called about once a second: has events reported that were lost since the last time. */
void event_source__count(struct event_source *source);

#endif
