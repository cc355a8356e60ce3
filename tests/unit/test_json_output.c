// SPDX-License-Identifier: GPL-2.0-only
/* json_output: the objects of the contract, exact numbers, and valid JSON whatever was recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <yajl/yajl_parse.h>

#include "fake_event.h"
#include "json_output.h"
#include "json_string.h"
#include "time_spec.h"

static struct persist_event event;
static struct line_writer writer;
static struct json_output *output;
static struct fake_thing thing;

static int set_up(void **state)
{
	fake_event_init(&event, fake_format_text);
	if (line_writer__init(&writer, -1, NULL))
		return -1;
	output = json_output__new(&writer);
	return output ? 0 : -1;
}

static int tear_down(void **state)
{
	json_output__free(output);
	fake_event_destroy(&event);
	line_writer__destroy(&writer);
	return 0;
}

static void expect_valid_line(void)
{
	yajl_handle parser = yajl_alloc(NULL, NULL, NULL);

	assert_int_equal(writer.buffer[writer.len - 1], '\n');
	assert_null(memchr(writer.buffer, '\n', writer.len - 1));
	assert_int_equal(yajl_parse(parser, (const unsigned char *)writer.buffer, writer.len),
			 yajl_status_ok);
	assert_int_equal(yajl_complete_parse(parser), yajl_status_ok);
	yajl_free(parser);
	*line_writer__reserve(&writer, 1) = '\0';
}

static const char *json_of(const struct persist_item *item)
{
	writer.len = 0;
	assert_int_equal(json_output__put(output, item), 0);
	expect_valid_line();
	return writer.buffer;
}

static const char *json_of_thing(uint32_t stream)
{
	const struct persist_item item = {
		.event = &event,
		.record = &thing.record,
		.stream = stream,
	};

	return json_of(&item);
}

/* The time depends on when the machine was started: check it, then replace it. */
static const char *without_time(const char *json)
{
	static char text[4096];
	const char *time = strstr(json, "\"time\":\"");
	uint64_t ns;

	assert_non_null(time);
	time += strlen("\"time\":\"");
	snprintf(text, sizeof(text), "%.30s", time);
	assert_int_equal(time_spec__parse(text, 0, wall_clock_offset(), &ns), 0);
	/* Whoever sets the clock between two lines of this test may make it fail. */
	assert_in_range(ns, thing.record.time_ns - 1000000, thing.record.time_ns + 1000000);
	snprintf(text, sizeof(text), "%.*sT%s", (int)(time - json), json, time + 30);
	return text;
}

static void test_record(void **state)
{
	fake_thing_init(&thing, 18446744073709551615ull, "x");
	assert_string_equal(
		without_time(json_of_thing(0)),
		"{\"event\":\"mine\",\"system\":\"sys\",\"id\":77,\"cpu\":3,\"seq\":12,"
		"\"time_ns\":1234567890987,\"time\":\"T\",\"pid\":4000000000,\"tid\":101,"
		"\"comm\":\"bash\",\"fields\":{\"value\":18446744073709551615,\"name\":\"x\"}}\n");
	thing.record.flags = PERSIST_RECORD_INCOMPLETE;
	assert_non_null(strstr(json_of_thing(0), "},\"incomplete\":true}\n"));
}

static void test_exact_numbers(void **state)
{
	fake_thing_init(&thing, 9007199254740993ull, "x");
	thing.record.seq = 18446744073709551615ull;
	assert_non_null(strstr(json_of_thing(0), "\"seq\":18446744073709551615,"));
	assert_non_null(strstr(writer.buffer, "\"value\":9007199254740993,"));
}

/* Times of one second and of others, in any order. */
static void test_times(void **state)
{
	static const uint64_t times[] = { 5000000000, 5000000001, 5999999999, 6000000000,
					  5000000007, 7000000000, 7000000000 };

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		fake_thing_init(&thing, 1, "x");
		thing.record.time_ns = times[i];
		without_time(json_of_thing(0));
	}
}

/* Each stream has its own event and CPU. */
static void test_streams(void **state)
{
	fake_thing_init(&thing, 1, "x");
	assert_non_null(strstr(json_of_thing(500), "\"cpu\":3,"));
	thing.record.cpu = 4;
	assert_non_null(strstr(json_of_thing(2), "\"cpu\":4,"));
	strcpy(event.meta.name, "other");
	thing.record.cpu = 5;
	assert_non_null(strstr(json_of_thing(501), "\"event\":\"other\""));
	assert_non_null(strstr(writer.buffer, "\"cpu\":5,"));
}

static void test_losses(void **state)
{
	const struct persist_item item = {
		.event = &event,
		.loss = {
			.lost = 12,
			.from_seq = 13,
			.to_seq = 24,
			.cpu = 5,
			.reason = PERSIST_LOSS_RING_FULL,
		},
	};

	assert_string_equal(json_of(&item),
			    "{\"lost\":12,\"reason\":\"ring_full\",\"event\":\"mine\",\"cpu\":5,"
			    "\"from_seq\":13,\"to_seq\":24}\n");
}

