// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "event_manager.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "boot_import.h"
#include "capabilities.h"
#include "cpu_list.h"
#include "program_name.h"
#include "grace_period.h"
#include "registry.h"
#include "ring_slots.h"
#include "tracefs.h"

/* ---- what all events share --------------------------------------------------------------- */

/* Rings are numbered by CPU, so that what counts is the highest one that can come. */
static int count_cpus(uint32_t *nr)
{
	struct cpu_list possible;
	int err = cpu_list__read_possible(&possible);

	*nr = 0;
	for (uint32_t cpu = 0; !err && cpu < CPU_LIST_MAX; cpu++)
		if (cpu_list__has(&possible, cpu))
			*nr = cpu + 1;
	return err;
}

int event_manager__open(struct event_manager *manager, const struct log *log)
{
	int err;

	*manager = (struct event_manager){ .log = log };
	err = count_cpus(&manager->nr_cpus);
	if (err) {
		log_error(log, "cannot find out which CPUs there can be: %s", strerror(-err));
		return err;
	}
	kernel_types__load(&manager->types);
	err = typed_maps__open(&manager->makers.maps);
	if (err)
		log_error(log, "cannot load the types of maps: %s%s", strerror(-err),
			  capabilities__explain(err));
	if (!err)
		err = text_files__open(&manager->makers.files, log, &manager->types);
	if (err)
		event_manager__close(manager);
	return err;
}

int event_manager__use_boot_trace(struct event_manager *manager, const char *instance)
{
	return boot_trace__open(&manager->boot_trace, manager->log, instance, manager->nr_cpus);
}

void event_manager__close(struct event_manager *manager)
{
	boot_trace__close(manager->boot_trace);
	text_files__close(&manager->makers.files);
	typed_maps__close(&manager->makers.maps);
	kernel_types__free(&manager->types);
}

static int put_text(const struct text_files *files, struct pin_tree *tree, const char *file,
		    const char *text)
{
	static const struct pin_access everybody = { PIN_MODE_TEXT, (gid_t)-1 };
	uint64_t locked = 0;
	int err, fd;

	err = pin_tree__check_file(tree, file);
	if (err != -ENOENT)
		return err;
	fd = text_files__make_text(files, tree->log, text, &locked);
	if (fd < 0)
		return fd;
	err = pin_tree__put_file(tree, file, fd, everybody);
	close(fd);
	return err;
}

/* Makes what a tree has besides its events, where it is missing. */
static int complete_tree(const struct pin_makers *makers, struct pin_tree *tree)
{
	int err = pin_tree__check_file(tree, "registry");

	if (err == -ENOENT)
		err = registry__create(tree, &makers->maps);
	/* What the perf persistent events would have put into sysfs. */
	if (!err)
		err = put_text(&makers->files, tree, "type", "6\n");
	if (!err)
		err = put_text(&makers->files, tree, "format/persistent", "attr5:23\n");
	if (!err)
		err = put_text(&makers->files, tree, "format/config", "config:0-63\n");
	return err;
}

/* ---- attached and persistent ------------------------------------------------------------- */

int event_manager__make(struct event_manager *manager, const struct event_spec *spec,
			struct attached_event *event)
{
	struct event_program program;
	struct event_plan plan;
	int err = event_plan__make(&plan, manager->log, &manager->types, spec, manager->nr_cpus);

	if (err)
		return err;
	err = attached_event__begin(event, &program, manager->log, &manager->types, &plan);
	if (!err)
		err = attached_event__finish(event, &program, manager->log, &plan);
	event_plan__free(&plan);
	return err;
}

static void print_size(char *buf, size_t size, const char *option, uint64_t bytes)
{
	/* The size of a ring that is not there is refused in a specification. */
	snprintf(buf, size, bytes ? ",%s=%llu" : "", option, (unsigned long long)bytes);
}

/* As a specification that can be given to the loader. */
static void print_policy(char *buf, size_t size, const struct persist_meta *meta)
{
	char head[32], tail[32];

	print_size(head, sizeof(head), "head", meta->head_bytes);
	print_size(tail, sizeof(tail), "tail", meta->tail_bytes);
	snprintf(buf, size, "%s:%s/keep=%s%s%s,wakeup=%u/", meta->system, meta->tracepoint,
		 event_spec__keep_name(meta->keep), head, tail, meta->wakeup_events);
}

