// SPDX-License-Identifier: GPL-2.0-only
/* How records come from the pinned buffers into the rings that perf reads. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "perf/perf_session_internal.h"
#include "perf/perf_sideband.h"
#include "perf/record_time.h"
#include "persist_event.h"
#include "time_spec.h"

/* How often the session's clock is compared with ours. */
#define ADJUST_NSEC NSEC_PER_SEC

/* What is younger than a small margin a reader holds back, see record_reader.c; this is longer. */
#define HELD_BACK_NSEC (100 * NSEC_PER_USEC)

/* ---- beginning and end ------------------------------------------------------------------- */

static void log_reader(void *ctx, enum persist_log_level level, const char *message)
{
	(void)ctx;
	log_message(&perf_log, level, "%s", message);
}

/* Some event of perf that gives samples. */
static struct perf_event_fd *find_sampling(const struct perf_session *session)
{
	for (size_t i = 0; i < session->fds_size; i++)
		if (session->fds[i] && session->fds[i]->persistent && session->fds[i]->output)
			return session->fds[i];
	return NULL;
}

static void begin(struct perf_session *session)
{
	const struct persist_reader_options options = {
		.size = sizeof(options),
		.log_fn = log_reader,
		.log_level = PERSIST_LOG_WARNING,
		.root = session->options.root,
		.follow = 1,
	};
	const struct perf_event_fd *sampling = find_sampling(session);
	struct perf_feed *feed = &session->feed;

	if (!sampling)
		return; /* perf only counts */
	feed->has_begun = true;
	feed->reader = persist_reader__new(&options);
	if (!feed->reader) {
		log_error(&perf_log, "cannot read persistent events: %s", strerror(errno));
		return;
	}
	for (struct persistent_event *event = session->events; event; event = event->next)
		event->is_read = !persist_reader__add(feed->reader, event->path);
	perf_clock__init(&feed->clock, &sampling->attr);
	feed->begin_ns = boottime_now();
	feed->next_adjust_ns = feed->begin_ns + ADJUST_NSEC;
}

static void free_targets(struct perf_feed *feed)
{
	for (size_t i = 0; i < feed->nr_targets; i++)
		free(feed->targets[i].fds);
	free(feed->targets);
	feed->targets = NULL;
	feed->nr_targets = 0;
}

void perf_feed__forget_targets(struct perf_session *session)
{
	free_targets(&session->feed);
}

void perf_feed__end(struct perf_session *session)
{
	struct perf_feed *feed = &session->feed;

	free_targets(feed);
	if (feed->has_begun)
		perf_clock__destroy(&feed->clock);
	persist_reader__free(feed->reader);
	*feed = (struct perf_feed){ 0 };
}

/* ---- writing into a ring ----------------------------------------------------------------- */

static struct perf_sample_format format_of(const struct perf_event_fd *fd)
{
	return (struct perf_sample_format){
		.sample_type = fd->attr.sample_type,
		.id = fd->id,
		.period = fd->attr.freq ? 1 : fd->attr.sample_period,
	};
}

/*
 * The id by which perf knows the tracepoint is the config that it has opened it with: the kernel's,
 * or the one that it was told.
 */
static struct perf_sample_format format_of_samples(const struct perf_session *session,
						   const struct perf_event_fd *fd)
{
	struct perf_sample_format format = format_of(fd);

	format.common_type = (uint16_t)fd->attr.config;
	format.fields = persist_event__format(session->feed.item.event);
	return format;
}

/* A kernel without sample_id_all would not tell when it was, and perf could not sort it in. */
static bool tells_names(const struct perf_event_fd *fd)
{
	return fd->attr.sample_id_all && fd->attr.sample_type & PERF_SAMPLE_TIME &&
	       fd->attr.sample_type & PERF_SAMPLE_TID;
}

/* A thread has this name from @time on, on the session's clock. */
static void put_comm(struct perf_event_fd *fd, const struct persist_record *record, uint64_t time)
{
	const struct perf_sample_format format = format_of(fd);
	struct persist_record stamped = *record;
	char bytes[PERF_SIDEBAND_MAX];

	stamped.time_ns = time;
	perf_ring__put(&fd->output->ring, bytes, perf_comm__write(&format, &stamped, bytes));
}

/* Reports what is missing; there is room for that. */
static void put_lost(struct perf_event_fd *fd, uint32_t cpu, uint64_t time)
{
	const struct persist_loss loss = { .lost = fd->unreported, .cpu = cpu, .before_ns = time };
	struct perf_sample_format format = format_of(fd);
	char bytes[PERF_SIDEBAND_MAX];

	if (!fd->attr.sample_id_all)
		format.sample_type = 0; /* nothing behind it */
	perf_ring__put(&fd->output->ring, bytes, perf_lost__write(&format, &loss, bytes));
	fd->unreported = 0;
}

static void lose(struct perf_event_fd *fd, uint64_t nr)
{
	fd->lost += nr;
	fd->unreported += nr;
}

