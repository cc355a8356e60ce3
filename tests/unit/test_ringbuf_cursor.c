// SPDX-License-Identifier: GPL-2.0-only
/* ringbuf_cursor: rings that keep the oldest and that keep the newest records, and corrupt ones. */
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

static const struct record_origin origin = {
	.event_id = FAKE_EVENT_ID,
	.cpu = FAKE_CPU,
	.path = "ring",
};

static struct ring_cursor *new_cursor(struct fake_ringbuf *ringbuf)
{
	struct ring_cursor *cursor = ringbuf_cursor__new(
		ringbuf->pages, ringbuf->page_size, ringbuf->size, ringbuf->overwrite, &origin);

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

static uint64_t total_of(uint64_t seq)
{
	return fake_total((uint32_t)sizeof(struct persist_record) + fake_payload_size(seq));
}

/* ---- the plain ring ---------------------------------------------------------------------- */

static void test_plain(void **state)
{
	struct ring_cursor *early, *late;
	struct fake_ringbuf ringbuf;
	uint64_t seq = 0;

	fake_ringbuf_init(&ringbuf, 256 * 1024, false);
	early = new_cursor(&ringbuf);
	expect_end(early);
	while (fake_ringbuf_write(&ringbuf, seq + 1)) {
		seq++;
		if (seq % 3)
			continue;
		expect_seq(early, seq - 2);
		expect_seq(early, seq - 1);
		expect_seq(early, seq);
		expect_end(early);
	}
	/* Full: more than one batch */
	assert_true(seq > 2 * RING_CURSOR_BATCH);
	late = new_cursor(&ringbuf);
	for (uint64_t i = 1; i <= seq; i++)
		expect_seq(late, i);
	expect_end(late);
	assert_false(ring_cursor__has_overwritten(late));
	assert_int_equal(late->nr_corrupt, 0);
	ring_cursor__free(early);
	ring_cursor__free(late);
	fake_ringbuf_destroy(&ringbuf);
}

/* Records of a plain ring stay where they are as long as it is mapped. */
static void test_plain_is_not_copied(void **state)
{
	const struct persist_record *first;
	struct fake_ringbuf ringbuf;
	struct ring_cursor *cursor;

	fake_ringbuf_init(&ringbuf, 64 * 1024, false);
	for (uint64_t seq = 1; seq <= 10; seq++)
		fake_ringbuf_write(&ringbuf, seq);
	cursor = new_cursor(&ringbuf);
	first = ring_cursor__peek(cursor);
	assert_ptr_equal(first, fake_data(&ringbuf, 8));
	ring_cursor__free(cursor);
	fake_ringbuf_destroy(&ringbuf);
}

static void check_busy_and_discarded(bool overwrite)
{
	uint32_t size = (uint32_t)sizeof(struct persist_record) + fake_payload_size(2);
	struct fake_ringbuf ringbuf;
	struct ring_cursor *cursor;
	void *record;

	fake_ringbuf_init(&ringbuf, 4096, overwrite);
	cursor = new_cursor(&ringbuf);
	fake_ringbuf_write(&ringbuf, 1);
	record = fake_ringbuf_reserve(&ringbuf, size);
	fake_ringbuf_write(&ringbuf, 3);
	expect_seq(cursor, 1);
	/* What comes behind one that is being written is not looked at. */
	expect_end(cursor);
	fake_record(record, 2, fake_payload_size(2), 0);
	fake_ringbuf_submit(record, false);
	expect_seq(cursor, 2);
	expect_seq(cursor, 3);
	expect_end(cursor);
	record = fake_ringbuf_reserve(&ringbuf, size);
	fake_ringbuf_submit(record, true);
	expect_end(cursor);
	fake_ringbuf_write(&ringbuf, 4);
	expect_seq(cursor, 4);
	assert_int_equal(cursor->nr_corrupt, 0);
	ring_cursor__free(cursor);
	fake_ringbuf_destroy(&ringbuf);
}

static void test_busy_and_discarded(void **state)
{
	check_busy_and_discarded(false);
	check_busy_and_discarded(true);
}

/* ---- the overwriting ring ---------------------------------------------------------------- */

static void check_overwriting(uint64_t size, uint64_t max)
{
	struct fake_ringbuf ringbuf;
	uint64_t oldest = 1, bytes = 0;

	fake_ringbuf_init(&ringbuf, size, true);
	for (uint64_t newest = 1; newest <= max; newest++) {
		struct ring_cursor *cursor;

		fake_ringbuf_write(&ringbuf, newest);
		for (bytes += total_of(newest); bytes > size - 1; oldest++)
			bytes -= total_of(oldest);
		if (newest % 7)
			continue;
		cursor = new_cursor(&ringbuf);
		assert_non_null(ring_cursor__peek(cursor));
		assert_int_equal(ring_cursor__has_overwritten(cursor), oldest > 1);
		for (uint64_t seq = oldest; seq <= newest; seq++)
			expect_seq(cursor, seq);
		expect_end(cursor);
		assert_int_equal(cursor->nr_corrupt, 0);
		ring_cursor__free(cursor);
	}
	fake_ringbuf_destroy(&ringbuf);
}

static void test_overwriting(void **state)
{
	check_overwriting(4096, 2000);
	check_overwriting(65536, 2000);
}

static void test_large(void **state)
{
	uint64_t size = 8 * 1024 * 1024, oldest = 1, bytes = 0, seq = 0;
	struct fake_ringbuf ringbuf;
	struct ring_cursor *cursor;

	fake_ringbuf_init(&ringbuf, size, true);
	while (*fake_producer_pos(&ringbuf) < size * 3 / 2) {
		fake_ringbuf_write(&ringbuf, ++seq);
		for (bytes += total_of(seq); bytes > size - 1; oldest++)
			bytes -= total_of(oldest);
	}
	cursor = new_cursor(&ringbuf);
	while (oldest <= seq)
		expect_seq(cursor, oldest++);
	expect_end(cursor);
	ring_cursor__free(cursor);
	fake_ringbuf_destroy(&ringbuf);
}

static void test_lapped(void **state)
{
	uint64_t seq = 0, oldest = 1, bytes = 0;
	struct fake_ringbuf ringbuf;
	struct ring_cursor *cursor;

	fake_ringbuf_init(&ringbuf, 4096, true);
	cursor = new_cursor(&ringbuf);
	while (seq < 5000) {
		fake_ringbuf_write(&ringbuf, ++seq);
		for (bytes += total_of(seq); bytes > 4095; oldest++)
			bytes -= total_of(oldest);
		if (seq == 5) {
			for (uint64_t i = 1; i <= 5; i++)
				expect_seq(cursor, i);
		}
	}
	assert_int_equal(ring_cursor__peek(cursor)->seq, oldest);
	assert_true(ring_cursor__has_overwritten(cursor));
	while (oldest <= seq)
		expect_seq(cursor, oldest++);
	fake_ringbuf_write(&ringbuf, ++seq);
	assert_non_null(ring_cursor__peek(cursor));
	assert_false(ring_cursor__has_overwritten(cursor));
	expect_seq(cursor, seq);
	ring_cursor__free(cursor);
	fake_ringbuf_destroy(&ringbuf);
}

/* ---- while it is written to -------------------------------------------------------------- */

struct writer {
	struct fake_ringbuf ringbuf;
	uint64_t last_seq;
	uint64_t pause_after;
	bool is_done;
};

static void *write_records(void *context)
{
	struct writer *writer = context;

	for (uint64_t seq = 1; seq <= writer->last_seq; seq++) {
		if (!fake_ringbuf_write(&writer->ringbuf, seq))
			break;
		if (writer->pause_after && seq % writer->pause_after == 0)
			sched_yield();
	}
	__atomic_store_n(&writer->is_done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void check_concurrent(uint64_t size, bool overwrite, uint64_t last_seq, uint64_t pause_after)
{
	struct writer writer = { .last_seq = last_seq, .pause_after = pause_after };
	uint64_t next = 1, nr = 0, lost = 0;
	struct ring_cursor *cursor;
	bool was_done = false;
	pthread_t thread;

	fake_ringbuf_init(&writer.ringbuf, size, overwrite);
	cursor = new_cursor(&writer.ringbuf);
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
	if (overwrite)
		assert_int_equal(nr + lost, last_seq);
	else
		assert_int_equal(lost, 0);
	assert_int_equal(cursor->nr_corrupt, 0);
	print_message("# %llu bytes: %llu read, %llu overwritten\n", (unsigned long long)size,
		      (unsigned long long)nr, (unsigned long long)lost);
	ring_cursor__free(cursor);
	fake_ringbuf_destroy(&writer.ringbuf);
}

static void test_concurrent(void **state)
{
	check_concurrent(16 * 1024 * 1024, false, 1000000, 0);
	check_concurrent(4096, true, 300000, 0);
	check_concurrent(4096, true, 300000, 5);
	check_concurrent(65536, true, 300000, 0);
	check_concurrent(65536, true, 300000, 20);
	check_concurrent(8 * 1024 * 1024, true, 1000000, 0);
}

/* ---- the newest record ------------------------------------------------------------------- */

static void check_newest(bool overwrite)
{
	struct ring_newest newest = { 0 }, again;
	struct fake_ringbuf ringbuf;
	struct ring_cursor *cursor;
	uint64_t bytes = 0;

	fake_ringbuf_init(&ringbuf, 4096, overwrite);
	cursor = new_cursor(&ringbuf);
	ring_cursor__find_newest(cursor, &newest);
	assert_int_equal(newest.time_ns, 0);
	assert_int_equal(newest.written_bytes, 0);
	for (uint64_t seq = 1; seq <= (overwrite ? 1000 : 30); seq++) {
		assert_true(fake_ringbuf_write(&ringbuf, seq));
		bytes += total_of(seq);
		/* From where the last look ended, and from the beginning */
		memset(&again, 0, sizeof(again));
		ring_cursor__find_newest(cursor, &again);
		if (seq % 3)
			continue;
		ring_cursor__find_newest(cursor, &newest);
		assert_int_equal(newest.time_ns, seq * 1000);
		assert_int_equal(newest.written_bytes, bytes);
		assert_memory_equal(&newest, &again, sizeof(again));
	}
	/* Where the cursor stands has not changed. */
	if (!overwrite)
		expect_seq(cursor, 1);
	assert_int_equal(cursor->nr_corrupt, 0);
	ring_cursor__free(cursor);
	fake_ringbuf_destroy(&ringbuf);
}

static void test_newest(void **state)
{
	check_newest(false);
	check_newest(true);
}

/* What is not complete, or was thrown away, is not the newest. */
static void test_newest_is_complete(void **state)
{
	struct ring_newest newest = { 0 };
	struct fake_ringbuf ringbuf;
	struct ring_cursor *cursor;
	void *busy;

	fake_ringbuf_init(&ringbuf, 4096, true);
	cursor = new_cursor(&ringbuf);
	fake_ringbuf_write(&ringbuf, 1);
	busy = fake_ringbuf_reserve(&ringbuf, sizeof(struct persist_record) + 8);
	ring_cursor__find_newest(cursor, &newest);
	assert_int_equal(newest.time_ns, 1000);
	fake_ringbuf_submit(busy, true);
	ring_cursor__find_newest(cursor, &newest);
	assert_int_equal(newest.time_ns, 1000);
	fake_ringbuf_write(&ringbuf, 3);
	ring_cursor__find_newest(cursor, &newest);
	assert_int_equal(newest.time_ns, 3000);
	ring_cursor__free(cursor);
	fake_ringbuf_destroy(&ringbuf);
}

static void check_newest_concurrently(uint64_t size, bool overwrite)
{
	struct writer writer = { .last_seq = 200000 };
	struct ring_newest newest = { 0 };
	struct ring_cursor *cursor;
	pthread_t thread;
	uint64_t before = 0;
	bool is_done;

	fake_ringbuf_init(&writer.ringbuf, size, overwrite);
	cursor = new_cursor(&writer.ringbuf);
	assert_int_equal(pthread_create(&thread, NULL, write_records, &writer), 0);
	do {
		is_done = __atomic_load_n(&writer.is_done, __ATOMIC_ACQUIRE);
		ring_cursor__find_newest(cursor, &newest);
		assert_true(newest.time_ns >= before && newest.time_ns <= 200000 * 1000);
		assert_int_equal(newest.time_ns % 1000, 0);
		before = newest.time_ns;
	} while (!is_done);
	pthread_join(thread, NULL);
	if (overwrite)
		assert_int_equal(newest.time_ns, 200000 * 1000);
	assert_int_equal(newest.written_bytes, *fake_producer_pos(&writer.ringbuf));
	assert_int_equal(cursor->nr_corrupt, 0);
	ring_cursor__free(cursor);
	fake_ringbuf_destroy(&writer.ringbuf);
}

static void test_newest_concurrently(void **state)
{
	check_newest_concurrently(1024 * 1024, false);
	check_newest_concurrently(4096, true);
	check_newest_concurrently(65536, true);
}

static void test_newest_of_corrupt(void **state)
{
	struct ring_newest newest = { 0 };
	struct fake_ringbuf ringbuf;
	struct ring_cursor *cursor;

	fake_ringbuf_init(&ringbuf, 4096, true);
	fake_ringbuf_write(&ringbuf, 1);
	fake_ringbuf_write(&ringbuf, 2);
	cursor = new_cursor(&ringbuf);
	*(uint32_t *)fake_data(&ringbuf, total_of(1)) = 0x3fffffff;
	ring_cursor__find_newest(cursor, &newest);
	assert_int_equal(newest.time_ns, 1000);
	assert_int_equal(cursor->nr_corrupt, 1);
	*fake_producer_pos(&ringbuf) = 1ull << 60;
	ring_cursor__find_newest(cursor, &newest);
	assert_int_equal(cursor->nr_corrupt, 2);
	ring_cursor__free(cursor);
	fake_ringbuf_destroy(&ringbuf);
}

/* ---- corrupt rings ----------------------------------------------------------------------- */

/* A record of ours that is none is left out; one whose length cannot be ends the reading. */
static void check_bad_record(bool overwrite)
{
	struct fake_ringbuf ringbuf;
	struct persist_record *record;
	struct ring_cursor *cursor;
	uint64_t at = 0;

	fake_ringbuf_init(&ringbuf, 65536, overwrite);
	for (uint64_t seq = 1; seq <= 20; seq++)
		fake_ringbuf_write(&ringbuf, seq);
	for (uint64_t seq = 1; seq < 5; seq++)
		at += total_of(seq);
	record = (void *)fake_data(&ringbuf, at + 8);
	record->magic ^= 1;
	cursor = new_cursor(&ringbuf);
	for (uint64_t seq = 1; seq <= 20; seq++)
		if (seq != 5)
			expect_seq(cursor, seq);
	expect_end(cursor);
	assert_int_equal(cursor->nr_corrupt, 1);
	ring_cursor__free(cursor);

	*(uint32_t *)fake_data(&ringbuf, at) = 0x3fffffff;
	cursor = new_cursor(&ringbuf);
	for (uint64_t seq = 1; seq < 5; seq++)
		expect_seq(cursor, seq);
	expect_end(cursor);
	fake_ringbuf_write(&ringbuf, 21);
	expect_end(cursor);
	assert_int_equal(cursor->nr_corrupt, 1);
	ring_cursor__free(cursor);
	fake_ringbuf_destroy(&ringbuf);
}

static void test_bad_record(void **state)
{
	check_bad_record(false);
	check_bad_record(true);
}

static void check_hostile_positions(bool overwrite)
{
	static const unsigned long values[] = {
		0, 1, 8, 4088, 4095, 4096, 4097, 8192, 1ul << 32, ~0ul, ~0ul - 7, ~0ul - 4096,
	};
	const size_t nr = sizeof(values) / sizeof(values[0]);
	struct fake_ringbuf ringbuf;

	fake_ringbuf_init(&ringbuf, 4096, overwrite);
	for (uint64_t seq = 1; seq <= 100; seq++)
		fake_ringbuf_write(&ringbuf, seq);
	for (size_t i = 0; i < nr; i++)
		for (size_t j = 0; j < nr; j++) {
			struct ring_cursor *cursor = new_cursor(&ringbuf);

			for (int round = 0; round < 2; round++) {
				*fake_producer_pos(&ringbuf) = values[round ? j : i];
				*fake_overwrite_pos(&ringbuf) = values[round ? i : j];
				for (int n = 0; n < 1000 && ring_cursor__peek(cursor); n++)
					ring_cursor__advance(cursor);
			}
			ring_cursor__free(cursor);
		}
	fake_ringbuf_destroy(&ringbuf);
}

static void test_hostile_positions(void **state)
{
	check_hostile_positions(false);
	check_hostile_positions(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_plain_is_not_copied),
		cmocka_unit_test(test_busy_and_discarded),
		cmocka_unit_test(test_overwriting),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_lapped),
		cmocka_unit_test(test_concurrent),
		cmocka_unit_test(test_newest),
		cmocka_unit_test(test_newest_is_complete),
		cmocka_unit_test(test_newest_concurrently),
		cmocka_unit_test(test_newest_of_corrupt),
		cmocka_unit_test(test_bad_record),
		cmocka_unit_test(test_hostile_positions),
	};

	return cmocka_run_group_tests_name("ringbuf_cursor", tests, NULL, NULL);
}
