// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/*
 * struct persist_reader: the items of all events and CPUs in the order of time.
 *
 * A follower works in passes. Before it looks at the rings it takes the time; then every record
 * older than that by more than a small margin is visible, and what is visible can be given out in
 * the order of time as far as that. What is younger waits for the next pass.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "event_path.h"
#include "event_source.h"
#include "last_items.h"
#include "merge.h"
#include "options.h"
#include "persist_tree_internal.h"
#include "record_reader.h"
#include "time_spec.h"

/* From taking a record's time to its being visible, if nothing interrupts the writer for long. */
#define WRITE_MARGIN_NSEC (50 * NSEC_PER_USEC)

/* With the time of a wake-up a record is seen within 20 ms. */
#define DEFAULT_POLL_NSEC  (19 * NSEC_PER_MSEC)
#define SHORTEST_POLL_NSEC (100 * NSEC_PER_USEC)

/*
 * How often to look whether events were cleared, removed or added again: a follower that does not
 * come to the buffers between two clears has lost what was in them. With many events it takes
 * longer, so that it costs no more. Sooner if a doorbell rings and there is nothing: it may have
 * rung for new buffers.
 */
#define CHECK_NSEC	     (20 * NSEC_PER_MSEC)
#define CHECK_NSEC_PER_EVENT (2 * NSEC_PER_MSEC)
#define LONGEST_CHECK_NSEC   (200 * NSEC_PER_MSEC)
#define SHORTEST_CHECK_NSEC  (5 * NSEC_PER_MSEC)

/* How often to look for events that were lost and leave no record behind them. */
#define COUNT_NSEC NSEC_PER_SEC

#define EVENTS_PER_WAIT 64

/* What a descriptor in the epoll stands for. */
enum wake_by {
	WAKE_BY_TIMER,
	WAKE_BY_DOORBELL,
};

/* Positions of events that may come yet. When there are this many, the oldest are forgotten. */
#define MAX_SAVED 65536

struct numbered_stream {
	struct cpu_stream *stream; /* NULL: it has ended */
	struct event_source *source;
	bool is_merged;	     /* it is in the heap */
	uint64_t read_bytes; /* of its tail, by the last wait */
	uint64_t seq;	     /* of the last item that was given out, or saved before; else 0 */
};

/* Tells whether there may be other events in a root than before. */
struct root_state {
	bool exists;
	dev_t device;
	ino_t inode;
	struct timespec changed;
};

struct persist_reader {
	struct log log;
	char *root;
	struct cpu_list *cpus; /* NULL: all */
	bool has_warned_of_cpus;
	uint64_t since_ns, until_ns, poll_ns;
	bool follow;

	struct event_source **sources;
	uint32_t nr_sources;
	char **gone; /* paths of events that were removed and may come again */
	uint32_t nr_gone;
	bool reads_all;		      /* of the root, also what comes */
	bool root_has_changed;	      /* at the last check */
	struct root_state root_state; /* at the last check */
	struct persist_position *saved;
	size_t nr_saved;
	struct numbered_stream *streams; /* never renumbered */
	uint32_t nr_streams;
	struct merge merge;

	bool has_begun;
	bool has_current;    /* the first of the heap was given out and is to be stepped */
	bool needs_pass;     /* the next call shall look for what is new */
	bool gave_something; /* in this pass */
	uint64_t limit_ns;   /* items up to this time can be given out */
	uint64_t pass_ns;    /* when the pass began */
	uint64_t last_check_ns, next_count_ns;

	struct last_items last;
	bool wants_last; /* only the newest of what is there are to be given out */

	int epoll_fd, timer_fd;
};

/* ---- making one -------------------------------------------------------------------------- */

static int open_epoll(struct persist_reader *reader)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = WAKE_BY_TIMER };

	reader->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (reader->epoll_fd < 0)
		return -errno;
	reader->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (reader->timer_fd < 0)
		return -errno;
	if (epoll_ctl(reader->epoll_fd, EPOLL_CTL_ADD, reader->timer_fd, &event))
		return -errno;
	return 0;
}

