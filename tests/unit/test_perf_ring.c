// SPDX-License-Identifier: GPL-2.0-only
/* perf_ring: what a reader of perf's ring buffer sees, also while it is written. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perf/perf_ring.h"

#define PAGE 4096

struct fixture {
	_Alignas(8) char map[3 * PAGE];
	struct perf_ring ring;
	uint64_t tail; /* of the reader */
};

/* A record whose words all say which one it is. */
struct record {
	struct perf_event_header header;
	uint64_t words[16];
};

static size_t make_record(struct record *record, uint64_t number)
{
	size_t nr = 1 + number % 16;

	record->header = (struct perf_event_header){
		.type = PERF_RECORD_SAMPLE,
		.size = (uint16_t)(sizeof(record->header) + nr * sizeof(record->words[0])),
	};
	for (size_t i = 0; i < nr; i++)
		record->words[i] = number;
	return record->header.size;
}

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	assert_int_equal(perf_ring__init(&fixture->ring, fixture->map, sizeof(fixture->map), PAGE),
			 0);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

/* ---- a reader, as perf is one -------------------------------------------------------------- */

static void copy_out(const struct fixture *fixture, uint64_t at, void *to, size_t size)
{
	const char *data = fixture->map + PAGE;

	for (size_t i = 0; i < size; i++)
		((char *)to)[i] = data[(at + i) % (2 * PAGE)];
}

/* Reads what is there and returns how many records that was; they are numbered from @number on. */
static uint64_t read_records(struct fixture *fixture, uint64_t number)
{
	struct perf_event_mmap_page *page = (void *)fixture->map;
	uint64_t head = __atomic_load_n((uint64_t *)&page->data_head, __ATOMIC_ACQUIRE), nr = 0;
	struct record record, expected;

	for (; fixture->tail < head; fixture->tail += record.header.size, nr++) {
		copy_out(fixture, fixture->tail, &record.header, sizeof(record.header));
		copy_out(fixture, fixture->tail, &record, record.header.size);
		assert_int_equal(record.header.size, make_record(&expected, number + nr));
		assert_memory_equal(&record, &expected, record.header.size);
	}
	assert_true(fixture->tail == head);
	__atomic_store_n((uint64_t *)&page->data_tail, head, __ATOMIC_RELEASE);
	return nr;
}

/* ---- tests --------------------------------------------------------------------------------- */

static void test_sizes(void **state)
{
	static char map[4 * PAGE];
	struct perf_ring ring;

	(void)state;
	assert_int_equal(perf_ring__init(&ring, map, PAGE, PAGE), -EINVAL);
	assert_int_equal(perf_ring__init(&ring, map, 0, PAGE), -EINVAL);
	assert_int_equal(perf_ring__init(&ring, map, 4 * PAGE, PAGE), -EINVAL);
	assert_int_equal(perf_ring__init(&ring, map, 2 * PAGE, PAGE), 0);
	assert_int_equal(((struct perf_event_mmap_page *)map)->data_offset, PAGE);
	assert_int_equal(((struct perf_event_mmap_page *)map)->data_size, PAGE);
}

static void test_published(void **state)
{
	struct fixture *fixture = *state;
	struct record record;

	perf_ring__put(&fixture->ring, &record, make_record(&record, 0));
	assert_int_equal(read_records(fixture, 0), 0);
	perf_ring__publish(&fixture->ring);
	assert_int_equal(read_records(fixture, 0), 1);
}

static void test_wrap_around(void **state)
{
	struct fixture *fixture = *state;
	struct record record;
	uint64_t read = 0;

	for (uint64_t number = 0; number < 10000; number++) {
		perf_ring__put(&fixture->ring, &record, make_record(&record, number));
		perf_ring__publish(&fixture->ring);
		if (number % 7 == 0)
			read += read_records(fixture, read);
	}
	read += read_records(fixture, read);
	assert_int_equal(read, 10000);
}

