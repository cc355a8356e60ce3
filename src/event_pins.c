// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "event_pins.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "registry.h"

static const struct pin_access private_access = { 0600, (gid_t)-1 };
static const struct pin_access text_access = { PIN_MODE_TEXT, (gid_t)-1 };

struct pin {
	const char *name;
	int fd; /* -1: not pinned */
	struct pin_access access;
};

static int stage_pins(struct pin_tree *tree, const char *name, const struct pin *pins, size_t nr)
{
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++)
		if (pins[i].fd >= 0)
			err = pin_tree__stage_pin(tree, name, pins[i].name, pins[i].fd,
						  pins[i].access);
	return err;
}

static int stage_rings(struct pin_tree *tree, const char *name, const char *dir, const int *fds,
		       uint32_t nr_cpus)
{
	char pin[32];
	int err = 0;

	for (uint32_t cpu = 0; fds && cpu < nr_cpus && !err; cpu++) {
		snprintf(pin, sizeof(pin), "%s/cpu%u", dir, cpu);
		err = pin_tree__stage_pin(tree, name, pin, fds[cpu], pin_tree__buffer_access(tree));
	}
	return err;
}

/* Pins a text file that was just made, and lets go of it. */
static int stage_text(struct pin_tree *tree, const char *name, const char *pin, int fd)
{
	struct pin text = { pin, fd, text_access };
	int err;

	if (fd < 0)
		return fd;
	err = stage_pins(tree, name, &text, 1);
	close(fd);
	return err;
}

/* The event's files for cat, and for readers without tracefs. */
static int stage_texts(struct pin_tree *tree, const struct pin_makers *makers,
		       const struct attached_event *event, int meta, uint64_t *locked)
{
	const struct text_files *files = &makers->files;
	const char *name = event->meta.name;
	char line[64];
	int fd, err;

	fd = text_files__make_text(files, tree->log, event->format_text, locked);
	err = stage_text(tree, name, PIN_FORMAT, fd);
	if (err)
		return err;
	if (event->resolved_text) {
		fd = text_files__make_text(files, tree->log, event->resolved_text, locked);
		err = stage_text(tree, name, PIN_RESOLVED, fd);
		if (err)
			return err;
	}
	snprintf(line, sizeof(line), "persistent,config=%u\n", event->meta.event_id);
	fd = text_files__make_text(files, tree->log, line, locked);
	err = stage_text(tree, name, PIN_EVENT, fd);
	if (err)
		return err;
	fd = text_files__make_status(files, tree->log, event->counters, meta, locked);
	return stage_text(tree, name, PIN_STATUS, fd);
}

/* Says what the event is; nobody can write it from here on. */
static int make_meta(const struct pin_makers *makers, const struct persist_meta *meta)
{
	int err, fd = typed_maps__create(&makers->maps, "meta");
	uint32_t zero = 0;

	if (fd < 0)
		return fd;
	if (!bpf_map_update_elem(fd, &zero, meta, BPF_ANY) && !bpf_map_freeze(fd))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static int stage_objects(struct pin_tree *tree, const struct attached_event *event, int meta)
{
	const struct pin_access read = pin_tree__read_access(tree);
	const struct pin pins[] = {
		{ PIN_META, meta, read },
		{ PIN_COUNTERS, event->counters, read },
		{ PIN_CONTROL, event->control, read },
		{ PIN_TOTALS, event->totals, read },
		{ PIN_PAGES, event->pages, read },
		{ PIN_SUMS, event->sums, read },
		{ PIN_IMPORTED, event->imported, pin_tree__buffer_access(tree) },
		{ PIN_WAKEUP, event->wakeup, pin_tree__buffer_access(tree) },
		{ PIN_HEADS, event->heads, private_access },
		{ PIN_TAILS, event->tails, private_access },
		{ PIN_PROGRAM, event->program, private_access },
		{ PIN_LINK, event->link, private_access },
	};
	const struct buffers *buffers = &event->buffers;
	const char *name = event->meta.name;
	int err = stage_pins(tree, name, pins, sizeof(pins) / sizeof(pins[0]));

	if (!err)
		err = stage_rings(tree, name, PIN_HEAD_DIR, buffers->heads, buffers->nr_cpus);
	if (!err)
		err = stage_rings(tree, name, PIN_TAIL_DIR, buffers->tails, buffers->nr_cpus);
	return err;
}

static int stage(struct pin_tree *tree, const struct pin_makers *makers,
		 const struct attached_event *event, uint64_t *locked)
{
	const char *name = event->meta.name;
	int meta, err;

	meta = make_meta(makers, &event->meta);
	if (meta < 0) {
		log_error(tree->log, "event %s: cannot make its metadata: %s", name,
			  strerror(-meta));
		return meta;
	}
	err = pin_tree__stage_event(tree, name);
	if (!err)
		err = stage_objects(tree, event, meta);
	if (!err)
		err = stage_texts(tree, makers, event, meta, locked);
	close(meta);
	return err;
}

/* The entries that lead to the event are there before it is, and lead nowhere until then. */
static int go_live(struct pin_tree *tree, const struct attached_event *event, uint64_t locked)
{
	struct persist_registry_entry entry;
	const struct persist_meta *meta = &event->meta;
	int err;

	registry__describe(meta, locked, &entry);
	err = registry__put(tree, meta->event_id, &entry);
	if (err)
		return err;
	err = pin_tree__link_name(tree, meta->name);
	if (err)
		goto unregister;
	err = pin_tree__publish(tree, meta->name);
	if (!err)
		return 0;
	pin_tree__unlink_name(tree, meta->name);
unregister:
	registry__remove(tree, meta->event_id);
	return err;
}

int event_pins__publish(struct pin_tree *tree, const struct pin_makers *makers,
			struct attached_event *event)
{
	uint64_t locked = event->locked_bytes;
	int err = registry__choose_id(tree, event->meta.config, &event->meta.event_id);

	if (err)
		return err;
	err = stage(tree, makers, event, &locked);
	if (!err)
		err = go_live(tree, event, locked);
	if (err)
		pin_tree__unstage(tree, event->meta.name);
	return err;
}

int event_pins__replace(struct pin_tree *tree, const struct pin_makers *makers,
			const struct attached_event *event,
			int (*before_exchange)(struct pin_tree *tree,
					       const struct attached_event *event))
{
	uint64_t locked = 0; /* as much as before */
	int err = stage(tree, makers, event, &locked);

	if (!err)
		err = before_exchange(tree, event);
	if (!err)
		err = pin_tree__replace(tree, event->meta.name);
	/* What is staged now is what was live, or what did not get as far. */
	pin_tree__unstage(tree, event->meta.name);
	return err;
}
