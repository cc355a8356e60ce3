// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "event_source.h"

#include "attached_event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "time_spec.h"

/* A record takes a microsecond to write, unless its CPU is taken away from a virtual machine. */
#define SETTLE_TRIES 100
#define SETTLE_NSEC  (200 * 1000)

/* From switching the programs to new buffers to their directory's being live, if nobody is killed.
 */
#define LONGEST_EXCHANGE_NSEC (40 * NSEC_PER_MSEC)

/* So long a removed event remains in each of its last states. */
#define ENDING_STEP_NSEC (20 * NSEC_PER_MSEC)

/* If the buffers of an event cannot be found in this time, others do not wait for it. */
#define LONGEST_DOUBT_NSEC NSEC_PER_SEC

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
	source->wakes_at_once = source->view->doorbell_fd >= 0 &&
				source->view->meta.wakeup_events == 1;
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

/* Whatever came before @time_ns is, or will be, in buffers that the source knows. */
static void know_until(struct event_source *source, uint64_t time_ns)
{
	source->known_ns = time_ns;
	source->doubted_ns = 0;
}

static void doubt(struct event_source *source, uint64_t now_ns)
{
	if (!source->doubted_ns)
		source->doubted_ns = now_ns;
}

/* The same event with a new generation of buffers. */
static void continue_with(struct event_source *source, struct event_view *view)
{
	for (uint32_t i = 0; i < source->nr_streams; i++)
		cpu_stream__continue_with(&source->streams[i], view);
	event_view__put(source->view);
	source->view = event_view__get(view);
}

/* There is another directory at the path. */
static void take_replacement(struct event_source *source)
{
	uint64_t before_ns = boottime_now();
	struct event_view *view;

	if (event_view__open(source->path, EVENT_VIEW_ALL_CPUS, source->cpus, source->log, &view))
		return; /* it may be there at the next check */
	if (view->meta.instance != source->view->meta.instance ||
	    view->meta.nr_cpus != source->view->meta.nr_cpus) {
		source->state = SOURCE_REMOVED;
	} else if (view->meta.generation != source->view->meta.generation) {
		continue_with(source, view);
		if (!event_view__is_stale(view))
			know_until(source, before_ns);
	} else { /* the same buffers, which a process had taken over, and has let go again */
		source->view->inode = view->inode;
	}
	event_view__put(view);
}

/* Whether all streams still show the view that they shall show. */
static bool is_changing(const struct event_source *source)
{
	for (uint32_t i = 0; i < source->nr_streams; i++)
		if (source->streams[i].successor)
			return true;
	return false;
}

static void check_buffers(struct event_source *source, uint64_t now_ns)
{
	if (!event_view__is_stale(source->view)) {
		know_until(source, now_ns);
		return;
	}
	doubt(source, now_ns);
	/* The loader was killed. The new buffers are where it had staged them. */
	if (!is_changing(source) && now_ns - source->doubted_ns >= LONGEST_EXCHANGE_NSEC)
		take_replacement(source);
}

static void check_live(struct event_source *source, uint64_t now_ns)
{
	/* Until the old buffers are read to their end, there is no taking others. */
	switch (is_changing(source) ? EVENT_CURRENT : event_view__state(source->view)) {
	case EVENT_REPLACED:
		doubt(source, now_ns);
		take_replacement(source);
		break;
	case EVENT_REMOVED:
		source->state = SOURCE_REMOVED;
		break;
	case EVENT_CURRENT:
		check_buffers(source, now_ns);
		break;
	}
	source->state_ns = now_ns;
}

void event_source__check(struct event_source *source, uint64_t now_ns)
{
	if (source->state == SOURCE_LIVE) {
		check_live(source, now_ns);
		return;
	}
	if (now_ns - source->state_ns < ENDING_STEP_NSEC)
		return;
	source->state_ns = now_ns;
	switch (source->state) {
	case SOURCE_REMOVED:
		/* By now no program of the event is running any more. */
		event_source__count(source);
		source->state = SOURCE_ENDING;
		break;
	case SOURCE_ENDING:
		/* What was there has been given out by the pass after the last step. */
		source->state = SOURCE_OVER;
		break;
	case SOURCE_LIVE:
	case SOURCE_OVER:
		break;
	}
}

uint64_t event_source__known_until(const struct event_source *source, uint64_t now_ns)
{
	if (source->state != SOURCE_LIVE || !source->doubted_ns ||
	    now_ns - source->doubted_ns >= LONGEST_DOUBT_NSEC)
		return now_ns;
	return source->known_ns;
}
