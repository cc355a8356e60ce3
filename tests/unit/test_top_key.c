// SPDX-License-Identifier: GPL-2.0-only
/* top_key: from the words of a user, and of a record, to the text of a row. */
#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fake_event.h"
#include "top/top_key.h"

static struct persist_event event, other;
static struct fake_thing thing;

static int set_up(void **state)
{
	fake_event_init(&event, fake_format_text);
	fake_event_init(&other, NULL);
	strcpy(other.meta.name, "other");
	fake_thing_init(&thing, 5, "x");
	return 0;
}

static int tear_down(void **state)
{
	fake_event_destroy(&event);
	fake_event_destroy(&other);
	return 0;
}

static struct top_key parse(const char *text)
{
	struct top_key key = { 0 };
	char error[128] = "";

	assert_int_equal(top_key__parse(&key, text, error, sizeof(error)), 0);
	return key;
}

static size_t make(struct top_key *key, const struct persist_event *of, uint32_t stream,
		   unsigned char bytes[TOP_KEY_MAX_SIZE])
{
	const struct persist_item item = { .event = of, .record = &thing.record, .stream = stream };
	int size = top_key__make(key, &item, bytes);

	assert_true(size > 0);
	return (size_t)size;
}

static const char *values_of(const char *key_text, const struct persist_event *of, bool with_names)
{
	static char text[8 * TOP_KEY_MAX_SIZE];
	struct text_out out = { .buf = text, .cap = sizeof(text) };
	struct top_key key = parse(key_text);
	unsigned char bytes[TOP_KEY_MAX_SIZE];

	make(&key, of, 3, bytes);
	top_key__put_values(&key, bytes, with_names, &out);
	text_out__finish(&out);
	top_key__free(&key);
	return text;
}

static void test_parse(void **state)
{
	static const char *const wrong[] = {
		"",
		"comm,",
		",comm",
		"comm,,cpu",
		"com",
		"comm ",
		"Comm",
		"field",
		"field:",
		"value",
		"comm,cpu,pid,tid,event,field:a,field:b,field:c,field:d",
	};
	struct top_key key = parse("comm,pid,tid,cpu,event,field:value,field:b");
	char error[128];

	(void)state;
	top_key__free(&key);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		*error = '\0';
		assert_int_equal(top_key__parse(&key, wrong[i], error, sizeof(error)), -EINVAL);
		assert_true(*error);
	}
	top_key__parse(&key, "comm,frob", error, sizeof(error));
	assert_non_null(strstr(error, "\"frob\" is none of comm, "));
}

static void test_values(void **state)
{
	assert_string_equal(values_of("comm", &event, false), "bash");
	assert_string_equal(values_of("pid,tid,cpu", &event, false), "4000000000 101 3");
	assert_string_equal(values_of("event,field:value", &event, false), "mine 5");
	assert_string_equal(values_of("field:name,comm", &event, true), "name=x comm=bash");
	assert_string_equal(values_of("field:common_pid", &event, true), "common_pid=0");
	thing.value = UINT64_MAX;
	assert_string_equal(values_of("field:value", &event, false), "18446744073709551615");
	/* Without such a field, or a format at all. */
	assert_string_equal(values_of("event,field:value", &other, false), "other -");
	/* A record that ends before it. */
	thing.record.size = 8;
	assert_string_equal(values_of("field:value,field:name", &event, false), "- -");
}

/* A name of a thread need not end. */
static void test_whole_comm(void **state)
{
	memset(thing.record.comm, 'x', sizeof(thing.record.comm));
	assert_string_equal(values_of("comm", &event, false), "xxxxxxxxxxxxxxxx");
}

static void test_any_bytes(void **state)
{
	strcpy(thing.record.comm, "\x1b[2J\xc3\xa9\xc2\x9b\xff");
	assert_string_equal(values_of("comm", &event, false), "\\x1b[2J\xc3\xa9\\xc2\\x9b\\xff");
}

/* Long strings are different ones if they differ anywhere. */
static void test_long_strings(void **state)
{
	struct top_key key = parse("field:name");
	unsigned char one[TOP_KEY_MAX_SIZE], two[TOP_KEY_MAX_SIZE];
	char name[1000], expected[300];
	size_t size;

	memset(name, 'n', sizeof(name));
	name[999] = '\0';
	fake_thing_init(&thing, 5, name);
	size = make(&key, &event, 0, one);
	assert_int_equal(make(&key, &event, 0, two), size);
	assert_memory_equal(one, two, size);
	name[998] = 'm';
	fake_thing_init(&thing, 5, name);
	assert_int_equal(make(&key, &event, 0, two), size);
	assert_memory_not_equal(one, two, size);
	memset(expected, 'n', sizeof(expected));
	strcpy(expected + TOP_KEY_MAX_TEXT, "...");
	assert_string_equal(values_of("field:name", &event, false), expected);
	top_key__free(&key);
}

/* What was found out about a stream is not taken for another one's. */
static void test_streams(void **state)
{
	struct top_key key = parse("field:value");
	unsigned char one[TOP_KEY_MAX_SIZE], two[TOP_KEY_MAX_SIZE];
	size_t size = make(&key, &event, 0, one);

	for (uint32_t stream = 1; stream < 1000; stream += 7) {
		bool is_other = stream % 2;

		make(&key, is_other ? &other : &event, stream, two);
		assert_int_equal(two[0], is_other ? TOP_VALUE_NONE : TOP_VALUE_UNSIGNED);
	}
	assert_int_equal(make(&key, &event, 0, two), size);
	assert_memory_equal(one, two, size);
	top_key__unbind(&key);
	make(&key, &other, 0, two);
	assert_int_equal(two[0], TOP_VALUE_NONE);
	top_key__free(&key);
}

static void test_is_of(void **state)
{
	struct top_key key = parse("comm,field:value,field:nothing");

	assert_true(top_key__part_is_of(&key.parts[0], &other));
	assert_true(top_key__part_is_of(&key.parts[1], &event));
	assert_false(top_key__part_is_of(&key.parts[1], &other));
	assert_false(top_key__part_is_of(&key.parts[2], &event));
	top_key__free(&key);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test_setup_teardown(test_values, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_whole_comm, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_any_bytes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_long_strings, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_streams, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_is_of, set_up, tear_down),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		fputs("# no locale C.UTF-8\n", stderr);
	return cmocka_run_group_tests_name("top_key", tests, NULL, NULL);
}
