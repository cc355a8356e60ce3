// SPDX-License-Identifier: GPL-2.0-only
/* array_cursor: rings that are new, full, written to while they are read, and corrupt. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "fake_rings.h"
#include "ring_cursor.h"

static struct record_origin origin = {
	.event_id = FAKE_EVENT_ID,
	.cpu = FAKE_CPU,
	.path = "ring",
};

static struct ring_cursor *new_cursor(struct persist_array_ring *ring)
{
	struct ring_cursor *cursor =
		array_cursor__new(ring, fake_array_size(ring->nr_units), &origin);

	assert_non_null(cursor);
	return cursor;
}

static void expect_seq(struct ring_cursor *cursor, uint64_t seq)
{
	const struct persist_record *record = ring_cursor__peek(cursor);

	assert_non_null(record);
	assert_int_equal(record->seq, seq);
	assert_true(fake_record_is_whole(record));
	ring_cursor__advance(cursor);
}

static void expect_end(struct ring_cursor *cursor)
{
	assert_null(ring_cursor__peek(cursor));
	assert_null(ring_cursor__peek(cursor));
}

/* The oldest record that a reader can find: those behind it fill no more than the ring. */
static uint64_t oldest_of(uint64_t newest, uint64_t nr_units)
{
	uint64_t units = 0, seq = newest;

	while (seq && units + fake_units(fake_payload_size(seq)) <= nr_units)
		units += fake_units(fake_payload_size(seq--));
	return seq + 1;
}

static void test_empty(void **state)
{
	struct persist_array_ring *ring = fake_array_new(64);
	struct ring_cursor *cursor = new_cursor(ring);

	expect_end(cursor);
	assert_false(ring_cursor__has_overwritten(cursor));
	fake_array_write(ring, 1);
	expect_seq(cursor, 1);
	expect_end(cursor);
	ring_cursor__free(cursor);
	free(ring);
}

static void test_not_yet_full(void **state)
{
	struct persist_array_ring *ring = fake_array_new(1024);
	struct ring_cursor *cursor;

	for (uint64_t seq = 1; seq <= 100; seq++)
		fake_array_write(ring, seq);
	cursor = new_cursor(ring);
	assert_non_null(ring_cursor__peek(cursor));
	assert_false(ring_cursor__has_overwritten(cursor));
	for (uint64_t seq = 1; seq <= 100; seq++)
		expect_seq(cursor, seq);
	expect_end(cursor);
	assert_int_equal(cursor->nr_corrupt, 0);
	ring_cursor__free(cursor);
	free(ring);
}

/* Every number of records, so that the ring's end falls on every place of a record. */
static void check_wrap(uint64_t nr_units, uint64_t max)
{
	struct persist_array_ring *ring = fake_array_new(nr_units);

	for (uint64_t newest = 1; newest <= max; newest++) {
		struct ring_cursor *cursor = new_cursor(ring);
		uint64_t oldest = oldest_of(newest, nr_units);

		fake_array_write(ring, newest);
		if (oldest > newest) {
			/* Longer than the whole ring */
			expect_end(cursor);
			ring_cursor__free(cursor);
			continue;
		}
		assert_non_null(ring_cursor__peek(cursor));
		assert_int_equal(ring_cursor__has_overwritten(cursor), oldest > 1);
		for (uint64_t seq = oldest; seq <= newest; seq++)
			expect_seq(cursor, seq);
		expect_end(cursor);
		assert_int_equal(cursor->nr_corrupt, 0);
		ring_cursor__free(cursor);
	}
	free(ring);
}

static void test_wrap(void **state)
{
	check_wrap(8, 500);
	check_wrap(64, 1000);
	check_wrap(128, 1000);
}

/* More than fits into one copy, and into one batch. */
static void test_large(void **state)
{
	uint64_t nr_units = 2 * 4 * 1024 * 1024 / PERSIST_UNIT_SIZE, seq = 0;
	struct persist_array_ring *ring = fake_array_new(nr_units);
	struct ring_cursor *cursor;

	while (ring->commit >> PERSIST_COMMIT_LENGTH_BITS < nr_units + nr_units / 3)
		fake_array_write(ring, ++seq);
	cursor = new_cursor(ring);
	assert_non_null(ring_cursor__peek(cursor));
	assert_true(ring_cursor__has_overwritten(cursor));
	for (uint64_t i = oldest_of(seq, nr_units); i <= seq; i++)
		expect_seq(cursor, i);
	expect_end(cursor);
	assert_int_equal(cursor->nr_corrupt, 0);
	ring_cursor__free(cursor);
	free(ring);
}