static int set_options(struct persist_reader *reader, const struct persist_reader_options *options)
{
	reader->log = (struct log){ options->log_fn, options->log_ctx, options->log_level };
	reader->since_ns = options->since_ns;
	reader->until_ns = options->until_ns ? options->until_ns : UINT64_MAX;
	reader->follow = options->follow;
	reader->poll_ns = options->poll_interval_ms * NSEC_PER_MSEC;
	if (!reader->poll_ns)
		reader->poll_ns = DEFAULT_POLL_NSEC;
	if (reader->since_ns > reader->until_ns)
		return -EINVAL;
	reader->root = strdup(options->root ? options->root : PERSIST_DEFAULT_ROOT);
	if (!reader->root)
		return -ENOMEM;
	if (options->cpus) {
		reader->cpus = malloc(sizeof(*reader->cpus));
		if (!reader->cpus)
			return -ENOMEM;
		if (cpu_list__parse(reader->cpus, options->cpus)) {
			log_error(&reader->log, "\"%s\" is not a list of CPUs such as 0-3,8",
				  options->cpus);
			return -EINVAL;
		}
	}
	if (options->last) {
		last_items__init(&reader->last, options->last);
		reader->wants_last = true;
	}
	return 0;
}

struct persist_reader *persist_reader__new(const struct persist_reader_options *options)
{
	struct persist_reader_options known;
	struct persist_reader *reader;
	int err;

	err = options__copy(&known, sizeof(known), options);
	if (err) {
		errno = -err;
		return NULL;
	}
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return NULL;
	reader->epoll_fd = reader->timer_fd = -1;
	err = set_options(reader, &known);
	if (!err)
		err = open_epoll(reader);
	if (err) {
		persist_reader__free(reader);
		errno = -err;
		return NULL;
	}
	return reader;
}

void persist_reader__free(struct persist_reader *reader)
{
	if (!reader)
		return;
	for (uint32_t i = 0; i < reader->nr_sources; i++)
		event_source__free(reader->sources[i]);
	for (uint32_t i = 0; i < reader->nr_gone; i++)
		free(reader->gone[i]);
	free(reader->gone);
	free(reader->saved);
	free(reader->sources);
	free(reader->streams);
	merge__destroy(&reader->merge);
	last_items__destroy(&reader->last);
	if (reader->epoll_fd >= 0)
		close(reader->epoll_fd);
	if (reader->timer_fd >= 0)
		close(reader->timer_fd);
	free(reader->cpus);
	free(reader->root);
	free(reader);
}

/* ---- its events -------------------------------------------------------------------------- */

static int watch_doorbell(struct persist_reader *reader, const struct event_source *source)
{
	/* It is always ready; only the edges of an edge-triggered wait tell something. */
	struct epoll_event event = {
		.events = EPOLLIN | EPOLLOUT | EPOLLET,
		.data.u32 = WAKE_BY_DOORBELL,
	};

	if (source->doorbell_fd < 0)
		return 0;
	return epoll_ctl(reader->epoll_fd, EPOLL_CTL_ADD, source->doorbell_fd, &event) ? -errno : 0;
}

/* Goes on behind what was read of this event before. */
static void use_saved(struct persist_reader *reader, const struct event_source *source,
		      struct numbered_stream *streams)
{
	const struct persist_meta *meta = &source->event->meta;

	for (size_t i = 0; i < reader->nr_saved; i++) {
		const struct persist_position *saved = &reader->saved[i];

		if (saved->instance != meta->instance)
			continue;
		for (uint32_t j = 0; j < source->nr_streams; j++) {
			if (streams[j].stream->cpu != saved->cpu)
				continue;
			streams[j].seq = saved->seq;
			cpu_stream__resume(streams[j].stream, saved->seq);
		}
	}
}

static int add_streams(struct persist_reader *reader, struct event_source *source)
{
	uint32_t nr = reader->nr_streams + source->nr_streams;
	struct numbered_stream *streams;

	if (merge__reserve(&reader->merge, nr))
		return -ENOMEM;
	streams = reallocarray(reader->streams, nr + 1, sizeof(*streams));
	if (!streams)
		return -ENOMEM;
	reader->streams = streams;
	for (uint32_t i = 0; i < source->nr_streams; i++)
		streams[reader->nr_streams++] = (struct numbered_stream){
			.stream = &source->streams[i],
			.source = source,
		};
	use_saved(reader, source, &streams[reader->nr_streams - source->nr_streams]);
	return 0;
}

