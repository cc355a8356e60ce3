// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf/perf_session_internal.h"
#include "program_name.h"
#include "time_spec.h"

/* Ids of events without a descriptor of the kernel; its own count from 1. */
#define FIRST_OWN_ID (1ull << 62)

static void print_message(void *ctx, enum persist_log_level level, const char *message)
{
	static const char *const prefixes[] = { "error: ", "warning: ", "", "" };

	(void)ctx;
	fprintf(stderr, "%s perf: %s%s\n", program_name__short(), prefixes[level], message);
}

const struct log perf_log = { print_message, NULL, PERSIST_LOG_WARNING };

struct perf_session session;
pthread_mutex_t session_lock = PTHREAD_MUTEX_INITIALIZER;

void perf_session__begin(const struct perf_session_options *options)
{
	session.options = *options;
}

void perf_session__leave(void)
{
	/* What other threads were in the middle of is not here. */
	pthread_mutex_init(&session_lock, NULL);
	perf_wait__release_signals();
	memset(&session, 0, sizeof(session));
}

/* ---- descriptors ------------------------------------------------------------------------- */

struct perf_event_fd *perf_session__find(int fd)
{
	return fd >= 0 && (size_t)fd < session.fds_size ? session.fds[fd] : NULL;
}

struct perf_event_fd *perf_session__find_id(uint64_t id)
{
	for (size_t i = 0; i < session.fds_size; i++)
		if (session.fds[i] && session.fds[i]->id == id)
			return session.fds[i];
	return NULL;
}

static int add_fd(const struct perf_event_fd *what)
{
	size_t size = (size_t)what->fd + 64;
	struct perf_event_fd **fds, *added;

	if ((size_t)what->fd >= session.fds_size) {
		fds = reallocarray(session.fds, size, sizeof(*fds));
		if (!fds)
			return -ENOMEM;
		memset(fds + session.fds_size, 0, (size - session.fds_size) * sizeof(*fds));
		session.fds = fds;
		session.fds_size = size;
	}
	added = malloc(sizeof(*added));
	if (!added)
		return -ENOMEM;
	*added = *what;
	added->opened = session.nr_opened++;
	free(session.fds[what->fd]);
	session.fds[what->fd] = added;
	session.nr_persistent += what->persistent != NULL;
	perf_feed__forget_targets(&session);
	return 0;
}

static void forget_events(void)
{
	struct persistent_event *event;

	while ((event = session.events)) {
		session.events = event->next;
		event_view__put(event->view);
		free(event->path);
		free(event);
	}
}

static void remove_fd(struct perf_event_fd *fd)
{
	session.nr_persistent -= fd->persistent != NULL;
	session.fds[fd->fd] = NULL;
	perf_feed__forget_targets(&session);
	free(fd);
	/* perf stat --repeat opens all of them again. */
	if (!session.nr_persistent) {
		perf_feed__end(&session);
		forget_events();
	}
}

/* ---- perf_event_open --------------------------------------------------------------------- */

static bool is_persistent(const struct perf_event_attr *attr)
{
	if (session.options.tracepoints && is_named_as_tracepoint(attr))
		return true;
	return attr->type == PERF_TYPE_TRACEPOINT && attr->size >= PERF_ATTR_SIZE_VER1 &&
	       attr->config2 & PERF_SESSION_PERSISTENT;
}

/* The id of the tracepoint that stands for the event, 0 without one. */
static uint64_t tracepoint_of(const struct persist_meta *meta)
{
	unsigned long long id = 0;
	char path[PATH_MAX];
	FILE *file;

	if (snprintf(path, sizeof(path), "%s/%s/id", session.options.tracepoints, meta->name) >=
	    (int)sizeof(path))
		return 0;
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%llu", &id) != 1)
		id = 0;
	fclose(file);
	return id;
}

static bool is_meant(const struct persist_meta *meta, const struct perf_event_attr *attr)
{
	if (!(attr->config2 & PERF_SESSION_PERSISTENT))
		return tracepoint_of(meta) == attr->config;
	/* Two events can have the same tracepoint, so that our view names the event as well. */
	return attr->config1 ? meta->event_id == attr->config1 && meta->config == attr->config
			     : meta->event_id == attr->config;
}

static int add_event(const struct persist_meta *meta, struct persistent_event **result)
{
	struct persistent_event *event = calloc(1, sizeof(*event));

	if (!event)
		return -ENOMEM;
	event->meta = *meta;
	if (asprintf(&event->path, "%s/%s", session.options.root, meta->name) < 0) {
		free(event);
		return -ENOMEM;
	}
	event->next = session.events;
	session.events = event;
	*result = event;
	return 0;
}

