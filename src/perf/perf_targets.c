// SPDX-License-Identifier: GPL-2.0-only
/* Which of perf's descriptors gets the records of an event on a CPU. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "perf/perf_session_internal.h"

static bool is_same_evsel(const struct perf_event_fd *one, const struct perf_event_fd *other)
{
	return one && one->evsel == other->evsel && one->persistent == other->persistent;
}

struct evsel_fds {
	struct perf_event_fd *first, *of_cpu, *of_all_cpus;
	long nr_cpus; /* for how many CPUs there is one: those of the first thread */
};

/* Whether @one comes first: that of a thread that is there, or that was there until later. */
static bool is_better(const struct perf_event_fd *one, const struct perf_event_fd *other)
{
	if (!other)
		return true;
	if (one->is_over != other->is_over)
		return !one->is_over;
	if (one->is_over && one->off_ns != other->off_ns)
		return one->off_ns > other->off_ns;
	return one->opened < other->opened;
}

static struct evsel_fds look_at(const struct perf_session *session, const struct perf_event_fd *one,
				uint32_t cpu)
{
	struct evsel_fds fds = { 0 };

	for (size_t i = 0; i < session->fds_size; i++) {
		struct perf_event_fd *fd = session->fds[i];

		if (!is_same_evsel(fd, one))
			continue;
		if (is_better(fd, fds.first))
			fds.first = fd;
		if (fd->cpu < 0 && is_better(fd, fds.of_all_cpus))
			fds.of_all_cpus = fd;
		if (fd->cpu == (int)cpu && is_better(fd, fds.of_cpu))
			fds.of_cpu = fd;
		fds.nr_cpus++;
	}
	return fds;
}

struct perf_event_fd *perf_targets__find(const struct perf_session *session,
					 const struct perf_event_fd *one, uint32_t cpu)
{
	struct evsel_fds fds = look_at(session, one, cpu);

	if (fds.of_cpu)
		return fds.of_cpu;
	if (fds.of_all_cpus)
		return fds.of_all_cpus;
	return fds.nr_cpus >= sysconf(_SC_NPROCESSORS_ONLN) ? fds.first : NULL;
}

static int add_target(struct targets *targets, struct perf_event_fd *fd)
{
	struct perf_event_fd **fds = reallocarray(targets->fds, targets->nr + 1, sizeof(*fds));

	if (!fds)
		return -ENOMEM;
	targets->fds = fds;
	fds[targets->nr++] = fd;
	return 0;
}

int perf_targets__collect(const struct perf_session *session,
			  const struct persistent_event *persistent, uint32_t cpu,
			  struct targets *targets)
{
	targets->nr = 0;
	for (size_t i = 0; i < session->fds_size; i++) {
		struct perf_event_fd *fd = session->fds[i];

		if (!fd || fd->persistent != persistent ||
		    perf_targets__find(session, fd, cpu) != fd)
			continue;
		if (add_target(targets, fd))
			return -ENOMEM;
	}
	targets->is_known = true;
	return 0;
}

uint64_t perf_targets__count(const struct perf_session *session, const struct perf_event_fd *fd)
{
	struct event_view *view = fd->persistent->view;
	uint64_t count = 0;

	for (uint32_t cpu = 0; cpu < view->meta.nr_cpus; cpu++)
		if (view->counters[cpu].seen && perf_targets__find(session, fd, cpu) == fd)
			count += view->counters[cpu].seen;
	return count;
}
