// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/*
 * Reads a BPF_MAP_TYPE_RINGBUF that nobody consumes: a plain one, which keeps what was written
 * first, or an overwriting one (Linux 6.19), which keeps what was written last.
 *
 * libbpf's ring_buffer cannot do this: it maps the consumer page writable, which the kernel
 * refuses for a frozen map, and it consumes.
 *
 * Positions count bytes since the ring was made. In front of each record the kernel keeps a
 * header with the length and two bits:
 *
 *	kernel, reserve			kernel, submit		reader
 *	store overwrite_pos					load producer_pos (acquire)
 *	store length | BUSY					load length (acquire)
 *	store producer_pos (release)	store length (xchg)	load the record
 *								  fence
 *								load overwrite_pos
 *
 * The acquire of producer_pos pairs with its release: every header before it is initialised. The
 * acquire of the length pairs with the exchange in submit: without BUSY the record is complete.
 * The fence pairs with what orders the kernel's store of overwrite_pos before the stores that
 * overwrite: the CPU itself on x86 and s390. On other machines nothing in the kernel does, see
 * wait_for_stores().
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ring_cursor.h"

/* Each one fails only if the writer overwrites what was just copied. */
#define MAX_TRIES 24

#define LARGEST_COPY (4u * 1024 * 1024)
#define CHUNK	     (128u * 1024)

#define OVERWRITE_POS_OFFSET 16

/* With the kernel's header, rounded up as the kernel does. */
#define LONGEST_RECORD (BPF_RINGBUF_HDR_SZ + sizeof(struct persist_record) + PERSIST_PAYLOAD_MAX)

#if defined(__x86_64__) || defined(__i386__) || defined(__s390x__)
#define STORES_ARE_ORDERED 1
#else
#define STORES_ARE_ORDERED 0
#endif

struct ringbuf_cursor {
	struct ring_cursor cursor;
	const unsigned long *producer_pos;
	const unsigned long *overwrite_pos;
	const uint8_t *data;
	uint64_t size;
	uint64_t position; /* of the next record */
	bool is_broken;	   /* the chain of records is, so that nothing more can be found */
	/* Of an overwriting ring: a copy of the bytes from copy_start to copy_end. */
	uint64_t copy_start, copy_end;
	uint64_t buffer_size;
	uint8_t *buffer;
};

