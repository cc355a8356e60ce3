// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "event_source.h"

#include "attached_event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A record takes a microsecond to write, unless its CPU is taken away from a virtual machine. */
#define SETTLE_TRIES 100
#define SETTLE_NSEC  (200 * 1000)

static int open_streams(struct event_source *source)
{
	uint32_t nr_cpus = source->view->meta.nr_cpus;
	int err;

	source->streams = calloc(nr_cpus, sizeof(*source->streams));
	source->before = calloc(nr_cpus, sizeof(*source->before));
	if (!source->streams || !source->before)
		return -ENOMEM;
	memcpy(source->before, source->view->counters, nr_cpus * sizeof(*source->before));
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		if (source->cpus && !cpu_list__has(source->cpus, cpu))
			continue;
		err = cpu_stream__init(&source->streams[source->nr_streams], source->view, cpu);
		if (err)
			return err;
		source->nr_streams++;
	}
	return 0;
}

static struct event_source *new_source(const char *path, bool follow, const struct cpu_list *cpus,
				       const struct log *log)
{
	struct event_source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->log = log;
	source->cpus = cpus;
	source->follow = follow;
	source->doorbell_fd = -1;
	source->path = strdup(path);
	if (source->path)
		return source;
	free(source);
	return NULL;
}

/* @err: of opening the source's view. */
static int finish_source(struct event_source *source, int err, struct event_source **result)
{
	if (!err)
		err = persist_event__new(source->view, &source->event);
	if (!err)
		err = open_streams(source);
	if (err) {
		event_source__free(source);
		return err;
	}
	/* All generations have the same: it stays when the view goes. */
	source->doorbell_fd = source->view->doorbell_fd;
	source->view->doorbell_fd = -1;
	*result = source;
	return 0;
}

int event_source__new(const char *path, bool follow, const struct cpu_list *cpus,
		      const struct log *log, struct event_source **result)
{
	struct event_source *source = new_source(path, follow, cpus, log);
	int err;

	*result = NULL;
	if (!source)
		return -ENOMEM;
	/* A follower maps all, since after a clear the rings can no longer be opened. */
	err = event_view__open(path, follow ? EVENT_VIEW_ALL_CPUS : EVENT_VIEW_USED_CPUS, cpus, log,
			       &source->view);
	return finish_source(source, err, result);
}

int event_source__of_attached(const struct attached_event *attached, bool follow,
			      const struct cpu_list *cpus, const struct log *log,
			      struct event_source **result)
{
	struct event_source *source = new_source(attached->meta.name, follow, cpus, log);

	*result = NULL;
	if (!source)
		return -ENOMEM;
	return finish_source(source, event_view__of_attached(attached, log, &source->view), result);
}

void event_source__free(struct event_source *source)
{
	if (!source)
		return;
	for (uint32_t i = 0; i < source->nr_streams; i++)
		cpu_stream__destroy(&source->streams[i]);
	free(source->streams);
	free(source->before);
	persist_event__free(source->event);
	event_view__put(source->view);
	if (source->doorbell_fd >= 0)
		close(source->doorbell_fd);
	free(source->path);
	free(source);
}

/* ---- limits ------------------------------------------------------------------------------ */

static bool is_settled(const struct event_source *source, uint32_t cpu)
{
	const struct persist_counters *before = &source->before[cpu];

	return persist_counters__settled(before, &source->view->counters[cpu]) >= before->seen;
}

static bool all_are_settled(const struct event_source *source)
{
	for (uint32_t i = 0; i < source->nr_streams; i++)
		if (!is_settled(source, source->streams[i].cpu))
			return false;
	return true;
}

void event_source__limit(struct event_source *source)
{
	const struct timespec pause = { .tv_nsec = SETTLE_NSEC };

	/* Events that were being recorded when they were counted are there a moment later. */
	for (int try = 0; try < SETTLE_TRIES && !all_are_settled(source); try++) {
		if (try > 1)
			nanosleep(&pause, NULL);
		if (event_view__read_counters(source->view))
			break;
	}
	for (uint32_t i = 0; i < source->nr_streams; i++) {
		struct cpu_stream *stream = &source->streams[i];

		cpu_stream__limit_to(stream, &source->before[stream->cpu],
				     is_settled(source, stream->cpu));
	}
}

void event_source__remove_limit(struct event_source *source)
{
	for (uint32_t i = 0; i < source->nr_streams; i++)
		cpu_stream__remove_limit(&source->streams[i]);
}

/* ---- following --------------------------------------------------------------------------- */

void event_source__count(struct event_source *source)
{
	const struct persist_counters *now;

	if (source->state == SOURCE_OVER || event_view__read_counters(source->view))
		return;
	for (uint32_t i = 0; i < source->nr_streams; i++) {
		struct cpu_stream *stream = &source->streams[i];
		struct persist_counters *before = &source->before[stream->cpu];
		uint64_t settled;

		now = &source->view->counters[stream->cpu];
		settled = persist_counters__settled(before, now);
		if (settled == now->seen)
			cpu_stream__set_complete(stream, now);
		else if (settled)
			cpu_stream__set_complete(stream, before);
		*before = *now;
	}
}

/* The same event with a new generation of buffers? */
static void continue_with(struct event_source *source, struct event_view *view)
{
	for (uint32_t i = 0; i < source->nr_streams; i++)
		cpu_stream__continue_with(&source->streams[i], view);
	event_view__put(source->view);
	source->view = event_view__get(view);
}

/* There is another directory at the path. Returns true if it is of another event. */
static bool take_replacement(struct event_source *source)
{
	struct event_view *view;
	bool is_same;

	if (event_view__open(source->path, EVENT_VIEW_ALL_CPUS, source->cpus, source->log, &view))
		return false; /* it may be there at the next check */
	is_same = view->meta.instance == source->view->meta.instance &&
		  view->meta.nr_cpus == source->view->meta.nr_cpus;
	if (!is_same)
		source->state = SOURCE_REMOVED;
	else if (view->meta.generation != source->view->meta.generation)
		continue_with(source, view);
	else /* the same buffers, which a process had taken over, and has let go again */
		source->view->inode = view->inode;
	event_view__put(view);
	return !is_same;
}

/* Whether all streams still show the view that they shall show. */
static bool is_changing(const struct event_source *source)
{
	for (uint32_t i = 0; i < source->nr_streams; i++)
		if (source->streams[i].successor)
			return true;
	return false;
}

static bool check_live(struct event_source *source)
{
	bool is_stale;

	if (is_changing(source))
		return false;
	switch (event_view__state(source->view)) {
	case EVENT_REPLACED:
		return take_replacement(source);
	case EVENT_REMOVED:
		source->state = SOURCE_REMOVED;
		return false;
	case EVENT_CURRENT:
		break;
	}
	/* Twice in a row: no clear takes as long as that. The loader was killed. */
	is_stale = event_view__is_stale(source->view);
	if (is_stale && source->was_stale) {
		source->was_stale = false;
		return take_replacement(source);
	}
	source->was_stale = is_stale;
	return false;
}

bool event_source__check(struct event_source *source)
{
	switch (source->state) {
	case SOURCE_LIVE:
		return check_live(source);
	case SOURCE_REMOVED:
		/* By now no program of the event is running any more. */
		event_source__count(source);
		source->state = SOURCE_ENDING;
		return false;
	case SOURCE_ENDING:
		/* What was there has been given out by the pass after the last check. */
		source->state = SOURCE_OVER;
		return false;
	case SOURCE_OVER:
		return false;
	}
	return false;
}