/* Whether perf has switched the event off when this was recorded. */
static bool was_off(const struct perf_event_fd *fd, uint64_t time_ns)
{
	return time_ns >= fd->off_ns && time_ns < fd->on_ns;
}

/* Whether perf wants nothing of the thread that recorded this. */
static bool is_left_out(const struct perf_event_fd *fd, const struct persist_record *record)
{
	for (size_t i = 0; i < fd->nr_left_out; i++)
		if (record->tid == (uint32_t)fd->left_out[i])
			return true;
	return false;
}

/* Whether this is the one of every sample_period events that gives a sample. */
static bool is_sampled(struct perf_event_fd *fd)
{
	return fd->attr.freq || fd->attr.sample_period <= 1 ||
	       ++fd->nr_seen % fd->attr.sample_period == 0;
}

/* What perf is told as the time of a record. */
static uint64_t time_for_perf(struct perf_session *session, uint64_t time_ns)
{
	struct perf_feed *feed = &session->feed;

	if (session->options.is_live && time_ns < feed->begin_ns)
		time_ns = feed->begin_ns;
	return perf_clock__convert(&feed->clock, time_ns);
}

/* False if there is no room now. */
static bool put_record(struct perf_session *session, struct perf_event_fd *fd,
		       const struct persist_record *record)
{
	const struct perf_sample_format format = format_of_samples(session, fd);
	struct perf_ring *ring = &fd->output->ring;
	size_t size = perf_sample__size(&format, record);
	char bytes[PERF_SAMPLE_MAX];
	uint64_t time;

	if (size + 2 * PERF_SIDEBAND_MAX >= ring->size) {
		lose(fd, 1); /* it would never fit */
		return true;
	}
	if (perf_ring__room(ring) < size + 2 * PERF_SIDEBAND_MAX)
		return false;
	if (!is_sampled(fd))
		return true;
	time = time_for_perf(session, record->time_ns);
	if (fd->unreported)
		put_lost(fd, record->cpu, time);
	if (tells_names(fd) && thread_names__is_new(&session->feed.names, record))
		put_comm(fd, record, time);
	perf_sample__write(&format, record, time, bytes);
	perf_ring__put(ring, bytes, size);
	perf_ring__count_sample(ring, &fd->attr);
	return true;
}

static bool put_loss(struct perf_session *session, struct perf_event_fd *fd,
		     const struct persist_loss *loss)
{
	if (perf_ring__room(&fd->output->ring) < PERF_SIDEBAND_MAX)
		return false;
	lose(fd, loss->lost);
	put_lost(fd, loss->cpu, time_for_perf(session, loss->before_ns));
	return true;
}

/* ---- items ------------------------------------------------------------------------------- */

static struct persistent_event *event_of_item(const struct perf_session *session,
					      const struct persist_item *item)
{
	const char *path = persist_event__path(item->event);

	for (struct persistent_event *event = session->events; event; event = event->next)
		if (!strcmp(event->path, path))
			return event;
	return NULL;
}

static const struct targets *targets_of(struct perf_session *session,
					const struct persist_item *item)
{
	struct perf_feed *feed = &session->feed;
	const struct persistent_event *event;
	struct targets *targets;

	if (item->stream >= feed->nr_targets) {
		size_t nr = item->stream + 16;

		targets = reallocarray(feed->targets, nr, sizeof(*targets));
		if (!targets)
			return NULL;
		memset(targets + feed->nr_targets, 0, (nr - feed->nr_targets) * sizeof(*targets));
		feed->targets = targets;
		feed->nr_targets = nr;
	}
	targets = &feed->targets[item->stream];
	if (targets->is_known)
		return targets;
	event = event_of_item(session, item);
	if (!event ||
	    perf_targets__collect(session, event, item->record ? item->record->cpu : item->loss.cpu,
				  targets))
		return NULL;
	return targets;
}

static uint64_t time_of_item(const struct persist_item *item)
{
	return item->record ? item->record->time_ns : item->loss.before_ns;
}

/* Gives the present item to all that want it. False if one of them has no room now. */
static bool deliver(struct perf_session *session)
{
	struct perf_feed *feed = &session->feed;
	const struct persist_item *item = &feed->item;
	const struct targets *targets = targets_of(session, item);

	for (; targets && feed->next_target < targets->nr; feed->next_target++) {
		struct perf_event_fd *fd = targets->fds[feed->next_target];

		if (!fd->output || was_off(fd, time_of_item(item)))
			continue;
		if (item->record && is_left_out(fd, item->record))
			continue;
		if (item->record ? !put_record(session, fd, item->record)
				 : !put_loss(session, fd, &item->loss)) {
			feed->blocked_by = fd->output;
			return false;
		}
	}
	return true;
}

/* ---- running ----------------------------------------------------------------------------- */

/* From when on perf wants nothing, UINT64_MAX if it wants all. */
static uint64_t end_of_interest(const struct perf_session *session)
{
	uint64_t end = 0;

	for (size_t i = 0; i < session->fds_size; i++) {
		const struct perf_event_fd *fd = session->fds[i];

		if (!fd || !fd->persistent)
			continue;
		if (fd->on_ns != UINT64_MAX)
			return UINT64_MAX;
		if (fd->off_ns > end)
			end = fd->off_ns;
	}
	return end;
}