static bool has_instance(const struct persist_reader *reader, uint64_t instance)
{
	for (uint32_t i = 0; i < reader->nr_sources; i++)
		if (reader->sources[i]->event->meta.instance == instance)
			return true;
	return false;
}

/* The source becomes the reader's, also if that fails. */
static int take_source(struct persist_reader *reader, struct event_source *source)
{
	struct event_source **sources;
	int err = 0;

	if (has_instance(reader, source->event->meta.instance)) {
		log_warn(&reader->log, "%s: named twice; it is read once", source->path);
		err = -EEXIST;
	}
	if (!err)
		err = watch_doorbell(reader, source);
	if (!err) {
		sources = reallocarray(reader->sources, reader->nr_sources + 1, sizeof(*sources));
		err = sources ? 0 : -ENOMEM;
	}
	if (!err) {
		reader->sources = sources;
		err = add_streams(reader, source);
	}
	if (err) {
		event_source__free(source);
		return err;
	}
	reader->sources[reader->nr_sources++] = source;
	return 0;
}

/* Nothing comes of a CPU that there is not, and nobody would know why. */
static int check_cpus(struct persist_reader *reader, const struct event_source *source)
{
	uint32_t nr_cpus = source->event->meta.nr_cpus, beyond = nr_cpus;

	if (!reader->cpus)
		return 0;
	if (!source->nr_streams) {
		log_error(&reader->log, "%s: none of the chosen CPUs is there; it has 0 to %u",
			  source->path, nr_cpus - 1);
		return -ERANGE;
	}
	while (beyond < CPU_LIST_MAX && !cpu_list__has(reader->cpus, beyond))
		beyond++;
	/* With the last one there can be, all are meant. */
	if (beyond == CPU_LIST_MAX || cpu_list__has(reader->cpus, CPU_LIST_MAX - 1) ||
	    reader->has_warned_of_cpus)
		return 0;
	reader->has_warned_of_cpus = true;
	log_warn(&reader->log, "%s: there is no CPU %u; it has 0 to %u", source->path, beyond,
		 nr_cpus - 1);
	return 0;
}

/* Returns 0 or -errno; everything but -ENOENT was logged. */
static int add_source(struct persist_reader *reader, const char *path)
{
	struct event_source *source;
	int err = event_source__new(path, reader->follow, reader->cpus, &reader->log, &source);

	if (err)
		return err;
	err = check_cpus(reader, source);
	if (err) {
		event_source__free(source);
		return err;
	}
	return take_source(reader, source);
}

static void explain_missing(const struct persist_reader *reader, const char *target,
			    const char *path)
{
	const char *colon = strchr(target, ':');

	if (!strchr(target, '/') && access(reader->root, F_OK))
		log_error(&reader->log,
			  "%s: there is no such event, and no tree of persistent events; \"loader "
			  "start\" makes one",
			  path);
	else if (colon && !strchr(target, '/'))
		log_error(&reader->log,
			  "%s: there is no such event; its name is that of the tracepoint alone: "
			  "%s",
			  target, colon + 1);
	else
		log_error(&reader->log,
			  "%s: there is no such event; reader list shows those there are", path);
}

int persist_reader__add(struct persist_reader *reader, const char *target)
{
	char path[PATH_MAX];
	int err;

	if (reader->has_begun)
		return -EBUSY;
	err = event_path__of_target(reader->root, target, path);
	if (err) {
		log_error(&reader->log, "\"%s\": not the name or path of an event", target);
		return err;
	}
	err = add_source(reader, path);
	if (err == -ENOENT)
		explain_missing(reader, target, path);
	return err;
}

int persist_reader__add_attached(struct persist_reader *reader,
				 const struct persist_attached *attached)
{
	struct event_source *source;
	int err;

	if (reader->has_begun)
		return -EBUSY;
	if (attached->is_detached)
		return -EINVAL;
	err = event_source__of_attached(&attached->event, reader->follow, reader->cpus,
					&reader->log, &source);
	return err ? err : take_source(reader, source);
}

