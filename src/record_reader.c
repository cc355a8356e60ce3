// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/*
 * struct persist_reader: the items of all events and CPUs in the order of time.
 *
 * A follower works in passes. Before it looks at the rings it takes the time; then every record
 * older than that by more than a small margin is visible, and what is visible can be given out in
 * the order of time as far as that. What is younger waits for the next pass.
 *
 * While a loader exchanges the buffers of an event, new records of it are where nobody can find
 * them yet. What other events recorded meanwhile waits until they are found.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "event_list.h"
#include "event_path.h"
#include "event_source.h"
#include "last_items.h"
#include "merge.h"
#include "options.h"
#include "persist_tree_internal.h"
#include "record_reader.h"
#include "pin_manager.h"
#include "program_name.h"
#include "time_spec.h"
#include "tree_watch.h"

/* From taking a record's time to its being visible, if nothing interrupts the writer for long. */
#define WRITE_MARGIN_NSEC (50 * NSEC_PER_USEC)

/* With the time of a wake-up a record is seen within 20 ms. */
#define DEFAULT_POLL_NSEC  (19 * NSEC_PER_MSEC)
#define SHORTEST_POLL_NSEC (100 * NSEC_PER_USEC)

/* How often to look at least, if each record wakes. */
#define LONGEST_WAIT_NSEC (200 * NSEC_PER_MSEC)

/*
 * How often to look whether a loader has changed something: a follower that does not come to the
 * buffers between two clears has lost what was in them. It is sooner if a doorbell rings and there
 * is nothing, which may have rung for new buffers; and less often while nothing comes.
 */
#define LOOK_NSEC      (40 * NSEC_PER_MSEC)
#define IDLE_LOOK_NSEC (80 * NSEC_PER_MSEC)

/*
 * How often to look at each event while a loader is at work; and where one cannot know whether it
 * is. With many events it takes longer, so that it costs no more.
 */
#define CHANGING_NSEC		(5 * NSEC_PER_MSEC)
#define CHANGING_NSEC_PER_EVENT (100 * NSEC_PER_USEC)
#define CHECK_NSEC		(20 * NSEC_PER_MSEC)
#define CHECK_NSEC_PER_EVENT	(2 * NSEC_PER_MSEC)
#define LONGEST_CHECK_NSEC	(200 * NSEC_PER_MSEC)

/* So long at the most, events that are there wait for one that is being made. */
#define LONGEST_MAKING_NSEC NSEC_PER_SEC

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
	uint64_t seq; /* of the last item that was given or left out, or saved before; else 0 */
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
	struct tree_watch *trees;     /* where the events are */
	uint32_t nr_trees;
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
	uint64_t known_ns;   /* all that happened until then is, or will be, in known buffers */
	uint64_t unmade_ns;  /* until then no event had begun that is not read */
	enum tree_state tree_state; /* by the last look */
	bool has_waited;	    /* for what is staged, and in vain */
	bool needs_check;	    /* of each event, whatever the next look says */
	uint64_t last_look_ns, last_check_ns, next_count_ns;

	struct last_items last;
	bool wants_last; /* only the newest of what is there are to be given out */

	int epoll_fd, timer_fd;
	bool has_no_timer;	/* whoever waits knows how long: record_reader__poll() */
	bool nothing_has_rung;	/* as it says */
	bool has_read;		/* since the last wait */
	uint64_t wait_until_ns; /* at the latest the next pass is due */
};

/* ---- making one -------------------------------------------------------------------------- */

/* What was left out for being too old counts as read: who goes on from here does not want it. */
static void leave_out(void *ctx, const struct persist_item *item)
{
	struct persist_reader *reader = ctx;

	reader->streams[item->stream].seq = persist_item__position(item);
}

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
		last_items__init(&reader->last, options->last, leave_out, reader);
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
	for (uint32_t i = 0; i < reader->nr_trees; i++)
		tree_watch__destroy(&reader->trees[i]);
	free(reader->trees);
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

static int watch_root(struct persist_reader *reader, const char *root)
{
	struct tree_watch watch, *trees;
	int err = tree_watch__init(&watch, root);

	if (err)
		return err;
	for (uint32_t i = 0; i < reader->nr_trees; i++) {
		if (strcmp(reader->trees[i].staging, watch.staging) != 0)
			continue;
		tree_watch__destroy(&watch);
		return 0;
	}
	trees = reallocarray(reader->trees, reader->nr_trees + 1, sizeof(*trees));
	if (!trees) {
		tree_watch__destroy(&watch);
		return -ENOMEM;
	}
	reader->trees = trees;
	trees[reader->nr_trees++] = watch;
	return 0;
}

