/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a perf process has opened, and how it gets persistent events among that: each function
 * stands behind the system call of its name, as perf_event_open(2) describes it.
 *
 * perf marks a persistent event by a bit of the attr (PERF_SESSION_PERSISTENT), which the format of
 * the PMU in its view of sysfs tells it to set. For each that perf opens, an event of the kernel is
 * opened that counts nothing (PERF_COUNT_SW_DUMMY), with the same attr otherwise, and its
 * descriptor is what perf gets: so ids, groups, the records about tasks and mappings, the end of a
 * task (POLLHUP), and all errors are the kernel's own. The samples come from the pinned buffers;
 * perf reads them from a ring of ours, into which the kernel's records are copied as they are.
 *
 * Where the kernel does not let this user open perf events, perf gets a pidfd or an eventfd
 * instead.
 *
 * One session a process. All functions may be called by several threads.
 */
#ifndef PERF_SESSION_H
#define PERF_SESSION_H

#include <linux/perf_event.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* In perf_event_attr.config2, of type PERF_TYPE_TRACEPOINT; the kernel does not use it there. */
#define PERF_SESSION_PERSISTENT (1ull << 63)

/*
 * The other way to name a persistent event: it is a tracepoint with an id from here to 65535, which
 * the view of tracefs gives it, see perf_view.h. Records begin with the id of their tracepoint in
 * 16 bits; perf gets them with this one.
 */
#define PERF_SESSION_FIRST_TRACEPOINT 49152u

/**
 * struct perf_session_options - what a session is about; strings must stay valid
 * @root:        the tree of events
 * @tracepoints: directory in which the events are tracepoints; NULL: they are not
 * @is_live:     perf shows what happens at present, and leaves out what is older: history is to
 *               happen when perf begins
 */
struct perf_session_options {
	const char *root;
	const char *tracepoints;
	bool is_live;
};

/* Begins the session. Messages go to stderr. */
void perf_session__begin(const struct perf_session_options *options);

/* In a child of fork(2), which shares nothing of this: what the functions are told is not theirs.
 */
void perf_session__leave(void);

/**
 * perf_session__open() - perf_event_open(2)
 * @attr: of a persistent event, what perf needs to decode its samples is added to sample_type
 *
 * Return: the descriptor or -errno.
 */
long perf_session__open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			unsigned long flags);

/**
 * struct perf_session_call - what became of a call
 * @is_done: it was carried out; else it is not about a persistent event, and the caller carries it
 *           out
 * @result:  what the call returns, or -errno
 */
struct perf_session_call {
	bool is_done;
	long result;
};

struct perf_session_call perf_session__mmap(size_t size, int prot, int fd, off_t offset);
/* A call that was not done here has mapped @fd at @map. */
void perf_session__mapped(void *map, size_t size, int fd);
struct perf_session_call perf_session__munmap(void *map);
struct perf_session_call perf_session__ioctl(int fd, unsigned long request, uintptr_t arg);
struct perf_session_call perf_session__read(int fd, void *buffer, size_t size);
/* @timeout: NULL to wait without end; @mask as of ppoll(2) */
struct perf_session_call perf_session__poll(struct pollfd *fds, nfds_t nr,
					    const struct timespec *timeout, const sigset_t *mask);
/* To be called before the descriptor is closed, which the caller does. */
void perf_session__close(int fd);

/*
 * perf has written something to @fd. After it has stopped its events it does not wait any
 * more, but goes on as long as it finds records: it writes what it has found, and looks again.
 */
void perf_session__wrote(int fd);

#endif