static void test_any_bytes(void **state)
{
	char name[3] = "";

	for (int first = 1; first < 256; first++)
		for (int second = 0; second < 256; second += first % 7 + 1) {
			name[0] = (char)first;
			name[1] = (char)second;
			fake_thing_init(&thing, 1, name);
			memcpy(thing.record.comm, name, sizeof(name));
			json_of_thing(0);
		}
	memset(thing.record.comm, 0xff, sizeof(thing.record.comm));
	assert_non_null(strstr(json_of_thing(0), "\"comm\":\"\\\\xff\\\\xff"));
	memcpy(thing.record.comm, "\x7f\xc2\x9b\x1b", 5);
	assert_non_null(strstr(json_of_thing(0), "\"comm\":\"\\u007f\\u009b\\u001b\""));
	memcpy(thing.record.comm, "a\"\\\xc3\xa4\n", 7);
	assert_non_null(strstr(json_of_thing(0), "\"comm\":\"a\\\"\\\\\xc3\xa4\\n\""));
}

static void test_long_lines(void **state)
{
	static char name[8000];

	for (size_t len = 1700; len < 1950; len++) {
		memset(name, 'x', len);
		name[len] = '\0';
		fake_thing_init(&thing, 1, name);
		json_of_thing(0);
		assert_non_null(strstr(writer.buffer, name));
		assert_string_equal(strstr(writer.buffer, "x\"}}"), "x\"}}\n");
	}
	memset(name, 0xff, sizeof(name) - 1);
	fake_thing_init(&thing, 1, name);
	json_of_thing(0);
}

static void test_no_format(void **state)
{
	fake_event_destroy(&event);
	fake_event_init(&event, NULL);
	fake_thing_init(&thing, 1, "x");
	thing.record.size = 4;
	memcpy(&thing.common, "\x00\x01\xff\x20", 4);
	assert_non_null(strstr(json_of_thing(0), "\"fields\":{},\"payload\":[0,1,255,32]}\n"));
}

static void test_info(void **state)
{
	struct persist_event_info info = {
		.meta = {
			.event_id = 106,
			.name = "mce_record",
			.system = "mce",
			.tracepoint = "mce_record",
			.keep = PERSIST_KEEP_OLDEST,
			.nr_cpus = 4,
			.head_bytes = 65536,
			.tail_bytes = 0,
			.attach_time_ns = 5,
			.attach_wall_ns = 1767323045000000000ull,
		},
		.seen = 10,
		.recorded = 7,
		.lost = 3,
	};

	writer.len = 0;
	assert_int_equal(json_output__put_info(output, &info, NULL), 0);
	expect_valid_line();
	assert_string_equal(
		writer.buffer,
		"{\"event\":\"mce_record\",\"system\":\"mce\",\"tracepoint\":"
		"\"mce_record\",\"id\":106,\"keep\":\"oldest\",\"cpus\":4,"
		"\"head_bytes\":65536,\"tail_bytes\":0,\"tail_type\":\"none\","
		"\"wakeup_events\":0,\"seen\":10,\"recorded\":7,\"lost\":3,\"attach_time_ns\":5,"
		"\"attach_time\":\"2026-01-02T03:04:05.000000000Z\"}\n");
	info.error = -13;
	writer.len = 0;
	assert_int_equal(json_output__put_info(output, &info, NULL), 0);
	expect_valid_line();
	assert_string_equal(writer.buffer,
			    "{\"event\":\"mce_record\",\"error\":\"Permission denied\"}\n");
}

/* What is valid UTF-8 stays, all else is shown byte by byte. */
static void test_utf8(void **state)
{
	static const struct {
		const char *bytes, *json;
	} strings[] = {
		{ "", "\"\"" },
		{ "plain", "\"plain\"" },
		{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		  "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"" },
		{ "\xc3", "\"\\\\xc3\"" },
		{ "\xa4", "\"\\\\xa4\"" },
		{ "\xc0\x80", "\"\\\\xc0\\\\x80\"" },
		{ "\xc1\xbf", "\"\\\\xc1\\\\xbf\"" },
		{ "\xe0\x9f\xbf", "\"\\\\xe0\\\\x9f\\\\xbf\"" },
		{ "\xed\xa0\x80", "\"\\\\xed\\\\xa0\\\\x80\"" },
		{ "\xf0\x8f\xbf\xbf", "\"\\\\xf0\\\\x8f\\\\xbf\\\\xbf\"" },
		{ "\xf4\x90\x80\x80", "\"\\\\xf4\\\\x90\\\\x80\\\\x80\"" },
		{ "\xf5\x80\x80\x80", "\"\\\\xf5\\\\x80\\\\x80\\\\x80\"" },
		{ "\xe2\x82x", "\"\\\\xe2\\\\x82x\"" },
	};

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		yajl_gen gen = yajl_gen_alloc(NULL);
		const unsigned char *text;
		size_t len;

		assert_int_equal(json_string__emit(gen, strings[i].bytes, strlen(strings[i].bytes)),
				 0);
		assert_int_equal(yajl_gen_get_buf(gen, &text, &len), yajl_gen_status_ok);
		assert_int_equal(len, strlen(strings[i].json));
		assert_memory_equal(text, strings[i].json, len);
		yajl_gen_free(gen);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_record, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_exact_numbers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_times, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_streams, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_losses, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_any_bytes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_long_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_format, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_info, set_up, tear_down),
		cmocka_unit_test(test_utf8),
	};

	return cmocka_run_group_tests_name("json_output", tests, NULL, NULL);
}
