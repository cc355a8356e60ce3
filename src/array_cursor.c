// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/*
 * Reads an array ring, see struct persist_array_ring.
 *
 * Positions count units since the ring was made. Where a record starts cannot be recognised by
 * looking at the ring: the newest one is found through the commit word, which holds its length, and
 * each older one through prev_units of the one after it; or at once, where all have the same
 *length. Once a start is known, the records behind it follow one after the other.
 *
 * Units are copied first and looked at then. A copy is whole as far as the writer had not come
 * round to it when it was finished. How the writer (write_array_ring() in bpf/capture.bpf.h) and
 * this reader are ordered:
 *
 *	writer				reader
 *	store reserve_pos		load commit (acquire)
 *	  barrier A			  barrier B: the acquire
 *	store the record		load the record
 *	  barrier C			  barrier D: the fence
 *	store commit			load reserve_pos
 *
 * C pairs with B: who sees a commit word sees the records that end at or before it. A pairs with
 * D: who loaded anything of a record that overwrites what was read, sees its reserve_pos.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ring_cursor.h"

/*
 * A ring of more than LARGEST_COPY units is not copied as a whole. Its oldest record is searched
 * for in the ring itself, and a writer that overwrites it meanwhile would do so again the next
 * time: each further try stays twice as far away from it, up to half the ring.
 */
#define LARGEST_COPY		(4u * 1024 * 1024 / PERSIST_UNIT_SIZE)
#define CHUNK			(128u * 1024 / PERSIST_UNIT_SIZE)
#define FIRST_DISTANCE_SHIFT	6 /* a 64th of the ring */
#define SMALLEST_DISTANCE_SHIFT 1

/* Each one fails only if the writer has written the whole ring or half of it meanwhile. */
#define MAX_TRIES 24

struct array_cursor {
	struct ring_cursor cursor;
	const struct persist_array_ring *ring;
	/* Copies, since nothing keeps those in the ring from changing. */
	uint64_t nr_units;
	uint64_t spill_units;
	/* Of every record of this event; 0: they differ. */
	uint64_t record_units;
	/*
	 * Of the next record, if is_synced. If not, a record is to be found that starts here or
	 * later.
	 */
	uint64_t position;
	bool is_synced;
	/*
	 * The buffer holds the units from copy_start to copy_end. At copy_wrap the ring starts
	 * again: in front of that is what a record that starts before it may have spilled.
	 */
	uint64_t copy_start, copy_wrap, copy_end;
	uint8_t *buffer;
};

/* ---- the ring ---------------------------------------------------------------------------- */

static uint64_t load_commit(const struct array_cursor *array)
{
	return __atomic_load_n(&array->ring->commit, __ATOMIC_ACQUIRE);
}

/* The first position that the writer has not come round to when everything before was loaded. */
static uint64_t load_oldest(const struct array_cursor *array)
{
	uint64_t reserve_pos;

	/* Barrier D of the picture above. */
	atomic_thread_fence(memory_order_acquire);
	reserve_pos = __atomic_load_n(&array->ring->reserve_pos, __ATOMIC_RELAXED);
	return reserve_pos > array->nr_units ? reserve_pos - array->nr_units : 0;
}

static uint64_t index_of(const struct array_cursor *array, uint64_t position)
{
	return position & (array->nr_units - 1);
}

static const uint8_t *in_ring(const struct array_cursor *array, uint64_t position)
{
	return array->ring->data + index_of(array, position) * PERSIST_UNIT_SIZE;
}

static uint64_t units_of_bytes(uint64_t bytes)
{
	return (bytes + PERSIST_UNIT_SIZE - 1) / PERSIST_UNIT_SIZE;
}

static uint64_t units_of(const struct persist_record *record)
{
	return units_of_bytes(record->header_size + (uint64_t)record->size);
}

static uint64_t units_of_all(const struct record_origin *origin)
{
	uint64_t shortest = units_of_bytes(sizeof(struct persist_record) + origin->payload_min);
	uint64_t longest = units_of_bytes(sizeof(struct persist_record) + origin->payload_max);

	return shortest == longest ? longest : 0;
}

