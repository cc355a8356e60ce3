/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * A view of one event: its pins of one generation, opened, checked, and mapped read-only.
 *
 * A clear puts a new directory in the place of the event's, with a new generation of buffers.
 * A view keeps showing those that it was opened with; event_view__state() tells when they are
 * not the current ones any more.
 */
#ifndef PERSIST_EVENT_VIEW_H
#define PERSIST_EVENT_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpu_list.h"
#include "imported.h"
#include "log.h"
#include "persist_record.h"
#include "ring_cursor.h"

struct ring_map {
	void *start; /* NULL: this CPU has no such ring, or it is not mapped */
	size_t len;
	uint64_t size; /* of a ringbuf: of its data; of an array: of the mapped value */
};

struct event_view {
	unsigned int users;
	const struct log *log;
	char *path;	       /* where the event is, or will be, live */
	char *attached_format; /* of an event without pins; else NULL */
	dev_t device;	       /* of the directory that was opened */
	ino_t inode;
	ino_t stale_inode; /* of the one at the path, if that is not it; else 0 */
	struct persist_meta meta;
	int counters_fd;
	int control_fd;
	int doorbell_fd;		   /* -1: the event wakes nobody */
	struct persist_counters *counters; /* as of the last event_view__read_counters() */
	struct cpu_list possible;
	void *counter_values;		/* what the kernel copies: one for each possible CPU */
	struct ring_map *heads, *tails; /* meta.nr_cpus of each */
	struct imported imported;	/* empty if nothing was, or no CPU is mapped */
};

/* Which CPUs' rings a view maps. */
enum event_view_cpus {
	EVENT_VIEW_NO_CPUS,
	EVENT_VIEW_USED_CPUS, /* those that have recorded something in this generation */
	EVENT_VIEW_ALL_CPUS,
};

/**
 * event_view__open() - open the event at @path
 * @path:   of the event's directory
 * @cpus:   which rings to map
 * @wanted: only those of these CPUs; NULL: no restriction
 * @log:    must outlive the view
 * @view:   set to the view, which the caller owns
 *
 * If a loader was killed while it exchanged the buffers, the new ones are opened where it left
 * them.
 *
 * Return: 0 or -errno, as persist_reader__add() says; everything but -ENOENT was logged.
 */
int event_view__open(const char *path, enum event_view_cpus cpus, const struct cpu_list *wanted,
		     const struct log *log, struct event_view **view);

/*
 * The same for an event that this process has attached. The view holds the rings by itself, but
 * that the event goes on is up to its owner.
 */
struct attached_event;
int event_view__of_attached(const struct attached_event *attached, const struct log *log,
			    struct event_view **view);

struct event_view *event_view__get(struct event_view *view);
void event_view__put(struct event_view *view);

/* Reads the counters of all CPUs into view->counters. Returns 0 or -errno. */
int event_view__read_counters(struct event_view *view);

/* Makes a cursor of the CPU's ring; *@cursor is NULL if it has none. Returns 0 or -errno. */
int event_view__open_head(const struct event_view *view, uint32_t cpu, struct ring_cursor **cursor);
int event_view__open_tail(const struct event_view *view, uint32_t cpu, struct ring_cursor **cursor);
int event_view__open_imported(const struct event_view *view, uint32_t cpu,
			      struct ring_cursor **cursor);

enum event_state {
	EVENT_CURRENT,	/* the view shows what is being written */
	EVENT_REPLACED, /* there is another directory: cleared, or removed and added again */
	EVENT_REMOVED,
};

/* Looks at the path. Costs one system call, and one more to find a killed loader's remains. */
enum event_state event_view__state(const struct event_view *view);

/* Whether the programs write to another generation of buffers. Costs one system call. */
bool event_view__is_stale(const struct event_view *view);

/*
 * Reads the text that explains the payload: the event's format, with numbers for the names that
 * only BTF explains. The caller frees *@text. Returns 0 or -errno.
 */
int event_view__read_format(const struct event_view *view, char **text);

#endif
