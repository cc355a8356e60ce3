// SPDX-License-Identifier: GPL-2.0-only
/* perf waits: for its events, for signals, and what happens before it goes on. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf/perf_session_internal.h"
#include "time_spec.h"

/* ---- signals ----------------------------------------------------------------------------- */

static sigset_t ending_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	return signals;
}

void perf_wait__hold_signals(void)
{
	sigset_t signals = ending_signals();

	if (!session.holds_signals)
		pthread_sigmask(SIG_BLOCK, &signals, &session.signals_before);
	session.holds_signals = true;
}

void perf_wait__release_signals(void)
{
	if (session.holds_signals)
		pthread_sigmask(SIG_SETMASK, &session.signals_before, NULL);
	session.holds_signals = false;
}

/* Returns whether there was one. */
static bool take_signals(void)
{
	sigset_t pending, now;
	bool has_come;

	if (!session.holds_signals || sigpending(&pending))
		return false;
	has_come = sigismember(&pending, SIGCHLD) || sigismember(&pending, SIGINT) ||
		   sigismember(&pending, SIGTERM);
	if (!has_come)
		return false;
	pthread_sigmask(SIG_SETMASK, &session.signals_before, &now);
	pthread_sigmask(SIG_SETMASK, &now, NULL);
	return true;
}

/* ---- the end of what perf looks at ------------------------------------------------------- */

static bool has_ended(const struct perf_event_fd *fd)
{
	struct pollfd pollfd = { .fd = fd->fd, .events = POLLIN };

	return poll(&pollfd, 1, 0) > 0 &&
	       pollfd.revents & (fd->is_kernel ? POLLHUP | POLLERR : POLLIN);
}

/* An event goes on when the task is gone for which perf has opened it, but not for perf. */
static void end_with_tasks(void)
{
	for (size_t i = 0; i < session.fds_size; i++) {
		struct perf_event_fd *fd = session.fds[i];

		if (!fd || !fd->persistent || fd->pid <= 0 || fd->is_over || !has_ended(fd))
			continue;
		fd->is_over = true;
		perf_feed__forget_targets(&session);
		if (fd->on_ns != UINT64_MAX) {
			fd->off_ns = boottime_now();
			fd->on_ns = UINT64_MAX;
		}
	}
}

/* ---- poll -------------------------------------------------------------------------------- */

/* How long one thread waits for another one to read what nothing can go on without. */
#define OTHER_THREAD_NSEC (5 * NSEC_PER_MSEC)

/* Then it is looked again; a wait without end need not be told from a long one. */
#define LONGEST_WAIT_NSEC (3600 * NSEC_PER_SEC)

static bool polls_relay(const struct pollfd *fds, nfds_t nr)
{
	for (nfds_t i = 0; i < nr; i++) {
		const struct perf_event_fd *fd = perf_session__find(fds[i].fd);

		if (fd && fd->output)
			return true;
	}
	return false;
}

/* Whether perf has to read the ring of this descriptor. */
static bool has_to_be_read(const struct pollfd *pollfd)
{
	const struct perf_event_fd *fd = perf_session__find(pollfd->fd);

	return fd && fd->output && pollfd->events & POLLIN &&
	       (fd->output->ring.wakes || fd->output == session.feed.blocked_by);
}

/*
 * perf unmaps a ring when it is empty and all of its tasks are gone. That these are gone it learns
 * when it has got all that there is.
 */
static bool is_kept_back(const struct perf_event_fd *fd)
{
	return fd && fd->output && session.feed.blocked_by;
}

/* Marks what is to be read and what has ended; returns how many are marked. */
static int mark_ready(struct pollfd *fds, nfds_t nr)
{
	int nr_ready = 0;

	for (nfds_t i = 0; i < nr; i++) {
		const struct perf_event_fd *fd = perf_session__find(fds[i].fd);

		if (fd && !fd->is_kernel)
			fds[i].revents = fds[i].revents & POLLIN ? POLLHUP : 0;
		if (is_kept_back(fd))
			fds[i].revents &= ~(POLLHUP | POLLERR);
		if (has_to_be_read(&fds[i]))
			fds[i].revents |= POLLIN;
		nr_ready += fds[i].revents != 0;
	}
	for (nfds_t i = 0; i < nr; i++)
		if (has_to_be_read(&fds[i]))
			perf_ring__take_wakeup(&perf_session__find(fds[i].fd)->output->ring);
	return nr_ready;
}

static bool wakes_now(const struct pollfd *fds, nfds_t nr)
{
	for (nfds_t i = 0; i < nr; i++)
		if (has_to_be_read(&fds[i]))
			return true;
	return false;
}

/* Until when to wait at most. */
static struct timespec time_left(uint64_t deadline)
{
	uint64_t now = boottime_now(), left = now < deadline ? deadline - now : 0;