/* ---- the copy ---------------------------------------------------------------------------- */

static const struct persist_record *in_copy(const struct array_cursor *array, uint64_t position)
{
	uint64_t unit = position - array->copy_start;

	if (position >= array->copy_wrap)
		unit += array->spill_units;
	return (const void *)(array->buffer + unit * PERSIST_UNIT_SIZE);
}

/* Units that were copied from @position on without a break. */
static uint64_t room_in_copy(const struct array_cursor *array, uint64_t position)
{
	if (position < array->copy_wrap && array->copy_end > array->copy_wrap)
		return array->copy_wrap + array->spill_units - position;
	return array->copy_end - position;
}

/* Copies what lies from @start to @end, which is no more than the ring and the buffer hold. */
static void copy_units(struct array_cursor *array, uint64_t start, uint64_t end)
{
	array->copy_start = start;
	array->copy_end = end;
	array->copy_wrap = start + array->nr_units - index_of(array, start);
	if (end <= array->copy_wrap) {
		/* The last record may be cut off by the end, or end in the spill area behind it. */
		memcpy(array->buffer, in_ring(array, start), (end - start) * PERSIST_UNIT_SIZE);
		return;
	}
	memcpy(array->buffer, in_ring(array, start),
	       (array->copy_wrap - start + array->spill_units) * PERSIST_UNIT_SIZE);
	memcpy((void *)in_copy(array, array->copy_wrap), array->ring->data,
	       (end - array->copy_wrap) * PERSIST_UNIT_SIZE);
}

/* ---- finding a record's start -------------------------------------------------------------- */

/* What ended a walk towards older records. */
enum walk_end {
	WALK_COMPLETE,	  /* the first record ever, or none before it is wanted */
	WALK_OVERWRITTEN, /* the record before is gone */
	WALK_CORRUPT,	  /* what should be the record before is none */
};

/*
 * Walks from the record that ends at @end and has @units units to older ones, in the copy if there
 * is an @oldest position that is valid there, or else in the ring, @distance units away from what
 * the writer overwrites next. *@start is where the last record starts that was reached, or @end.
 */
static enum walk_end walk_back(const struct array_cursor *array, uint64_t end, uint64_t units,
			       const uint64_t *oldest, uint64_t distance, uint64_t *start)
{
	uint64_t newer_seq = UINT64_MAX;
	struct persist_record header;

	*start = end;
	while (units) {
		uint64_t position = *start - units;

		if (units > *start)
			return WALK_CORRUPT;
		if (position < array->position)
			return WALK_COMPLETE;
		if (oldest) {
			if (position < *oldest)
				return WALK_OVERWRITTEN;
			memcpy(&header, in_copy(array, position), sizeof(header));
		} else {
			__builtin_prefetch(in_ring(array, position - 32 * units));
			memcpy(&header, in_ring(array, position), sizeof(header));
			if (position < load_oldest(array) + distance)
				return WALK_OVERWRITTEN;
		}
		if (!record_is_sound(&header, units * PERSIST_UNIT_SIZE, &array->cursor.origin) ||
		    units_of(&header) != units || header.seq >= newer_seq)
			return WALK_CORRUPT;
		newer_seq = header.seq;
		units = header.prev_units;
		*start = position;
	}
	return WALK_COMPLETE;
}

/*
 * What walk_back() finds, without the walk, if all records have the same length and none is missing
 * between the newest one and the oldest. Returns false if only a walk can tell.
 */
static bool find_start(const struct array_cursor *array, uint64_t end, uint64_t units,
		       const uint64_t *oldest, uint64_t distance, uint64_t *start,
		       enum walk_end *walk_end)
{
	uint64_t first = oldest ? *oldest : load_oldest(array) + distance;
	struct persist_record header;

