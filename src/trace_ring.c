// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "trace_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "time_spec.h"
#include "tracefs.h"

/*
 * The first page of a mapped ring, from include/uapi/linux/trace_mmap.h of Linux 6.10; the build
 * machine's headers may be older.
 */
struct ring_meta {
	uint32_t meta_page_size;
	uint32_t meta_struct_len;
	uint32_t subbuf_size;
	uint32_t nr_subbufs;
	/* More follows, which is not needed here. */
};

/* A page that was copied. While its end is not reached the writer may still add to it. */
struct copied_page {
	uint8_t *bytes;
	struct trace_page page;
};

struct trace_ring {
	const struct trace_page_layout *layout;
	char *stats_path;
	int fd;
	uint64_t max_pages; /* that one collect can find */

	/* Of a mapped ring. */
	const uint8_t *map, *pages;
	size_t map_len, pages_len, page_size;
	uint32_t nr_subbufs;

	struct copied_page *copies;
	size_t nr_copies, room_for_copies;
	struct trace_record *records;
	size_t nr_records, room_for_records;
	struct trace_losses losses;
	uint64_t collected_ns;
	uint64_t damaged, holes;
};

/* ---- copies and records ------------------------------------------------------------------- */

static int grow(void **array, size_t *room, size_t nr, size_t size)
{
	size_t larger = *room ? 2 * *room : 64;
	void *moved;

	if (nr < *room)
		return 0;
	moved = reallocarray(*array, larger, size);
	if (!moved)
		return -ENOMEM;
	*array = moved;
	*room = larger;
	return 0;
}

static int add_record(struct trace_ring *ring, const struct trace_page_event *event)
{
	uint16_t id;
	int err;

	/* Each begins with its common_type. */
	if (event->size < sizeof(id)) {
		ring->damaged++;
		return 0;
	}
	memcpy(&id, event->data, sizeof(id));
	err = grow((void **)&ring->records, &ring->room_for_records, ring->nr_records,
		   sizeof(*ring->records));
	if (err)
		return err;
	ring->records[ring->nr_records++] = (struct trace_record){
		.time = event->time,
		.data = event->data,
		.size = (uint32_t)event->size,
		.id = id,
	};
	return 0;
}

/* Takes out what has not been taken yet. */
static int add_records(struct trace_ring *ring, struct trace_page *page)
{
	struct trace_page_event event;
	int err = 0;

	while (!err && trace_page__next(page, &event))
		err = add_record(ring, &event);
	ring->damaged += page->is_damaged;
	page->is_damaged = false;
	return err;
}

/* A copy of a page of its own; it becomes the ring's with keep_copy(). */
static uint8_t *new_copy(const struct trace_ring *ring)
{
	/* Records are read in words. */
	return aligned_alloc(64, (ring->page_size + 63) / 64 * 64);
}

static struct copied_page *keep_copy(struct trace_ring *ring, uint8_t *bytes)
{
	struct copied_page *copy;

	if (grow((void **)&ring->copies, &ring->room_for_copies, ring->nr_copies,
		 sizeof(*ring->copies)))
		return NULL;
	copy = &ring->copies[ring->nr_copies++];
	*copy = (struct copied_page){ .bytes = bytes };
	return copy;
}

/* ---- reading, which consumes -------------------------------------------------------------- */

/* Nothing to read at the moment, or of a CPU that has never been online. */
static bool is_empty(ssize_t got)
{
	return !got || errno == EAGAIN || errno == ENODEV;
}

/* Returns 1 if there was a page, 0 if there is none, or -errno. */
static int read_page(struct trace_ring *ring)
{
	uint8_t *bytes = new_copy(ring);
	struct copied_page *copy;
	ssize_t got;
	int err;

	if (!bytes)
		return -ENOMEM;
	got = read(ring->fd, bytes, ring->page_size);
	if (got <= 0) {
		err = is_empty(got) ? 0 : -errno;
		free(bytes);
		return err;
	}
	copy = keep_copy(ring, bytes);
	if (!copy) {
		free(bytes);
		return -ENOMEM;
	}
	if (trace_page__begin(&copy->page, ring->layout, bytes, (size_t)got))
		ring->damaged++;
	ring->holes += copy->page.has_lost && ring->nr_copies > 1;
	err = add_records(ring, &copy->page);
	return err ? err : 1;
}

/* What comes meanwhile could keep one busy for ever. */
static int read_pages(struct trace_ring *ring)
{
	int got = 1;

	for (uint64_t i = 0; got > 0 && i < ring->max_pages; i++)
		got = read_page(ring);
	return got < 0 ? got : 0;
}

/* ---- mapping, which does not -------------------------------------------------------------- */

/* A sub-buffer that has something in it. */
struct filled_page {
	uint64_t time;
	uint32_t number;
};

static const uint8_t *subbuf(const struct trace_ring *ring, uint32_t number)
{
	return ring->pages + (size_t)number * ring->page_size;
}

