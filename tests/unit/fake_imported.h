/* SPDX-License-Identifier: GPL-2.0-only */
/* The value of a pin `imported`, as the loader writes it: records of one CPU, and none of others.
 */
#ifndef PERSIST_FAKE_IMPORTED_H
#define PERSIST_FAKE_IMPORTED_H

#include <stdlib.h>

#include "fake_rings.h"

#define FAKE_IMPORTED_CPUS  (FAKE_CPU + 1)
#define FAKE_IMPORTED_BEGIN 384 /* 144 + 4 * 48, to a multiple of 64 */

static inline uint64_t fake_imported_units(uint64_t seq)
{
	return (sizeof(struct persist_record) + fake_payload_size(seq) + PERSIST_UNIT_SIZE - 1) /
	       PERSIST_UNIT_SIZE;
}

/* Numbers 1 to @nr. Exactly *@size bytes, so that a sanitizer notices what goes beyond. */
static inline struct persist_imported *fake_imported_new(uint64_t nr, size_t *size)
{
	struct persist_imported *header;
	uint64_t bytes = 0;
	uint8_t *at;

	for (uint64_t seq = 1; seq <= nr; seq++)
		bytes += fake_imported_units(seq) * PERSIST_UNIT_SIZE;
	*size = FAKE_IMPORTED_BEGIN + bytes;
	header = aligned_alloc(PERSIST_UNIT_SIZE, *size);
	memset(header, 0, *size);
	*header = (struct persist_imported){
		.magic = PERSIST_IMPORTED_MAGIC,
		.version = PERSIST_ABI_VERSION,
		.header_size = sizeof(*header),
		.cpu_size = sizeof(struct persist_imported_cpu),
		.nr_cpus = FAKE_IMPORTED_CPUS,
		.event_id = FAKE_EVENT_ID,
		.records = nr,
	};
	header->cpus[FAKE_CPU] = (struct persist_imported_cpu){
		.offset = FAKE_IMPORTED_BEGIN,
		.bytes = bytes,
		.records = nr,
		.overrun = 3,
		.dropped = 4,
	};
	header->cpus[0].overrun = 10;
	at = (uint8_t *)header + FAKE_IMPORTED_BEGIN;
	for (uint64_t seq = 1; seq <= nr; seq++) {
		struct persist_record *record = (void *)at;

		fake_record(record, seq, fake_payload_size(seq), 0);
		record->flags = PERSIST_RECORD_IMPORTED;
		at += fake_imported_units(seq) * PERSIST_UNIT_SIZE;
	}
	return header;
}

#endif