	if (first < array->position)
		first = array->position;
	if (units != array->record_units || first + units > end)
		return false;
	*start = end - (end - first) / units * units;
	memcpy(&header, oldest ? (const void *)in_copy(array, *start) : in_ring(array, *start),
	       sizeof(header));
	if (!oldest && *start < load_oldest(array) + distance)
		return false;
	if (!record_is_sound(&header, units * PERSIST_UNIT_SIZE, &array->cursor.origin) ||
	    units_of(&header) != units)
		return false;
	*walk_end = *start < array->position + units ? WALK_COMPLETE : WALK_OVERWRITTEN;
	return true;
}

/* Goes on with the oldest record from which a chain leads to the newest. */
static void synchronise(struct array_cursor *array, uint64_t commit, const uint64_t *oldest,
			uint64_t distance)
{
	uint64_t end = commit >> PERSIST_COMMIT_LENGTH_BITS;
	uint64_t units = commit & PERSIST_COMMIT_LENGTH_MASK;
	enum walk_end walk_end;
	uint64_t start;

	if (!find_start(array, end, units, oldest, distance, &start, &walk_end))
		walk_end = walk_back(array, end, units, oldest, distance, &start);
	switch (walk_end) {
	case WALK_COMPLETE:
		break;
	case WALK_OVERWRITTEN:
		array->cursor.has_overwritten = true;
		break;
	case WALK_CORRUPT:
		ring_cursor__report_corrupt(&array->cursor, start);
		break;
	}
	array->position = start;
	array->is_synced = true;
}

/* ---- copying what is new ------------------------------------------------------------------- */

/* Everything at once: whatever the writer does, all that was not overwritten before is got. */
static void copy_all(struct array_cursor *array, uint64_t commit)
{
	uint64_t end = commit >> PERSIST_COMMIT_LENGTH_BITS;
	uint64_t start = array->position, oldest;

	if (end - start > array->nr_units)
		start = end - array->nr_units;
	copy_units(array, start, end);
	oldest = load_oldest(array);
	if (array->is_synced && start == array->position && oldest <= start)
		return;
	if (oldest < start)
		oldest = start;
	if (oldest > end)
		oldest = end;
	synchronise(array, commit, &oldest, 0);
}

/* A part, from the next record on. */
static void copy_chunk(struct array_cursor *array, uint64_t commit, unsigned int try)
{
	uint64_t end = commit >> PERSIST_COMMIT_LENGTH_BITS;
	uint64_t distance = 0;

	if (try > 0)
		distance = array->nr_units >> (try <= FIRST_DISTANCE_SHIFT
						       ? FIRST_DISTANCE_SHIFT + 1 - try
						       : SMALLEST_DISTANCE_SHIFT);
	if (!array->is_synced)
		synchronise(array, commit, NULL, distance);
	if (end - array->position > CHUNK)
		end = array->position + CHUNK;
	copy_units(array, array->position, end);
	if (load_oldest(array) <= array->position)
		return;
	array->cursor.has_overwritten = true;
	array->is_synced = false;
	array->copy_end = array->position;
}

/* Returns false if there is nothing new. */
static bool copy_new(struct array_cursor *array, unsigned int try)
{
	uint64_t commit = load_commit(array);

	if (array->position >= commit >> PERSIST_COMMIT_LENGTH_BITS)
		return false;
	if (array->nr_units <= LARGEST_COPY)
		copy_all(array, commit);
	else
		copy_chunk(array, commit, try);
	return true;
}

/* ---- the batch --------------------------------------------------------------------------- */

/* Takes records out of the copy. */
static void parse_copy(struct array_cursor *array)
{
	while (array->is_synced && array->position < array->copy_end &&
	       array->cursor.nr < RING_CURSOR_BATCH) {
		const struct persist_record *record = in_copy(array, array->position);
		uint64_t room = room_in_copy(array, array->position);

		if (ring_cursor__add(&array->cursor, record, room * PERSIST_UNIT_SIZE)) {
			array->position += units_of(record);
			array->cursor.read_bytes += units_of(record) * PERSIST_UNIT_SIZE;
			continue;
		}
		/* It may only be cut off by the end of the copy: see when it comes first. */
		array->copy_end = array->position;
		if (array->position == array->copy_start) {
			/* Corrupt. A walk from the newest ends behind it. */
			ring_cursor__report_corrupt(&array->cursor, array->position);
			array->position++;
			array->is_synced = false;
		}
	}
}

