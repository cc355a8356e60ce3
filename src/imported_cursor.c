// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/* Reads the imported records of one CPU, which lie one behind the other and never change. */
#include <stdlib.h>

#include "ring_cursor.h"

struct imported_cursor {
	struct ring_cursor cursor;
	const uint8_t *records;
	uint64_t bytes;
	uint64_t position;
};

static uint64_t bytes_of(const struct persist_record *record)
{
	uint64_t bytes = (uint64_t)record->header_size + record->size;

	return (bytes + PERSIST_UNIT_SIZE - 1) / PERSIST_UNIT_SIZE * PERSIST_UNIT_SIZE;
}

static void imported_cursor__fill(struct ring_cursor *cursor)
{
	struct imported_cursor *imported = (struct imported_cursor *)cursor;

	ring_cursor__begin_batch(cursor);
	while (imported->position < imported->bytes && cursor->nr < RING_CURSOR_BATCH) {
		const void *at = imported->records + imported->position;
		const struct persist_record *record = at;
		uint64_t room = imported->bytes - imported->position;

		if (room < sizeof(*record) || !(record->flags & PERSIST_RECORD_IMPORTED) ||
		    !ring_cursor__add(cursor, record, room)) {
			/* Where the next one would be is not known. */
			ring_cursor__report_corrupt(cursor, imported->position);
			imported->position = imported->bytes;
			return;
		}
		imported->position += bytes_of(record);
		cursor->read_bytes += bytes_of(record);
	}
}

/* Nothing new ever comes: whoever wants to know the newest finds it in the header of the map. */
static void imported_find_newest(struct ring_cursor *cursor, struct ring_newest *newest)
{
	const struct imported_cursor *imported = (const struct imported_cursor *)cursor;

	newest->written_bytes = imported->bytes;
}

static void imported_cursor__free(struct ring_cursor *cursor)
{
	free(cursor);
}

static const struct ring_cursor_ops imported_cursor_ops = {
	.fill = imported_cursor__fill,
	.find_newest = imported_find_newest,
	.free = imported_cursor__free,
};

struct ring_cursor *imported_cursor__new(const void *records, uint64_t bytes,
					 const struct record_origin *origin)
{
	struct imported_cursor *imported = calloc(1, sizeof(*imported));

	if (!imported)
		return NULL;
	imported->cursor.ops = &imported_cursor_ops;
	imported->cursor.origin = *origin;
	imported->records = records;
	imported->bytes = bytes;
	return &imported->cursor;
}
