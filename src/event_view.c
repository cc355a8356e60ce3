// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "event_view.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "attached_event.h"
#include "bpffs.h"
#include "map_pin.h"
#include "pin_access.h"
#include "pin_manager.h"
#include "text_pin.h"

/* A clear takes milliseconds from the first record in the new buffers to the new directory. */
#define CLEAR_RETRIES	 10
#define CLEAR_RETRY_NSEC (2 * 1000 * 1000)

/* ---- opening pins ------------------------------------------------------------------------ */

/* Opens a pin that has to be there and whose value has this size. */
static int open_value(const struct log *log, const char *directory, const char *pin,
		      enum bpf_map_type type, size_t value_size)
{
	struct bpf_map_info info;
	int fd = map_pin__open(log, directory, pin, true, type, 1, &info);

	if (fd == -ENOENT) {
		log_error(log, "%s/%s: missing; the event is damaged, remove it and add it again",
			  directory, pin);
		return -EBADMSG;
	}
	if (fd >= 0 && info.value_size != value_size) {
		log_error(log, "%s/%s: a value of %u bytes, where %zu are expected", directory, pin,
			  info.value_size, value_size);
		close(fd);
		return -EBADMSG;
	}
	return fd;
}

/* ---- metadata ---------------------------------------------------------------------------- */

static bool is_event_name(const char name[PERSIST_NAME_SIZE])
{
	size_t len = strnlen(name, PERSIST_NAME_SIZE);

	if (!len || len == PERSIST_NAME_SIZE)
		return false;
	for (size_t i = 0; i < len; i++)
		if (name[i] <= ' ' || name[i] >= 0x7f || name[i] == '/')
			return false;
	return true;
}

static int check_meta(const struct log *log, const char *path, const struct persist_meta *meta)
{
	if (meta->magic != PERSIST_META_MAGIC) {
		log_error(log, "%s: not a persistent event; its map \"meta\" is something else's",
			  path);
		return -EMEDIUMTYPE;
	}
	if (meta->version > PERSIST_ABI_VERSION) {
		log_error(log,
			  "%s: written by a newer loader (format %u, this program knows %u); use "
			  "the reader that came with it",
			  path, meta->version, PERSIST_ABI_VERSION);
		return -ENOTSUP;
	}
	if (!meta->version || meta->size < sizeof(*meta) || !meta->nr_cpus ||
	    meta->nr_cpus > CPU_LIST_MAX || meta->keep > PERSIST_KEEP_LATEST ||
	    meta->tail_type > PERSIST_TAIL_RINGBUF || !is_event_name(meta->name) ||
	    !is_event_name(meta->system) || !is_event_name(meta->tracepoint)) {
		log_error(log, "%s: corrupt metadata; remove the event and add it again", path);
		return -EBADMSG;
	}
	return 0;
}

static int read_meta(const struct log *log, const char *directory, struct persist_meta *meta)
{
	struct bpf_map_info info;
	__u32 zero = 0;
	char *value;
	int fd, err = 0;

	fd = map_pin__open(log, directory, PIN_META, true, BPF_MAP_TYPE_ARRAY, 1, &info);
	if (fd == -ENOENT)
		log_error(log, "%s: not a persistent event: it has no \"meta\"", directory);
	if (fd < 0)
		return fd == -EBADMSG ? -EMEDIUMTYPE : fd;
	/* A newer version may have more, and should get its own message. */
	memset(meta, 0, sizeof(*meta));
	value = calloc(1, info.value_size + sizeof(__u64));
	if (!value)
		err = -ENOMEM;
	else if (bpf_map_lookup_elem(fd, &zero, value))
		err = -errno;
	close(fd);
	if (err) {
		log_error(log, "%s/%s: cannot read: %s", directory, PIN_META, strerror(-err));
	} else {
		memcpy(meta, value,
		       info.value_size < sizeof(*meta) ? info.value_size : sizeof(*meta));
		err = check_meta(log, directory, meta);
	}
	free(value);
	return err;
}

/* ---- rings ------------------------------------------------------------------------------- */

/* A frozen map refuses this, to anybody. What is written by others cannot be relied on. */
static bool is_writable(int fd)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	void *start = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (start == MAP_FAILED)
		return false;
	munmap(start, page_size);
	return true;
}