static int find_event(const struct perf_event_attr *attr, struct persistent_event **event)
{
	struct persist_event_info *infos;
	int nr, err = -ENOENT;

	for (*event = session.events; *event; *event = (*event)->next)
		if (is_meant(&(*event)->meta, attr))
			return 0;
	nr = persist_list_events(session.options.root, print_message, NULL, &infos);
	if (nr < 0)
		return nr;
	for (int i = 0; i < nr && err == -ENOENT; i++)
		if (!infos[i].error && is_meant(&infos[i].meta, attr))
			err = add_event(&infos[i].meta, event);
	free(infos);
	if (err == -ENOENT)
		log_error(
			&perf_log,
			"%s: there is no event with the id %llu; reader list shows those there are",
			session.options.root,
			(unsigned long long)(attr->config1 ? attr->config1 : attr->config));
	return err;
}

static const char no_aux[] = "no AUX area (such as of intel_pt) together with them";

/* What perf may ask of an event of the kernel and we do not have. Says so once. */
static int refuse(const char *what)
{
	static const char *last;

	if (what != last)
		log_error(&perf_log, "persistent events: %s", what);
	last = what;
	return -EOPNOTSUPP;
}

static int check_attr(const struct perf_event_attr *attr)
{
	if (attr->write_backward)
		return refuse("no --overwrite: they are in a flight recorder already, and all that "
			      "it has is read");
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return refuse("branches (-b, -j) are not recorded with them");
	if (attr->sample_type & PERF_SAMPLE_READ)
		return refuse("no sampling of a group's counters (:S)");
	if (attr->sample_type & ~(uint64_t)PERF_SAMPLE_SUPPORTED)
		return -EINVAL; /* of a newer perf, which will try without it */
	if (session.feed.has_begun)
		return refuse("none can be added while others are being read");
	return 0;
}

/*
 * perf asks for the raw record of what it knows to be a tracepoint, but not of what comes by way of
 * a PMU. It writes the attr into its file after it has opened the event, as it is then. The CPU is
 * left out where several events share a format in which an id has its place behind it.
 */
static void complete_sample_type(struct perf_event_attr *attr)
{
	if (!attr->sample_period)
		return; /* it only counts */
	attr->sample_type |= PERF_SAMPLE_RAW;
	if (attr->sample_type & PERF_SAMPLE_IDENTIFIER || !(attr->sample_type & PERF_SAMPLE_ID))
		attr->sample_type |= PERF_SAMPLE_CPU;
}

/* The event of the kernel behind the descriptor: it has everything but samples. */
static int open_dummy(const struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		      unsigned long flags)
{
	uint64_t sample_id = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
			     PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	struct perf_event_attr dummy;
	size_t size = attr->size ? attr->size : PERF_ATTR_SIZE_VER0;

	memset(&dummy, 0, sizeof(dummy));
	memcpy(&dummy, attr, size < sizeof(dummy) ? size : sizeof(dummy));
	dummy.size = size < sizeof(dummy) ? (uint32_t)size : (uint32_t)sizeof(dummy);
	dummy.type = PERF_TYPE_SOFTWARE;
	dummy.config = PERF_COUNT_SW_DUMMY;
	dummy.config1 = 0;
	dummy.config2 = 0;
	dummy.freq = 0;
	dummy.sample_period = 0;
	dummy.sample_type &= sample_id;
	dummy.precise_ip = 0;
	/* It counts nothing anyway, and this is what everybody may open. */
	dummy.exclude_kernel = 1;
	dummy.exclude_hv = 1;
	return (int)syscall(SYS_perf_event_open, &dummy, pid, cpu, group_fd, flags);
}

/* Without one: a descriptor that tells at least when the process ends that perf looks at. */
static int open_substitute(pid_t pid, unsigned long flags)
{
	bool is_task = pid > 0 && !(flags & PERF_FLAG_PID_CGROUP);
	int fd = is_task ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;

	return fd >= 0 ? fd : eventfd(0, EFD_CLOEXEC);
}

static int open_persistent(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			   unsigned long flags, struct perf_event_fd *opened)
{
	const struct perf_event_fd *leader = perf_session__find(group_fd);
	int err = check_attr(attr);

	if (!err)
		err = find_event(attr, &opened->persistent);
	if (err)
		return err;
	complete_sample_type(attr);
	opened->is_kernel = true;
	opened->fd =
		open_dummy(attr, pid, cpu, leader && !leader->is_kernel ? -1 : group_fd, flags);
	if (opened->fd < 0 && (errno == EACCES || errno == EPERM)) {
		opened->is_kernel = false;
		opened->fd = open_substitute(pid, flags);
	}
	if (opened->fd < 0)
		return -errno;
	opened->id = FIRST_OWN_ID + session.nr_opened;
	if (opened->is_kernel && ioctl(opened->fd, PERF_EVENT_IOC_ID, &opened->id))
		return -errno;
	return 0;
}

