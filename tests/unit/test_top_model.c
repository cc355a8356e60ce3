// SPDX-License-Identifier: GPL-2.0-only
/* top_model and top_snapshot: exact counts in bounded memory, in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "time_spec.h"
#include "top/top_key.h"
#include "top/top_model.h"
#include "top/top_snapshot.h"

static struct top_model model;
static struct top_snapshot snapshot;

static int tear_down(void **state)
{
	top_model__destroy(&model);
	top_snapshot__free(&snapshot);
	return 0;
}

/* A made key of one text, as top_key__make() gives it. */
static size_t make_key(unsigned char bytes[64], const char *text)
{
	size_t size = strlen(text);

	bytes[0] = TOP_VALUE_TEXT;
	bytes[1] = (unsigned char)size;
	memcpy(bytes + 2, text, size);
	return size + 2;
}

static void count(const char *text, uint64_t nr, uint64_t time_ns)
{
	unsigned char bytes[64];
	size_t size = make_key(bytes, text);

	for (uint64_t i = 0; i < nr; i++) {
		top_model__count_in_row(&model, bytes, size, time_ns);
		top_model__count(&model, time_ns);
	}
}

static const struct top_row *row_of(const char *text)
{
	unsigned char bytes[64];
	size_t size = make_key(bytes, text);

	for (uint32_t i = 0; i < model.nr_rows; i++)
		if (model.rows[i].key_size == size && !memcmp(model.rows[i].key, bytes, size))
			return &model.rows[i];
	return NULL;
}

static uint64_t sum_of_rows(void)
{
	uint64_t sum = model.others.total;

	for (uint32_t i = 0; i < model.nr_rows; i++)
		sum += model.rows[i].total;
	return sum;
}

static void test_counts(void **state)
{
	assert_int_equal(top_model__init(&model, 100), 0);
	count("one", 5, 3 * NSEC_PER_SEC);
	count("other", 7, 4 * NSEC_PER_SEC);
	count("one", 2, 1 * NSEC_PER_SEC);
	count("", 1, 2 * NSEC_PER_SEC);
	count("on", 1, 2 * NSEC_PER_SEC);
	assert_int_equal(model.nr_rows, 4);
	assert_int_equal(row_of("one")->total, 7);
	assert_int_equal(row_of("one")->last_ns, 3 * NSEC_PER_SEC);
	assert_int_equal(row_of("other")->total, 7);
	assert_int_equal(row_of("")->total, 1);
	assert_int_equal(model.total, 16);
	assert_int_equal(model.in_rows, 16);
	assert_int_equal(top_timeline__sum(&model.timeline, 0, 10).events, 16);
}

/* More keys than rows, many of each: what is counted is exact, and what is not is with the others.
 */
static void test_bounded(void **state)
{
	char text[16];

	assert_int_equal(top_model__init(&model, 1000), 0);
	for (unsigned int round = 1; round <= 3; round++) {
		for (unsigned int i = 0; i < 5000; i++) {
			snprintf(text, sizeof(text), "key%u", i);
			count(text, round, i);
		}
	}
	assert_int_equal(model.nr_rows, 1000);
	assert_int_equal(model.total, 30000);
	assert_int_equal(sum_of_rows(), 30000);
	for (uint32_t i = 0; i < model.nr_rows; i++)
		assert_int_equal(model.rows[i].total, 6);
	assert_int_equal(model.others.total, 24000);
	assert_int_equal(model.others.last_ns, 4999);
}