static uint64_t load_time(const uint8_t *page)
{
	return __atomic_load_n((const uint64_t *)(const void *)page, __ATOMIC_ACQUIRE);
}

static unsigned long load_commit(const struct trace_ring *ring, const uint8_t *page)
{
	const void *commit = page + ring->layout->commit_offset;

	if (ring->layout->commit_size == sizeof(uint32_t))
		return __atomic_load_n((const uint32_t *)commit, __ATOMIC_ACQUIRE);
	return __atomic_load_n((const unsigned long *)commit, __ATOMIC_ACQUIRE);
}

static size_t committed(const struct trace_ring *ring, const uint8_t *page)
{
	/* The upper bits are for those who get a page by read(2). */
	return load_commit(ring, page) & ((1u << 20) - 1);
}

static int by_time(const void *a, const void *b)
{
	const struct filled_page *one = a, *other = b;

	return (one->time > other->time) - (one->time < other->time);
}

/*
 * Copies what is committed of a sub-buffer. The writer clears `commit` before it begins to write
 * there anew, and sets another time with the first event: if both are as before, or only more was
 * added, the copy is whole.
 */
static bool copy_subbuf(const struct trace_ring *ring, const struct filled_page *filled,
			uint8_t *bytes, size_t *len)
{
	const uint8_t *page = subbuf(ring, filled->number);
	size_t header = ring->layout->data_offset;

	*len = committed(ring, page);
	if (!*len || *len > ring->page_size - header)
		return false;
	memcpy(bytes, page, header + *len);
	memcpy(bytes, &filled->time, sizeof(filled->time));
	atomic_thread_fence(memory_order_acquire);
	return load_time(page) == filled->time && committed(ring, page) >= *len;
}

/* The copy of a page that began at @time. They are in the order of time. */
static struct copied_page *find_copy(const struct trace_ring *ring, uint64_t time)
{
	size_t low = 0, high = ring->nr_copies;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ring->copies[middle].page.page_time < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low < ring->nr_copies && ring->copies[low].page.page_time == time
		       ? &ring->copies[low]
		       : NULL;
}

/* Takes what was added to a page since it was copied: what was there before has not changed. */
static int extend_copy(struct trace_ring *ring, struct copied_page *copy, const uint8_t *bytes,
		       size_t len)
{
	size_t header = ring->layout->data_offset;

	memcpy(copy->bytes + header + copy->page.len, bytes + header + copy->page.len,
	       len - copy->page.len);
	copy->page.len = len;
	return add_records(ring, &copy->page);
}

static int add_copy(struct trace_ring *ring, uint8_t *bytes, size_t len)
{
	struct copied_page *copy = keep_copy(ring, bytes);

	if (!copy) {
		free(bytes);
		return -ENOMEM;
	}
	copy->page.data = bytes + ring->layout->data_offset;
	copy->page.len = len;
	memcpy(&copy->page.page_time, bytes, sizeof(copy->page.page_time));
	copy->page.time = copy->page.page_time;
	return add_records(ring, &copy->page);
}

static bool is_prefix(const struct trace_ring *ring, const struct copied_page *copy,
		      const uint8_t *bytes, size_t len)
{
	size_t header = ring->layout->data_offset;

	return !memcmp(copy->bytes + header, bytes + header,
		       len < copy->page.len ? len : copy->page.len);
}

static int take_subbuf(struct trace_ring *ring, const struct filled_page *filled)
{
	struct copied_page *copy = find_copy(ring, filled->time);
	uint8_t *bytes;
	size_t len;
	int err = 0;

	if (copy && copy->page.len >= committed(ring, subbuf(ring, filled->number)))
		return 0;
	bytes = new_copy(ring);
	if (!bytes)
		return -ENOMEM;
	/* If not, it was overwritten just now: in front of all others, a loss like any other. */
	if (!copy_subbuf(ring, filled, bytes, &len)) {
		ring->holes += ring->nr_copies > 0;
	} else {
		/* Another page of the same time is not impossible, only unlikely. */
		if (!copy || !is_prefix(ring, copy, bytes, len))
			return add_copy(ring, bytes, len);
		if (len > copy->page.len)
			err = extend_copy(ring, copy, bytes, len);
	}
	free(bytes);
	return err;
}

/* The order of sub-buffers changes with each that is read; their times tell it. */
static int copy_pages(struct trace_ring *ring)
{
	struct filled_page *filled = calloc(ring->nr_subbufs, sizeof(*filled));
	uint32_t nr = 0;
	int err = 0;

	if (!filled)
		return -ENOMEM;
	for (uint32_t i = 0; i < ring->nr_subbufs; i++)
		if (committed(ring, subbuf(ring, i)))
			filled[nr++] = (struct filled_page){ load_time(subbuf(ring, i)), i };
	qsort(filled, nr, sizeof(*filled), by_time);
	for (uint32_t i = 0; !err && i < nr; i++)
		err = take_subbuf(ring, &filled[i]);
	free(filled);
	return err;
}

