// SPDX-License-Identifier: GPL-2.0-only
/* tracing_data: read as perf reads it, and format texts in place of missing ones. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "event_format.h"
#include "perf/tracing_data.h"

static char *bytes;
static size_t size;
static size_t at;

static void write_data(const struct tracing_data_event *events, size_t nr, const char *printks)
{
	FILE *out;

	free(bytes);
	bytes = NULL;
	at = 0;
	out = open_memstream(&bytes, &size);
	assert_non_null(out);
	tracing_data__write(out, events, nr, printks);
	assert_int_equal(fclose(out), 0);
}

static int tear_down(void **state)
{
	free(bytes);
	bytes = NULL;
	return 0;
}

static void take(const void *expected, size_t length)
{
	assert_in_range(length, 0, size - at);
	assert_memory_equal(bytes + at, expected, length);
	at += length;
}

static void take_string(const char *expected)
{
	take(expected, strlen(expected) + 1);
}

static void take_u32(uint32_t expected)
{
	take(&expected, sizeof(expected));
}

static uint64_t next_u64(void)
{
	uint64_t value;

	assert_in_range(sizeof(value), 0, size - at);
	memcpy(&value, bytes + at, sizeof(value));
	at += sizeof(value);
	return value;
}

static void take_u64(uint64_t expected)
{
	assert_int_equal(next_u64(), expected);
}

static void take_text(const char *expected)
{
	take_u64(strlen(expected));
	take(expected, strlen(expected));
}

/* Up to the number of systems. */
static void take_beginning(void)
{
	const char is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	const char long_size = sizeof(long);
	char field[64];
	uint64_t length;

	take("\x17\x08\x44tracing", 10);
	take_string("0.6");
	take(&is_big, 1);
	take(&long_size, 1);
	take_u32((uint32_t)getpagesize());
	take_string("header_page");
	length = next_u64();
	assert_in_range(length, 1, size - at);
	/* From here perf knows how long a long is. */
	snprintf(field, sizeof(field), "field: local_t commit;\toffset:8;\tsize:%zu;",
		 sizeof(long));
	assert_non_null(memmem(bytes + at, length, field, strlen(field)));
	at += length;
	take_string("header_event");
	take_u64(0);
	take_u32(0); /* formats of ftrace */
}

static void test_events(void **state)
{
	const struct tracing_data_event events[] = {
		{ .system = "sched", .text = "name: one\nID: 1\n" },
		{ .system = "mce", .text = "" },
	};

	write_data(events, 2, "0xffffffff82000000 : \"string\"\n");
	take_beginning();
	take_u32(2);
	take_string("sched");
	take_u32(1);
	take_text("name: one\nID: 1\n");
	take_string("mce");
	take_u32(1);
	take_text("");
	take_u32(0); /* kallsyms */
	take_u32(30);
	take("0xffffffff82000000 : \"string\"\n", 30);
	take_u64(0); /* names of threads */
	assert_int_equal(at, size);
}

static void test_nothing(void **state)
{
	write_data(NULL, 0, "");
	take_beginning();
	take_u32(0);
	take_u32(0);
	take_u32(0);
	take_u64(0);
	assert_int_equal(at, size);
}

static void check_print(const char *text, const void *payload, size_t length, const char *expected)
{
	struct event_format *format;
	char printed[128];

	assert_int_equal(event_format__parse(text, strlen(text), &format), 0);
	event_format__print(format, payload, length, printed, sizeof(printed));
	assert_string_equal(printed, expected);
	event_format__free(format);
}

static void test_substitute(void **state)
{
	const unsigned char payload[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 0x9a, 0, 0xff, 0x10 };
	char *text = tracing_data__substitute("thing", 77, sizeof(payload));

	assert_non_null(text);
	assert_non_null(strstr(text, "name: thing\nID: 77\nformat:\n"));
	check_print(text, payload, sizeof(payload), "payload=9a 00 ff 10");
	free(text);
	/* With no more than what every record has. */
	text = tracing_data__substitute("thing", 77, 8);
	assert_non_null(text);
	check_print(text, payload, 8, "");
	free(text);
	text = tracing_data__substitute("thing", 77, 0);
	assert_non_null(text);
	check_print(text, payload, 8, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_events, tear_down),
		cmocka_unit_test_teardown(test_nothing, tear_down),
		cmocka_unit_test(test_substitute),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
