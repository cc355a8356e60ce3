/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Reads the records of one ring, oldest first, while a BPF program goes on writing to it.
 *
 * There are three kinds of rings, and imported records, and one interface. A cursor fetches records
 * in batches: fill() looks at the ring, takes what is there, checks it, and leaves an array of
 * pointers to whole and valid records; peek and advance walk that array. Nothing in the ring is
 * trusted: whatever its memory holds, a cursor neither reads outside it nor loops for ever.
 *
 * What an overwriting ring of up to 4 MiB holds is copied at once, so that it can be given out at
 * leisure; of a larger one the writer may overwrite parts before they are reached.
 */
#ifndef PERSIST_RING_CURSOR_H
#define PERSIST_RING_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "log.h"
#include "persist_record.h"

/* Records that one call of fill() fetches at most. */
#define RING_CURSOR_BATCH 512

/* Whose records these have to be. */
struct record_origin {
	uint32_t event_id;
	uint32_t cpu;
	uint32_t payload_min; /* no record of this event is shorter */
	uint32_t payload_max; /* or longer; 0: not known */
	const char *path;     /* of the pin, for messages */
	const struct log *log;
};

struct ring_cursor;

/**
 * struct ring_newest - the newest record of a ring
 * @time_ns:       its time; 0 if there is none
 * @written_bytes: all that was ever written to the ring, whatever was overwritten since
 * @position:      from where the next look has to search
 */
struct ring_newest {
	uint64_t time_ns;
	uint64_t written_bytes;
	uint64_t position;
};

struct ring_cursor_ops {
	/*
	 * Replaces the batch, all of which was used, by records that follow it. Leaves an empty
	 * one if there is nothing (yet). Every record that was complete before the call is found.
	 */
	void (*fill)(struct ring_cursor *cursor);
	void (*find_newest)(struct ring_cursor *cursor, struct ring_newest *newest);
	void (*free)(struct ring_cursor *cursor);
};

struct ring_cursor {
	const struct ring_cursor_ops *ops;
	struct record_origin origin;
	unsigned int nr;   /* records in the batch */
	unsigned int next; /* the first of them that was not used */
	uint64_t last_seq; /* of the last record put into a batch */
	uint64_t read_bytes;
	uint64_t nr_corrupt;  /* places where there should have been a record of ours */
	bool has_overwritten; /* what preceded the first record of the batch has been overwritten */
	bool has_reported;    /* that the ring is corrupt: said once */
	const struct persist_record *batch[RING_CURSOR_BATCH];
};

/**
 * ringbuf_cursor__new() - reads a BPF_MAP_TYPE_RINGBUF that nobody consumes
 * @pages:     the mapping: the producer page, and after it the data, mapped twice
 * @page_size: bytes of a page
 * @size:      bytes of the ring's data, a power of two
 * @overwrite: the ring has BPF_F_RB_OVERWRITE
 * @origin:    whose records they are; path and log must outlive the cursor
 *
 * Records of an overwriting ring are copied and valid until the next fill; those of another are
 * valid as long as the mapping is.
 *
 * Return: the cursor, or NULL with errno ENOMEM.
 */
struct ring_cursor *ringbuf_cursor__new(const void *pages, size_t page_size, uint64_t size,
					bool overwrite, const struct record_origin *origin);

/**
 * array_cursor__new() - reads a struct persist_array_ring
 * @ring:   the mapping
 * @size:   bytes of it, at most those of the map's value
 * @origin: whose records they are; path and log must outlive the cursor
 *
 * Records are copied and valid until the next fill.
 *
 * Return: the cursor, or NULL with errno: EBADMSG if the ring's own description is not sound,
 * ENOMEM.
 */
struct ring_cursor *array_cursor__new(const struct persist_array_ring *ring, uint64_t size,
				      const struct record_origin *origin);