/* The tree in which the event is. */
static int watch_tree(struct persist_reader *reader, const struct event_source *source)
{
	char path[PATH_MAX];

	if (!reader->follow || !event_source__has_path(source))
		return 0;
	if (snprintf(path, sizeof(path), "%s", source->path) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return watch_root(reader, dirname(path));
}

static const struct event_source *find_instance(const struct persist_reader *reader,
						uint64_t instance)
{
	for (uint32_t i = 0; i < reader->nr_sources; i++)
		if (reader->sources[i]->event->meta.instance == instance)
			return reader->sources[i];
	return NULL;
}

/* The source becomes the reader's, also if that fails. */
static int take_source(struct persist_reader *reader, struct event_source *source)
{
	const struct event_source *same = find_instance(reader, source->event->meta.instance);
	struct event_source **sources;
	int err = 0;

	if (same) {
		/* It may have been removed and be back before it has ended here: a moment later. */
		if (same->state == SOURCE_LIVE)
			log_warn(&reader->log, "%s: named twice; it is read once", source->path);
		err = -EEXIST;
	}
	if (!err)
		err = watch_tree(reader, source);
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
	if (!strchr(target, '/') && access(reader->root, F_OK))
		pin_tree__log_no_tree(&reader->log, reader->root);
	else
		event_list__log_unknown(&reader->log, path);
}

/* Those that there are now, the last part of @path being a pattern. */
static int add_matching(struct persist_reader *reader, char *path)
{
	char *slash = strrchr(path, '/'), one[PATH_MAX], **names;
	const char *root = ".", *pattern = path;
	int nr, err = 0;

	if (slash) {
		*slash = '\0';
		root = slash == path ? "/" : path;
		pattern = slash + 1;
	}
	nr = event_list__matching(root, pattern, &reader->log, &names);
	for (int i = 0; i < nr && !err; i++) {
		if (snprintf(one, sizeof(one), "%s/%s", root, names[i]) >= (int)sizeof(one))
			err = -ENAMETOOLONG;
		else
			err = add_source(reader, one);
		/* Another target may be that one, too; or it was removed just now. */
		if (err == -EEXIST || err == -ENOENT)
			err = 0;
	}
	event_list__free_names(names, nr);
	return nr < 0 ? nr : err;
}

int persist_reader__add(struct persist_reader *reader, const char *target)
{
	char path[PATH_MAX];
	int err;

	if (reader->has_begun)
		return -EBUSY;
	err = event_path__of_target(reader->root, target, path);
	if (err) {
		log_error(&reader->log,
			  "\"%s\": not the name or path of an event, such as mce_record", target);
		return err;
	}
	if (event_list__is_pattern(strrchr(path, '/') ?: path))
		return add_matching(reader, path);
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

int record_reader__for_each_position(const struct persist_reader *reader,
				     record_reader_position_fn fn, void *ctx)
{
	int err = 0;

	for (uint32_t i = 0; i < reader->nr_streams && !err; i++) {
		const struct numbered_stream *numbered = &reader->streams[i];

		if (numbered->stream && numbered->seq)
			err = fn(ctx, numbered->source->event, numbered->stream->cpu,
				 numbered->seq);
	}
	return err;
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

/* Another event may come to this path. Without memory for that, it is not waited for. */
static void remember_gone(struct persist_reader *reader, const char *path)
{
	char **gone;

	for (uint32_t i = 0; i < reader->nr_gone; i++)
		if (!strcmp(reader->gone[i], path))
			return;
	gone = reallocarray(reader->gone, reader->nr_gone + 1, sizeof(*gone));
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
	event_source__free(source);
	/* The same event may be back, and was not taken for a new one as long as it was known. */
	reader->root_has_changed = true;
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
		if (infos[i].error || find_instance(reader, infos[i].meta.instance))
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
	err = watch_root(reader, reader->root);
	if (!err)
		err = add_new(reader);
	if (err != -ENOENT)
		return err;
	if (reader->follow)
		return 0;
	pin_tree__log_no_tree(&reader->log, reader->root);
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

/* Looks what a loader has done to each event. */
static void check_sources(struct persist_reader *reader)
{
	reader->last_check_ns = reader->pass_ns;
	for (uint32_t i = 0; i < reader->nr_sources; i++) {
		struct event_source *source = reader->sources[i];
		bool was_live = source->state == SOURCE_LIVE;

		event_source__check(source, reader->pass_ns);
		if (was_live && source->state != SOURCE_LIVE && !reader->reads_all)
			remember_gone(reader, source->path);
	}
	for (uint32_t i = 0; i < reader->nr_sources;)
		if (reader->sources[i]->state != SOURCE_OVER || !retire_source(reader, i))
			i++;
	look_for_gone(reader);
	if (reader->reads_all)
		look_for_new(reader);
}

/* ---- what is known ----------------------------------------------------------------------- */

static enum tree_state look_at_trees(struct persist_reader *reader)
{
	enum tree_state state, worst = TREE_QUIET;

	for (uint32_t i = 0; i < reader->nr_trees; i++) {
		state = tree_watch__look(&reader->trees[i], reader->pass_ns);
		if (state > worst)
			worst = state;
	}
	reader->last_look_ns = reader->pass_ns;
	return worst;
}

/* How often each event is to be checked, as things are. */
static uint64_t check_interval(const struct persist_reader *reader)
{
	uint64_t interval;

	/* To list a tree takes longer than to look whether some buffers are the right ones. */
	if (reader->tree_state == TREE_CHANGING && !reader->reads_all)
		interval = CHANGING_NSEC + reader->nr_sources * CHANGING_NSEC_PER_EVENT;
	else
		interval = CHECK_NSEC + reader->nr_sources * CHECK_NSEC_PER_EVENT;
	return interval < LONGEST_CHECK_NSEC ? interval : LONGEST_CHECK_NSEC;
}

/* Whether an event may come that is to be read as well. */
static bool expects_events(const struct persist_reader *reader)
{
	return reader->reads_all || reader->nr_gone;
}

static bool is_staging(const struct persist_reader *reader)
{
	for (uint32_t i = 0; i < reader->nr_trees; i++)
		if (tree_watch__is_staging(&reader->trees[i], reader->pass_ns))
			return true;
	return false;
}

/*
 * Whether, at the last look, an event was being made that is to be read. What is staged for too
 * long, as by a loader that was stopped or killed, is not waited for a second time.
 */
static bool is_making(struct persist_reader *reader)
{
	if (!expects_events(reader) || !is_staging(reader))
		reader->has_waited = false;
	else if (reader->pass_ns >= reader->unmade_ns + LONGEST_MAKING_NSEC)
		reader->has_waited = true;
	else
		return !reader->has_waited;
	return false;
}

/* After all events were checked: until when everything that happened can be found. */
static uint64_t known_until(struct persist_reader *reader)
{
	uint64_t known_ns, least_ns = reader->pass_ns;

	for (uint32_t i = 0; i < reader->nr_sources; i++) {
		known_ns = event_source__known_until(reader->sources[i], reader->pass_ns);
		if (known_ns < least_ns)
			least_ns = known_ns;
	}
	if (!is_making(reader))
		reader->unmade_ns = reader->pass_ns;
	return reader->unmade_ns < least_ns ? reader->unmade_ns : least_ns;
}

static bool has_ending_source(const struct persist_reader *reader)
{
	for (uint32_t i = 0; i < reader->nr_sources; i++)
		if (reader->sources[i]->state != SOURCE_LIVE)
			return true;
	return false;
}

/* Looks whether there are other buffers or events than before. Returns true if there may be. */
static bool look_for_changes(struct persist_reader *reader)
{
	reader->tree_state = look_at_trees(reader);
	if (reader->tree_state == TREE_QUIET && !reader->needs_check) {
		reader->known_ns = reader->unmade_ns = reader->pass_ns;
		return false;
	}
	/* Once more when all is quiet: only then has the last change been seen. */
	reader->needs_check = true;
	if (reader->pass_ns < reader->last_check_ns + check_interval(reader)) {
		/* Where one cannot know, nothing waits for what may be. */
		if (reader->tree_state == TREE_UNKNOWN)
			reader->known_ns = reader->pass_ns;
		return false;
	}
	check_sources(reader);
	reader->known_ns = known_until(reader);
	reader->needs_check = reader->tree_state != TREE_QUIET || has_ending_source(reader);
	return true;
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
		numbered->is_merged = reader->has_read = true;
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

/*
 * Whether the user wants to see the item. What is missing may have been anywhere between the
 * records around it.
 */
static bool is_wanted(struct persist_reader *reader, const struct persist_item *item)
{
	uint64_t oldest_ns = item->record ? item->record->time_ns : item->loss.after_ns;
	uint64_t newest_ns = item->record ? item->record->time_ns : item->loss.before_ns;

	if (newest_ns < reader->since_ns) {
		leave_out(reader, item);
		return false;
	}
	return oldest_ns <= reader->until_ns;
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
		item->event = numbered->source->event;
		item->record = numbered->stream->record;
		if (!item->record)
			item->loss = numbered->stream->loss;
		item->stream = first->stream;
		if (is_wanted(reader, item))
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

static void count_events(struct persist_reader *reader)
{
	if (reader->pass_ns < reader->next_count_ns)
		return;
	for (uint32_t i = 0; i < reader->nr_sources; i++)
		event_source__count(reader->sources[i]);
	reader->next_count_ns = reader->pass_ns + COUNT_NSEC;
}

/* Whether one event could overtake another one whose new buffers are not known. */
static bool may_overtake(const struct persist_reader *reader)
{
	return reader->nr_sources > 1 || expects_events(reader);
}

/* Whether to look for other buffers than those that are known. */
static bool must_look(const struct persist_reader *reader, bool has_rung)
{
	bool has_found = merge__first(&reader->merge);

	if (reader->needs_check || (has_found ? may_overtake(reader) : has_rung))
		return true;
	return reader->pass_ns >= reader->last_look_ns + (has_found ? LOOK_NSEC : IDLE_LOOK_NSEC);
}

static void begin_pass(struct persist_reader *reader)
{
	bool has_rung = !reader->nothing_has_rung && take_wakeups(reader);

	reader->nothing_has_rung = false;
	reader->pass_ns = boottime_now();
	reader->gave_something = false;
	count_events(reader);
	look_at_streams(reader);
	if (must_look(reader, has_rung) && look_for_changes(reader))
		look_at_streams(reader);
	if (!may_overtake(reader))
		reader->known_ns = reader->pass_ns;
	reader->limit_ns = reader->pass_ns - WRITE_MARGIN_NSEC;
	if (reader->known_ns < reader->limit_ns)
		reader->limit_ns = reader->known_ns;
}

/* ---- waiting ----------------------------------------------------------------------------- */

/*
 * Rings that wake nobody are looked at often enough that no more than a quarter of them is written
 * meanwhile, judging by how much it was the last time.
 */
static uint64_t poll_interval(struct persist_reader *reader)
{
	uint64_t interval = reader->poll_ns;

	if (!reader->has_read)
		return interval;
	reader->has_read = false;
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
		if (!reader->sources[i]->wakes_at_once)
			return true;
	return false;
}

/* The first item could be given out if only it were known that no other is older. */
static bool waits_for_buffers(const struct persist_reader *reader)
{
	return reader->known_ns < reader->pass_ns - WRITE_MARGIN_NSEC;
}

/* How long, from the last pass on, there is no need for another one unless a doorbell rings. */
static uint64_t longest_wait(struct persist_reader *reader)
{
	const struct merge_entry *first = merge__first(&reader->merge);
	uint64_t interval, wait = LONGEST_WAIT_NSEC;

	if (must_poll(reader))
		wait = poll_interval(reader);
	if (reader->needs_check) {
		interval = check_interval(reader);
		if (interval < wait)
			wait = interval;
	}
	/* What is held back is given out soon, unless it is polled for anyway. */
	if (first && !waits_for_buffers(reader) &&
	    reader->streams[first->stream].source->wakes_at_once)
		wait = WRITE_MARGIN_NSEC;
	return wait;
}

/* The descriptor becomes readable when there may be something, at the latest for the next look. */
static void prepare_to_wait(struct persist_reader *reader)
{
	uint64_t wait = longest_wait(reader);
	struct itimerspec time = {
		.it_value.tv_sec = (time_t)(wait / NSEC_PER_SEC),
		.it_value.tv_nsec = (long)(wait % NSEC_PER_SEC),
	};

	reader->wait_until_ns = reader->pass_ns + wait;
	if (!reader->has_no_timer)
		timerfd_settime(reader->timer_fd, 0, &time, NULL);
}

/*
 * One single record is to be seen at once: its time is waited for here, unless there was something
 * to give out before it.
 */
static bool wait_for_held_item(struct persist_reader *reader)
{
	const struct merge_entry *first = merge__first(&reader->merge);

	if (!first || reader->gave_something || waits_for_buffers(reader))
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

/* Instead of the timer, which would take two more system calls each time. */
static void do_without_timer(struct persist_reader *reader)
{
	const struct itimerspec never = { 0 };

	if (reader->has_no_timer)
		return;
	reader->has_no_timer = true;
	timerfd_settime(reader->timer_fd, 0, &never, NULL);
}

int record_reader__poll(struct persist_reader *reader, struct pollfd *fds, nfds_t nr,
			int timeout_ms)
{
	uint64_t now = boottime_now(), wait = 0;
	struct timespec timeout;
	int ready;

	do_without_timer(reader);
	if (now < reader->wait_until_ns)
		wait = reader->wait_until_ns - now;
	if (timeout_ms >= 0 && wait > timeout_ms * NSEC_PER_MSEC)
		wait = timeout_ms * NSEC_PER_MSEC;
	timeout.tv_sec = (time_t)(wait / NSEC_PER_SEC);
	timeout.tv_nsec = (long)(wait % NSEC_PER_SEC);
	ready = ppoll(fds, nr, &timeout, NULL);
	if (ready < 0)
		return -errno;
	reader->nothing_has_rung = !fds[0].revents;
	return ready;
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
	reader->needs_check = true;
	reader->unmade_ns = boottime_now();
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
	reader->streams[item->stream].seq = persist_item__position(item);
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
			prepare_to_wait(reader);
			return -EAGAIN;
		}
		begin_pass(reader);
		reader->needs_pass = false;
	}
}