static void test_follow(void **state)
{
	struct persist_array_ring *ring = fake_array_new(128);
	struct ring_cursor *cursor = new_cursor(ring);
	uint64_t seq = 0, next = 1;

	for (int round = 0; round < 2000; round++) {
		for (int i = round % 7; i > 0; i--)
			fake_array_write(ring, ++seq);
		while (next <= seq && next < oldest_of(seq, 128))
			next++;
		while (next <= seq)
			expect_seq(cursor, next++);
		expect_end(cursor);
	}
	ring_cursor__free(cursor);
	free(ring);
}

/* What a reader was to read is overwritten before it comes to it. */
static void test_lapped(void **state)
{
	struct persist_array_ring *ring = fake_array_new(128);
	struct ring_cursor *cursor = new_cursor(ring);
	uint64_t seq = 0, oldest;

	while (seq < 10)
		fake_array_write(ring, ++seq);
	for (uint64_t i = 1; i <= 10; i++)
		expect_seq(cursor, i);
	while (seq < 10000)
		fake_array_write(ring, ++seq);
	oldest = oldest_of(seq, 128);
	assert_int_equal(ring_cursor__peek(cursor)->seq, oldest);
	assert_true(ring_cursor__has_overwritten(cursor));
	while (oldest <= seq)
		expect_seq(cursor, oldest++);
	fake_array_write(ring, ++seq);
	assert_non_null(ring_cursor__peek(cursor));
	assert_false(ring_cursor__has_overwritten(cursor));
	expect_seq(cursor, seq);
	ring_cursor__free(cursor);
	free(ring);
}

/* A record that is being written is not there yet; those it overwrites are gone. */
static void test_in_flight(void **state)
{
	struct persist_array_ring *ring = fake_array_new(64);
	struct ring_cursor *cursor;
	struct persist_record *record;
	uint64_t seq = 0;

	while (ring->commit >> PERSIST_COMMIT_LENGTH_BITS < 62)
		fake_array_write_sized(ring, ++seq, 64); /* two units each */
	assert_int_equal(seq, 31);
	record = fake_array_reserve(ring, 6);
	memset(record, 0xff, 6 * PERSIST_UNIT_SIZE);
	cursor = new_cursor(ring);
	/* 31 records of 2 units, of which 4 units are being overwritten */
	assert_int_equal(ring_cursor__peek(cursor)->seq, 3);
	assert_true(ring_cursor__has_overwritten(cursor));
	for (uint64_t i = 3; i <= 31; i++) {
		assert_int_equal(ring_cursor__peek(cursor)->seq, i);
		ring_cursor__advance(cursor);
	}
	expect_end(cursor);
	fake_record(record, 32, 5 * PERSIST_UNIT_SIZE, 2);
	fake_array_commit(ring);
	assert_int_equal(ring_cursor__peek(cursor)->seq, 32);
	ring_cursor__free(cursor);
	free(ring);
}

/* ---- while it is written to -------------------------------------------------------------- */

struct writer {
	struct persist_array_ring *ring;
	uint64_t last_seq;
	uint64_t pause_after; /* so many records: 0 never */
	bool is_done;
};

static void *write_records(void *context)
{
	struct writer *writer = context;

	for (uint64_t seq = 1; seq <= writer->last_seq; seq++) {
		fake_array_write(writer->ring, seq);
		if (writer->pause_after && seq % writer->pause_after == 0)
			sched_yield();
	}
	__atomic_store_n(&writer->is_done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* No record is torn, and what is missing is known exactly. */
static void check_concurrent(uint64_t nr_units, uint64_t last_seq, uint64_t pause_after)
{
	struct writer writer = {
		.ring = fake_array_new(nr_units),
		.last_seq = last_seq,
		.pause_after = pause_after,
	};
	struct ring_cursor *cursor = new_cursor(writer.ring);
	uint64_t next = 1, nr = 0, lost = 0;
	bool was_done = false;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, write_records, &writer), 0);
	for (;;) {
		const struct persist_record *record = ring_cursor__peek(cursor);

		if (!record) {
			if (was_done)
				break;
			was_done = __atomic_load_n(&writer.is_done, __ATOMIC_ACQUIRE);
			continue;
		}
		assert_true(fake_record_is_whole(record));
		assert_true(record->seq >= next);
		if (record->seq > next)
			assert_true(ring_cursor__has_overwritten(cursor));
		lost += record->seq - next;
		next = record->seq + 1;
		nr++;
		ring_cursor__advance(cursor);
	}
	pthread_join(thread, NULL);
	assert_int_equal(next, last_seq + 1);
	assert_int_equal(nr + lost, last_seq);
	assert_int_equal(cursor->nr_corrupt, 0);
	print_message("# %llu units: %llu read, %llu overwritten\n", (unsigned long long)nr_units,
		      (unsigned long long)nr, (unsigned long long)lost);
	ring_cursor__free(cursor);
	free(writer.ring);
}