/* Says by what the name is taken, what differs, and the way out. */
static int report_taken(struct pin_tree *tree, const char *name, const struct persist_meta *wanted)
{
	char there_policy[320], wanted_policy[320];
	struct persist_meta there;
	int err = pin_tree__read_meta(tree, name, &there);

	if (err == -ENOTSUP) {
		log_error(tree->log,
			  "event %s: %s/%s was made by a newer version of this tool, which has to "
			  "remove it",
			  name, tree->root, name);
		return -EEXIST;
	}
	if (err) {
		log_error(tree->log,
			  "event %s: the name is taken by %s/%s, which is not an event; choose "
			  "another with name=",
			  name, tree->root, name);
		return -EEXIST;
	}
	print_policy(there_policy, sizeof(there_policy), &there);
	print_policy(wanted_policy, sizeof(wanted_policy), wanted);
	if (!strcmp(there_policy, wanted_policy))
		log_error(tree->log,
			  "event %s: it is there already, as %s; to record it once more, choose "
			  "another name with name=",
			  name, there_policy);
	else
		log_error(tree->log,
			  "event %s: the name is taken by %s, and this would be %s; either run: %s "
			  "remove %s, or choose another name with name=",
			  name, there_policy, wanted_policy, program_name__loader(), name);
	return -EEXIST;
}

int event_manager__detach(struct event_manager *manager, struct pin_tree *tree,
			  struct attached_event *event)
{
	int err = complete_tree(&manager->makers, tree);

	if (err)
		return err;
	if (pin_tree__is_taken(tree, event->meta.name))
		return report_taken(tree, event->meta.name, &event->meta);
	return event_pins__publish(tree, &manager->makers, event);
}

static int retire(struct pin_tree *tree, const char *name, uint32_t id)
{
	int err = pin_tree__retire(tree, name);

	if (err)
		return err;
	pin_tree__unlink_name(tree, name);
	return registry__remove(tree, id);
}

int event_manager__attach(struct pin_tree *tree, const char *name, struct attached_event *event)
{
	int err = attached_event__open(event, tree, name);

	if (err)
		return err;
	err = retire(tree, name, event->meta.event_id);
	if (err)
		attached_event__close(event);
	return err;
}

int event_manager__remove(struct pin_tree *tree, const char *name)
{
	struct persist_meta meta;
	int err = pin_tree__read_meta(tree, name, &meta);

	if (err) {
		pin_tree__log_meta_error(tree->log, tree->root, name, err);
		return err;
	}
	return retire(tree, name, meta.event_id);
}

/* ---- adding ------------------------------------------------------------------------------ */

static int make_plan(struct event_manager *manager, struct event_addition *addition)
{
	const struct event_spec *spec = addition->spec;
	/* That an optional event is not there is no error; the caller says it. */
	const struct log *log = spec->optional ? NULL : manager->log;
	int err = event_plan__make(&addition->plan, log, &manager->types, spec, manager->nr_cpus);

	if (err == -ENOENT && spec->optional && !tracefs__what_is_wrong()) {
		addition->added = EVENT_SKIPPED;
		return 0;
	}
	if (err && spec->optional) /* once more, for the messages */
		err = event_plan__make(&addition->plan, manager->log, &manager->types, spec,
				       manager->nr_cpus);
	addition->has_plan = !err;
	return err;
}

/* Whether the name is taken: by what was asked for, or by something else, which is an error. */
static bool is_taken(struct pin_tree *tree, struct event_addition *addition)
{
	const char *name = addition->spec->name;

	if (!pin_tree__is_taken(tree, name))
		return false;
	if (addition->accept_same && !pin_tree__read_meta(tree, name, &addition->meta) &&
	    event_plan__is_met_by(&addition->plan, &addition->meta)) {
		addition->added = EVENT_WAS_THERE;
	} else {
		event_plan__describe(&addition->plan, &addition->meta);
		addition->err = report_taken(tree, name, &addition->meta);
	}
	return true;
}

void event_manager__begin_adding(struct event_manager *manager, struct pin_tree *tree,
				 struct event_addition *addition)
{
	addition->added = EVENT_ADDED;
	addition->err = make_plan(manager, addition);
	if (!addition->has_plan || is_taken(tree, addition))
		return;
	addition->err = attached_event__begin(&addition->event, &addition->program, manager->log,
					      &manager->types, &addition->plan);
	addition->is_begun = !addition->err;
}

/* What is being made is staged before it records: followers wait, to have that in its order. */
static int make_staged(struct event_manager *manager, struct pin_tree *tree,
		       struct event_addition *addition)
{
	const char *name = addition->spec->name;
	int err = pin_tree__stage_event(tree, name);

	if (err) {
		event_program__close(&addition->program);
		attached_event__close(&addition->event);
		return err;
	}
	err = attached_event__finish(&addition->event, &addition->program, manager->log,
				     &addition->plan);
	if (err)
		pin_tree__unstage(tree, name);
	return err;
}

static int finish_event(struct event_manager *manager, struct pin_tree *tree,
			struct event_addition *addition)
{
	struct attached_event *event = &addition->event;
	int err;

