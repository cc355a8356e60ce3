// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/* A buffer of a persistent event, opened as perf opens events. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "attr_text.h"
#include "bpffs.h"
#include "event_view.h"
#include "persist_bpf.h"
#include "pin_manager.h"

/* As often can a clear put another directory in the place of the one that was just opened. */
#define OPEN_TRIES 10

/* ---- the attr ---------------------------------------------------------------------------- */

#define WORD_OF(member) (offsetof(struct perf_event_attr, member) / sizeof(uint64_t))
#define PERSISTENT_FLAG (1ull << PERSIST_ATTR_PERSISTENT_BIT)

/*
 * What else an attr can say is how to sample, what to put into records, and when to wake: it is
 * refused rather than ignored, since the event was made with answers of its own.
 */
static const uint64_t bits_with_a_meaning[ATTR_WORDS] = {
	[WORD_OF(type)] = UINT64_MAX, /* and size */
	[WORD_OF(config)] = UINT64_MAX,
	[WORD_OF(config1)] = UINT64_MAX,
	[PERSIST_ATTR_FLAGS_WORD] = PERSISTENT_FLAG,
};

static int check_attr(const struct perf_event_attr *attr)
{
	if (attr->type != PERF_TYPE_PERSISTENT ||
	    !(attr__get_word(attr, PERSIST_ATTR_FLAGS_WORD) & PERSISTENT_FLAG))
		return -EINVAL;
	for (unsigned int word = 0; word < ATTR_WORDS; word++)
		if (attr__get_word(attr, word) & ~bits_with_a_meaning[word])
			return -EINVAL;
	return 0;
}

/* ---- the event --------------------------------------------------------------------------- */

static int check_root(const struct pin_tree *tree)
{
	int is_bpffs = bpffs__is_mounted_at(tree->root);

	if (is_bpffs < 0)
		return is_bpffs == -ENOTDIR ? -ENOENT : is_bpffs;
	return is_bpffs ? 0 : -EMEDIUMTYPE;
}

/* Whatever a newer version's entry has more, it begins with the name. */
_Static_assert(offsetof(struct persist_registry_entry, name) == 0, "the name comes first");

static int look_up_name(int registry, uint32_t id, char name[PERSIST_NAME_SIZE])
{
	struct bpf_map_info info = {};
	__u32 info_len = sizeof(info);
	char *entry;
	int err = 0;

	if (bpf_obj_get_info_by_fd(registry, &info, &info_len))
		return -errno;
	if (info.type != BPF_MAP_TYPE_HASH || info.key_size != sizeof(id) ||
	    info.value_size < PERSIST_NAME_SIZE)
		return -EBADMSG;
	entry = malloc(info.value_size);
	if (!entry)
		return -ENOMEM;
	if (bpf_map_lookup_elem(registry, &id, entry))
		err = -errno;
	else if (!memchr(entry, '\0', PERSIST_NAME_SIZE) || strchr(entry, '/'))
		err = -EBADMSG;
	else
		strcpy(name, entry);
	free(entry);
	return err;
}

static int find_name(const struct pin_tree *tree, uint32_t id, char name[PERSIST_NAME_SIZE])
{
	char path[PATH_MAX];
	int fd, err;

	if (!pin_tree__path(tree, path, "registry"))
		return -ENAMETOOLONG;
	fd = bpffs__open_map(path, true);
	if (fd < 0)
		return fd;
	err = look_up_name(fd, id, name);
	close(fd);
	return err;
}

/* The registry knows the name of the event; whether there is one, only its directory does. */
static int find_event(const char *root, uint64_t id, struct event_view **view)
{
	char path[PATH_MAX], name[PERSIST_NAME_SIZE];
	struct pin_tree tree;
	int err = pin_tree__init(&tree, NULL, root);

	if (!err)
		err = check_root(&tree);
	if (!err)
		err = id > UINT32_MAX ? -ENOENT : find_name(&tree, (uint32_t)id, name);
	if (err)
		return err;
	if (!pin_tree__path(&tree, path, "%s", name))
		return -ENAMETOOLONG;
	err = event_view__open(path, EVENT_VIEW_NO_CPUS, NULL, NULL, view);
	if (!err && (*view)->meta.event_id != id) {
		event_view__put(*view);
		err = -ENOENT;
	}
	return err;
}

/* ---- the buffer -------------------------------------------------------------------------- */

struct buffer {
	char pin[32]; /* in the event's directory */
	enum bpf_map_type type;
	uint64_t size; /* at least, as the kernel says it for a map of this type */
};

