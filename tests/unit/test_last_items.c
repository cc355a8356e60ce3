// SPDX-License-Identifier: GPL-2.0-only
/* last_items: the newest records, and the losses between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "last_items.h"

static void put_record(struct last_items *last, uint64_t seq)
{
	struct {
		struct persist_record record;
		uint64_t payload;
	} record = {
		.record = { .header_size = sizeof(record.record), .size = 8, .seq = seq },
		.payload = seq * 3,
	};
	const struct persist_item item = { .record = &record.record };

	assert_int_equal(last_items__put(last, &item), 0);
	memset(&record, 0xff, sizeof(record));
}

static void put_loss(struct last_items *last, uint64_t from, uint64_t to)
{
	const struct persist_item item = {
		.loss = { .lost = to - from + 1, .from_seq = from, .to_seq = to },
	};

	assert_int_equal(last_items__put(last, &item), 0);
}

static void expect_record(struct last_items *last, uint64_t seq)
{
	struct persist_item item;
	uint64_t payload;

	assert_true(last_items__take(last, &item));
	assert_non_null(item.record);
	assert_int_equal(item.record->seq, seq);
	memcpy(&payload, persist_record__payload(item.record), sizeof(payload));
	assert_int_equal(payload, seq * 3);
}

static void expect_loss(struct last_items *last, uint64_t from)
{
	struct persist_item item;

	assert_true(last_items__take(last, &item));
	assert_null(item.record);
	assert_int_equal(item.loss.from_seq, from);
}

static void expect_end(struct last_items *last)
{
	struct persist_item item;

	assert_false(last_items__take(last, &item));
}

static void test_newest(void **state)
{
	struct last_items last;

	for (uint64_t max = 1; max < 300; max += 7) {
		last_items__init(&last, max, NULL, NULL);
		for (uint64_t seq = 1; seq <= 500; seq++)
			put_record(&last, seq);
		for (uint64_t seq = 501 - max; seq <= 500; seq++)
			expect_record(&last, seq);
		expect_end(&last);
		last_items__destroy(&last);
	}
}

static void test_fewer(void **state)
{
	struct last_items last;

	last_items__init(&last, 10, NULL, NULL);
	expect_end(&last);
	put_loss(&last, 1, 4);
	put_record(&last, 5);
	put_record(&last, 6);
	expect_loss(&last, 1);
	expect_record(&last, 5);
	expect_record(&last, 6);
	expect_end(&last);
	last_items__destroy(&last);
}

/* A loss is of interest if a record before it is shown, or everything is. */
static void test_losses(void **state)
{
	struct last_items last;

	last_items__init(&last, 2, NULL, NULL);
	put_loss(&last, 1, 4);
	put_record(&last, 5);
	put_loss(&last, 6, 7);
	put_record(&last, 8);
	put_loss(&last, 9, 9);
	put_record(&last, 10);
	put_loss(&last, 11, 20);
	put_loss(&last, 21, 30);
	expect_record(&last, 8);
	expect_loss(&last, 9);
	expect_record(&last, 10);
	expect_loss(&last, 11);
	expect_loss(&last, 21);
	expect_end(&last);
	last_items__destroy(&last);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_newest),
		cmocka_unit_test(test_fewer),
		cmocka_unit_test(test_losses),
	};

	return cmocka_run_group_tests_name("last_items", tests, NULL, NULL);
}
