// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "attached_event.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "capabilities.h"
#include "registry.h"
#include "text_pin.h"

static const struct attached_event no_event = {
	.link = -1,
	.program = -1,
	.counters = -1,
	.control = -1,
	.heads = -1,
	.tails = -1,
	.wakeup = -1,
	.totals = -1,
	.pages = -1,
	.sums = -1,
	.imported = -1,
};

/* ---- making one -------------------------------------------------------------------------- */

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* What is known once it records; the events of the moment in between are simply there as well. */
static void fill_meta(struct persist_meta *meta, const struct event_plan *plan)
{
	event_plan__describe(plan, meta);
	meta->attach_time_ns = now(CLOCK_BOOTTIME);
	meta->attach_wall_ns = now(CLOCK_REALTIME);
	if (getrandom(&meta->instance, sizeof(meta->instance), 0) != sizeof(meta->instance))
		meta->instance = meta->attach_wall_ns;
}

/* The object's descriptors end with it, the event's own do not. */
static int keep_descriptors(struct attached_event *event, struct event_program *program)
{
	const struct {
		int from, *to;
	} descriptors[] = {
		{ program->program, &event->program }, { program->counters, &event->counters },
		{ program->control, &event->control }, { program->heads, &event->heads },
		{ program->tails, &event->tails },     { program->wakeup, &event->wakeup },
		{ program->totals, &event->totals },   { program->pages, &event->pages },
		{ program->sums, &event->sums },
	};

	for (size_t i = 0; i < sizeof(descriptors) / sizeof(descriptors[0]); i++) {
		if (descriptors[i].from < 0)
			continue;
		*descriptors[i].to = fcntl(descriptors[i].from, F_DUPFD_CLOEXEC, 0);
		if (*descriptors[i].to < 0)
			return -errno;
	}
	event->link = program->link;
	program->link = -1;
	return 0;
}

/* Readers may have no BTF, and those that have it should not have to load it. */
static int resolve_format(struct attached_event *event)
{
	size_t len;
	int err = event_format__resolve_text(event->format_text, strlen(event->format_text),
					     &event->resolved_text, &len);

	if (!err && !strcmp(event->format_text, event->resolved_text)) {
		free(event->resolved_text);
		event->resolved_text = NULL;
	}
	return err;
}

int attached_event__begin(struct attached_event *event, struct event_program *program,
			  const struct log *log, const struct kernel_types *types,
			  const struct event_plan *plan)
{
	const struct buffer_sizes sizes = {
		.nr_cpus = plan->request.nr_cpus,
		.head_bytes = plan->spec.head_bytes,
		.tail_bytes = plan->spec.tail_bytes,
		.tail_type = plan->request.tail_type,
		.payload_max = plan->payload_max,
	};
	int err;

	*event = no_event;
	err = buffers__create(&event->buffers, log, plan->spec.name, &sizes);
	if (!err)
		err = event_program__load(program, log, types, &plan->request, &event->buffers);
	if (err)
		attached_event__close(event);
	return err;
}

int attached_event__finish(struct attached_event *event, struct event_program *program,
			   const struct log *log, struct event_plan *plan)
{
	int err;

	event->locked_bytes =
		event_program__locked_bytes(program) + buffers__locked_bytes(&event->buffers);
	err = event_program__attach(program, log, &plan->request);
	if (err) {
		event_program__close(program);
		attached_event__close(event);
		return err;
	}
	err = keep_descriptors(event, program);
	event_program__close(program);
	if (!err) {
		fill_meta(&event->meta, plan);
		event->format_text = plan->format_text;
		plan->format_text = NULL;
		err = resolve_format(event);
	}
	if (err) {
		attached_event__close(event);
		log_error(log, "event %s: cannot be kept: %s%s", plan->spec.name, strerror(-err),
			  capabilities__explain(err));
	}
	return err;
}

/* ---- taking one over --------------------------------------------------------------------- */