static int choose_buffer(const struct persist_meta *meta, uint32_t cpu, uint64_t which,
			 struct buffer *buffer)
{
	if (which == PERSIST_BUFFER_DEFAULT)
		which = meta->tail_bytes ? PERSIST_BUFFER_TAIL : PERSIST_BUFFER_HEAD;
	if (which == PERSIST_BUFFER_HEAD && meta->head_bytes) {
		*buffer = (struct buffer){ .type = BPF_MAP_TYPE_RINGBUF, .size = meta->head_bytes };
		snprintf(buffer->pin, sizeof(buffer->pin), "%s/cpu%u", PIN_HEAD_DIR, cpu);
		return 0;
	}
	if (which == PERSIST_BUFFER_TAIL && meta->tail_bytes) {
		*buffer = (struct buffer){ .type = BPF_MAP_TYPE_RINGBUF, .size = meta->tail_bytes };
		if (meta->tail_type == PERSIST_TAIL_ARRAY) {
			buffer->type = BPF_MAP_TYPE_ARRAY;
			buffer->size += PERSIST_ARRAY_RING_HEADER;
		}
		snprintf(buffer->pin, sizeof(buffer->pin), "%s/cpu%u", PIN_TAIL_DIR, cpu);
		return 0;
	}
	if (which == PERSIST_BUFFER_WAKEUP && meta->wakeup_events) {
		*buffer = (struct buffer){ .type = BPF_MAP_TYPE_USER_RINGBUF };
		snprintf(buffer->pin, sizeof(buffer->pin), "%s", PIN_WAKEUP);
		return 0;
	}
	return -EINVAL;
}

static int check_map(int fd, const struct buffer *buffer)
{
	struct bpf_map_info info = {};
	__u32 info_len = sizeof(info);
	uint64_t size;

	if (bpf_obj_get_info_by_fd(fd, &info, &info_len))
		return -errno;
	size = info.type == BPF_MAP_TYPE_ARRAY ? info.value_size : info.max_entries;
	return info.type == (__u32)buffer->type && size >= buffer->size ? 0 : -EBADMSG;
}

/* Where the pins are that belong to @view. */
static int find_directory(const struct event_view *view, char directory[PATH_MAX])
{
	const char *name = strrchr(view->path, '/') + 1;
	/* A killed loader has left the current buffers where it staged them. */
	const char *below = view->stale_inode ? "staging/" : "";

	return snprintf(directory, PATH_MAX, "%.*s%s%s", (int)(name - view->path), view->path,
			below, name) < PATH_MAX
		       ? 0
		       : -ENAMETOOLONG;
}

static bool is_still_there(const struct event_view *view, const char *directory)
{
	struct stat st;

	return !stat(directory, &st) && st.st_dev == view->device && st.st_ino == view->inode;
}

/* Opens a buffer of the event as @view shows it. -ESTALE: it is another one by now. */
static int open_buffer(const struct event_view *view, const struct buffer *buffer)
{
	char directory[PATH_MAX], path[PATH_MAX];
	int fd, err = find_directory(view, directory);

	if (err)
		return err;
	if (snprintf(path, sizeof(path), "%s/%s", directory, buffer->pin) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	/* The kernel maps a map only through a writable descriptor; this one's map is frozen. */
	fd = bpffs__open_map(path, buffer->type == BPF_MAP_TYPE_USER_RINGBUF);
	if (!is_still_there(view, directory))
		err = -ESTALE;
	else if (fd == -ENOENT)
		err = -EBADMSG;
	else
		err = fd < 0 ? fd : check_map(fd, buffer);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

static int try_open(const char *root, const struct perf_event_attr *attr, uint32_t cpu)
{
	struct event_view *view;
	struct buffer buffer;
	int fd, err = find_event(root, attr->config, &view);

	if (err)
		return err;
	if (cpu < view->meta.nr_cpus && cpu_list__has(&view->possible, cpu))
		err = choose_buffer(&view->meta, cpu, attr->config1, &buffer);
	else
		err = -EINVAL;
	fd = err ? err : open_buffer(view, &buffer);
	event_view__put(view);
	return fd;
}

/* ---- the library's interface ------------------------------------------------------------- */

int persist_event_open_at(const char *root, const struct perf_event_attr *attr, pid_t pid, int cpu,
			  int group_fd, unsigned long flags)
{
	struct perf_event_attr known;
	int fd, err;

	if (flags & ~PERF_FLAG_FD_CLOEXEC)
		return -EINVAL;
	err = attr__copy(&known, attr);
	if (!err)
		err = check_attr(&known);
	if (err)
		return err;
	if (pid != -1)
		return -EOPNOTSUPP;
	if (cpu < 0 || group_fd != -1)
		return -EINVAL;
	for (int try = 0; try < OPEN_TRIES; try++) {
		fd = try_open(root, &known, (uint32_t)cpu);
		if (fd != -ESTALE)
			break;
	}
	return fd;
}

int persist_event_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		       unsigned long flags)
{
	return persist_event_open_at(NULL, attr, pid, cpu, group_fd, flags);
}