static void test_losses(void **state)
{
	assert_int_equal(top_model__init(&model, 10), 0);
	top_model__count_lost(&model, PERSIST_LOSS_OVERWRITTEN, 100, 4 * NSEC_PER_SEC,
			      6 * NSEC_PER_SEC);
	top_model__count_lost(&model, PERSIST_LOSS_RING_BUSY, 1, 5 * NSEC_PER_SEC,
			      5 * NSEC_PER_SEC);
	top_model__count_lost(&model, PERSIST_LOSS_OVERWRITTEN, 10, 6 * NSEC_PER_SEC,
			      6 * NSEC_PER_SEC);
	/* A reason of a later version. */
	top_model__count_lost(&model, (enum persist_loss_reason)99, 1000, 6 * NSEC_PER_SEC,
			      6 * NSEC_PER_SEC);
	assert_int_equal(model.lost[PERSIST_LOSS_OVERWRITTEN], 110);
	assert_int_equal(model.lost[PERSIST_LOSS_UNKNOWN], 1000);
	assert_int_equal(top_model__lost(&model), 1111);
	assert_int_equal(top_timeline__sum(&model.timeline, 5, 5).lost, 51);
	assert_int_equal(model.total, 0);
}

/* After a quiet time, what is missing is missing since somebody looked the last time. */
static void test_losses_since_seen(void **state)
{
	(void)state;
	assert_int_equal(top_model__init(&model, 10), 0);
	model.seen_ns = 100 * NSEC_PER_SEC;
	top_model__count_lost(&model, PERSIST_LOSS_OVERWRITTEN, 1000, 10 * NSEC_PER_SEC,
			      101 * NSEC_PER_SEC);
	assert_int_equal(top_timeline__sum(&model.timeline, 0, 99).lost, 0);
	assert_int_equal(top_timeline__sum(&model.timeline, 100, 101).lost, 1000);
	/* Of these it is known a little later. */
	top_model__count_lost(&model, PERSIST_LOSS_RING_FULL, 300, 10 * NSEC_PER_SEC,
			      101 * NSEC_PER_SEC);
	assert_int_equal(top_timeline__sum(&model.timeline, 0, 97).lost, 0);
	assert_int_equal(top_timeline__sum(&model.timeline, 98, 99).lost, 200);
	/* What is newer than that stays, also what lies before it altogether. */
	top_model__count_lost(&model, PERSIST_LOSS_OVERWRITTEN, 7, 102 * NSEC_PER_SEC,
			      103 * NSEC_PER_SEC);
	assert_int_equal(top_timeline__sum(&model.timeline, 102, 103).lost, 7);
	top_model__count_lost(&model, PERSIST_LOSS_OVERWRITTEN, 5, 40 * NSEC_PER_SEC,
			      50 * NSEC_PER_SEC);
	assert_int_equal(top_timeline__sum(&model.timeline, 50, 50).lost, 5);
}

/* A record may say any time: it does not push what has happened out of the time line. */
static void test_times_to_come(void **state)
{
	assert_int_equal(top_model__init(&model, 10), 0);
	model.latest_ns = 100 * NSEC_PER_SEC;
	count("one", 4, 99 * NSEC_PER_SEC);
	count("one", 1, UINT64_MAX);
	top_model__count_lost(&model, PERSIST_LOSS_NESTED, 1, UINT64_MAX, UINT64_MAX);
	assert_int_equal(top_timeline__sum(&model.timeline, 0, 100).events, 5);
	assert_int_equal(top_timeline__sum(&model.timeline, 0, 100).lost, 1);
	assert_int_equal(row_of("one")->last_ns, 100 * NSEC_PER_SEC);
}

static void test_other_rows(void **state)
{
	assert_int_equal(top_model__init(&model, 1), 0);
	count("one", 4, 99 * NSEC_PER_SEC);
	count("two", 4, 99 * NSEC_PER_SEC);
	top_model__count_lost(&model, PERSIST_LOSS_NESTED, 1, 99 * NSEC_PER_SEC, 99 * NSEC_PER_SEC);
	assert_int_equal(top_model__begin_rows(&model), 0);
	assert_int_equal(model.nr_rows, 0);
	assert_int_equal(sum_of_rows(), 0);
	assert_int_equal(model.in_rows, 0);
	assert_int_equal(model.total, 8);
	assert_int_equal(top_model__lost(&model), 1);
	count("three", 2, 99 * NSEC_PER_SEC);
	assert_int_equal(row_of("three")->total, 2);
	assert_int_equal(top_timeline__sum(&model.timeline, 99, 99).events, 10);
	assert_int_equal(top_snapshot__take(&snapshot, &model, 100 * NSEC_PER_SEC, TOP_BY_RATE), 0);
	assert_int_equal(snapshot.earlier, 8);
}