static int map_ring(const struct log *log, const char *directory, const char *pin, int fd,
		    off_t offset, size_t len, struct ring_map *ring)
{
	void *start;
	int err;

	if (is_writable(fd)) {
		log_error(log,
			  "%s/%s: not frozen, so that anybody may have written to it; not a "
			  "buffer of ours",
			  directory, pin);
		return -EBADMSG;
	}
	start = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, offset);
	err = start == MAP_FAILED ? -errno : 0;
	if (err) {
		log_error(log, "%s/%s: cannot map %zu bytes: %s", directory, pin, len,
			  strerror(-err));
		return err;
	}
	ring->start = start;
	ring->len = len;
	return 0;
}

/* The kernel's own numbers say how much there is to map; the metadata has to agree. */
static int map_ringbuf(const struct log *log, const char *directory, const char *pin, int fd,
		       const struct bpf_map_info *info, uint64_t bytes, struct ring_map *ring)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);

	if (info->max_entries != bytes) {
		log_error(log, "%s/%s: a ring of %u bytes, where the metadata says %llu", directory,
			  pin, info->max_entries, (unsigned long long)bytes);
		return -EBADMSG;
	}
	ring->size = bytes;
	/* The first page is the consumer's: there is none. */
	return map_ring(log, directory, pin, fd, (off_t)page_size, page_size + 2 * bytes, ring);
}

static int map_array(const struct log *log, const char *directory, const char *pin, int fd,
		     const struct bpf_map_info *info, uint64_t bytes, struct ring_map *ring)
{
	if (info->value_size < sizeof(struct persist_array_ring) ||
	    info->value_size - sizeof(struct persist_array_ring) < bytes) {
		log_error(log, "%s/%s: a ring of %u bytes, where the metadata says %llu", directory,
			  pin, info->value_size, (unsigned long long)bytes);
		return -EBADMSG;
	}
	ring->size = info->value_size;
	return map_ring(log, directory, pin, fd, 0, info->value_size, ring);
}

/* One ring: @fd is its descriptor if the event is attached, and -1 if it is pinned. */
static int open_ring(const struct event_view *view, const char *directory, const char *pin, int fd,
		     bool is_array, uint64_t bytes, struct ring_map *ring)
{
	enum bpf_map_type type = is_array ? BPF_MAP_TYPE_ARRAY : BPF_MAP_TYPE_RINGBUF;
	uint32_t nr_entries = is_array ? 1 : MAP_PIN_ANY_NUMBER;
	struct bpf_map_info info;
	int err, pinned = -1;

	if (fd < 0) {
		fd = pinned =
			map_pin__open(view->log, directory, pin, false, type, nr_entries, &info);
		err = fd < 0 ? fd : 0;
	} else {
		err = map_pin__check(view->log, directory, pin, fd, type, nr_entries, &info);
	}
	if (!err && is_array)
		err = map_array(view->log, directory, pin, fd, &info, bytes, ring);
	else if (!err)
		err = map_ringbuf(view->log, directory, pin, fd, &info, bytes, ring);
	if (pinned >= 0)
		close(pinned);
	return err;
}

static int map_cpu(struct event_view *view, const char *directory, const struct buffers *attached,
		   uint32_t cpu)
{
	const struct persist_meta *meta = &view->meta;
	char pin[32];
	int err = 0;

	if (meta->head_bytes) {
		snprintf(pin, sizeof(pin), "%s/cpu%u", PIN_HEAD_DIR, cpu);
		err = open_ring(view, directory, pin, attached ? attached->heads[cpu] : -1, false,
				meta->head_bytes, &view->heads[cpu]);
	}
	if (!err && meta->tail_bytes) {
		snprintf(pin, sizeof(pin), "%s/cpu%u", PIN_TAIL_DIR, cpu);
		err = open_ring(view, directory, pin, attached ? attached->tails[cpu] : -1,
				meta->tail_type == PERSIST_TAIL_ARRAY, meta->tail_bytes,
				&view->tails[cpu]);
	}
	if (err != -ENOENT)
		return err;
	log_error(view->log, "%s/%s: missing; the event is damaged, remove it and add it again",
		  directory, pin);
	return -EBADMSG;
}

/*
 * What came before the event is worth having, but nothing that the event itself needs: if it is
 * damaged, which was logged, it is left out.
 */
static int map_imported(struct event_view *view, const char *directory, int fd)
{
	int err = imported__open(&view->imported, view->log, directory, fd, &view->meta);

	return err == -EBADMSG ? 0 : err;
}