const struct persist_event *record_reader__event(const struct persist_reader *reader,
						 uint32_t index)
{
	return index < reader->nr_sources ? reader->sources[index]->event : NULL;
}

/* ---- positions --------------------------------------------------------------------------- */

static int save_positions(struct persist_reader *reader, const struct persist_position *positions,
			  size_t nr)
{
	struct persist_position *saved;

	if (!nr)
		return 0;
	saved = reallocarray(reader->saved, reader->nr_saved + nr, sizeof(*saved));
	if (!saved)
		return -ENOMEM;
	memcpy(saved + reader->nr_saved, positions, nr * sizeof(*saved));
	reader->saved = saved;
	reader->nr_saved += nr;
	return 0;
}

int persist_reader__resume(struct persist_reader *reader, const struct persist_position *positions,
			   size_t nr)
{
	int err;

	if (reader->has_begun)
		return -EBUSY;
	err = save_positions(reader, positions, nr);
	for (uint32_t i = 0; !err && i < reader->nr_streams;
	     i += reader->streams[i].source->nr_streams)
		use_saved(reader, reader->streams[i].source, &reader->streams[i]);
	return err;
}

static struct persist_position position_of(const struct numbered_stream *numbered)
{
	const struct persist_meta *meta = &numbered->source->event->meta;

	return (struct persist_position){
		.instance = meta->instance,
		.event_id = meta->event_id,
		.cpu = numbered->stream->cpu,
		.seq = numbered->seq,
	};
}

int persist_reader__positions(const struct persist_reader *reader,
			      struct persist_position **positions)
{
	int nr = 0;

	*positions = NULL;
	if (!reader->nr_streams)
		return 0;
	*positions = calloc(reader->nr_streams, sizeof(**positions));
	if (!*positions)
		return -ENOMEM;
	for (uint32_t i = 0; i < reader->nr_streams; i++)
		if (reader->streams[i].stream && reader->streams[i].seq)
			(*positions)[nr++] = position_of(&reader->streams[i]);
	return nr;
}

/* The event was removed. It may have been taken over by a process that lets it go again. */
static void save_stream(struct persist_reader *reader, const struct numbered_stream *numbered)
{
	struct persist_position position;

	if (!numbered->seq)
		return;
	if (reader->nr_saved >= MAX_SAVED) {
		reader->nr_saved -= MAX_SAVED / 2;
		memmove(reader->saved, reader->saved + MAX_SAVED / 2,
			reader->nr_saved * sizeof(*reader->saved));
	}
	position = position_of(numbered);
	save_positions(reader, &position, 1);
}

/* ---- events that come and go ------------------------------------------------------------- */

static bool has_path(const struct persist_reader *reader, const char *path)
{
	for (uint32_t i = 0; i < reader->nr_sources; i++)
		if (!strcmp(reader->sources[i]->path, path))
			return true;
	return false;
}

/* Another event may come to this path. Without memory for that, it is not waited for. */
static void remember_gone(struct persist_reader *reader, const char *path)
{
	char **gone = reallocarray(reader->gone, reader->nr_gone + 1, sizeof(*gone));

	if (!gone)
		return;
	reader->gone = gone;
	gone[reader->nr_gone] = strdup(path);
	if (gone[reader->nr_gone])
		reader->nr_gone++;
}

static void look_for_gone(struct persist_reader *reader)
{
	for (uint32_t i = 0; i < reader->nr_gone;) {
		if (access(reader->gone[i], F_OK) || add_source(reader, reader->gone[i])) {
			i++;
			continue;
		}
		free(reader->gone[i]);
		reader->gone[i] = reader->gone[--reader->nr_gone];
	}
}

/* Gives up a source that is over. False if not everything of it has been given out. */
static bool retire_source(struct persist_reader *reader, uint32_t index)
{
	struct event_source *source = reader->sources[index];

	for (uint32_t i = 0; i < reader->nr_streams; i++)
		if (reader->streams[i].source == source && reader->streams[i].is_merged)
			return false;
	for (uint32_t i = 0; i < reader->nr_streams; i++) {
		if (reader->streams[i].source != source)
			continue;
		save_stream(reader, &reader->streams[i]);
		reader->streams[i] = (struct numbered_stream){ 0 };
	}
	log_warn(&reader->log, "%s: the event was removed", source->path);
	reader->sources[index] = reader->sources[--reader->nr_sources];
	if (!reader->reads_all && !has_path(reader, source->path))
		remember_gone(reader, source->path);
	event_source__free(source);
	return true;
}