static int open_object(const struct pin_tree *tree, const char *name, const char *pin)
{
	char path[PATH_MAX];
	int fd;

	pin_tree__path(tree, path, "%s/%s", name, pin);
	fd = bpf_obj_get(path);
	return fd < 0 ? -errno : fd;
}

static int open_descriptors(struct attached_event *event, const struct pin_tree *tree,
			    const char *name)
{
	const struct {
		const char *pin;
		int *to;
		bool may_be_missing;
	} descriptors[] = {
		{ PIN_LINK, &event->link, false },	   { PIN_PROGRAM, &event->program, false },
		{ PIN_COUNTERS, &event->counters, false }, { PIN_CONTROL, &event->control, false },
		{ PIN_HEADS, &event->heads, true },	   { PIN_TAILS, &event->tails, true },
		{ PIN_WAKEUP, &event->wakeup, true },	   { PIN_TOTALS, &event->totals, true },
		{ PIN_PAGES, &event->pages, true },	   { PIN_SUMS, &event->sums, true },
		{ PIN_IMPORTED, &event->imported, true },
	};

	for (size_t i = 0; i < sizeof(descriptors) / sizeof(descriptors[0]); i++) {
		int fd = open_object(tree, name, descriptors[i].pin);

		if (fd == -ENOENT && descriptors[i].may_be_missing)
			continue;
		if (fd < 0)
			return fd;
		*descriptors[i].to = fd;
	}
	return 0;
}

static int open_rings(int **fds, const struct pin_tree *tree, const char *name, const char *dir,
		      uint32_t nr_cpus)
{
	char pin[32];

	*fds = malloc(nr_cpus * sizeof(**fds));
	if (!*fds)
		return -ENOMEM;
	memset(*fds, -1, nr_cpus * sizeof(**fds));
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		snprintf(pin, sizeof(pin), "%s/cpu%u", dir, cpu);
		(*fds)[cpu] = open_object(tree, name, pin);
		if ((*fds)[cpu] < 0)
			return (*fds)[cpu];
	}
	return 0;
}

int attached_event__open(struct attached_event *event, struct pin_tree *tree, const char *name)
{
	struct persist_registry_entry entry = {};
	char path[PATH_MAX];
	int err;

	*event = no_event;
	err = pin_tree__read_meta(tree, name, &event->meta);
	if (err)
		goto failed;
	event->buffers.nr_cpus = event->meta.nr_cpus;
	err = open_descriptors(event, tree, name);
	if (!err && event->meta.head_bytes)
		err = open_rings(&event->buffers.heads, tree, name, PIN_HEAD_DIR,
				 event->meta.nr_cpus);
	if (!err && event->meta.tail_bytes)
		err = open_rings(&event->buffers.tails, tree, name, PIN_TAIL_DIR,
				 event->meta.nr_cpus);
	if (err)
		goto failed;
	pin_tree__path(tree, path, "%s/%s", name, PIN_FORMAT);
	err = text_pin__read(path, &event->format_text, NULL);
	if (err)
		goto failed;
	pin_tree__path(tree, path, "%s/%s", name, PIN_RESOLVED);
	err = text_pin__read(path, &event->resolved_text, NULL);
	if (err && err != -ENOENT)
		goto failed;
	if (!registry__get(tree, event->meta.event_id, &entry))
		event->locked_bytes = entry.locked_bytes;
	return 0;
failed:
	pin_tree__log_meta_error(tree->log, tree->root, name, err);
	attached_event__close(event);
	return err;
}

void attached_event__close(struct attached_event *event)
{
	const int fds[] = { event->link,  event->program, event->counters, event->control,
			    event->heads, event->tails,	  event->wakeup,   event->totals,
			    event->pages, event->sums,	  event->imported };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	buffers__close(&event->buffers);
	free(event->format_text);
	free(event->resolved_text);
	*event = no_event;
}