	/* One that was begun before this may have got the name. */
	if (is_taken(tree, addition)) {
		event_program__close(&addition->program);
		attached_event__close(event);
		return addition->err;
	}
	err = make_staged(manager, tree, addition);
	if (err)
		return err;
	if (manager->boot_trace)
		addition->import_err = boot_import__take(manager->boot_trace, manager->log, event);
	err = event_manager__detach(manager, tree, event);
	if (err)
		pin_tree__unstage(tree, addition->spec->name);
	else if (manager->boot_trace)
		boot_import__finish(manager->boot_trace, manager->log, event);
	addition->meta = event->meta;
	attached_event__close(event);
	return err;
}

/* An event that is there already gets the history that it has not got yet. */
static int import_later(struct event_manager *manager, struct pin_tree *tree,
			const struct persist_meta *meta)
{
	struct attached_event event;
	char pin[PERSIST_NAME_SIZE + sizeof(PIN_IMPORTED) + 1];
	int err;

	/* What was cleared is not to come back. */
	if (meta->clear_time_ns) {
		boot_import__refuse_cleared(manager->boot_trace, manager->log, meta->name);
		return 0;
	}
	err = attached_event__open(&event, tree, meta->name);
	if (err)
		return err;
	if (event.imported >= 0) {
		boot_import__finish_again(manager->boot_trace, manager->log, &event);
		attached_event__close(&event);
		return 0;
	}
	err = boot_import__take(manager->boot_trace, manager->log, &event);
	snprintf(pin, sizeof(pin), "%s/" PIN_IMPORTED, meta->name);
	if (!err && event.imported >= 0)
		err = pin_tree__put_file(tree, pin, event.imported, pin_tree__buffer_access(tree));
	if (!err)
		boot_import__finish(manager->boot_trace, manager->log, &event);
	attached_event__close(&event);
	return err;
}

void event_manager__finish_adding(struct event_manager *manager, struct pin_tree *tree,
				  struct event_addition *addition)
{
	if (addition->is_begun)
		addition->err = finish_event(manager, tree, addition);
	if (!addition->err && addition->added == EVENT_WAS_THERE && manager->boot_trace)
		addition->import_err = import_later(manager, tree, &addition->meta);
	if (addition->has_plan)
		event_plan__free(&addition->plan);
}

/* ---- new buffers for an event ------------------------------------------------------------- */

/*
 * All is staged. One store switches the program on every CPU to the new rings; from then on the
 * new state is the valid one, and should this loader be killed, the next one makes it live.
 */
static int switch_buffers(struct pin_tree *tree, const struct attached_event *event)
{
	struct persist_control control = { .generation = event->meta.generation };
	struct slots_filling filling;
	uint32_t zero = 0;
	int err;

	stop_point("new buffers into the program");
	ring_slots__begin_filling(&filling, event->heads, event->tails, &event->buffers,
				  event->meta.generation);
	err = ring_slots__end_filling(&filling);
	if (err)
		return err;
	stop_point("switch to the new buffers");
	if (bpf_map_update_elem(event->control, &zero, &control, BPF_ANY))
		return -errno;
	/* After this no program writes to the rings of the generation before. */
	grace_period__wait();
	return 0;
}

static int make_next_buffers(struct attached_event *event, const struct log *log)
{
	const struct persist_meta *meta = &event->meta;
	const struct buffer_sizes sizes = {
		.nr_cpus = meta->nr_cpus,
		.head_bytes = meta->head_bytes,
		.tail_bytes = meta->tail_bytes,
		.tail_type = meta->tail_type,
		.payload_max = meta->payload_max,
	};

	buffers__close(&event->buffers);
	return buffers__create(&event->buffers, log, meta->name, &sizes);
}

int event_manager__clear(struct event_manager *manager, struct pin_tree *tree, const char *name)
{
	struct attached_event event;
	struct timespec now;
	int err = attached_event__open(&event, tree, name);

	if (err)
		return err;
	err = make_next_buffers(&event, manager->log);
	if (err)
		goto out;
	clock_gettime(CLOCK_BOOTTIME, &now);
	event.meta.generation++;
	/* What was imported goes with the buffers that it preceded. */
	if (event.imported >= 0)
		close(event.imported);
	event.imported = -1;
	event.meta.clear_time_ns = now.tv_sec * 1000000000ull + now.tv_nsec;
	err = event_pins__replace(tree, &manager->makers, &event, switch_buffers);
	if (!err) {
		stop_point("old buffers out of the program");
		err = ring_slots__drop(event.heads, event.tails, event.meta.nr_cpus,
				       event.meta.generation + 1);
	}
	if (err)
		log_error(manager->log, "event %s: cannot be cleared: %s", name, strerror(-err));
out:
	attached_event__close(&event);
	return err;
}