/* Adds what is in the root and not read yet. Returns 0 or -errno; all but -ENOENT was logged. */
static int add_new(struct persist_reader *reader)
{
	struct persist_event_info *infos;
	char path[PATH_MAX];
	int nr, err = 0;

	if (access(reader->root, F_OK))
		return -errno;
	nr = persist_list_events(reader->root, reader->log.fn, reader->log.ctx, &infos);
	for (int i = 0; i < nr; i++) {
		if (infos[i].error || has_instance(reader, infos[i].meta.instance))
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", reader->root, infos[i].meta.name) <
		    (int)sizeof(path))
			err = add_source(reader, path);
		if (err == -ENOMEM)
			break;
	}
	free(infos);
	return nr < 0 ? nr : err == -ENOMEM ? err : 0;
}

int persist_reader__add_all(struct persist_reader *reader)
{
	int err;

	if (reader->has_begun)
		return -EBUSY;
	reader->reads_all = true;
	err = add_new(reader);
	if (err != -ENOENT)
		return err;
	if (reader->follow)
		return 0;
	log_error(&reader->log, "%s: there is no tree of persistent events", reader->root);
	return err;
}

static struct root_state look_at_root(const struct persist_reader *reader)
{
	struct stat st;

	if (stat(reader->root, &st))
		return (struct root_state){ .exists = false };
	return (struct root_state){ true, st.st_dev, st.st_ino, st.st_mtim };
}