static int open_any(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		    unsigned long flags, struct perf_event_fd *opened)
{
	if (is_persistent(attr))
		return open_persistent(attr, pid, cpu, group_fd, flags, opened);
	opened->is_kernel = true;
	opened->fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
	if (opened->fd < 0)
		return -errno;
	ioctl(opened->fd, PERF_EVENT_IOC_ID, &opened->id);
	return 0;
}

long perf_session__open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			unsigned long flags)
{
	struct perf_event_fd opened = {
		.fd = -1,
		.evsel = attr,
		.cpu = cpu,
		.pid = pid,
		.open_ns = boottime_now(),
		.off_ns = UINT64_MAX,
		.on_ns = UINT64_MAX - 1,
	};
	int err;

	pthread_mutex_lock(&session_lock);
	err = open_any(attr, pid, cpu, group_fd, flags, &opened);
	if (!err) {
		memcpy(&opened.attr, attr,
		       attr->size < sizeof(opened.attr) ? attr->size : sizeof(opened.attr));
		err = add_fd(&opened);
	}
	pthread_mutex_unlock(&session_lock);
	if (err && opened.fd >= 0)
		close(opened.fd);
	return err ? err : opened.fd;
}

void perf_session__close(int fd)
{
	struct perf_event_fd *closed;

	pthread_mutex_lock(&session_lock);
	closed = perf_session__find(fd);
	if (closed)
		remove_fd(closed);
	pthread_mutex_unlock(&session_lock);
}

/* ---- mmap -------------------------------------------------------------------------------- */

static void add_relay(struct perf_relay *relay, struct perf_event_fd *fd)
{
	relay->next = session.relays;
	session.relays = relay;
	perf_wait__hold_signals();
	fd->output = relay;
	perf_ring__set_watermark(&relay->ring, &fd->attr);
}

static long map_persistent(struct perf_event_fd *fd, size_t size, int prot, off_t offset)
{
	struct perf_relay *relay;
	int err;

	if (!(prot & PROT_WRITE))
		return refuse("no ring that is overwritten");
	if (offset)
		return refuse(no_aux);
	if (fd->output)
		return -EBUSY;
	err = perf_relay__new(fd->is_kernel ? fd->fd : -1, size, &relay);
	if (err)
		return err;
	add_relay(relay, fd);
	return (long)relay->view;
}

struct perf_session_call perf_session__mmap(size_t size, int prot, int fd, off_t offset)
{
	struct perf_session_call call = not_ours();
	struct perf_event_fd *mapped;

	pthread_mutex_lock(&session_lock);
	mapped = perf_session__find(fd);
	/* Of an event of the kernel, perf would map the AUX area now. */
	if (mapped && (mapped->persistent || (mapped->output && offset)))
		call = done(map_persistent(mapped, size, prot, offset));
	pthread_mutex_unlock(&session_lock);
	return call;
}

void perf_session__mapped(void *map, size_t size, int fd)
{
	struct perf_event_fd *mapped;

	pthread_mutex_lock(&session_lock);
	mapped = perf_session__find(fd);
	if (mapped && !mapped->map) {
		mapped->map = map;
		mapped->map_size = size;
	}
	pthread_mutex_unlock(&session_lock);
}

static void forget_relay(const struct perf_relay *relay)
{
	for (size_t i = 0; i < session.fds_size; i++)
		if (session.fds[i] && session.fds[i]->output == relay)
			session.fds[i]->output = NULL;
}

static void forget_map(const void *map)
{
	for (size_t i = 0; i < session.fds_size; i++)
		if (session.fds[i] && session.fds[i]->map == map)
			session.fds[i]->map = NULL;
}

struct perf_session_call perf_session__munmap(void *map)
{
	struct perf_session_call call = not_ours();

	pthread_mutex_lock(&session_lock);
	forget_map(map);
	for (struct perf_relay **at = &session.relays; *at; at = &(*at)->next) {
		struct perf_relay *relay = *at;

		if (relay->view != map)
			continue;
		*at = relay->next;
		forget_relay(relay);
		perf_relay__free(relay);
		if (!session.relays)
			perf_wait__release_signals();
		call = done(0);
		break;
	}
	pthread_mutex_unlock(&session_lock);
	return call;
}

/* ---- ioctl ------------------------------------------------------------------------------- */