static void test_room(void **state)
{
	struct fixture *fixture = *state;
	struct perf_event_mmap_page *page = (void *)fixture->map;
	struct record record;
	uint64_t written = 0;

	assert_int_equal(perf_ring__room(&fixture->ring), 2 * PAGE - 1);
	while (perf_ring__room(&fixture->ring) >= make_record(&record, written)) {
		perf_ring__put(&fixture->ring, &record, record.header.size);
		written++;
	}
	perf_ring__publish(&fixture->ring);
	assert_true(fixture->ring.head < 2 * PAGE);
	assert_int_equal(read_records(fixture, 0), written);
	assert_int_equal(perf_ring__room(&fixture->ring), 2 * PAGE - 1);
	/* Nothing is written over what may not have been read. */
	page->data_tail = fixture->ring.head + 8;
	assert_int_equal(perf_ring__room(&fixture->ring), 0);
	page->data_tail = fixture->ring.head - 2 * PAGE - 8;
	assert_int_equal(perf_ring__room(&fixture->ring), 0);
}

static void test_watermark(void **state)
{
	struct perf_event_attr attr = { .watermark = 1, .wakeup_watermark = 64 };
	struct fixture *fixture = *state;
	char bytes[PAGE] = { 0 };

	/* Half of the ring, if nobody says anything else. */
	perf_ring__put(&fixture->ring, bytes, PAGE - 8);
	assert_false(perf_ring__take_wakeup(&fixture->ring));
	perf_ring__put(&fixture->ring, bytes, 8);
	assert_true(perf_ring__take_wakeup(&fixture->ring));
	assert_false(perf_ring__take_wakeup(&fixture->ring));
	perf_ring__set_watermark(&fixture->ring, &attr);
	perf_ring__put(&fixture->ring, bytes, 56);
	assert_false(perf_ring__take_wakeup(&fixture->ring));
	perf_ring__put(&fixture->ring, bytes, 8);
	assert_true(perf_ring__take_wakeup(&fixture->ring));
	/* A watermark that is never reached would be none. */
	attr.wakeup_watermark = 4 * PAGE;
	perf_ring__set_watermark(&fixture->ring, &attr);
	perf_ring__put(&fixture->ring, bytes, 64);
	assert_true(perf_ring__take_wakeup(&fixture->ring));
}

static void test_wakeup_events(void **state)
{
	const struct perf_event_attr third = { .wakeup_events = 3 }, none = { 0 };
	const struct perf_event_attr watermark = { .watermark = 1, .wakeup_watermark = 1 };
	struct fixture *fixture = *state;

	for (int round = 0; round < 3; round++) {
		perf_ring__count_sample(&fixture->ring, &third);
		perf_ring__count_sample(&fixture->ring, &third);
		/* These do not count. */
		perf_ring__count_sample(&fixture->ring, &none);
		perf_ring__count_sample(&fixture->ring, &watermark);
		assert_false(perf_ring__take_wakeup(&fixture->ring));
		perf_ring__count_sample(&fixture->ring, &third);
		assert_true(perf_ring__take_wakeup(&fixture->ring));
	}
}

#define NR_CONCURRENT 200000

static void *write_concurrently(void *argument)
{
	struct fixture *fixture = argument;
	struct record record;

	for (uint64_t number = 0; number < NR_CONCURRENT; number++) {
		size_t size = make_record(&record, number);

		while (perf_ring__room(&fixture->ring) < size) {
			perf_ring__publish(&fixture->ring);
			sched_yield();
		}
		perf_ring__put(&fixture->ring, &record, size);
		if (number % 5 == 0)
			perf_ring__publish(&fixture->ring);
	}
	perf_ring__publish(&fixture->ring);
	return NULL;
}

static void test_concurrent_reader(void **state)
{
	struct fixture *fixture = *state;
	uint64_t read = 0, now;
	pthread_t writer;

	assert_int_equal(pthread_create(&writer, NULL, write_concurrently, fixture), 0);
	while (read < NR_CONCURRENT) {
		now = read_records(fixture, read);
		if (!now)
			sched_yield();
		read += now;
	}
	assert_int_equal(pthread_join(writer, NULL), 0);
	assert_int_equal(read_records(fixture, read), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test_setup_teardown(test_published, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrap_around, setup, teardown),
		cmocka_unit_test_setup_teardown(test_room, setup, teardown),
		cmocka_unit_test_setup_teardown(test_watermark, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wakeup_events, setup, teardown),
		cmocka_unit_test_setup_teardown(test_concurrent_reader, setup, teardown),
	};

	return cmocka_run_group_tests_name("perf_ring", tests, NULL, NULL);
}