static bool map_subbufs(struct trace_ring *ring, const struct ring_meta *meta)
{
	void *pages;

	if (meta->meta_page_size != ring->map_len || meta->subbuf_size != ring->layout->size ||
	    !meta->nr_subbufs)
		return false;
	ring->nr_subbufs = meta->nr_subbufs;
	ring->pages_len = (size_t)meta->nr_subbufs * meta->subbuf_size;
	pages = mmap(NULL, ring->pages_len, PROT_READ, MAP_SHARED, ring->fd, (off_t)ring->map_len);
	if (pages == MAP_FAILED)
		return false;
	ring->pages = pages;
	return true;
}

static void map_ring(struct trace_ring *ring)
{
	size_t len = (size_t)sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, ring->fd, 0);

	if (map == MAP_FAILED)
		return;
	ring->map = map;
	ring->map_len = len;
	if (map_subbufs(ring, map)) {
		/* The mapping does without it, and on large machines there are many. */
		close(ring->fd);
		ring->fd = -1;
		return;
	}
	munmap(map, len);
	ring->map = NULL;
}

/* ---- losses ------------------------------------------------------------------------------- */

static uint64_t number_behind(const char *text, const char *name)
{
	const char *line = strstr(text, name);
	unsigned long long number;

	return line && sscanf(line + strlen(name), "%llu", &number) == 1 ? number : 0;
}

static int read_losses(struct trace_ring *ring)
{
	char *text;
	size_t len;
	int err = tracefs__read_path(ring->stats_path, &text, &len);

	if (err)
		return err;
	ring->losses = (struct trace_losses){
		.overrun = number_behind(text, "\noverrun:"),
		.commit_overrun = number_behind(text, "\ncommit overrun:"),
		.dropped = number_behind(text, "\ndropped events:"),
	};
	free(text);
	return 0;
}

/* ---- the ring ----------------------------------------------------------------------------- */

/* A ring is as large as it says, and a page or two more. */
static int read_size(struct trace_ring *ring, const char *directory, uint32_t cpu)
{
	unsigned long long kilobytes;
	char path[PATH_MAX], *text;
	size_t len;
	int err;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/buffer_size_kb", directory, cpu);
	err = tracefs__read_path(path, &text, &len);
	if (err)
		return err;
	if (sscanf(text, "%llu", &kilobytes) != 1)
		err = -EBADMSG;
	else
		ring->max_pages = kilobytes * 1024 / ring->page_size + 3;
	free(text);
	return err;
}

static int open_ring(struct trace_ring *ring, const char *directory, uint32_t cpu)
{
	char path[PATH_MAX];
	int err = read_size(ring, directory, cpu);

	if (err)
		return err;
	if (asprintf(&ring->stats_path, "%s/per_cpu/cpu%u/stats", directory, cpu) < 0) {
		ring->stats_path = NULL;
		return -ENOMEM;
	}
	snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/trace_pipe_raw", directory, cpu);
	ring->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (ring->fd < 0)
		return -errno;
	map_ring(ring);
	return 0;
}

int trace_ring__open(struct trace_ring **result, const char *directory, uint32_t cpu,
		     const struct trace_page_layout *layout)
{
	struct trace_ring *ring = calloc(1, sizeof(*ring));
	int err;

	*result = NULL;
	if (!ring)
		return -ENOMEM;
	ring->fd = -1;
	ring->layout = layout;
	ring->page_size = layout->size;
	err = open_ring(ring, directory, cpu);
	if (err)
		trace_ring__free(ring);
	else
		*result = ring;
	return err;
}

void trace_ring__free(struct trace_ring *ring)
{
	if (!ring)
		return;
	for (size_t i = 0; i < ring->nr_copies; i++)
		free(ring->copies[i].bytes);
	free(ring->copies);
	free(ring->records);
	if (ring->pages)
		munmap((void *)ring->pages, ring->pages_len);
	if (ring->map)
		munmap((void *)ring->map, ring->map_len);
	if (ring->fd >= 0)
		close(ring->fd);
	free(ring->stats_path);
	free(ring);
}

bool trace_ring__consumes(const struct trace_ring *ring)
{
	return !ring->map;
}

int trace_ring__collect(struct trace_ring *ring)
{
	int err = ring->map ? copy_pages(ring) : read_pages(ring);

	ring->collected_ns = boottime_now();
	/* Last, so that what was overwritten meanwhile is counted. */
	return err ? err : read_losses(ring);
}

size_t trace_ring__records(const struct trace_ring *ring, const struct trace_record **records)
{
	*records = ring->records;
	return ring->nr_records;
}

struct trace_losses trace_ring__losses(const struct trace_ring *ring)
{
	return ring->losses;
}

uint64_t trace_ring__collected(const struct trace_ring *ring)
{
	return ring->collected_ns;
}

uint64_t trace_ring__holes(const struct trace_ring *ring)
{
	return ring->holes;
}

uint64_t trace_ring__damaged(const struct trace_ring *ring)
{
	return ring->damaged;
}