static bool is_same_state(const struct root_state *a, const struct root_state *b)
{
	return a->exists == b->exists && a->device == b->device && a->inode == b->inode &&
	       a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

static void look_for_new(struct persist_reader *reader)
{
	struct root_state state = look_at_root(reader);
	bool has_changed = !is_same_state(&state, &reader->root_state);

	/* Once more after a change: another one in the same tick of the clock leaves no trace. */
	if (has_changed || reader->root_has_changed)
		add_new(reader);
	reader->root_has_changed = has_changed;
	reader->root_state = state;
}

static void check_sources(struct persist_reader *reader)
{
	uint32_t nr_sources = reader->nr_sources;

	for (uint32_t i = 0; i < nr_sources; i++)
		if (event_source__check(reader->sources[i]))
			add_source(reader, reader->sources[i]->path);
	look_for_gone(reader);
	if (reader->reads_all)
		look_for_new(reader);
	for (uint32_t i = 0; i < reader->nr_sources;)
		if (reader->sources[i]->state != SOURCE_OVER || !retire_source(reader, i))
			i++;
}

/* ---- passes ------------------------------------------------------------------------------ */

/*
 * When the item at which the stream stands is due. It can be much newer than the pass, if whoever
 * takes the items was slow: it still has its place among those of the next one.
 */
static uint64_t item_time(const struct persist_reader *reader, const struct cpu_stream *stream)
{
	uint64_t time = stream->record ? stream->record->time_ns : stream->loss.before_ns;
	uint64_t now;

	if (time <= reader->pass_ns + WRITE_MARGIN_NSEC)
		return time;
	/* What is there was not recorded in the future: do not wait for that. */
	now = boottime_now();
	return time > now ? now : time;
}

/* Looks for new items in all streams that had none. */
static void look_at_streams(struct persist_reader *reader)
{
	for (uint32_t i = 0; i < reader->nr_streams; i++) {
		struct numbered_stream *numbered = &reader->streams[i];

		if (!numbered->stream || numbered->is_merged || !cpu_stream__step(numbered->stream))
			continue;
		numbered->is_merged = true;
		merge__push(&reader->merge, item_time(reader, numbered->stream), i);
	}
}

/* Moves the stream whose item was given out to its next one. */
static void step_current(struct persist_reader *reader)
{
	struct numbered_stream *current = &reader->streams[merge__first(&reader->merge)->stream];

	reader->has_current = false;
	if (cpu_stream__step(current->stream)) {
		merge__replace_first(&reader->merge, item_time(reader, current->stream));
	} else {
		current->is_merged = false;
		merge__pop(&reader->merge);
	}
}

/* Whether the user wants to see the item at which @stream stands. */
static bool is_wanted(const struct persist_reader *reader, const struct cpu_stream *stream)
{
	/* What is missing may have been anywhere between the records around it. */
	if (!stream->record)
		return stream->loss.before_ns >= reader->since_ns &&
		       stream->loss.after_ns <= reader->until_ns;
	return stream->record->time_ns >= reader->since_ns &&
	       stream->record->time_ns <= reader->until_ns;
}

/* The next item that is due and wanted. False if this pass has no more. */
static bool next_of_pass(struct persist_reader *reader, struct persist_item *item)
{
	const struct merge_entry *first;

	for (;;) {
		struct numbered_stream *numbered;

		if (reader->has_current)
			step_current(reader);
		first = merge__first(&reader->merge);
		if (!first || first->time_ns > reader->limit_ns)
			return false;
		numbered = &reader->streams[first->stream];
		reader->has_current = true;
		if (!is_wanted(reader, numbered->stream))
			continue;
		item->event = numbered->source->event;
		item->record = numbered->stream->record;
		if (!item->record)
			item->loss = numbered->stream->loss;
		item->stream = first->stream;
		return true;
	}
}

/* Gives out what is there, without regard to what comes meanwhile. */
static void begin_limited_pass(struct persist_reader *reader)
{
	for (uint32_t i = 0; i < reader->nr_sources; i++)
		event_source__limit(reader->sources[i]);
	reader->pass_ns = boottime_now();
	reader->limit_ns = UINT64_MAX;
	look_at_streams(reader);
}

/* Doorbells that ring after this wake us again. Returns whether one has. */
static bool take_wakeups(struct persist_reader *reader)
{
	struct epoll_event events[EVENTS_PER_WAIT];
	int nr = epoll_wait(reader->epoll_fd, events, EVENTS_PER_WAIT, 0);
	bool has_rung = false;

	for (int i = 0; i < nr; i++)
		has_rung |= events[i].data.u32 == WAKE_BY_DOORBELL;
	return has_rung;
}

static uint64_t check_interval(const struct persist_reader *reader)
{
	uint64_t interval = CHECK_NSEC + reader->nr_sources * CHECK_NSEC_PER_EVENT;

	return interval < LONGEST_CHECK_NSEC ? interval : LONGEST_CHECK_NSEC;
}

static void check_now(struct persist_reader *reader)
{
	check_sources(reader);
	reader->last_check_ns = reader->pass_ns;
}

static void begin_pass(struct persist_reader *reader)
{
	bool has_rung = take_wakeups(reader);

	reader->pass_ns = boottime_now();
	reader->gave_something = false;
	if (reader->pass_ns >= reader->last_check_ns + check_interval(reader))
		check_now(reader);
	if (reader->pass_ns >= reader->next_count_ns) {
		for (uint32_t i = 0; i < reader->nr_sources; i++)
			event_source__count(reader->sources[i]);
		reader->next_count_ns = reader->pass_ns + COUNT_NSEC;
	}
	look_at_streams(reader);
	if (has_rung && !merge__first(&reader->merge) &&
	    reader->pass_ns >= reader->last_check_ns + SHORTEST_CHECK_NSEC) {
		check_now(reader);
		look_at_streams(reader);
	}
	reader->limit_ns = reader->pass_ns - WRITE_MARGIN_NSEC;
}

/* ---- waiting ----------------------------------------------------------------------------- */

/*
 * Rings that wake nobody are looked at often enough that no more than a quarter of them is written
 * meanwhile, judging by how much it was the last time.
 */
static uint64_t poll_interval(struct persist_reader *reader)
{
	uint64_t interval = reader->poll_ns;

	for (uint32_t i = 0; i < reader->nr_streams; i++) {
		struct numbered_stream *numbered = &reader->streams[i];
		uint64_t bytes, quarter, wanted;

		if (!numbered->stream || !numbered->stream->tail)
			continue;
		bytes = numbered->stream->tail->read_bytes - numbered->read_bytes;
		numbered->read_bytes = numbered->stream->tail->read_bytes;
		quarter = numbered->source->event->meta.tail_bytes / 4;
		if (bytes <= quarter)
			continue;
		wanted = reader->poll_ns / (bytes / quarter + 1);
		if (wanted < interval)
			interval = wanted;
	}
	return interval > SHORTEST_POLL_NSEC ? interval : SHORTEST_POLL_NSEC;
}

static bool must_poll(const struct persist_reader *reader)
{
	for (uint32_t i = 0; i < reader->nr_sources; i++)
		if (reader->sources[i]->doorbell_fd < 0)
			return true;
	return false;
}

/* Makes the descriptor readable when there may be something, at the latest for the next check. */
static void arm_timer(struct persist_reader *reader)
{
	const struct merge_entry *first = merge__first(&reader->merge);
	uint64_t wait = check_interval(reader);
	struct itimerspec time = { 0 };

	if (must_poll(reader)) {
		uint64_t interval = poll_interval(reader);

		if (interval < wait)
			wait = interval;
	}
	/* What is held back is given out soon, unless it is polled for anyway. */
	if (first && reader->streams[first->stream].source->doorbell_fd >= 0)
		wait = WRITE_MARGIN_NSEC;
	time.it_value.tv_sec = (time_t)(wait / NSEC_PER_SEC);
	time.it_value.tv_nsec = (long)(wait % NSEC_PER_SEC);
	timerfd_settime(reader->timer_fd, 0, &time, NULL);
}

/*
 * One single record is to be seen at once: its time is waited for here, unless there was something
 * to give out before it.
 */
static bool wait_for_held_item(struct persist_reader *reader)
{
	const struct merge_entry *first = merge__first(&reader->merge);

	if (!first || reader->gave_something)
		return false;
	while (boottime_now() <= first->time_ns + WRITE_MARGIN_NSEC)
		;
	return true;
}

int persist_reader__fd(const struct persist_reader *reader)
{
	return reader->epoll_fd;
}

int persist_reader__wait(struct persist_reader *reader, int timeout_ms)
{
	struct pollfd pollfd = { .fd = reader->epoll_fd, .events = POLLIN };
	int nr = poll(&pollfd, 1, timeout_ms);

	return nr < 0 ? -errno : nr;
}

/* ---- the next item ----------------------------------------------------------------------- */

/* Reads all that is there and keeps the newest. */
static int collect_last(struct persist_reader *reader)
{
	struct persist_item item;
	int err;

	begin_limited_pass(reader);
	while (next_of_pass(reader, &item)) {
		err = last_items__put(&reader->last, &item);
		if (err)
			return err;
	}
	if (reader->follow) {
		for (uint32_t i = 0; i < reader->nr_sources; i++)
			event_source__remove_limit(reader->sources[i]);
		reader->limit_ns = 0;
	}
	return 0;
}

static int begin(struct persist_reader *reader)
{
	reader->has_begun = true;
	reader->needs_pass = true;
	if (reader->wants_last)
		return collect_last(reader);
	if (!reader->follow)
		begin_limited_pass(reader);
	return 0;
}

/* Whether nothing will ever come again. */
static bool is_at_end(const struct persist_reader *reader)
{
	return !reader->follow || (!reader->nr_sources && !reader->reads_all) ||
	       reader->limit_ns >= reader->until_ns;
}

static int give_out(struct persist_reader *reader, const struct persist_item *item)
{
	reader->streams[item->stream].seq = item->record ? item->record->seq : item->loss.to_seq;
	return 1;
}

int persist_reader__next(struct persist_reader *reader, struct persist_item *item)
{
	int err;

	if (!reader->has_begun) {
		err = begin(reader);
		if (err)
			return err;
	}
	if (reader->wants_last) {
		if (last_items__take(&reader->last, item))
			return give_out(reader, item);
		reader->wants_last = false;
		last_items__destroy(&reader->last);
	}
	for (;;) {
		if (next_of_pass(reader, item)) {
			reader->gave_something = true;
			return give_out(reader, item);
		}
		if (is_at_end(reader))
			return 0;
		if (!reader->needs_pass && !wait_for_held_item(reader)) {
			reader->needs_pass = true;
			arm_timer(reader);
			return -EAGAIN;
		}
		begin_pass(reader);
		reader->needs_pass = false;
	}
}
