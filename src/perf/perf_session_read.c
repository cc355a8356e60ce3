// SPDX-License-Identifier: GPL-2.0-only
/* What perf reads from an event's descriptor: how often the event was there. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "perf/perf_session_internal.h"
#include "time_spec.h"

/* Makes the counters of the event current. */
static int read_counters(struct perf_event_fd *fd)
{
	struct persistent_event *event = fd->persistent;
	int err;

	if (!event->view) {
		err = event_view__open(event->path, EVENT_VIEW_NO_CPUS, NULL, &perf_log,
				       &event->view);
		if (err)
			return err;
	}
	return event_view__read_counters(event->view);
}

/* What read(2) gives for one event, in 64-bit words; see "Reading results" of the man page. */
struct read_words {
	uint64_t *value, *id, *lost;
};

static void set_words(struct perf_event_fd *fd, const struct read_words *words)
{
	*words->value = perf_targets__count(&session, fd);
	if (words->lost)
		*words->lost = fd->lost;
}

/* The value of one event: value, [enabled], [running], [id], [lost]. */
static void set_one(struct perf_event_fd *fd, uint64_t *words)
{
	uint64_t format = fd->attr.read_format, time = boottime_now() - fd->open_ns;
	uint64_t *at = words + 1;
	struct read_words of_event = { .value = words };

	/* It counts all the time, and not only while the task runs that perf looks at. */
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*at++ = time;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*at++ = time;
	at += !!(format & PERF_FORMAT_ID);
	if (format & PERF_FORMAT_LOST)
		of_event.lost = at;
	set_words(fd, &of_event);
}

/* Those of a group: nr, [enabled], [running], then value, id, [lost] of each. */
static void set_group(uint64_t format, uint64_t *words, size_t nr_words)
{
	bool has_lost = format & PERF_FORMAT_LOST;
	size_t at = 1, step = has_lost ? 3 : 2;

	at += !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED);
	at += !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	for (uint64_t i = 0; i < words[0] && at + step <= nr_words; i++, at += step) {
		struct perf_event_fd *fd = perf_session__find_id(words[at + 1]);
		struct read_words of_event = {
			.value = &words[at],
			.lost = has_lost ? &words[at + 2] : NULL,
		};

		if (fd && fd->persistent && !read_counters(fd))
			set_words(fd, &of_event);
	}
}

/* What the kernel would have given for an event of its own. */
static long make_words(const struct perf_event_fd *fd, uint64_t *words, size_t size)
{
	uint64_t format = fd->attr.read_format, time = boottime_now() - fd->open_ns;
	uint64_t made[8] = { 0 };
	size_t nr = 1;

	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		made[nr++] = time;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		made[nr++] = time;
	if (format & PERF_FORMAT_GROUP) {
		made[0] = 1;
		nr++; /* the value */
	}
	if (format & PERF_FORMAT_ID)
		made[nr++] = fd->id;
	if (format & PERF_FORMAT_LOST)
		nr++;
	if (size < nr * sizeof(*made))
		return -ENOSPC;
	memcpy(words, made, nr * sizeof(*made));
	return (long)(nr * sizeof(*made));
}

static long read_event(struct perf_event_fd *fd, void *buffer, size_t size)
{
	uint64_t format = fd->attr.read_format;
	long got;
	int err;

	got = fd->is_kernel ? read(fd->fd, buffer, size) : make_words(fd, buffer, size);
	if (got < 0)
		return fd->is_kernel ? -errno : got;
	if (format & PERF_FORMAT_GROUP) {
		if (format & PERF_FORMAT_ID)
			set_group(format, buffer, (size_t)got / sizeof(uint64_t));
		return got;
	}
	if (!fd->persistent || !got)
		return got;
	err = read_counters(fd);
	if (err)
		return err;
	set_one(fd, buffer);
	return got;
}

/* Whether a read of this gives the value of a persistent event, too. */
static bool counts_persistent(const struct perf_event_fd *fd)
{
	return fd && (fd->persistent ||
		      (session.nr_persistent && fd->attr.read_format & PERF_FORMAT_GROUP));
}

struct perf_session_call perf_session__read(int fd, void *buffer, size_t size)
{
	struct perf_session_call call = not_ours();
	struct perf_event_fd *event;

	pthread_mutex_lock(&session_lock);
	event = perf_session__find(fd);
	if (counts_persistent(event))
		call = done(read_event(event, buffer, size));
	pthread_mutex_unlock(&session_lock);
	return call;
}