static int map_cpus(struct event_view *view, const char *directory, enum event_view_cpus cpus,
		    const struct cpu_list *wanted)
{
	int err = 0;

	if (cpus == EVENT_VIEW_NO_CPUS)
		return 0;
	err = map_imported(view, directory, -1);
	for (uint32_t cpu = 0; !err && cpu < view->meta.nr_cpus; cpu++) {
		if (wanted && !cpu_list__has(wanted, cpu))
			continue;
		if (cpus == EVENT_VIEW_USED_CPUS &&
		    view->counters[cpu].generation < view->meta.generation)
			continue;
		if (cpus == EVENT_VIEW_USED_CPUS && !view->counters[cpu].seen)
			continue;
		err = map_cpu(view, directory, NULL, cpu);
	}
	return err;
}

static struct record_origin origin_of(const struct event_view *view, uint32_t cpu)
{
	return (struct record_origin){
		.event_id = view->meta.record_id,
		.payload_min = view->meta.payload_min,
		.payload_max = view->meta.payload_max,
		.cpu = cpu,
		.path = view->path,
		.log = view->log,
	};
}

int event_view__open_imported(const struct event_view *view, uint32_t cpu,
			      struct ring_cursor **cursor)
{
	const struct persist_imported *header = view->imported.header;
	const struct record_origin origin = origin_of(view, cpu);
	struct persist_imported_cpu records;

	*cursor = NULL;
	if (!header)
		return 0;
	records = imported__cpu(header, cpu);
	if (!records.bytes)
		return 0;
	*cursor =
		imported_cursor__new((const char *)header + records.offset, records.bytes, &origin);
	return *cursor ? 0 : -ENOMEM;
}

static int new_cursor(const struct event_view *view, uint32_t cpu, const struct ring_map *map,
		      bool is_tail, struct ring_cursor **cursor)
{
	const struct record_origin origin = origin_of(view, cpu);
	int err;

	*cursor = NULL;
	if (!map->start)
		return 0;
	if (is_tail && view->meta.tail_type == PERSIST_TAIL_ARRAY)
		*cursor = array_cursor__new(map->start, map->size, &origin);
	else
		*cursor = ringbuf_cursor__new(map->start, (size_t)sysconf(_SC_PAGESIZE), map->size,
					      is_tail, &origin);
	if (*cursor)
		return 0;
	err = -errno;
	log_error(view->log, "%s: cannot read the %s ring of CPU %u: %s", view->path,
		  is_tail ? "tail" : "head", cpu,
		  err == -EBADMSG ? "its description is corrupt" : strerror(-err));
	return err;
}

int event_view__open_head(const struct event_view *view, uint32_t cpu, struct ring_cursor **cursor)
{
	return new_cursor(view, cpu, &view->heads[cpu], false, cursor);
}

int event_view__open_tail(const struct event_view *view, uint32_t cpu, struct ring_cursor **cursor)
{
	return new_cursor(view, cpu, &view->tails[cpu], true, cursor);
}

/* ---- counters and state ------------------------------------------------------------------ */

int event_view__read_counters(struct event_view *view)
{
	const struct persist_counters *value = view->counter_values;
	__u32 zero = 0;

	if (bpf_map_lookup_elem(view->counters_fd, &zero, view->counter_values))
		return -errno;
	/* The kernel gives one value for each possible CPU, without gaps. */
	for (uint32_t cpu = 0; cpu < view->meta.nr_cpus; cpu++)
		if (cpu_list__has(&view->possible, cpu))
			view->counters[cpu] = *value++;
	return 0;
}

enum event_state event_view__state(const struct event_view *view)
{
	struct stat st;

	if (view->attached_format)
		return EVENT_CURRENT;
	if (stat(view->path, &st))
		return errno == ENOENT || errno == ENOTDIR ? EVENT_REMOVED : EVENT_CURRENT;
	if (st.st_dev != view->device)
		return EVENT_REPLACED;
	return st.st_ino == view->inode || st.st_ino == view->stale_inode ? EVENT_CURRENT
									  : EVENT_REPLACED;
}

bool event_view__is_stale(const struct event_view *view)
{
	struct persist_control control;
	__u32 zero = 0;

	return !bpf_map_lookup_elem(view->control_fd, &zero, &control) &&
	       control.generation != view->meta.generation;
}

/* ---- format text ------------------------------------------------------------------------- */

static int read_text(const struct event_view *view, const char *pin, char **text)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", view->path, pin) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return text_pin__read(path, text, NULL);
}

int event_view__read_format(const struct event_view *view, char **text)
{
	int err;

	if (view->attached_format) {
		*text = strdup(view->attached_format);
		return *text ? 0 : -ENOMEM;
	}
	err = read_text(view, PIN_RESOLVED, text);
	return err == -ENOENT ? read_text(view, PIN_FORMAT, text) : err;
}

