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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_seconds, set_up),
		cmocka_unit_test_setup(test_going_on, set_up),
		cmocka_unit_test_setup(test_rate, set_up),
		cmocka_unit_test_setup(test_rate_after_a_gap, set_up),
	};

	return cmocka_run_group_tests_name("top_timeline", tests, NULL, NULL);
}
