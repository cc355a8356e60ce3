// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile pin `imported`: the input is its value. What is found sound is read, on every CPU that
 * it knows: reading ends, and stays inside.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/fake_imported.h"
#include "imported.h"
#include "ring_cursor.h"

static const struct persist_meta meta = { .record_id = FAKE_EVENT_ID };

static void read_cpu(const struct persist_imported *header, uint32_t cpu)
{
	const struct record_origin origin = {
		.event_id = FAKE_EVENT_ID,
		.cpu = cpu,
		.path = "event",
	};
	const struct persist_imported_cpu part = imported__cpu(header, cpu);
	const struct persist_record *record;
	struct ring_cursor *cursor;
	uint64_t last_seq = 0, bytes = 0;
	uint8_t sum = 0;

	if (!part.bytes)
		return;
	cursor = imported_cursor__new((const uint8_t *)header + part.offset, part.bytes, &origin);
	while (cursor && (record = ring_cursor__peek(cursor))) {
		bytes += record->header_size + record->size;
		if (record->seq <= last_seq || record->cpu != cpu || bytes > part.bytes)
			abort();
		last_seq = record->seq;
		for (uint32_t i = 0; i < record->header_size + record->size; i++)
			sum ^= ((const uint8_t *)record)[i];
		/* So that the compiler does not leave the loads out. */
		__asm__ volatile("" : : "r"(sum));
		ring_cursor__advance(cursor);
	}
	ring_cursor__free(cursor);
}

/* A good one, of which the input says which bytes to spoil: offset and value of each. */
static void fuzz_spoiled(const uint8_t *data, size_t size)
{
	size_t len;
	struct persist_imported *header = fake_imported_new(8, &len);

	for (; size >= 3; data += 3, size -= 3)
		((uint8_t *)header)[(data[0] | data[1] << 8) % len] = data[2];
	if (imported__is_sound(header, len, &meta))
		for (uint32_t cpu = 0; cpu < header->nr_cpus; cpu++)
			read_cpu(header, cpu);
	free(header);
}

static void fuzz_any(const uint8_t *data, size_t size)
{
	/* Exactly as long, so that the sanitizer notices what goes beyond. */
	struct persist_imported *header = NULL;

	if (posix_memalign((void **)&header, PERSIST_UNIT_SIZE, size ? size : 1))
		return;
	memcpy(header, data, size);
	if (imported__is_sound(header, size, &meta))
		for (uint32_t cpu = 0; cpu < header->nr_cpus; cpu++)
			read_cpu(header, cpu);
	free(header);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] & 1)
		fuzz_any(data + 1, size - 1);
	else
		fuzz_spoiled(data + 1, size - 1);
	return 0;
}