static uint64_t load_acquire(const unsigned long *from)
{
	return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

static void report_broken(struct ringbuf_cursor *ringbuf)
{
	ringbuf->is_broken = true;
	ring_cursor__report_corrupt(&ringbuf->cursor, ringbuf->position);
}

/* What a record takes up in the ring: with the header in front of it, rounded up. */
static uint64_t total_bytes(uint32_t length)
{
	return ((length & ~BPF_RINGBUF_DISCARD_BIT) + BPF_RINGBUF_HDR_SZ + 7ull) & ~7ull;
}

/*
 * The length of the record at @position with the kernel's header, as it lies in the ring, and in
 * *@length what the header says. 0 if the record is not there yet.
 */
static uint64_t bytes_of_record(const struct ringbuf_cursor *ringbuf, uint64_t position,
				uint32_t *length)
{
	const uint8_t *header = ringbuf->data + (position & (ringbuf->size - 1));

	*length = __atomic_load_n((const uint32_t *)header, __ATOMIC_ACQUIRE);
	if (*length & BPF_RINGBUF_BUSY_BIT)
		return 0;
	return total_bytes(*length);
}

/* ---- the plain ring: what is there stays, and is read where it lies ---------------------- */

static void plain_fill(struct ring_cursor *cursor)
{
	struct ringbuf_cursor *ringbuf = (struct ringbuf_cursor *)cursor;
	uint64_t end, bytes;
	uint32_t length;

	ring_cursor__begin_batch(cursor);
	if (ringbuf->is_broken)
		return;
	end = load_acquire(ringbuf->producer_pos);
	if (end > ringbuf->size) {
		report_broken(ringbuf);
		return;
	}
	while (ringbuf->position < end && cursor->nr < RING_CURSOR_BATCH) {
		ring_cursor__prefetch(ringbuf->data + ringbuf->position, PREFETCH_BYTES);
		bytes = bytes_of_record(ringbuf, ringbuf->position, &length);
		if (!bytes)
			return;
		if (bytes > end - ringbuf->position) {
			report_broken(ringbuf);
			return;
		}
		if (!(length & BPF_RINGBUF_DISCARD_BIT) &&
		    !ring_cursor__add(
			    cursor,
			    (const void *)(ringbuf->data + ringbuf->position + BPF_RINGBUF_HDR_SZ),
			    length))
			ring_cursor__report_corrupt(cursor, ringbuf->position);
		ringbuf->position += bytes;
		cursor->read_bytes += bytes;
	}
}

/* ---- the overwriting ring: copied, then checked ------------------------------------------ */

/*
 * Where stores may pass each other, those of the one record that is just being written (the
 * ring's lock orders it behind all earlier ones) may be seen although its overwrite_pos is not.
 * They hit what follows overwrite_pos, by no more than a record's length. Any CPU gets its stores
 * out within a fraction of the time that is waited here.
 */
static void wait_for_stores(void)
{
	const struct timespec time = { .tv_nsec = 200 * 1000 };

	nanosleep(&time, NULL);
}

static uint64_t load_overwrite_pos(const struct ringbuf_cursor *ringbuf, uint64_t first_copied)
{
	uint64_t position;

	atomic_thread_fence(memory_order_acquire);
	position = __atomic_load_n(ringbuf->overwrite_pos, __ATOMIC_RELAXED);
	if (STORES_ARE_ORDERED || first_copied >= position + LONGEST_RECORD)
		return position;
	wait_for_stores();
	atomic_thread_fence(memory_order_acquire);
	return __atomic_load_n(ringbuf->overwrite_pos, __ATOMIC_RELAXED);
}

/* No record is longer; and of so much memory behind every position there is a mapping. */
static uint64_t longest_record(const struct ringbuf_cursor *ringbuf)
{
	return ringbuf->size < LONGEST_RECORD ? ringbuf->size : LONGEST_RECORD;
}

/*
 * Copies records from the position on, one by one, since each is complete only once its header
 * says so.
 */
static void copy_records(struct ringbuf_cursor *ringbuf, uint64_t end)
{
	uint64_t position = ringbuf->position, bytes;
	uint64_t room = ringbuf->buffer_size;
	uint8_t *to = ringbuf->buffer;
	uint32_t length;

	while (position < end) {
		bytes = bytes_of_record(ringbuf, position, &length);
		/* Longer than the rest or than any of ours: overwritten or corrupt, told later. */
		if (!bytes || bytes > end - position || bytes > longest_record(ringbuf) ||
		    bytes > room)
			break;
		memcpy(to, ringbuf->data + (position & (ringbuf->size - 1)), bytes);
		memcpy(to, &length, sizeof(length));
		position += bytes;
		to += bytes;
		room -= bytes;
	}
	ringbuf->copy_start = ringbuf->position;
	ringbuf->copy_end = position;
}

/* The length of a record of the copy with the kernel's header, and what the header says. */
static uint64_t bytes_of_copy(const struct ringbuf_cursor *ringbuf, uint64_t position,
			      uint32_t *length)
{
	memcpy(length, ringbuf->buffer + (position - ringbuf->copy_start), sizeof(*length));
	return total_bytes(*length);
}

/*
 * Whether a record that was copied starts at @position. Then it and those behind it were found by
 * headers that were still valid when they were read.
 */
static bool is_start_in_copy(const struct ringbuf_cursor *ringbuf, uint64_t position)
{
	uint64_t start = ringbuf->copy_start;
	uint32_t length;

	while (start < position && start < ringbuf->copy_end)
		start += bytes_of_copy(ringbuf, start, &length);
	return start == position && start < ringbuf->copy_end;
}

/* Whether what is at the position cannot be a record. It may have been overwritten. */
static bool is_no_record(const struct ringbuf_cursor *ringbuf, uint64_t end)
{
	uint32_t length;
	uint64_t bytes = bytes_of_record(ringbuf, ringbuf->position, &length);

	return bytes > end - ringbuf->position || bytes > longest_record(ringbuf);
}

/* Returns false if there is nothing new. */
static bool copy_new(struct ringbuf_cursor *ringbuf)
{
	/* In this order the kernel guarantees that they fit together. */
	uint64_t end = load_acquire(ringbuf->producer_pos);
	uint64_t oldest = load_acquire(ringbuf->overwrite_pos);
	bool is_bad;

	if (oldest % BPF_RINGBUF_HDR_SZ) {
		report_broken(ringbuf);
		return false;
	}
	if (oldest > ringbuf->position) {
		ringbuf->position = oldest;
		ringbuf->cursor.has_overwritten = true;
	}
	if (ringbuf->position >= end)
		return false;
	copy_records(ringbuf, end);
	is_bad = ringbuf->copy_end == ringbuf->copy_start && is_no_record(ringbuf, end);
	oldest = load_overwrite_pos(ringbuf, ringbuf->position);
	if (oldest <= ringbuf->position) {
		if (is_bad)
			report_broken(ringbuf);
		return ringbuf->copy_end != ringbuf->copy_start;
	}
	ringbuf->cursor.has_overwritten = true;
	ringbuf->position = oldest;
	/* If not, the next round looks at it. */
	if (!is_start_in_copy(ringbuf, oldest))
		ringbuf->copy_start = ringbuf->copy_end = oldest;
	return true;
}

/* Takes records out of the copy. */
static void parse_copy(struct ringbuf_cursor *ringbuf)
{
	struct ring_cursor *cursor = &ringbuf->cursor;

	while (ringbuf->position < ringbuf->copy_end && cursor->nr < RING_CURSOR_BATCH) {
		const uint8_t *at = ringbuf->buffer + (ringbuf->position - ringbuf->copy_start);
		uint32_t length;
		uint64_t bytes = bytes_of_copy(ringbuf, ringbuf->position, &length);

		if (!(length & BPF_RINGBUF_DISCARD_BIT) &&
		    !ring_cursor__add(cursor, (const void *)(at + BPF_RINGBUF_HDR_SZ), length))
			ring_cursor__report_corrupt(cursor, ringbuf->position);
		ringbuf->position += bytes;
		cursor->read_bytes += bytes;
	}
}

static void overwrite_fill(struct ring_cursor *cursor)
{
	struct ringbuf_cursor *ringbuf = (struct ringbuf_cursor *)cursor;

	ring_cursor__begin_batch(cursor);
	for (int try = 0; try < MAX_TRIES && !ringbuf->is_broken; try++) {
		parse_copy(ringbuf);
		if (cursor->nr || !copy_new(ringbuf))
			return;
	}
	parse_copy(ringbuf);
}

/* ---- the newest record ------------------------------------------------------------------- */

/* Copies the header of the record at @position; false if it may have been overwritten. */
static bool copy_header(const struct ringbuf_cursor *ringbuf, uint64_t position,
			struct persist_record *header)
{
	const uint8_t *at = ringbuf->data + (position & (ringbuf->size - 1));

	memcpy(header, at + BPF_RINGBUF_HDR_SZ, sizeof(*header));
	return !ringbuf->buffer || load_overwrite_pos(ringbuf, position) <= position;
}

/*
 * Walks from record to record, and stands behind the last complete one afterwards. Returns false
 * if the writer came past it.
 */
static bool walk_to_newest(struct ringbuf_cursor *ringbuf, uint64_t end, struct ring_newest *newest)
{
	struct persist_record header = { 0 };
	uint32_t length;

	while (newest->position < end) {
		uint64_t bytes = bytes_of_record(ringbuf, newest->position, &length);

		/* As the copy is checked: what was read is only good if it was not overwritten. */
		if (!copy_header(ringbuf, newest->position, &header))
			return false;
		if (!bytes)
			break;
		if (bytes > end - newest->position) {
			ring_cursor__report_corrupt(&ringbuf->cursor, newest->position);
			break;
		}
		if (!(length & BPF_RINGBUF_DISCARD_BIT) &&
		    record_is_sound(&header, length, &ringbuf->cursor.origin))
			newest->time_ns = header.time_ns;
		newest->position += bytes;
	}
	return true;
}

static void ringbuf_find_newest(struct ring_cursor *cursor, struct ring_newest *newest)
{
	struct ringbuf_cursor *ringbuf = (struct ringbuf_cursor *)cursor;
	uint64_t end, oldest;

	for (int try = 0; try < MAX_TRIES; try++) {
		end = load_acquire(ringbuf->producer_pos);
		oldest = ringbuf->buffer ? load_overwrite_pos(ringbuf, end) : 0;
		if (oldest > end)
			continue;
		if (end - oldest > ringbuf->size) {
			ring_cursor__report_corrupt(cursor, end);
			return;
		}
		newest->written_bytes = end;
		if (newest->position < oldest)
			newest->position = oldest;
		if (walk_to_newest(ringbuf, end, newest))
			return;
	}
}

/* ------------------------------------------------------------------------------------------ */

static void ringbuf_cursor__free(struct ring_cursor *cursor)
{
	struct ringbuf_cursor *ringbuf = (struct ringbuf_cursor *)cursor;

	free(ringbuf->buffer);
	free(ringbuf);
}

static const struct ring_cursor_ops plain_ops = {
	.fill = plain_fill,
	.find_newest = ringbuf_find_newest,
	.free = ringbuf_cursor__free,
};

static const struct ring_cursor_ops overwrite_ops = {
	.fill = overwrite_fill,
	.find_newest = ringbuf_find_newest,
	.free = ringbuf_cursor__free,
};

struct ring_cursor *ringbuf_cursor__new(const void *pages, size_t page_size, uint64_t size,
					bool overwrite, const struct record_origin *origin)
{
	struct ringbuf_cursor *ringbuf = calloc(1, sizeof(*ringbuf));

	if (!ringbuf)
		return NULL;
	ringbuf->cursor.ops = overwrite ? &overwrite_ops : &plain_ops;
	ringbuf->cursor.origin = *origin;
	ringbuf->producer_pos = pages;
	ringbuf->overwrite_pos = (const void *)((const uint8_t *)pages + OVERWRITE_POS_OFFSET);
	ringbuf->data = (const uint8_t *)pages + page_size;
	ringbuf->size = size;
	if (overwrite) {
		/* A small ring is copied at once, before more of it can be overwritten. */
		ringbuf->buffer_size = size <= LARGEST_COPY ? size : CHUNK;
		ringbuf->buffer = malloc(ringbuf->buffer_size);
		if (!ringbuf->buffer) {
			free(ringbuf);
			return NULL;
		}
	}
	return &ringbuf->cursor;
}