static void test_concurrent(void **state)
{
	check_concurrent(64, 300000, 0);
	check_concurrent(64, 300000, 5);
	check_concurrent(1024, 300000, 0);
	check_concurrent(1024, 300000, 20);
	check_concurrent(16384, 1000000, 0);
	/* Too large to be copied at once */
	check_concurrent(131072, 1000000, 0);
}

/* ---- corrupt rings ----------------------------------------------------------------------- */

static struct persist_record *record_at(struct persist_array_ring *ring, uint64_t unit)
{
	return (void *)(ring->data + unit * PERSIST_UNIT_SIZE);
}

/* One bad record hides those before it in a new reader, and only itself from one that follows. */
static void test_newest(void **state)
{
	struct persist_array_ring *ring = fake_array_new(64);
	struct ring_cursor *cursor = new_cursor(ring);
	struct ring_newest newest = { 0 };
	uint64_t units = 0;

	ring_cursor__find_newest(cursor, &newest);
	assert_int_equal(newest.time_ns, 0);
	assert_int_equal(newest.written_bytes, 0);
	for (uint64_t seq = 1; seq <= 1000; seq++) {
		fake_array_write(ring, seq);
		units += fake_units(fake_payload_size(seq));
		ring_cursor__find_newest(cursor, &newest);
		assert_int_equal(newest.time_ns, seq * 1000);
		assert_int_equal(newest.written_bytes, units * PERSIST_UNIT_SIZE);
	}
	/* One that is being written does not count. */
	fake_record(fake_array_reserve(ring, 2), 1001, 8, 1);
	ring_cursor__find_newest(cursor, &newest);
	assert_int_equal(newest.time_ns, 1000 * 1000);
	fake_array_commit(ring);
	assert_int_equal(cursor->nr_corrupt, 0);
	record_at(ring, (units & 63))->magic ^= 1;
	ring_cursor__find_newest(cursor, &newest);
	assert_int_equal(newest.time_ns, 1000 * 1000);
	assert_int_equal(cursor->nr_corrupt, 1);
	ring->commit = 5; /* a record of 5 units that ends at unit 0 */
	ring_cursor__find_newest(cursor, &newest);
	assert_int_equal(cursor->nr_corrupt, 2);
	ring_cursor__free(cursor);
	free(ring);
}

static void test_newest_concurrently(void **state)
{
	struct writer writer = { .ring = fake_array_new(128), .last_seq = 200000 };
	struct ring_cursor *cursor = new_cursor(writer.ring);
	struct ring_newest newest = { 0 };
	uint64_t before = 0;
	pthread_t thread;
	bool is_done;

	assert_int_equal(pthread_create(&thread, NULL, write_records, &writer), 0);
	do {
		is_done = __atomic_load_n(&writer.is_done, __ATOMIC_ACQUIRE);
		ring_cursor__find_newest(cursor, &newest);
		assert_true(newest.time_ns >= before && newest.time_ns <= 200000 * 1000);
		assert_int_equal(newest.time_ns % 1000, 0);
		before = newest.time_ns;
	} while (!is_done);
	pthread_join(thread, NULL);
	assert_int_equal(newest.time_ns, 200000 * 1000);
	assert_int_equal(cursor->nr_corrupt, 0);
	ring_cursor__free(cursor);
	free(writer.ring);
}