/* ---- snapshots ---------------------------------------------------------------------------- */

static const char *text_of(uint32_t index, char text[64])
{
	const struct top_entry *entry = top_snapshot__shown(&snapshot, index);
	struct top_value value;

	top_value__read(&value, model.rows[entry->row].key);
	snprintf(text, 64, "%.*s", (int)value.size, value.text);
	return text;
}

static void expect_order(const char *first, const char *second, const char *third)
{
	char text[64];

	assert_int_equal(snapshot.nr_shown, 3);
	assert_string_equal(text_of(0, text), first);
	assert_string_equal(text_of(1, text), second);
	assert_string_equal(text_of(2, text), third);
}

static void test_order(void **state)
{
	assert_int_equal(top_model__init(&model, 10), 0);
	count("large", 100, 10 * NSEC_PER_SEC);
	count("small", 20, 10 * NSEC_PER_SEC);
	count("busy", 10, 999 * NSEC_PER_SEC);
	assert_int_equal(top_snapshot__take(&snapshot, &model, 1000 * NSEC_PER_SEC, TOP_BY_RATE),
			 0);
	expect_order("busy", "large", "small");
	assert_true(top_snapshot__shown(&snapshot, 0)->rate == 2.0);
	assert_true(snapshot.rate == 2.0);
	assert_int_equal(snapshot.total, 130);
	assert_int_equal(top_snapshot__take(&snapshot, &model, 1000 * NSEC_PER_SEC, TOP_BY_TOTAL),
			 0);
	expect_order("large", "small", "busy");
	/* Two that are the same stay in the order in which they came. */
	count("busy", 10, 10 * NSEC_PER_SEC);
	count("small", 0, 0);
	model.rows[2].last_ns = model.rows[1].last_ns;
	assert_int_equal(top_snapshot__take(&snapshot, &model, 1000 * NSEC_PER_SEC, TOP_BY_TOTAL),
			 0);
	expect_order("large", "small", "busy");
}

static void expect_rates(enum top_rates rates, double all, double first, double second)
{
	assert_int_equal(top_snapshot__take(&snapshot, &model, 1000 * NSEC_PER_SEC, TOP_BY_RATE),
			 0);
	assert_int_equal(snapshot.rates, rates);
	assert_true(snapshot.rate > all - 0.001 && snapshot.rate < all + 0.001);
	assert_int_equal(snapshot.nr_entries, 2);
	assert_true(snapshot.entries[0].rate > first - 0.001 &&
		    snapshot.entries[0].rate < first + 0.001);
	assert_true(snapshot.entries[1].rate > second - 0.001 &&
		    snapshot.entries[1].rate < second + 0.001);
}

/* The rows' rates add up to that of all events, whatever is lost or has no row any more. */
static void test_rates(void **state)
{
	assert_int_equal(top_model__init(&model, 10), 0);
	count("busy", 30, 997 * NSEC_PER_SEC);
	count("calm", 10, 998 * NSEC_PER_SEC);
	expect_rates(TOP_RATES_COUNTED, 8, 6, 2);
	/* What was lost before the last seconds is of no matter. */
	top_model__count_lost(&model, PERSIST_LOSS_OVERWRITTEN, 1000, 900 * NSEC_PER_SEC,
			      995 * NSEC_PER_SEC);
	expect_rates(TOP_RATES_COUNTED, 8, 6, 2);
	/* Half of these were within. */
	top_model__count_lost(&model, PERSIST_LOSS_OVERWRITTEN, 8000, 993 * NSEC_PER_SEC,
			      997 * NSEC_PER_SEC);
	expect_rates(TOP_RATES_ESTIMATED, 808, 606, 202);
	/* By another key some records are gone, and the others stand for them. */
	assert_int_equal(top_model__begin_rows(&model), 0);
	for (unsigned int i = 0; i < 8; i++)
		top_model__count_in_row(&model, (const unsigned char *)(i % 2 ? "1" : "2"), 1,
					997 * NSEC_PER_SEC);
	expect_rates(TOP_RATES_ESTIMATED, 808, 404, 404);
}

