// SPDX-License-Identifier: GPL-2.0-only
/* top_timeline: counts of seconds by the times of the records, and rates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "time_spec.h"
#include "top/top_timeline.h"

static struct top_timeline timeline;
static struct top_recent recent;

static int set_up(void **state)
{
	timeline = (struct top_timeline){ 0 };
	recent = (struct top_recent){ 0 };
	return 0;
}

static void add(uint64_t second, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t time = second * NSEC_PER_SEC + i;
		struct top_second *at = top_timeline__at(&timeline, time);

		if (at)
			at->events++;
		top_recent__add(&recent, time);
	}
}

static uint64_t events(uint64_t first, uint64_t last)
{
	return top_timeline__sum(&timeline, first, last).events;
}

static void test_seconds(void **state)
{
	add(5000, 3);
	add(5001, 4);
	add(5003, 5);
	/* What comes late is counted in its time. */
	add(5000, 1);
	assert_int_equal(events(5000, 5000), 4);
	assert_int_equal(events(5002, 5002), 0);
	assert_int_equal(events(5000, 5003), 13);
	assert_int_equal(events(0, UINT64_MAX), 13);
	assert_int_equal(events(5004, 6000), 0);
}

/* A second takes the place of one that was long ago, whatever lies between them. */
static void test_going_on(void **state)
{
	for (uint64_t second = 0; second < 3 * TOP_TIMELINE_SECONDS; second++)
		add(second, 2);
	assert_int_equal(events(0, UINT64_MAX), 2 * TOP_TIMELINE_SECONDS);
	add(3 * TOP_TIMELINE_SECONDS + 99, 1);
	assert_int_equal(events(0, UINT64_MAX), 2 * (TOP_TIMELINE_SECONDS - 100) + 1);
	add(100 * TOP_TIMELINE_SECONDS, 7);
	assert_int_equal(events(0, UINT64_MAX), 7);
	/* Too long ago to be kept. */
	assert_null(top_timeline__at(&timeline, 99 * TOP_TIMELINE_SECONDS * NSEC_PER_SEC));
	assert_int_equal(events(0, UINT64_MAX), 7);
}

static void expect_rate(double expected, uint64_t now_ns)
{
	double rate = top_timeline__rate(&timeline, now_ns);

	assert_true(rate > expected - 0.001 && rate < expected + 0.001);
	/* Both count the same. */
	rate = top_recent__rate(&recent, now_ns);
	assert_true(rate > expected - 0.001 && rate < expected + 0.001);
}

static void test_rate(void **state)
{
	expect_rate(0, 0);
	expect_rate(0, 1000 * NSEC_PER_SEC);
	for (uint64_t second = 1000; second < 1020; second++)
		add(second, 10);
	/* At the end of 1019: of five whole seconds. */
	expect_rate(10, 1020 * NSEC_PER_SEC);
	/* A second later one of them is over. */
	expect_rate(8, 1021 * NSEC_PER_SEC);
	expect_rate(2, 1024 * NSEC_PER_SEC);
	expect_rate(0, 1025 * NSEC_PER_SEC);
	expect_rate(0, 5000 * NSEC_PER_SEC);
	/* The second that has begun counts with what has passed of it. */
	add(1020, 10);
	expect_rate(60 / 5.5, 1020 * NSEC_PER_SEC + NSEC_PER_SEC / 2);
	/* What is recorded meanwhile is not of the past. */
	add(1021, 1000);
	expect_rate(60 / 5.5, 1020 * NSEC_PER_SEC + NSEC_PER_SEC / 2);
}

static void test_rate_after_a_gap(void **state)
{
	add(10, 10);
	add(1000, 5);
	expect_rate(5 / 5.5, 1000 * NSEC_PER_SEC + NSEC_PER_SEC / 2);
	add(900, 10);
	expect_rate(5 / 5.5, 1000 * NSEC_PER_SEC + NSEC_PER_SEC / 2);
}

/* ---- losses ------------------------------------------------------------------------------ */

static uint64_t lost(uint64_t first, uint64_t last)
{
	return top_timeline__sum(&timeline, first, last).lost;
}