static void array_cursor__fill(struct ring_cursor *cursor)
{
	struct array_cursor *array = (struct array_cursor *)cursor;

	ring_cursor__begin_batch(cursor);
	for (unsigned int try = 0; try < MAX_TRIES; try++) {
		parse_copy(array);
		if (cursor->nr || !copy_new(array, try))
			return;
	}
	/* Reached by a ring that contradicts itself again and again. */
	parse_copy(array);
}

/* Each further try is needed only if the writer has written the whole ring meanwhile. */
static void array_find_newest(struct ring_cursor *cursor, struct ring_newest *newest)
{
	struct array_cursor *array = (struct array_cursor *)cursor;
	struct persist_record header;
	uint64_t commit, end, units;

	for (unsigned int try = 0; try < MAX_TRIES; try++) {
		commit = load_commit(array);
		end = commit >> PERSIST_COMMIT_LENGTH_BITS;
		units = commit & PERSIST_COMMIT_LENGTH_MASK;
		newest->written_bytes = end * PERSIST_UNIT_SIZE;
		if (!units)
			return;
		if (units > end) {
			ring_cursor__report_corrupt(cursor, end);
			return;
		}
		memcpy(&header, in_ring(array, end - units), sizeof(header));
		if (load_oldest(array) > end - units)
			continue;
		if (record_is_sound(&header, units * PERSIST_UNIT_SIZE, &cursor->origin))
			newest->time_ns = header.time_ns;
		else
			ring_cursor__report_corrupt(cursor, end - units);
		return;
	}
}

/* ------------------------------------------------------------------------------------------ */

static void array_cursor__free(struct ring_cursor *cursor)
{
	struct array_cursor *array = (struct array_cursor *)cursor;

	free(array->buffer);
	free(array);
}

static const struct ring_cursor_ops array_cursor_ops = {
	.fill = array_cursor__fill,
	.find_newest = array_find_newest,
	.free = array_cursor__free,
};

/* Every access stays inside @size bytes if these numbers are true. */
static bool ring_is_sound(const struct persist_array_ring *ring, uint64_t size, uint64_t nr_units,
			  uint64_t spill_units)
{
	uint64_t room = (size - sizeof(*ring)) / PERSIST_UNIT_SIZE;

	return ring->magic == PERSIST_ARRAY_RING_MAGIC && ring->version == PERSIST_ABI_VERSION &&
	       ring->unit_size == PERSIST_UNIT_SIZE && nr_units && !(nr_units & (nr_units - 1)) &&
	       nr_units <= room && spill_units <= room - nr_units;
}

struct ring_cursor *array_cursor__new(const struct persist_array_ring *ring, uint64_t size,
				      const struct record_origin *origin)
{
	uint64_t nr_units, spill_units, buffer_units;
	struct array_cursor *array;

	if (size < sizeof(*ring)) {
		errno = EBADMSG;
		return NULL;
	}
	nr_units = ring->nr_units;
	spill_units = ring->spill_units;
	if (!ring_is_sound(ring, size, nr_units, spill_units)) {
		errno = EBADMSG;
		return NULL;
	}
	array = calloc(1, sizeof(*array));
	if (!array)
		return NULL;
	array->cursor.ops = &array_cursor_ops;
	array->cursor.origin = *origin;
	array->ring = ring;
	array->nr_units = nr_units;
	array->spill_units = spill_units;
	array->record_units = units_of_all(origin);
	/* Memory that is never written to costs nothing. */
	buffer_units = (nr_units <= LARGEST_COPY ? nr_units : CHUNK) + spill_units;
	array->buffer = aligned_alloc(PERSIST_UNIT_SIZE, buffer_units * PERSIST_UNIT_SIZE);
	if (!array->buffer) {
		free(array);
		return NULL;
	}
	return &array->cursor;
}
