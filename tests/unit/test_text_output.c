// SPDX-License-Identifier: GPL-2.0-only
/* text_output: the shape of perf script, and lines that nothing in a record can break. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "fake_event.h"
#include "text_output.h"

static struct persist_event event;
static struct line_writer writer;
static struct fake_thing thing;

static int set_up(void **state)
{
	fake_event_init(&event, fake_format_text);
	return line_writer__init(&writer, -1, NULL);
}

static int tear_down(void **state)
{
	fake_event_destroy(&event);
	line_writer__destroy(&writer);
	return 0;
}

static const char *text_of(const struct persist_item *item)
{
	writer.len = 0;
	assert_int_equal(text_output__put(&writer, item), 0);
	*line_writer__reserve(&writer, 1) = '\0';
	return writer.buffer;
}

static const char *text_of_thing(void)
{
	const struct persist_item item = { .event = &event, .record = &thing.record };

	return text_of(&item);
}

static const char *marked_text_of_thing(void)
{
	const struct persist_item item = { .event = &event, .record = &thing.record };

	writer.len = 0;
	assert_int_equal(text_output__put_marked(&writer, &item), 0);
	*line_writer__reserve(&writer, 1) = '\0';
	return writer.buffer;
}

static void test_record(void **state)
{
	fake_thing_init(&thing, 18446744073709551615ull, "x");
	assert_string_equal(text_of_thing(),
			    "            bash     101 [003]  1234.567890: sys:mine: "
			    "value=18446744073709551615 name=x\n");
	thing.record.time_ns = 1000;
	thing.record.cpu = 4095;
	thing.record.tid = 4194304;
	memcpy(thing.record.comm, "fifteen-letters", 16);
	assert_string_equal(text_of_thing(),
			    " fifteen-letters 4194304 [4095]     0.000001: sys:mine: "
			    "value=18446744073709551615 name=x\n");
	thing.record.flags = PERSIST_RECORD_INCOMPLETE;
	assert_non_null(strstr(text_of_thing(), "name=x (incomplete: "));
	thing.record.flags = PERSIST_RECORD_IMPORTED;
	assert_non_null(strstr(text_of_thing(), "name=x\n"));
	assert_non_null(strstr(marked_text_of_thing(), "name=x (imported)\n"));
	thing.record.flags = 0;
	assert_non_null(strstr(marked_text_of_thing(), "name=x\n"));
	/* Flags of later versions do not matter. */
	thing.record.flags = 0x8000;
	assert_null(strstr(text_of_thing(), "incomplete"));
}

static void test_losses(void **state)
{
	struct persist_item item = {
		.event = &event,
		.loss = {
			.lost = 12,
			.from_seq = 13,
			.to_seq = 24,
			.cpu = 5,
			.reason = PERSIST_LOSS_OVERWRITTEN,
		},
	};

	assert_string_equal(text_of(&item),
			    "LOST 12 events of sys:mine on cpu 5: overwritten (seq 13..24)\n");
	item.loss = (struct persist_loss){ .lost = 1, .from_seq = 7, .to_seq = 7 };
	assert_string_equal(text_of(&item),
			    "LOST 1 event of sys:mine on cpu 0: unknown (seq 7..7)\n");
}

/* No name makes a line that looks like a loss, or two lines. */
static void test_hostile_names(void **state)
{
	fake_thing_init(&thing, 1,
			"a\nLOST 1 event\x1b[2J\x7f\tb\xc3\xa4\xc2\x9b"
			"1m\x9b"
			"2\xc3\x9b\xe2\x82\x80\xc2\xa0");
	memcpy(thing.record.comm, "LOST 12\n\x1b\x01\x02\x03\x04\x05\x06\x07", 16);
	assert_string_equal(text_of_thing(),
			    " LOST 12\\x0a\\x1b\\x01\\x02\\x03\\x04\\x05\\x06\\x07     101 [003]  "
			    "1234.567890: sys:mine: value=1 "
			    "name=a\\x0aLOST 1 event\\x1b[2J\\x7f\tb\xc3\xa4\\xc2\\x9b"
			    "1m\\x9b"
			    "2\xc3\x9b\xe2\x82\x80\xc2\xa0\n");
	memset(thing.record.comm, 'x', 16);
	assert_int_equal(text_of_thing()[0], ' ');
	assert_non_null(strstr(text_of_thing(), " xxxxxxxxxxxxxxxx     101 "));
}

/* Of every length around that of the first try, plain and with what has to be escaped. */
static void test_long_lines(void **state)
{
	static char name[5000], expected[25000];

	for (size_t len = 900; len < 1100; len++) {
		memset(name, 'x', len);
		name[len] = '\0';
		fake_thing_init(&thing, 1, name);
		snprintf(expected, sizeof(expected),
			 "            bash     101 [003]  1234.567890: sys:mine: value=1 name=%s\n",
			 name);
		assert_string_equal(text_of_thing(), expected);
		name[10] = '\n';
		fake_thing_init(&thing, 1, name);
		snprintf(expected, sizeof(expected),
			 "            bash     101 [003]  1234.567890: sys:mine: value=1 "
			 "name=xxxxxxxxxx\\x0a%s\n",
			 name + 11);
		assert_string_equal(text_of_thing(), expected);
	}
	memset(name, 1, 4999);
	fake_thing_init(&thing, 1, name);
	assert_int_equal(strlen(text_of_thing()), strlen("            bash     101 [003]  "
							 "1234.567890: sys:mine: value=1 name=") +
							  4 * 4999 + 1);
}

static void test_no_format(void **state)
{
	fake_event_destroy(&event);
	fake_event_init(&event, NULL);
	fake_thing_init(&thing, 0x0102030405060708, "x");
	thing.record.size = 16;
	thing.common = 0;
	assert_non_null(strstr(text_of_thing(), "sys:mine: payload=0000000000000000"));
	thing.record.size = 0;
	assert_non_null(strstr(text_of_thing(), "sys:mine: payload=\n"));

	fake_event_destroy(&event);
	fake_event_init(&event, "no format at all");
	thing.record.size = 16;
	assert_non_null(strstr(text_of_thing(), "sys:mine: payload=0000000000000000"));
}

/* Shorter than the format says: from another kernel, or damaged. */
static void test_short_record(void **state)
{
	fake_thing_init(&thing, 5, "x");
	for (uint32_t size = 0; size < 22; size++) {
		thing.record.size = size;
		assert_non_null(strstr(text_of_thing(), "sys:mine: value="));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_record, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_losses, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_hostile_names, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_long_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_format, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_short_record, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("text_output", tests, NULL, NULL);
}