/* ---- opening an event -------------------------------------------------------------------- */

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void unmap_all(struct ring_map *maps, uint32_t nr)
{
	for (uint32_t i = 0; maps && i < nr; i++)
		if (maps[i].start)
			munmap(maps[i].start, maps[i].len);
	free(maps);
}

struct event_view *event_view__get(struct event_view *view)
{
	view->users++;
	return view;
}

void event_view__put(struct event_view *view)
{
	if (!view || --view->users)
		return;
	unmap_all(view->heads, view->meta.nr_cpus);
	unmap_all(view->tails, view->meta.nr_cpus);
	imported__close(&view->imported);
	close_fd(view->counters_fd);
	close_fd(view->control_fd);
	close_fd(view->doorbell_fd);
	free(view->counters);
	free(view->counter_values);
	free(view->attached_format);
	free(view->path);
	free(view);
}

/* A path that shows an ordinary file system is most often a container's: say what is missing. */
static int check_file_system(const struct log *log, const char *path)
{
	int is_bpffs = bpffs__is_mounted_at(path);

	if (is_bpffs > 0)
		return 0;
	if (is_bpffs < 0) {
		if (is_bpffs == -EACCES)
			pin_access__log_denied(log, path, "");
		else if (is_bpffs != -ENOENT)
			log_error(log, "%s: not an event: %s", path, strerror(-is_bpffs));
		return is_bpffs == -ENOTDIR ? -ENOENT : is_bpffs;
	}
	log_error(
		log,
		"%s: not on a BPF file system; mount one (mount -t bpf bpf /sys/fs/bpf), or, in a "
		"container, bind-mount the host's directory, as it is mounted there, to this place",
		path);
	return -EMEDIUMTYPE;
}

static int alloc_for_cpus(struct event_view *view)
{
	uint32_t nr_cpus = view->meta.nr_cpus;
	size_t nr_possible = 0;

	/* Without sysfs, be prepared for as many values as any kernel may give. */
	if (cpu_list__read_possible(&view->possible))
		cpu_list__set_first(&view->possible, CPU_LIST_MAX);
	for (uint32_t cpu = 0; cpu < CPU_LIST_MAX; cpu++)
		nr_possible += cpu_list__has(&view->possible, cpu);
	view->counter_values = calloc(nr_possible, sizeof(struct persist_counters));
	view->counters = calloc(nr_cpus, sizeof(*view->counters));
	view->heads = calloc(nr_cpus, sizeof(*view->heads));
	view->tails = calloc(nr_cpus, sizeof(*view->tails));
	if (!view->counter_values || !view->counters || !view->heads || !view->tails)
		return -ENOMEM;
	return 0;
}

static int open_doorbell(struct event_view *view, const char *directory)
{
	struct bpf_map_info info;

	if (!view->meta.wakeup_events)
		return 0;
	view->doorbell_fd = map_pin__open(view->log, directory, PIN_WAKEUP, true,
					  BPF_MAP_TYPE_USER_RINGBUF, MAP_PIN_ANY_NUMBER, &info);
	if (view->doorbell_fd == -ENOENT) {
		log_warn(view->log, "%s/%s: missing; new records are looked for now and then",
			 directory, PIN_WAKEUP);
		view->doorbell_fd = -1;
	}
	return view->doorbell_fd < -1 ? view->doorbell_fd : 0;
}

/* Everything in @directory, which may be exchanged by another one meanwhile. */
static int open_directory(struct event_view *view, const char *directory, enum event_view_cpus cpus,
			  const struct cpu_list *wanted)
{
	struct stat st;
	int err;

	if (stat(directory, &st))
		return -errno;
	view->device = st.st_dev;
	view->inode = st.st_ino;
	err = read_meta(view->log, directory, &view->meta);
	if (!err)
		err = alloc_for_cpus(view);
	if (err)
		return err;
	view->counters_fd = open_value(view->log, directory, PIN_COUNTERS,
				       BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(struct persist_counters));
	if (view->counters_fd < 0)
		return view->counters_fd;
	view->control_fd = open_value(view->log, directory, PIN_CONTROL, BPF_MAP_TYPE_ARRAY,
				      sizeof(struct persist_control));
	if (view->control_fd < 0)
		return view->control_fd;
	err = open_doorbell(view, directory);
	if (!err)
		err = event_view__read_counters(view);
	if (!err)
		err = map_cpus(view, directory, cpus, wanted);
	return err;
}

static bool is_still_there(const struct event_view *view, const char *directory)
{
	struct stat st;

	return !stat(directory, &st) && st.st_dev == view->device && st.st_ino == view->inode;
}