static void test_bad_description(void **state)
{
	struct persist_array_ring *ring = fake_array_new(64), good = *ring;
	size_t size = fake_array_size(64);

	assert_null(array_cursor__new(ring, 127, &origin));
	assert_int_equal(errno, EBADMSG);
	assert_null(array_cursor__new(ring, size - 1, &origin));
	assert_int_equal(errno, EBADMSG);
#define expect_refused(member, value)                                \
	do {                                                         \
		ring->member = (value);                              \
		assert_null(array_cursor__new(ring, size, &origin)); \
		assert_int_equal(errno, EBADMSG);                    \
		*ring = good;                                        \
	} while (0)
	expect_refused(magic, 0);
	expect_refused(version, PERSIST_ABI_VERSION + 1);
	expect_refused(unit_size, 32);
	expect_refused(nr_units, 0);
	expect_refused(nr_units, 63);
	expect_refused(nr_units, 128);
	expect_refused(nr_units, 1ull << 63);
	expect_refused(spill_units, FAKE_SPILL_UNITS + 1);
	expect_refused(spill_units, UINT64_MAX);
	free(ring);
}

static void test_bad_record(void **state)
{
	struct persist_array_ring *ring = fake_array_new(64);
	struct ring_cursor *late, *early = new_cursor(ring);

	fake_array_write_sized(ring, 1, 16);
	assert_int_equal(ring_cursor__peek(early)->seq, 1);
	ring_cursor__advance(early);
	for (uint64_t seq = 2; seq <= 10; seq++)
		fake_array_write_sized(ring, seq, 16); /* two units each */
	record_at(ring, 8)->magic = 0;		       /* the fifth */
	late = new_cursor(ring);
	for (uint64_t seq = 6; seq <= 10; seq++) {
		assert_int_equal(ring_cursor__peek(late)->seq, seq);
		assert_false(ring_cursor__has_overwritten(late));
		ring_cursor__advance(late);
	}
	expect_end(late);
	assert_true(late->nr_corrupt > 0);
	for (uint64_t seq = 2; seq <= 10; seq++) {
		if (seq == 5)
			continue;
		assert_int_equal(ring_cursor__peek(early)->seq, seq);
		ring_cursor__advance(early);
	}
	expect_end(early);
	assert_true(early->nr_corrupt > 0);
	ring_cursor__free(late);
	ring_cursor__free(early);
	free(ring);
}

static void test_foreign_records(void **state)
{
	struct persist_array_ring *ring;
	struct ring_cursor *cursor;

	for (int what = 0; what < 7; what++) {
		struct persist_record *newest;

		ring = fake_array_new(64);
		fake_array_write_sized(ring, 1, 16);
		fake_array_write_sized(ring, 2, 16);
		newest = record_at(ring, 2);
		switch (what) {
		case 0:
			newest->event_id++;
			break;
		case 1:
			newest->cpu++;
			break;
		case 2:
			newest->version++;
			break;
		case 3:
			newest->header_size--;
			break;
		case 4:
			newest->size = 0x7fffffff;
			break;
		case 5:
			newest->size = 65;
			break;
		case 6:
			newest->seq = 0;
			break;
		}
		cursor = new_cursor(ring);
		for (int i = 0; i < 3; i++) {
			const struct persist_record *record = ring_cursor__peek(cursor);

			if (!record)
				break;
			assert_int_equal(record->seq, 1);
			ring_cursor__advance(cursor);
		}
		assert_true(cursor->nr_corrupt > 0);
		/* What comes later is read all the same. */
		fake_array_write_sized(ring, 3, 16);
		while (ring_cursor__peek(cursor)->seq != 3)
			ring_cursor__advance(cursor);
		ring_cursor__free(cursor);
		free(ring);
	}
}

/* Numbers must grow, or a record would be given out twice. */
static void test_repeated_seq(void **state)
{
	struct persist_array_ring *ring = fake_array_new(64);
	struct ring_cursor *cursor = new_cursor(ring);

	fake_array_write_sized(ring, 5, 16);
	assert_int_equal(ring_cursor__peek(cursor)->seq, 5);
	ring_cursor__advance(cursor);
	fake_array_write_sized(ring, 5, 16);
	expect_end(cursor);
	fake_array_write_sized(ring, 6, 16);
	assert_int_equal(ring_cursor__peek(cursor)->seq, 6);
	ring_cursor__free(cursor);
	free(ring);
}

