// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "registry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "capabilities.h"

static int open_registry_as(const struct pin_tree *tree, bool read_only)
{
	char path[PATH_MAX];

	pin_tree__path(tree, path, "registry");
	return bpffs__open_map(path, read_only);
}

static int open_registry(const struct pin_tree *tree)
{
	return open_registry_as(tree, false);
}

static int report(const struct pin_tree *tree, int err)
{
	if (err)
		log_error(tree->log, "%s/registry: cannot be used: %s%s", tree->root,
			  strerror(-err),
			  err == -EACCES || err == -EPERM
				  ? "; run the loader as root, or as the owner of the tree"
				  : capabilities__explain(err));
	return err;
}

int registry__create(struct pin_tree *tree, const struct typed_maps *maps)
{
	int err, fd = typed_maps__create(maps, "registry");

	if (fd < 0) {
		log_error(tree->log, "cannot make the registry: %s%s", strerror(-fd),
			  capabilities__explain(fd));
		return fd;
	}
	err = pin_tree__put_file(tree, "registry", fd, pin_tree__read_access(tree));
	close(fd);
	return err;
}

struct id_set {
	uint32_t *ids;
	size_t nr;
};

static int collect_id(struct pin_tree *tree, const char *name, const struct persist_meta *meta,
		      void *context)
{
	struct id_set *set = context;
	uint32_t *larger;

	if (!meta)
		return 0;
	larger = reallocarray(set->ids, set->nr + 1, sizeof(*set->ids));
	if (!larger)
		return -ENOMEM;
	set->ids = larger;
	set->ids[set->nr++] = meta->event_id;
	return 0;
}

static bool id_set__has(const struct id_set *set, uint32_t id)
{
	for (size_t i = 0; i < set->nr; i++)
		if (set->ids[i] == id)
			return true;
	return false;
}

int registry__choose_id(struct pin_tree *tree, uint32_t wanted, uint32_t *id)
{
	struct id_set live = {};
	int err = pin_tree__for_each_event(tree, collect_id, &live);

	*id = wanted;
	for (uint32_t next = PERSIST_FIRST_PRIVATE_ID; !err && id_set__has(&live, *id); next++)
		*id = next;
	free(live.ids);
	return report(tree, err);
}

int registry__get(const struct pin_tree *tree, uint32_t id, struct persist_registry_entry *entry)
{
	struct bpf_map_info info = {};
	uint32_t len = sizeof(info);
	int err = 0, fd = open_registry_as(tree, true);

	if (fd < 0)
		return fd;
	/* That of another version may have larger entries, which do not fit here. */
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		err = -errno;
	else if (info.key_size != sizeof(id) || info.value_size != sizeof(*entry))
		err = -EBADMSG;
	else if (bpf_map_lookup_elem(fd, &id, entry))
		err = -errno;
	close(fd);
	return err;
}

int registry__put(struct pin_tree *tree, uint32_t id, const struct persist_registry_entry *entry)
{
	int err = 0, fd = open_registry(tree);

	if (fd < 0)
		return report(tree, fd);
	stop_point("registry entry");
	if (bpf_map_update_elem(fd, &id, entry, BPF_ANY))
		err = -errno;
	close(fd);
	return report(tree, err);
}

int registry__remove(struct pin_tree *tree, uint32_t id)
{
	int err = 0, fd = open_registry(tree);

	if (fd < 0)
		return report(tree, fd);
	stop_point("registry entry");
	if (bpf_map_delete_elem(fd, &id) && errno != ENOENT)
		err = -errno;
	close(fd);
	return report(tree, err);
}

int registry__drop_dead(struct pin_tree *tree)
{
	struct id_set live = {}, dead = {};
	uint32_t id, *previous = NULL;
	int err, fd = open_registry(tree);

	if (fd < 0)
		return fd == -ENOENT ? 0 : report(tree, fd);
	err = pin_tree__for_each_event(tree, collect_id, &live);
	while (!err && !bpf_map_get_next_key(fd, previous, &id)) {
		if (!id_set__has(&live, id)) {
			/* Deleted after the walk: the walk goes on from the entry before. */
			struct persist_meta meta = { .event_id = id };

			err = collect_id(tree, "", &meta, &dead);
		}
		previous = &id;
	}
	for (size_t i = 0; i < dead.nr; i++)
		bpf_map_delete_elem(fd, &dead.ids[i]);
	free(live.ids);
	free(dead.ids);
	close(fd);
	return report(tree, err);
}

void registry__describe(const struct persist_meta *meta, uint64_t locked_bytes,
			struct persist_registry_entry *entry)
{
	*entry = (struct persist_registry_entry){
		.kind = meta->kind,
		.keep = meta->keep,
		.tail_type = meta->tail_type,
		.capture = meta->capture,
		.attr_type = meta->attr.type,
		.attr_wakeup_events = meta->attr.wakeup_events,
		.attr_config = meta->attr.config,
		.attr_sample_type = meta->attr.sample_type,
		.head_bytes = meta->head_bytes,
		.tail_bytes = meta->tail_bytes,
		.locked_bytes = locked_bytes,
		.attach_time_ns = meta->attach_time_ns,
		.attach_wall_ns = meta->attach_wall_ns,
		.abi_version = meta->version,
		.nr_cpus = meta->nr_cpus,
	};
	memcpy(entry->name, meta->name, sizeof(entry->name));
	memcpy(entry->system, meta->system, sizeof(entry->system));
	memcpy(entry->tracepoint, meta->tracepoint, sizeof(entry->tracepoint));
}
