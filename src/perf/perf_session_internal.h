/* SPDX-License-Identifier: GPL-2.0-only */
/* What a session consists of; for the parts of its own implementation. */
#ifndef PERF_SESSION_INTERNAL_H
#define PERF_SESSION_INTERNAL_H

#include <pthread.h>
#include <signal.h>

#include "event_view.h"
#include "log.h"
#include "perf/perf_clock.h"
#include "perf/perf_relay.h"
#include "perf/perf_sample.h"
#include "perf/perf_session.h"
#include "perf/thread_names.h"
#include "persist_bpf.h"

/* A persistent event of the tree. */
struct persistent_event {
	struct persist_meta meta;
	char *path;
	struct event_view *view; /* for its counters; NULL: not needed yet */
	bool is_read;		 /* by the feed's reader */
	struct persistent_event *next;
};

/* perf trace leaves out itself and what shows its output, a few parents at the most. */
#define PERF_LEFT_OUT_MAX 8

/**
 * struct perf_event_fd - an event that perf has opened
 * @fd:          its descriptor
 * @is_kernel:   which is a perf event of the kernel; else a pidfd or an eventfd
 * @persistent:  what it stands for; NULL: an event of the kernel, with which we have nothing to do
 * @evsel:       where perf keeps the attr: all that it opens with the same are one event to perf
 * @attr:        the attr, of which the descriptor may have another one
 * @cpu:         -1: all
 * @id:          that its samples carry
 * @pid:         task that perf looks at; -1: all
 * @map:         where perf has mapped it, or NULL
 * @map_size:    bytes of that
 * @output:      the ring into which its records go; NULL: none, or one of the kernel
 * @opened:      counts up: the order in which perf has opened its events
 * @open_ns:     when (CLOCK_BOOTTIME)
 * @off_ns:      what is recorded from here on, until @on_ns, is not for perf (CLOCK_BOOTTIME)
 * @on_ns:       UINT64_MAX as long as it is off
 * @left_out:    threads of which perf wants nothing: itself, for perf trace
 * @nr_left_out: of these
 * @is_over:     the task is gone that it was opened for
 * @nr_seen:     events that came, for a sample_period of more than one
 * @lost:        samples that are missing
 * @unreported:  of these, without a PERF_RECORD_LOST yet
 */
struct perf_event_fd {
	int fd;
	bool is_kernel;
	struct persistent_event *persistent;
	const void *evsel;
	struct perf_event_attr attr;
	int cpu;
	uint64_t id;
	pid_t pid;
	void *map;
	size_t map_size;
	struct perf_relay *output;
	uint64_t opened;
	uint64_t open_ns;
	uint64_t off_ns, on_ns;
	pid_t left_out[PERF_LEFT_OUT_MAX];
	size_t nr_left_out;
	bool is_over;
	uint64_t nr_seen;
	uint64_t lost, unreported;
};

/* The descriptors that get the records of one event and CPU. */
struct targets {
	struct perf_event_fd **fds;
	size_t nr;
	bool is_known;
};

/* How records come from the pinned buffers into perf's rings. */
struct perf_feed {
	struct persist_reader *reader; /* NULL: not begun, or nothing will come any more */
	bool has_begun;
	bool is_at_end;
	struct perf_clock clock;
	uint64_t begin_ns; /* CLOCK_BOOTTIME */
	uint64_t next_adjust_ns;
	struct thread_names names;
	bool history_is_over;
	bool has_item; /* @item is not delivered yet: to those targets from @next_target on */
	struct perf_relay *blocked_by; /* the ring in which there is no room for it */
	struct persist_item item;
	size_t next_target;
	bool is_in_pass;	 /* of the reader */
	uint64_t pass_ns;	 /* when it began */
	uint64_t up_to_ns;	 /* everything older was delivered */
	struct targets *targets; /* of each stream of the reader */
	size_t nr_targets;
};

struct perf_session {
	struct perf_session_options options;
	struct persistent_event *events;
	struct perf_event_fd **fds; /* by descriptor; NULL: none of perf's events */
	size_t fds_size;
	size_t nr_persistent; /* descriptors of persistent events */
	uint64_t nr_opened;
	struct perf_relay *relays;
	bool is_stopping; /* perf has stopped its events and reads what is left */
	bool holds_signals;
	sigset_t signals_before;
	struct perf_feed feed;
};

extern const struct log perf_log;

/* Whether perf was told that a persistent event is a tracepoint, and this is it. */
static inline bool is_named_as_tracepoint(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_TRACEPOINT && attr->config < 65536 &&
	       attr->config >= PERF_SESSION_FIRST_TRACEPOINT;
}

/* The one of this process, and what is held by who uses it. */
extern struct perf_session session;
extern pthread_mutex_t session_lock;

static inline struct perf_session_call not_ours(void)
{
	return (struct perf_session_call){ .is_done = false };
}

static inline struct perf_session_call done(long result)
{
	return (struct perf_session_call){ .is_done = true, .result = result };
}

/* The event of perf's that has this descriptor, or NULL. */
struct perf_event_fd *perf_session__find(int fd);

/* The one whose records have this id, or NULL. */
struct perf_event_fd *perf_session__find_id(uint64_t id);

/* ---- perf_session_wait.c ----------------------------------------------------------------- */

/*
 * perf ends when SIGCHLD, SIGINT or SIGTERM has come and it finds nothing to read any more. What
 * was recorded before has to be in its rings by then, as it is with the kernel. So these signals
 * are held while perf has rings, and taken where these can be filled before perf goes on: while it
 * waits, and when it has written something.
 */
void perf_wait__hold_signals(void);
void perf_wait__release_signals(void);

/* ---- perf_targets.c: which descriptor gets what ------------------------------------------ */

/*
 * The one descriptor of the same perf event as @one that gets the records of this CPU. A persistent
 * event is one of the whole machine, also where perf asks for one of a task: the first descriptor
 * for the CPU gets them, of those whose thread is there yet, whichever it is. What was recorded on
 * a CPU that is not online any more, and for which perf has none therefore, goes to the first one
 * of all, unless perf was told to look at some CPUs only.
 */
struct perf_event_fd *perf_targets__find(const struct perf_session *session,
					 const struct perf_event_fd *one, uint32_t cpu);

/* All that get the records of this event and CPU. Returns 0 or -ENOMEM. */
int perf_targets__collect(const struct perf_session *session,
			  const struct persistent_event *persistent, uint32_t cpu,
			  struct targets *targets);

/* How many events a descriptor has counted. */
uint64_t perf_targets__count(const struct perf_session *session, const struct perf_event_fd *fd);

/* ---- perf_feed.c ------------------------------------------------------------------------- */

/*
 * Fills perf's rings: with what is there, as far as there is room. perf reads all rings in rounds,
 * and sorts what it has read in a round and the one before: so all records come in the order of
 * time, and those of the kernel when persistent events have come as far.
 */
void perf_feed__run(struct perf_session *session);

/* The same, but waits for what was recorded until now to become visible. */
void perf_feed__settle(struct perf_session *session);

/* The descriptors have changed. */
void perf_feed__forget_targets(struct perf_session *session);

/* Ends it; it may begin anew. */
void perf_feed__end(struct perf_session *session);

#endif
