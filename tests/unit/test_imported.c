// SPDX-License-Identifier: GPL-2.0-only
/* imported, imported_cursor: what is sound is read, and what is not does no harm. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "fake_imported.h"
#include "imported.h"
#include "ring_cursor.h"

#define NR 1500 /* more than one batch */

static const struct persist_meta meta = { .record_id = FAKE_EVENT_ID };
static const struct record_origin origin = {
	.event_id = FAKE_EVENT_ID,
	.cpu = FAKE_CPU,
	.path = "event",
};
static struct persist_imported *header;
static size_t size;

static int set_up(void **state)
{
	header = fake_imported_new(NR, &size);
	return 0;
}

static int tear_down(void **state)
{
	free(header);
	return 0;
}

static struct ring_cursor *new_cursor(void)
{
	const struct persist_imported_cpu cpu = imported__cpu(header, FAKE_CPU);
	struct ring_cursor *cursor =
		imported_cursor__new((const uint8_t *)header + cpu.offset, cpu.bytes, &origin);

	assert_non_null(cursor);
	return cursor;
}

/* The numbers 1 to @nr, and nothing more. */
static void expect_records(struct ring_cursor *cursor, uint64_t nr, uint64_t nr_corrupt)
{
	const struct persist_record *record;

	for (uint64_t seq = 1; seq <= nr; seq++) {
		record = ring_cursor__peek(cursor);
		assert_non_null(record);
		assert_int_equal(record->seq, seq);
		assert_true(fake_record_is_whole(record));
		ring_cursor__advance(cursor);
	}
	assert_null(ring_cursor__peek(cursor));
	assert_null(ring_cursor__peek(cursor));
	assert_int_equal(cursor->nr_corrupt, nr_corrupt);
	ring_cursor__free(cursor);
}

static struct persist_record *record_at(uint64_t seq)
{
	uint8_t *at = (uint8_t *)header + FAKE_IMPORTED_BEGIN;

	for (uint64_t before = 1; before < seq; before++)
		at += fake_imported_units(before) * PERSIST_UNIT_SIZE;
	return (void *)at;
}

static void test_sound(void **state)
{
	struct persist_imported_cpu sum;

	assert_true(imported__is_sound(header, size, &meta));
	expect_records(new_cursor(), NR, 0);
	assert_int_equal(imported__cpu(header, 0).bytes, 0);
	assert_int_equal(imported__cpu(header, FAKE_IMPORTED_CPUS).bytes, 0);
	sum = imported__sum(header);
	assert_int_equal(sum.records, NR);
	assert_int_equal(sum.overrun, 13);
	assert_int_equal(sum.commit_overrun, 0);
	assert_int_equal(sum.dropped, 4);
}

static void test_sizes(void **state)
{
	assert_false(imported__is_sound(header, size - 1, &meta));
	assert_false(imported__is_sound(header, FAKE_IMPORTED_BEGIN - 64, &meta));
	assert_false(imported__is_sound(header, sizeof(*header) - 1, &meta));
	assert_false(imported__is_sound(header, 0, &meta));
	assert_true(imported__is_sound(header, size + 4096, &meta));
}

#define spoil(member, value)                                           \
	do {                                                           \
		__typeof__(header->member) good = header->member;      \
		header->member = (value);                              \
		assert_false(imported__is_sound(header, size, &meta)); \
		header->member = good;                                 \
		assert_true(imported__is_sound(header, size, &meta));  \
	} while (0)

static void test_headers(void **state)
{
	spoil(magic, 1);
	spoil(version, PERSIST_ABI_VERSION + 1);
	spoil(version, 0);
	spoil(header_size, 0);
	spoil(header_size, sizeof(*header) - 8);
	spoil(header_size, sizeof(*header) + 4);
	spoil(header_size, UINT32_MAX - 7);
	spoil(cpu_size, 0);
	spoil(cpu_size, sizeof(struct persist_imported_cpu) + 1);
	spoil(cpu_size, UINT32_MAX - 7);
	spoil(nr_cpus, UINT32_MAX);
	spoil(nr_cpus, 8000);
	spoil(event_id, 1);
	spoil(cpus[FAKE_CPU].offset, 0);
	spoil(cpus[FAKE_CPU].offset, FAKE_IMPORTED_BEGIN + 8);
	spoil(cpus[FAKE_CPU].offset, FAKE_IMPORTED_BEGIN + 64);
	spoil(cpus[FAKE_CPU].offset, UINT64_MAX - 63);
	spoil(cpus[FAKE_CPU].bytes, header->cpus[FAKE_CPU].bytes + 64);
	spoil(cpus[FAKE_CPU].bytes, header->cpus[FAKE_CPU].bytes - 8);
	spoil(cpus[FAKE_CPU].bytes, UINT64_MAX - 63);
	/* Strings without an end. */
	memset(header->source, 'x', sizeof(header->source));
	assert_false(imported__is_sound(header, size, &meta));
	memset(header->source, 0, sizeof(header->source));
	memset(header->clock, 'x', sizeof(header->clock));
	assert_false(imported__is_sound(header, size, &meta));
}

/* Reading ends where there is no record, and says so. */
static void test_records(void **state)
{
	struct persist_record *record = record_at(1000), good = *record;

	record->magic = 0;
	expect_records(new_cursor(), 999, 1);
	*record = good;
	record->size = UINT32_MAX;
	expect_records(new_cursor(), 999, 1);
	*record = good;
	record->header_size = 8;
	expect_records(new_cursor(), 999, 1);
	*record = good;
	record->cpu++;
	expect_records(new_cursor(), 999, 1);
	*record = good;
	record->seq = 999;
	expect_records(new_cursor(), 999, 1);
	*record = good;
	record->flags = 0; /* as one of the event's own */
	expect_records(new_cursor(), 999, 1);
	*record = good;
	expect_records(new_cursor(), NR, 0);
	/* The last one is longer than what is left. */
	record_at(NR)->size += 64;
	expect_records(new_cursor(), NR - 1, 1);
}

#define test(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(test_sound),
		test(test_sizes),
		test(test_headers),
		test(test_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