/* perf wants the records of @fd in the ring of @to. */
static long set_output(struct perf_event_fd *fd, struct perf_event_fd *to)
{
	struct perf_relay *relay;
	int err;

	/* Of the kernel, both: it does this itself, as long as its ring is the one that perf has.
	 */
	if (fd->is_kernel && to->is_kernel && ioctl(fd->fd, PERF_EVENT_IOC_SET_OUTPUT, to->fd))
		return -errno;
	if (fd->is_kernel && !to->is_kernel)
		return refuse("this user may not have them together with other events");
	if (!to->output && fd->persistent && to->map) {
		/* The kernel says in its control page how far the AUX area is filled. */
		if (((struct perf_event_mmap_page *)to->map)->aux_size)
			return refuse(no_aux);
		err = perf_relay__take_over(to->map, to->map_size, &relay);
		if (err) {
			log_error(&perf_log, "cannot share a ring with another event: %s",
				  strerror(-err));
			return err;
		}
		add_relay(relay, to);
	}
	fd->output = to->output;
	perf_feed__forget_targets(&session);
	return 0;
}

static long switch_off(struct perf_event_fd *fd)
{
	if (fd->on_ns == UINT64_MAX)
		return 0;
	fd->off_ns = boottime_now();
	fd->on_ns = UINT64_MAX;
	session.is_stopping = true;
	perf_feed__settle(&session);
	return 0;
}

static long switch_on(struct perf_event_fd *fd)
{
	if (fd->on_ns == UINT64_MAX)
		fd->on_ns = boottime_now();
	session.is_stopping = false;
	return 0;
}

static const char no_filter[] = "no --filter: leave out what is not wanted when reading the file";

/*
 * The filter that perf trace sets by itself, so that it does not trace what it does for tracing:
 * "common_pid != 1 && common_pid != 2". Others are refused.
 */
static long leave_threads_out(struct perf_event_fd *fd, const char *filter)
{
	pid_t threads[PERF_LEFT_OUT_MAX];
	size_t nr = 0;
	int len;

	for (;;) {
		len = 0;
		if (nr == PERF_LEFT_OUT_MAX ||
		    sscanf(filter, " common_pid != %d%n", &threads[nr], &len) != 1 || !len)
			return refuse(no_filter);
		nr++;
		filter += len;
		len = 0;
		sscanf(filter, " &&%n", &len);
		if (!len)
			break;
		filter += len;
	}
	if (filter[strspn(filter, " ")])
		return refuse(no_filter);
	memcpy(fd->left_out, threads, nr * sizeof(threads[0]));
	fd->nr_left_out = nr;
	return 0;
}

static long control_persistent(struct perf_event_fd *fd, unsigned long request, uintptr_t arg)
{
	switch (request) {
	case PERF_EVENT_IOC_ENABLE:
	case PERF_EVENT_IOC_DISABLE:
		if (fd->is_kernel && ioctl(fd->fd, request, arg))
			return -errno;
		return request == PERF_EVENT_IOC_ENABLE ? switch_on(fd) : switch_off(fd);
	case PERF_EVENT_IOC_ID:
		memcpy((void *)arg, &fd->id, sizeof(fd->id));
		return 0;
	case PERF_EVENT_IOC_SET_FILTER:
		return leave_threads_out(fd, (const char *)arg);
	case PERF_EVENT_IOC_SET_BPF:
		return refuse("no BPF program can be attached to them");
	default:
		if (fd->is_kernel && ioctl(fd->fd, request, arg))
			return -errno;
		return 0;
	}
}

/* perf stops an event of the kernel, and looks once more at the ring that it shares. */
static long stop_other(struct perf_event_fd *fd, uintptr_t arg)
{
	if (ioctl(fd->fd, PERF_EVENT_IOC_DISABLE, arg))
		return -errno;
	perf_feed__run(&session);
	return 0;
}

struct perf_session_call perf_session__ioctl(int fd, unsigned long request, uintptr_t arg)
{
	struct perf_session_call call = not_ours();
	struct perf_event_fd *one, *other;

	pthread_mutex_lock(&session_lock);
	one = perf_session__find(fd);
	other = request == PERF_EVENT_IOC_SET_OUTPUT ? perf_session__find((int)arg) : NULL;
	if (one && other && (one->persistent || other->persistent || other->output))
		call = done(set_output(one, other));
	else if (one && one->persistent)
		call = done(control_persistent(one, request, arg));
	else if (one && one->output && request == PERF_EVENT_IOC_DISABLE)
		call = done(stop_other(one, arg));
	pthread_mutex_unlock(&session_lock);
	return call;
}
