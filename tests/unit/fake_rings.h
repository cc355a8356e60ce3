/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rings in ordinary memory, and writers that do to them what the BPF programs and the kernel do.
 * What a record holds follows from its number, so that a reader can tell whether it is whole.
 */
#ifndef PERSIST_FAKE_RINGS_H
#define PERSIST_FAKE_RINGS_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "persist_record.h"

#define FAKE_EVENT_ID 4711
#define FAKE_CPU      3

/* Not 0: all records have this length. */
static uint32_t fake_equal_size;

/* Lengths differ, now and then by much. */
static inline uint32_t fake_payload_size(uint64_t seq)
{
	if (fake_equal_size)
		return fake_equal_size;
	if (seq % 97 == 0)
		return (uint32_t)(seq * 1237 % 1500);
	return (uint32_t)(8 + seq % 11 * 8);
}

static inline uint8_t fake_payload_byte(uint64_t seq, uint32_t i)
{
	return (uint8_t)(seq * 7 + i);
}

static inline void fake_record(struct persist_record *record, uint64_t seq, uint32_t size,
			       uint32_t prev_units)
{
	uint8_t *payload = (uint8_t *)(record + 1);

	*record = (struct persist_record){
		.magic = PERSIST_RECORD_MAGIC,
		.version = PERSIST_RECORD_VERSION,
		.header_size = sizeof(*record),
		.size = size,
		.event_id = FAKE_EVENT_ID,
		.seq = seq,
		.time_ns = seq * 1000,
		.cpu = FAKE_CPU,
		.pid = 100,
		.tid = 101,
		.prev_units = prev_units,
		.comm = "writer",
	};
	for (uint32_t i = 0; i < size; i++)
		payload[i] = fake_payload_byte(seq, i);
}

static inline bool fake_record_is_whole(const struct persist_record *record)
{
	const uint8_t *payload = (const uint8_t *)(record + 1);

	if (record->size != fake_payload_size(record->seq) || record->time_ns != record->seq * 1000)
		return false;
	for (uint32_t i = 0; i < record->size; i++)
		if (payload[i] != fake_payload_byte(record->seq, i))
			return false;
	return true;
}

/* ---- the array ring ---------------------------------------------------------------------- */

#define FAKE_SPILL_UNITS 30

static inline size_t fake_array_size(uint64_t nr_units)
{
	return PERSIST_ARRAY_RING_HEADER + (nr_units + FAKE_SPILL_UNITS) * PERSIST_UNIT_SIZE;
}

static inline struct persist_array_ring *fake_array_new(uint64_t nr_units)
{
	/* Exactly as long as it says, so that a sanitizer notices what goes beyond. */
	struct persist_array_ring *ring =
		aligned_alloc(PERSIST_UNIT_SIZE, fake_array_size(nr_units));

	memset(ring, 0, fake_array_size(nr_units));
	ring->magic = PERSIST_ARRAY_RING_MAGIC;
	ring->version = PERSIST_ABI_VERSION;
	ring->unit_size = PERSIST_UNIT_SIZE;
	ring->nr_units = nr_units;
	ring->spill_units = FAKE_SPILL_UNITS;
	return ring;
}

