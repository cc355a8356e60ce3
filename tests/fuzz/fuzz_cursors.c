// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hostile rings through the cursors. The input is a program of small steps: write a proper record,
 * spoil bytes of the ring, move its positions, read. Whatever happens, reading ends, stays inside
 * the ring, and gives out sound records with growing numbers only.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/fake_rings.h"
#include "ring_cursor.h"

#define NR_UNITS     32
#define RINGBUF_SIZE 4096

/* More than any ring here can hold: reading that goes on for longer does not end. */
#define MAX_READ 10000

static const struct record_origin origin = {
	.event_id = FAKE_EVENT_ID,
	.cpu = FAKE_CPU,
	.path = "ring",
};

struct input {
	const uint8_t *data;
	size_t size;
};

static uint64_t take(struct input *input, size_t bytes)
{
	uint64_t value = 0;

	for (; bytes && input->size; bytes--, input->size--)
		value = value << 8 | *input->data++;
	return value;
}

/* Numbers near the limits are what matters. */
static uint64_t take_position(struct input *input, uint64_t current, uint64_t size)
{
	switch (take(input, 1) % 6) {
	case 0:
		return take(input, 1);
	case 1:
		return take(input, 8);
	case 2:
		return current + take(input, 1);
	case 3:
		return current - take(input, 1);
	case 4:
		return current + size * (take(input, 1) % 4);
	default:
		return 0 - take(input, 1);
	}
}

static void check(bool condition)
{
	if (!condition)
		abort();
}

static void read_records(struct ring_cursor *cursor, uint64_t *last_seq, unsigned int max)
{
	const struct persist_record *record;
	uint8_t sum = 0;

	for (unsigned int nr = 0; nr < max && (record = ring_cursor__peek(cursor)); nr++) {
		check(record->magic == PERSIST_RECORD_MAGIC);
		check(record->event_id == FAKE_EVENT_ID && record->cpu == FAKE_CPU);
		check(record->seq > *last_seq);
		check(nr < MAX_READ - 1);
		*last_seq = record->seq;
		for (uint32_t i = 0; i < record->header_size + record->size; i++)
			sum ^= ((const uint8_t *)record)[i];
		/* So that the compiler does not leave the loads out. */
		__asm__ volatile("" : : "r"(sum));
		ring_cursor__advance(cursor);
	}
}

static void fuzz_array(struct input *input)
{
	struct persist_array_ring *ring = fake_array_new(NR_UNITS);
	struct ring_cursor *cursor = array_cursor__new(ring, fake_array_size(NR_UNITS), &origin);
	uint64_t seq = 0, last_seq = 0, position;

	check(cursor);
	while (input->size) {
		switch (take(input, 1) % 8) {
		case 0:
		case 1:
			/* The writer trusts its own ring. */
			if ((ring->commit >> PERSIST_COMMIT_LENGTH_BITS) < 1ull << 40)
				fake_array_write_sized(ring, ++seq, (uint32_t)take(input, 1) * 6);
			break;
		case 2:
			position = take(input, 2) %
				   (fake_array_size(NR_UNITS) - PERSIST_ARRAY_RING_HEADER);
			ring->data[position] = (uint8_t)take(input, 1);
			break;
		case 3:
			position = ring->commit >> PERSIST_COMMIT_LENGTH_BITS;
			position = take_position(input, position, NR_UNITS);
			ring->commit = position << PERSIST_COMMIT_LENGTH_BITS | take(input, 1);
			break;
		case 4:
			ring->reserve_pos = take_position(input, ring->reserve_pos, NR_UNITS);
			break;
		case 5:
			/* What was checked when the cursor was made may change afterwards. */
			ring->nr_units = take(input, 8);
			ring->spill_units = take(input, 8);
			read_records(cursor, &last_seq, MAX_READ);
			ring->nr_units = NR_UNITS;
			break;
		case 6:
			read_records(cursor, &last_seq, (unsigned int)take(input, 1) % 8);
			break;
		case 7:
			read_records(cursor, &last_seq, MAX_READ);
			break;
		}
	}
	read_records(cursor, &last_seq, MAX_READ);
	ring_cursor__free(cursor);
	free(ring);
}

/* The kernel's writer trusts the positions, which nobody else can change. */
static bool can_write(struct fake_ringbuf *ringbuf)
{
	unsigned long end = *fake_producer_pos(ringbuf);
	unsigned long oldest = *fake_overwrite_pos(ringbuf);

	return !((end | oldest) % 8) && end < 1ul << 40 &&
	       (ringbuf->overwrite ? end - oldest : end) <= ringbuf->size;
}

static void fuzz_ringbuf(struct input *input, bool overwrite)
{
	static struct fake_ringbuf rings[2];
	struct fake_ringbuf *ringbuf = &rings[overwrite];
	uint64_t seq = 0, last_seq = 0, position;
	struct ring_cursor *cursor;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	/* Kept, as mapping it takes longer than a run; reading behind it crashes. */
	if (!ringbuf->pages)
		fake_ringbuf_init(ringbuf, RINGBUF_SIZE, overwrite);
	memset(ringbuf->pages, 0, page + RINGBUF_SIZE);
	cursor = ringbuf_cursor__new(ringbuf->pages, page, RINGBUF_SIZE, overwrite, &origin);
	check(cursor);
	while (input->size) {
		switch (take(input, 1) % 7) {
		case 0:
		case 1:
			if (!overwrite)
				cursor->next = cursor->nr;
			if (can_write(ringbuf))
				fake_ringbuf_write(ringbuf, ++seq);
			break;
		case 2:
			position = take(input, 2);
			/* Records of a plain ring are used where they lie: nobody can do this then.
			 */
			if (!overwrite)
				cursor->next = cursor->nr;
			*fake_data(ringbuf, position) = (uint8_t)take(input, 1);
			break;
		case 3:
			*fake_producer_pos(ringbuf) =
				take_position(input, *fake_producer_pos(ringbuf), RINGBUF_SIZE);
			break;
		case 4:
			*fake_overwrite_pos(ringbuf) =
				take_position(input, *fake_overwrite_pos(ringbuf), RINGBUF_SIZE);
			break;
		case 5:
			read_records(cursor, &last_seq, (unsigned int)take(input, 1) % 8);
			break;
		case 6:
			read_records(cursor, &last_seq, MAX_READ);
			break;
		}
	}
	read_records(cursor, &last_seq, MAX_READ);
	ring_cursor__free(cursor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };

	switch (take(&input, 1) % 3) {
	case 0:
		fuzz_array(&input);
		break;
	case 1:
		fuzz_ringbuf(&input, false);
		break;
	case 2:
		fuzz_ringbuf(&input, true);
		break;
	}
	return 0;
}