/* Whatever the positions say, nothing outside the ring is read, and each call ends. */
static void test_hostile_positions(void **state)
{
	static const uint64_t values[] = {
		0, 1, 2, 63, 64, 65, 255, 1ull << 32, UINT64_MAX >> PERSIST_COMMIT_LENGTH_BITS,
	};
	const size_t nr = sizeof(values) / sizeof(values[0]);
	struct persist_array_ring *ring = fake_array_new(64);

	for (uint64_t seq = 1; seq < 100; seq++)
		fake_array_write_sized(ring, seq, 16);
	for (size_t i = 0; i < nr; i++)
		for (size_t j = 0; j < nr; j++)
			for (size_t k = 0; k < nr; k++) {
				struct ring_cursor *cursor = new_cursor(ring);

				for (int round = 0; round < 3; round++) {
					ring->reserve_pos = values[i];
					ring->commit = values[j] << PERSIST_COMMIT_LENGTH_BITS |
						       (values[k] & PERSIST_COMMIT_LENGTH_MASK);
					for (int n = 0; n < 100 && ring_cursor__peek(cursor); n++)
						ring_cursor__advance(cursor);
					ring->reserve_pos = values[k];
					ring->commit = values[i] << PERSIST_COMMIT_LENGTH_BITS | 2;
					for (int n = 0; n < 100 && ring_cursor__peek(cursor); n++)
						ring_cursor__advance(cursor);
				}
				ring_cursor__free(cursor);
			}
	free(ring);
}

/* ---- records of equal length --------------------------------------------------------------- */

/* In units of a ring: 96 and 100 bytes of payload are three units with the header. */
static int make_records_equal(void **state)
{
	fake_equal_size = 100;
	origin.payload_min = 96;
	origin.payload_max = 100;
	return 0;
}

static int let_records_differ(void **state)
{
	fake_equal_size = 0;
	origin.payload_min = 0;
	origin.payload_max = 0;
	return 0;
}

/* Nothing is in the way of those before a bad record: their places are known without it. */
static void test_equal_around_bad(void **state)
{
	struct persist_array_ring *ring = fake_array_new(64);
	struct ring_cursor *cursor;

	for (uint64_t seq = 1; seq <= 10; seq++)
		fake_array_write(ring, seq);
	record_at(ring, 4 * 3)->magic = 0; /* the fifth */
	cursor = new_cursor(ring);
	for (uint64_t seq = 1; seq <= 10; seq++)
		if (seq != 5)
			expect_seq(cursor, seq);
	expect_end(cursor);
	assert_true(cursor->nr_corrupt > 0);
	ring_cursor__free(cursor);
	free(ring);
}

/* Without the oldest record to begin with, the newest ones are found one by one. */
static void test_equal_without_oldest(void **state)
{
	struct persist_array_ring *ring = fake_array_new(64);
	struct ring_cursor *cursor;

	for (uint64_t seq = 1; seq <= 10; seq++)
		fake_array_write(ring, seq);
	record_at(ring, 0)->magic = 0;
	cursor = new_cursor(ring);
	for (uint64_t seq = 2; seq <= 10; seq++)
		expect_seq(cursor, seq);
	expect_end(cursor);
	assert_true(cursor->nr_corrupt > 0);
	ring_cursor__free(cursor);
	free(ring);
}

/* A record that is longer than its event allows is none. */
static void test_equal_but_one(void **state)
{
	struct persist_array_ring *ring = fake_array_new(64);
	struct ring_cursor *cursor;

	fake_array_write(ring, 1);
	fake_array_write_sized(ring, 2, 200);
	fake_array_write(ring, 3);
	cursor = new_cursor(ring);
	expect_seq(cursor, 3);
	expect_end(cursor);
	assert_true(cursor->nr_corrupt > 0);
	ring_cursor__free(cursor);
	free(ring);
}

#define equal_test(test)                                                                    \
	{                                                                                   \
#test ", equal records", test, make_records_equal, let_records_differ, NULL \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_not_yet_full),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_follow),
		cmocka_unit_test(test_lapped),
		cmocka_unit_test(test_in_flight),
		cmocka_unit_test(test_concurrent),
		cmocka_unit_test(test_newest),
		cmocka_unit_test(test_newest_concurrently),
		cmocka_unit_test(test_bad_description),
		cmocka_unit_test(test_bad_record),
		cmocka_unit_test(test_foreign_records),
		cmocka_unit_test(test_repeated_seq),
		cmocka_unit_test(test_hostile_positions),
		equal_test(test_empty),
		equal_test(test_not_yet_full),
		equal_test(test_wrap),
		equal_test(test_large),
		equal_test(test_follow),
		equal_test(test_lapped),
		equal_test(test_concurrent),
		equal_test(test_hostile_positions),
		equal_test(test_equal_around_bad),
		equal_test(test_equal_without_oldest),
		equal_test(test_equal_but_one),
	};

	return cmocka_run_group_tests_name("array_cursor", tests, NULL, NULL);
}