/* Takes the next item from the reader. False if there is none. */
static bool take_item(struct perf_feed *feed)
{
	int got;

	/* After -EAGAIN the reader looks for what is new, and gives that out as far as this time.
	 */
	if (!feed->is_in_pass)
		feed->pass_ns = boottime_now();
	feed->is_in_pass = true;
	got = persist_reader__next(feed->reader, &feed->item);
	if (got == 1) {
		feed->has_item = true;
		feed->next_target = 0;
		return true;
	}
	feed->is_in_pass = false;
	feed->up_to_ns = feed->pass_ns - HELD_BACK_NSEC;
	if (got == -EAGAIN)
		return false;
	feed->is_at_end = true;
	if (got < 0)
		log_error(&perf_log, "cannot go on reading persistent events: %s", strerror(-got));
	return false;
}

static void run_items(struct perf_session *session)
{
	struct perf_feed *feed = &session->feed;
	uint64_t end = end_of_interest(session);

	feed->blocked_by = NULL;
	while (!feed->is_at_end && (feed->has_item || take_item(feed))) {
		if (time_of_item(&feed->item) > end) {
			/* It stays, in case that perf begins again. */
			feed->up_to_ns = boottime_now();
			return;
		}
		if (!deliver(session))
			return;
		feed->has_item = false;
	}
}

struct naming {
	struct perf_event_fd *fd;
	uint64_t time;
};

static void tell_present_name(void *context, const struct thread_name *now)
{
	const struct naming *naming = context;
	struct persist_record record = { .pid = now->pid, .tid = now->tid };

	memcpy(record.comm, now->comm, sizeof(record.comm));
	if (perf_ring__room(&naming->fd->output->ring) >= PERF_SIDEBAND_MAX)
		put_comm(naming->fd, &record, naming->time);
}

/* History has told perf what threads were called once; what follows is about the present. */
static void end_history(struct perf_session *session)
{
	struct naming naming = { .fd = find_sampling(session) };

	session->feed.history_is_over = true;
	if (!naming.fd || !tells_names(naming.fd))
		return;
	naming.time = perf_clock__convert(&session->feed.clock, session->feed.up_to_ns);
	thread_names__refresh(&session->feed.names, tell_present_name, &naming);
}

struct before {
	const struct perf_event_fd *fd; /* of the record before; some other one at first */
	uint64_t time;
};

/* Whether a record of the kernel is not younger than this. */
static bool is_before(void *context, const struct perf_event_header *record)
{
	struct before *before = context;
	uint64_t id, time;

	if (record_time__id(&before->fd->attr, record, &id) && before->fd->id != id)
		before->fd = perf_session__find_id(id) ?: before->fd;
	return !record_time__get(&before->fd->attr, record, &time) || time <= before->time;
}

/* As far as persistent events have come, UINT64_MAX if none will come. */
static uint64_t progress(const struct perf_session *session)
{
	const struct perf_feed *feed = &session->feed;

	if (feed->has_item)
		return time_of_item(&feed->item);
	if (!feed->reader || feed->is_at_end || session->is_stopping)
		return UINT64_MAX;
	return feed->up_to_ns;
}

/* Copies the kernel's records as far as persistent events have come. */
static void run_relays(struct perf_session *session)
{
	uint64_t until = progress(session);
	struct before before = { .fd = find_sampling(session) };
	bool copies_all = until == UINT64_MAX || !before.fd;

	if (!copies_all)
		before.time = time_for_perf(session, until);
	for (struct perf_relay *relay = session->relays; relay; relay = relay->next) {
		/* Better in disorder than not at all. */
		if (copies_all || perf_relay__is_pressing(relay))
			perf_relay__copy(relay, NULL, NULL);
		else
			perf_relay__copy(relay, is_before, &before);
		perf_ring__publish(&relay->ring);
	}
}

void perf_feed__run(struct perf_session *session)
{
	struct perf_feed *feed = &session->feed;

	if (!feed->has_begun)
		begin(session);
	if (feed->reader) {
		if (boottime_now() >= feed->next_adjust_ns) {
			perf_clock__adjust(&feed->clock);
			feed->next_adjust_ns = boottime_now() + ADJUST_NSEC;
		}
		/* What is older than the item that waited goes first. */
		if (feed->has_item)
			run_relays(session);
		run_items(session);
		if (!feed->history_is_over && !feed->blocked_by)
			end_history(session);
	}
	run_relays(session);
}

void perf_feed__settle(struct perf_session *session)
{
	const struct timespec pause = { .tv_nsec = HELD_BACK_NSEC };
	const struct perf_feed *feed = &session->feed;
	uint64_t until = boottime_now();

	perf_feed__run(session);
	while (feed->reader && !feed->is_at_end && !feed->blocked_by && feed->up_to_ns < until) {
		nanosleep(&pause, NULL);
		perf_feed__run(session);
	}
}