/**
 * imported_cursor__new() - reads the imported records of one CPU, see struct persist_imported
 * @records: the first one; memory that never changes
 * @bytes:   of all of them
 * @origin:  whose records they are; path and log must outlive the cursor
 *
 * Records are valid as long as that memory is. Their numbers begin anew after them: they are
 * read by a cursor of their own.
 *
 * Return: the cursor, or NULL with errno ENOMEM.
 */
struct ring_cursor *imported_cursor__new(const void *records, uint64_t bytes,
					 const struct record_origin *origin);

static inline void ring_cursor__free(struct ring_cursor *cursor)
{
	if (cursor)
		cursor->ops->free(cursor);
}

/* The oldest record that was not used yet, or NULL if there is none at the moment. */
static inline const struct persist_record *ring_cursor__peek(struct ring_cursor *cursor)
{
	if (cursor->next == cursor->nr) {
		cursor->ops->fill(cursor);
		if (!cursor->nr)
			return NULL;
	}
	return cursor->batch[cursor->next];
}

static inline void ring_cursor__advance(struct ring_cursor *cursor)
{
	cursor->next++;
}

/**
 * ring_cursor__find_newest() - the newest record, without copying the others
 * @cursor: where it stands does not matter, and stays
 * @newest: zero, or what was found before in the same ring: what lies before it is not looked at
 *          again. Stays as it is if no newer record is found.
 *
 * An array ring says where its newest record is; in a ringbuf the headers of all records lead to
 * it.
 */
static inline void ring_cursor__find_newest(struct ring_cursor *cursor, struct ring_newest *newest)
{
	cursor->ops->find_newest(cursor, newest);
}

/* Whether records between the one before and the one that peek returned were overwritten. */
static inline bool ring_cursor__has_overwritten(const struct ring_cursor *cursor)
{
	return cursor->next == 0 && cursor->has_overwritten;
}

/* ---- for the implementations ------------------------------------------------------------- */

#define PREFETCH_BYTES 4096

static inline void ring_cursor__prefetch(const uint8_t *at, long distance)
{
	__builtin_prefetch(at + distance);
	__builtin_prefetch(at + distance + 64);
}

/* Called first in fill(). What was overwritten stays known until a record tells about it. */
static inline void ring_cursor__begin_batch(struct ring_cursor *cursor)
{
	if (cursor->nr)
		cursor->has_overwritten = false;
	cursor->nr = 0;
	cursor->next = 0;
}

/*
 * A record's header says what it should. @record is memory that does not change any more, with
 * @room bytes behind it that belong to the record.
 */
static inline bool record_is_sound(const struct persist_record *record, uint64_t room,
				   const struct record_origin *origin)
{
	return room >= sizeof(*record) && record->magic == PERSIST_RECORD_MAGIC &&
	       record->version == PERSIST_RECORD_VERSION &&
	       record->header_size >= sizeof(*record) && record->size <= PERSIST_PAYLOAD_MAX &&
	       record->header_size + record->size <= room && record->event_id == origin->event_id &&
	       record->cpu == origin->cpu && record->size >= origin->payload_min &&
	       (!origin->payload_max || record->size <= origin->payload_max);
}

/* Takes @record into the batch if it is sound and newer than every one before. */
static inline bool ring_cursor__add(struct ring_cursor *cursor, const struct persist_record *record,
				    uint64_t room)
{
	if (!record_is_sound(record, room, &cursor->origin) || record->seq <= cursor->last_seq)
		return false;
	cursor->last_seq = record->seq;
	cursor->batch[cursor->nr++] = record;
	return true;
}

static inline void ring_cursor__report_corrupt(struct ring_cursor *cursor, uint64_t position)
{
	cursor->nr_corrupt++;
	if (cursor->has_reported)
		return;
	cursor->has_reported = true;
	log_warn(cursor->origin.log,
		 "%s: corrupt buffer: no valid record at position %llu; what cannot be read is "
		 "reported as lost",
		 cursor->origin.path, (unsigned long long)position);
}

#endif
