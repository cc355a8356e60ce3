// SPDX-License-Identifier: GPL-2.0-only
/* time_spec: points in time as users write them, and RFC 3339. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "time_spec.h"

#define NOW (1000 * NSEC_PER_SEC)
/* The machine was started at 2026-01-02T03:04:05Z. */
#define OFFSET (1767323045ll * 1000000000ll)

static uint64_t parse(const char *text)
{
	uint64_t result = 0;

	assert_int_equal(time_spec__parse(text, NOW, OFFSET, &result), 0);
	return result;
}

static void test_boottime(void **state)
{
	assert_int_equal(parse("0"), 0);
	assert_int_equal(parse("12"), 12 * NSEC_PER_SEC);
	assert_int_equal(parse("1234.567890"), 1234567890000ull);
	assert_int_equal(parse("1.000000001"), NSEC_PER_SEC + 1);
	assert_int_equal(parse("1.0000000019"), NSEC_PER_SEC + 1);
}

static void test_relative(void **state)
{
	assert_int_equal(parse("now"), NOW);
	assert_int_equal(parse("-10s"), NOW - 10 * NSEC_PER_SEC);
	assert_int_equal(parse("-0.5s"), NOW - NSEC_PER_SEC / 2);
	assert_int_equal(parse("-5m"), NOW - 300 * NSEC_PER_SEC);
	/* Before the clock began */
	assert_int_equal(parse("-2h"), 0);
	assert_int_equal(parse("-1d"), 0);
	assert_int_equal(parse("-18000000000d"), 0);
}

static void test_rfc3339(void **state)
{
	assert_int_equal(parse("2026-01-02T03:04:05Z"), 0);
	assert_int_equal(parse("2026-01-02T03:04:06Z"), NSEC_PER_SEC);
	assert_int_equal(parse("2026-01-02t03:04:06.25z"), NSEC_PER_SEC * 5 / 4);
	assert_int_equal(parse("2026-01-02T04:04:06+01:00"), NSEC_PER_SEC);
	assert_int_equal(parse("2026-01-01T21:34:06-05:30"), NSEC_PER_SEC);
	assert_int_equal(parse("2026-01-01T03:04:05Z"), 0);
	assert_int_equal(parse("2028-02-29T00:00:00Z"), 1835395200ull * NSEC_PER_SEC - OFFSET);
}

static void test_local(void **state)
{
	/* Two hours east of Greenwich */
	setenv("TZ", "TST-2", 1);
	tzset();
	assert_int_equal(parse("2026-01-02 05:04:06"), NSEC_PER_SEC);
	assert_int_equal(parse("2026-01-02 05:04:06.5"), NSEC_PER_SEC * 3 / 2);
	assert_int_equal(parse("2026-01-02 05:05"), 55 * NSEC_PER_SEC);
	assert_int_equal(parse("2026-01-03"), (18 * 3600 + 55 * 60 + 55) * NSEC_PER_SEC);
}

static void test_wrong(void **state)
{
	static const char *const wrong[] = {
		"",
		"x",
		"-",
		"-5",
		"-5x",
		"-s",
		"-5ss",
		"- 5s",
		"1.",
		".5",
		"1s",
		"5m",
		"1e3",
		"0x10",
		" 1",
		"1 ",
		"Now",
		"now ",
		"2026-1-2",
		"2026-13-01",
		"2026-02-30",
		"2026-02-29",
		"2026-00-01",
		"2026-01-00",
		"2026-01-02T03:04:05",
		"2026-01-02T24:00:00Z",
		"2026-01-02T03:60:00Z",
		"2026-01-02T03:04:05.Z",
		"2026-01-02T03:04:05+0100",
		"2026-01-02T03:04:05Z ",
		"2026-01-02T",
		"2026-01-02 ",
		"2026-01-02 3:04",
		"2026-01-02 03:04:05 x",
		"2026-01-02T03:04:05+24:00",
	};
	uint64_t result;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (time_spec__parse(wrong[i], NOW, OFFSET, &result) != -EINVAL)
			fail_msg("\"%s\" is taken for a time", wrong[i]);
	assert_int_equal(time_spec__parse("99999999999999999999", NOW, OFFSET, &result), -ERANGE);
	assert_int_equal(time_spec__parse("18446744074", NOW, OFFSET, &result), -ERANGE);
	assert_int_equal(time_spec__parse("9999-01-01T00:00:00Z", NOW, OFFSET, &result), -ERANGE);
}

static void test_format(void **state)
{
	char text[RFC3339_SIZE];

	rfc3339__format(0, text);
	assert_string_equal(text, "1970-01-01T00:00:00.000000000Z");
	rfc3339__format(OFFSET + 123456789, text);
	assert_string_equal(text, "2026-01-02T03:04:05.123456789Z");
	rfc3339__format(-1, text);
	assert_string_equal(text, "1969-12-31T23:59:59.999999999Z");
	rfc3339__format(INT64_MAX, text);
	assert_string_equal(text, "2262-04-11T23:47:16.854775807Z");
	rfc3339__format(INT64_MIN, text);
	assert_string_equal(text, "1677-09-21T00:12:43.145224192Z");
}

static void test_clocks(void **state)
{
	uint64_t before = boottime_now();
	int64_t offset = wall_clock_offset();
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	assert_true(boottime_now() >= before);
	/* Within ten seconds, however busy the machine is */
	assert_true(llabs((int64_t)before + offset - wall.tv_sec * (int64_t)NSEC_PER_SEC) <
		    10 * (int64_t)NSEC_PER_SEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_boottime), cmocka_unit_test(test_relative),
		cmocka_unit_test(test_rfc3339),	 cmocka_unit_test(test_local),
		cmocka_unit_test(test_wrong),	 cmocka_unit_test(test_format),
		cmocka_unit_test(test_clocks),
	};

	return cmocka_run_group_tests_name("time_spec", tests, NULL, NULL);
}