	if (left > LONGEST_WAIT_NSEC)
		left = LONGEST_WAIT_NSEC;
	if (session.feed.blocked_by && left > OTHER_THREAD_NSEC)
		left = OTHER_THREAD_NSEC;
	return (struct timespec){
		.tv_sec = (time_t)(left / NSEC_PER_SEC),
		.tv_nsec = (long)(left % NSEC_PER_SEC),
	};
}

struct waiting {
	struct pollfd *fds; /* perf's */
	nfds_t nr;
	uint64_t deadline;
	const sigset_t *mask;
	struct pollfd *more; /* these and the reader's */
	struct timespec left;
};

static void prepare_wait(struct waiting *waiting)
{
	struct pollfd *reader = &waiting->more[waiting->nr];

	pthread_mutex_lock(&session_lock);
	perf_feed__run(&session);
	*reader = (struct pollfd){ .fd = -1, .events = POLLIN };
	if (session.feed.reader && !session.feed.is_at_end && !session.feed.blocked_by)
		reader->fd = persist_reader__fd(session.feed.reader);
	waiting->left = (struct timespec){ 0 };
	if (!wakes_now(waiting->fds, waiting->nr))
		waiting->left = time_left(waiting->deadline);
	memcpy(waiting->more, waiting->fds, waiting->nr * sizeof(*waiting->fds));
	for (nfds_t i = 0; i < waiting->nr; i++) {
		const struct perf_event_fd *fd = perf_session__find(waiting->fds[i].fd);

		/* perf clears the events of what has ended, but poll(2) tells it all the same. */
		if (is_kept_back(fd) || (fd && !waiting->fds[i].events))
			waiting->more[i].fd = -1;
	}
	pthread_mutex_unlock(&session_lock);
}

static bool some_have_ended(const struct pollfd *fds, nfds_t nr)
{
	for (nfds_t i = 0; i < nr; i++) {
		const struct perf_event_fd *fd = perf_session__find(fds[i].fd);

		if (fd && fds[i].revents & (fd->is_kernel ? POLLHUP | POLLERR : POLLIN))
			return true;
	}
	return false;
}

/* After a wait that was interrupted by a signal, if @fds is NULL. */
static int conclude_wait(struct pollfd *fds, nfds_t nr)
{
	int nr_ready = 0;

	pthread_mutex_lock(&session_lock);
	if (!fds || some_have_ended(fds, nr)) {
		end_with_tasks();
		perf_feed__settle(&session);
	} else {
		perf_feed__run(&session);
	}
	if (fds)
		nr_ready = mark_ready(fds, nr);
	pthread_mutex_unlock(&session_lock);
	return nr_ready;
}

/* Waits once. Returns how many of perf's descriptors are ready, or -errno. */
static int wait_once(struct waiting *waiting)
{
	prepare_wait(waiting);
	if (ppoll(waiting->more, waiting->nr + 1, &waiting->left, waiting->mask) < 0) {
		int err = -errno;

		conclude_wait(NULL, 0);
		return err;
	}
	for (nfds_t i = 0; i < waiting->nr; i++)
		waiting->fds[i].revents = waiting->more[i].fd < 0 ? 0 : waiting->more[i].revents;
	return conclude_wait(waiting->fds, waiting->nr);
}

static uint64_t deadline_of(const struct timespec *timeout)
{
	if (!timeout)
		return UINT64_MAX;
	return boottime_now() + (uint64_t)timeout->tv_sec * NSEC_PER_SEC +
	       (uint64_t)timeout->tv_nsec;
}

struct perf_session_call perf_session__poll(struct pollfd *fds, nfds_t nr,
					    const struct timespec *timeout, const sigset_t *mask)
{
	struct waiting waiting = {
		.fds = fds,
		.nr = nr,
		.deadline = deadline_of(timeout),
		.mask = mask,
	};
	bool is_ours;
	int ready;

	pthread_mutex_lock(&session_lock);
	is_ours = session.relays && polls_relay(fds, nr);
	if (is_ours && !mask && session.holds_signals)
		waiting.mask = &session.signals_before;
	pthread_mutex_unlock(&session_lock);
	if (!is_ours)
		return not_ours();
	waiting.more = calloc(nr + 1, sizeof(*waiting.more));
	if (!waiting.more)
		return done(-ENOMEM);
	do
		ready = wait_once(&waiting);
	while (!ready && boottime_now() < waiting.deadline);
	free(waiting.more);
	return done(ready);
}

/* ---- write ------------------------------------------------------------------------------- */

/* What perf records into; a signal handler wakes somebody by other kinds of descriptors. */
static bool is_file_or_pipe(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode));
}

void perf_session__wrote(int fd)
{
	if (!__atomic_load_n(&session.feed.has_begun, __ATOMIC_RELAXED) || !is_file_or_pipe(fd))
		return;
	pthread_mutex_lock(&session_lock);
	if (take_signals()) {
		end_with_tasks();
		perf_feed__settle(&session);
	} else if (session.is_stopping || session.feed.blocked_by) {
		perf_feed__run(&session);
	}
	pthread_mutex_unlock(&session_lock);
}