/* Nobody knows from which rows they would have been. */
static void test_unknown_rates(void **state)
{
	assert_int_equal(top_model__init(&model, 10), 0);
	count("long ago", 1, 900 * NSEC_PER_SEC);
	count("before", 1, 901 * NSEC_PER_SEC);
	expect_rates(TOP_RATES_COUNTED, 0, 0, 0);
	top_model__count_lost(&model, PERSIST_LOSS_RING_FULL, 5000, 995 * NSEC_PER_SEC,
			      1000 * NSEC_PER_SEC);
	expect_rates(TOP_RATES_UNKNOWN, 1000, 0, 0);
}

/* It stands while the model goes on. */
static void test_stands(void **state)
{
	assert_int_equal(top_model__init(&model, 10), 0);
	count("one", 3, NSEC_PER_SEC);
	assert_int_equal(top_snapshot__take(&snapshot, &model, NSEC_PER_SEC, TOP_BY_RATE), 0);
	count("one", 3, NSEC_PER_SEC);
	count("two", 3, NSEC_PER_SEC);
	assert_int_equal(snapshot.total, 3);
	assert_int_equal(snapshot.nr_entries, 1);
	assert_int_equal(snapshot.entries[0].total, 3);
	assert_int_equal(top_timeline__sum(&snapshot.timeline, 0, 10).events, 3);
}

static void test_filter(void **state)
{
	struct top_key key;
	char error[64], text[64];

	assert_int_equal(top_key__parse(&key, "comm", error, sizeof(error)), 0);
	assert_int_equal(top_model__init(&model, 10), 0);
	count("bash", 3, 0);
	count("cc1", 2, 0);
	count("sh\x1b", 1, 0);
	assert_int_equal(top_snapshot__take(&snapshot, &model, 0, TOP_BY_TOTAL), 0);
	top_snapshot__filter(&snapshot, &model, &key, "SH");
	assert_int_equal(snapshot.nr_shown, 2);
	assert_string_equal(text_of(0, text), "bash");
	/* What is on the screen is what is looked at. */
	top_snapshot__filter(&snapshot, &model, &key, "\\x1b");
	assert_int_equal(snapshot.nr_shown, 1);
	top_snapshot__filter(&snapshot, &model, &key, "nothing");
	assert_int_equal(snapshot.nr_shown, 0);
	top_snapshot__filter(&snapshot, &model, &key, "");
	assert_int_equal(snapshot.nr_shown, 3);
	assert_int_equal(snapshot.total, 6);
	top_key__free(&key);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_counts, tear_down),
		cmocka_unit_test_teardown(test_bounded, tear_down),
		cmocka_unit_test_teardown(test_losses, tear_down),
		cmocka_unit_test_teardown(test_losses_since_seen, tear_down),
		cmocka_unit_test_teardown(test_times_to_come, tear_down),
		cmocka_unit_test_teardown(test_other_rows, tear_down),
		cmocka_unit_test_teardown(test_order, tear_down),
		cmocka_unit_test_teardown(test_rates, tear_down),
		cmocka_unit_test_teardown(test_unknown_rates, tear_down),
		cmocka_unit_test_teardown(test_stands, tear_down),
		cmocka_unit_test_teardown(test_filter, tear_down),
	};

	return cmocka_run_group_tests_name("top_model", tests, NULL, NULL);
}