/* The reserve, and where the record goes. */
static inline struct persist_record *fake_array_reserve(struct persist_array_ring *ring,
							uint64_t units)
{
	uint64_t position = ring->commit >> PERSIST_COMMIT_LENGTH_BITS;

	__atomic_store_n(&ring->reserve_pos, position + units, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return (void *)(ring->data + (position & (ring->nr_units - 1)) * PERSIST_UNIT_SIZE);
}

static inline void fake_array_commit(struct persist_array_ring *ring)
{
	uint64_t position = ring->commit >> PERSIST_COMMIT_LENGTH_BITS;

	__atomic_store_n(&ring->commit,
			 ring->reserve_pos << PERSIST_COMMIT_LENGTH_BITS |
				 (ring->reserve_pos - position),
			 __ATOMIC_SEQ_CST);
}

static inline uint64_t fake_units(uint32_t size)
{
	return (sizeof(struct persist_record) + size + PERSIST_UNIT_SIZE - 1) / PERSIST_UNIT_SIZE;
}

static inline void fake_array_write_sized(struct persist_array_ring *ring, uint64_t seq,
					  uint32_t size)
{
	uint32_t prev_units = ring->commit & PERSIST_COMMIT_LENGTH_MASK;

	fake_record(fake_array_reserve(ring, fake_units(size)), seq, size, prev_units);
	fake_array_commit(ring);
}

static inline void fake_array_write(struct persist_array_ring *ring, uint64_t seq)
{
	fake_array_write_sized(ring, seq, fake_payload_size(seq));
}

/* ---- the ringbuf ------------------------------------------------------------------------- */

struct fake_ringbuf {
	uint8_t *pages; /* the producer page, and the data twice */
	size_t page_size;
	uint64_t size;
	bool overwrite;
};

static inline unsigned long *fake_position(struct fake_ringbuf *ringbuf, int offset)
{
	return (unsigned long *)(ringbuf->pages + offset);
}

#define fake_producer_pos(ringbuf)  fake_position(ringbuf, 0)
#define fake_overwrite_pos(ringbuf) fake_position(ringbuf, 16)

static inline void fake_ringbuf_init(struct fake_ringbuf *ringbuf, uint64_t size, bool overwrite)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = memfd_create("ringbuf", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)(page + size)))
		abort();
	/* With a page behind it that nobody may touch */
	ringbuf->pages =
		mmap(NULL, page + 2 * size + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mmap(ringbuf->pages, page + size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
		 0) == MAP_FAILED ||
	    mmap(ringbuf->pages + page + size, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		 fd, (off_t)page) == MAP_FAILED)
		abort();
	close(fd);
	ringbuf->page_size = page;
	ringbuf->size = size;
	ringbuf->overwrite = overwrite;
}

static inline void fake_ringbuf_destroy(struct fake_ringbuf *ringbuf)
{
	munmap(ringbuf->pages, 2 * ringbuf->page_size + 2 * ringbuf->size);
}

static inline uint8_t *fake_data(struct fake_ringbuf *ringbuf, uint64_t position)
{
	return ringbuf->pages + ringbuf->page_size + (position & (ringbuf->size - 1));
}

static inline uint64_t fake_total(uint32_t length)
{
	return ((length & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT)) + 8 + 7ull) & ~7ull;
}

/* As in kernel/bpf/ringbuf.c. Returns the record's place, or NULL if there is no room. */
static inline void *fake_ringbuf_reserve(struct fake_ringbuf *ringbuf, uint32_t length)
{
	uint64_t position = *fake_producer_pos(ringbuf);
	uint64_t next = position + fake_total(length);
	uint64_t oldest = *fake_overwrite_pos(ringbuf);
	uint32_t *header = (uint32_t *)fake_data(ringbuf, position);

	if (!ringbuf->overwrite) {
		if (next > ringbuf->size - 1)
			return NULL;
	} else {
		/* Signed, for a fuzzer's rings, in which it can come to lie behind the end. */
		while ((int64_t)(next - oldest) > (int64_t)ringbuf->size - 1)
			oldest += fake_total(*(uint32_t *)fake_data(ringbuf, oldest));
		__atomic_store_n(fake_overwrite_pos(ringbuf), oldest, __ATOMIC_SEQ_CST);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	}
	__atomic_store_n(header, length | BPF_RINGBUF_BUSY_BIT, __ATOMIC_RELAXED);
	__atomic_store_n(fake_producer_pos(ringbuf), next, __ATOMIC_RELEASE);
	return header + 2;
}

static inline void fake_ringbuf_submit(void *record, bool discard)
{
	uint32_t *header = (uint32_t *)record - 2;
	uint32_t length = *header & ~BPF_RINGBUF_BUSY_BIT;

	if (discard)
		length |= BPF_RINGBUF_DISCARD_BIT;
	__atomic_store_n(header, length, __ATOMIC_SEQ_CST);
}

static inline bool fake_ringbuf_write(struct fake_ringbuf *ringbuf, uint64_t seq)
{
	uint32_t size = fake_payload_size(seq);
	void *record =
		fake_ringbuf_reserve(ringbuf, (uint32_t)sizeof(struct persist_record) + size);

	if (!record)
		return false;
	fake_record(record, seq, size, 0);
	fake_ringbuf_submit(record, false);
	return true;
}

#endif