/* One try. @staged: look where a loader prepares the directory. */
static int try_open(const char *path, bool staged, enum event_view_cpus cpus,
		    const struct cpu_list *wanted, const struct log *log,
		    struct event_view **result)
{
	struct event_view *view = calloc(1, sizeof(*view));
	char directory[PATH_MAX], parent[PATH_MAX], name[PATH_MAX];
	int err, len;

	if (!view)
		return -ENOMEM;
	view->users = 1;
	view->log = log;
	view->counters_fd = view->control_fd = view->doorbell_fd = -1;
	view->path = strdup(path);
	snprintf(parent, sizeof(parent), "%s", path);
	snprintf(name, sizeof(name), "%s", path);
	if (staged)
		len = snprintf(directory, sizeof(directory), "%s/staging/%s", dirname(parent),
			       basename(name));
	else
		len = snprintf(directory, sizeof(directory), "%s", path);
	if (len >= (int)sizeof(directory))
		err = -ENAMETOOLONG;
	else
		err = view->path ? open_directory(view, directory, cpus, wanted) : -ENOMEM;
	/* Some of what was opened may be of the directory that is there now. */
	if (!is_still_there(view, directory) && err != -ENOENT)
		err = -ESTALE;
	if (err)
		event_view__put(view);
	else
		*result = view;
	return err;
}

/*
 * Programs write to the buffers of control.generation. If that is not the generation at the path,
 * a clear is under way, or the loader was killed in the middle of one; then the current buffers
 * are where they were staged.
 */
static struct event_view *prefer_staged(struct event_view *view, enum event_view_cpus cpus,
					const struct cpu_list *wanted)
{
	struct event_view *staged;

	if (try_open(view->path, true, cpus, wanted, NULL, &staged))
		return view;
	if (staged->meta.instance != view->meta.instance || event_view__is_stale(staged)) {
		event_view__put(staged);
		return view;
	}
	staged->log = view->log;
	staged->stale_inode = view->inode;
	log_info(view->log, "%s: the loader did not end its last clear; reading the new buffers",
		 view->path);
	event_view__put(view);
	return staged;
}

int event_view__open(const char *path, enum event_view_cpus cpus, const struct cpu_list *wanted,
		     const struct log *log, struct event_view **result)
{
	const struct timespec pause = { .tv_nsec = CLEAR_RETRY_NSEC };
	struct event_view *view;
	int err;

	*result = NULL;
	err = check_file_system(log, path);
	if (err)
		return err;
	for (int try = 0;; try++) {
		err = try_open(path, false, cpus, wanted, log, &view);
		if (err && (err != -ESTALE || try >= CLEAR_RETRIES))
			return err;
		if (!err && !event_view__is_stale(view))
			break;
		if (!err && try >= CLEAR_RETRIES) {
			view = prefer_staged(view, cpus, wanted);
			break;
		}
		if (!err)
			event_view__put(view);
		nanosleep(&pause, NULL);
	}
	*result = view;
	return 0;
}

/* ---- an event without pins --------------------------------------------------------------- */

static int take_attached(struct event_view *view, const struct attached_event *attached)
{
	int err = alloc_for_cpus(view);

	view->path = strdup(attached->meta.name);
	view->attached_format =
		strdup(attached->resolved_text ? attached->resolved_text : attached->format_text);
	if (err || !view->path || !view->attached_format)
		return -ENOMEM;
	view->counters_fd = fcntl(attached->counters, F_DUPFD_CLOEXEC, 0);
	view->control_fd = fcntl(attached->control, F_DUPFD_CLOEXEC, 0);
	if (attached->wakeup >= 0)
		view->doorbell_fd = fcntl(attached->wakeup, F_DUPFD_CLOEXEC, 0);
	if (view->counters_fd < 0 || view->control_fd < 0)
		return -errno;
	err = event_view__read_counters(view);
	if (!err && attached->imported >= 0)
		err = map_imported(view, view->path, attached->imported);
	for (uint32_t cpu = 0; !err && cpu < view->meta.nr_cpus; cpu++)
		err = map_cpu(view, view->path, &attached->buffers, cpu);
	return err;
}

int event_view__of_attached(const struct attached_event *attached, const struct log *log,
			    struct event_view **result)
{
	struct event_view *view = calloc(1, sizeof(*view));
	int err;

	*result = NULL;
	if (!view)
		return -ENOMEM;
	view->users = 1;
	view->log = log;
	view->counters_fd = view->control_fd = view->doorbell_fd = -1;
	view->meta = attached->meta;
	err = take_attached(view, attached);
	if (err)
		event_view__put(view);
	else
		*result = view;
	return err;
}