static void test_losses_are_spread(void **state)
{
	/* From the middle of 1000 to the middle of 1003. */
	top_timeline__add_lost(&timeline, 300, 1000 * NSEC_PER_SEC + NSEC_PER_SEC / 2,
			       1003 * NSEC_PER_SEC + NSEC_PER_SEC / 2);
	assert_int_equal(lost(0, 999), 0);
	assert_int_equal(lost(1000, 1000), 50);
	assert_int_equal(lost(1001, 1001), 100);
	assert_int_equal(lost(1002, 1002), 100);
	assert_int_equal(lost(1003, 1003), 50);
	assert_int_equal(lost(0, UINT64_MAX), 300);
	/* Beside those that are there, and from one edge of a second to another. */
	top_timeline__add_lost(&timeline, 20, 1001 * NSEC_PER_SEC, 1003 * NSEC_PER_SEC);
	assert_int_equal(lost(1000, 1000), 50);
	assert_int_equal(lost(1001, 1001), 110);
	assert_int_equal(lost(1002, 1002), 110);
	assert_int_equal(lost(1003, 1003), 50);
	assert_int_equal(events(0, UINT64_MAX), 0);
}

/* What cannot be divided evenly is not rounded away, nor does a product overflow. */
static void test_sum_of_losses(void **state)
{
	static const uint64_t numbers[] = { 0, 1, 2, 7, 999, 1000003, UINT64_MAX / 4 };
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		uint64_t after = 5000 * NSEC_PER_SEC + 123456789 * i;

		top_timeline__add_lost(&timeline, numbers[i], after, after + 333333333 * i * i * i);
		sum += numbers[i];
		assert_int_equal(lost(0, UINT64_MAX), sum);
	}
}

static void test_losses_at_one_time(void **state)
{
	top_timeline__add_lost(&timeline, 5, 1000 * NSEC_PER_SEC + 1, 1000 * NSEC_PER_SEC + 1);
	top_timeline__add_lost(&timeline, 6, 1001 * NSEC_PER_SEC, 1001 * NSEC_PER_SEC);
	/* Times that cannot be: all are where they were found missing. */
	top_timeline__add_lost(&timeline, 7, 1009 * NSEC_PER_SEC, 1002 * NSEC_PER_SEC);
	assert_int_equal(lost(1000, 1000), 5);
	assert_int_equal(lost(1001, 1001), 6);
	assert_int_equal(lost(1002, 1002), 7);
	assert_int_equal(lost(0, UINT64_MAX), 18);
}

/* Of a long time only that part counts which is kept; what is older leaves no trace. */
static void test_losses_of_long_ago(void **state)
{
	uint64_t newest = 1000000;

	top_timeline__add_lost(&timeline, 2 * newest, 0, newest * NSEC_PER_SEC);
	assert_int_equal(lost(newest - 1, newest - 1), 2);
	/* The second that has just begun has none. */
	assert_int_equal(lost(0, UINT64_MAX), 2 * (TOP_TIMELINE_SECONDS - 1));
	top_timeline__add_lost(&timeline, 100, 0, (newest - TOP_TIMELINE_SECONDS) * NSEC_PER_SEC);
	assert_int_equal(lost(0, UINT64_MAX), 2 * (TOP_TIMELINE_SECONDS - 1));
	/* The longest time there is. */
	top_timeline__add_lost(&timeline, UINT64_MAX, 0, UINT64_MAX);
	assert_int_equal(timeline.newest, UINT64_MAX / NSEC_PER_SEC);
}

static void test_rate_of_losses(void **state)
{
	double rate;

	for (uint64_t second = 1000; second < 1020; second++)
		add(second, 10);
	/* Half of them before the five seconds. */
	top_timeline__add_lost(&timeline, 1000, 1010 * NSEC_PER_SEC, 1020 * NSEC_PER_SEC);
	rate = top_timeline__rate(&timeline, 1020 * NSEC_PER_SEC);
	assert_true(rate > 109.999 && rate < 110.001);
	assert_int_equal(top_timeline__recent(&timeline, 1020 * NSEC_PER_SEC).lost, 500);
	assert_int_equal(top_timeline__recent(&timeline, 1020 * NSEC_PER_SEC).events, 50);
	assert_int_equal(top_recent__sum(&recent, 1020 * NSEC_PER_SEC), 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_seconds, set_up),
		cmocka_unit_test_setup(test_going_on, set_up),
		cmocka_unit_test_setup(test_rate, set_up),
		cmocka_unit_test_setup(test_rate_after_a_gap, set_up),
		cmocka_unit_test_setup(test_losses_are_spread, set_up),
		cmocka_unit_test_setup(test_sum_of_losses, set_up),
		cmocka_unit_test_setup(test_losses_at_one_time, set_up),
		cmocka_unit_test_setup(test_losses_of_long_ago, set_up),
		cmocka_unit_test_setup(test_rate_of_losses, set_up),
	};

	return cmocka_run_group_tests_name("top_timeline", tests, NULL, NULL);
}
