// SPDX-License-Identifier: GPL-2.0-only
/* trace_page: the sub-buffers of ftrace's ring, whatever they hold. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fake_trace.h"
#include "trace_page.h"

static const struct trace_page_layout layout = {
	.commit_offset = 8,
	.commit_size = 8,
	.data_offset = FAKE_PAGE_HEADER,
	.size = FAKE_PAGE_SIZE,
};

static struct fake_page fake;
static struct trace_page page;
static struct trace_page_event event;

static void begin(void)
{
	assert_int_equal(trace_page__begin(&page, &layout, fake.bytes, sizeof(fake.bytes)), 0);
}

static void expect_event(uint64_t time, const char *text, size_t size)
{
	assert_true(trace_page__next(&page, &event));
	assert_int_equal(event.time, time);
	assert_int_equal(event.size, size);
	assert_memory_equal(event.data, text, size);
}

static void expect_end(bool is_damaged)
{
	assert_false(trace_page__next(&page, &event));
	assert_int_equal(page.is_damaged, is_damaged);
	assert_false(trace_page__next(&page, &event));
}

/* ---- layout ------------------------------------------------------------------------------- */

static const char kernel_6_18[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

static void test_layout(void **state)
{
	struct trace_page_layout parsed;

	assert_int_equal(trace_page__parse_layout(&parsed, kernel_6_18), 0);
	assert_memory_equal(&parsed, &layout, sizeof(parsed));
	/* A machine of 32 bits, and larger pages. */
	assert_int_equal(trace_page__parse_layout(&parsed,
						  "\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
						  "\tfield: local_t commit;\toffset:8;\tsize:4;\n"
						  "\tfield: char data;\toffset:12;\tsize:65524;\n"),
			 0);
	assert_int_equal(parsed.commit_size, 4);
	assert_int_equal(parsed.size, 65536);
}

static void test_bad_layouts(void **state)
{
	static const char *const texts[] = {
		"",
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\n",
		/* the parts overlap */
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
		"\tfield: local_t commit;\toffset:4;\tsize:8;\n"
		"\tfield: char data;\toffset:12;\tsize:4080;\n",
		/* a length of which we know nothing */
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:2;\n"
		"\tfield: char data;\toffset:10;\tsize:4080;\n",
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\n"
		"\tfield: char data;\toffset:16;\tsize:0;\n",
		/* more than the commit word can say */
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\n"
		"\tfield: char data;\toffset:16;\tsize:4294967295;\n",
	};
	struct trace_page_layout parsed;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(trace_page__parse_layout(&parsed, texts[i]), -EBADMSG);
}

/* ---- pages -------------------------------------------------------------------------------- */

static void test_empty(void **state)
{
	fake_page_init(&fake, 5);
	begin();
	assert_false(page.has_lost);
	expect_end(false);
}

static void test_events(void **state)
{
	char large[200];

	memset(large, 'L', sizeof(large));
	fake_page_init(&fake, 1000);
	fake_page_event(&fake, 0, "four", 4);
	fake_page_event(&fake, 7, "twelve bytes", 12);
	fake_page_event(&fake, (1u << 27) - 1, large, sizeof(large));
	fake_page_event(&fake, 1, large, 28 * 4);
	begin();
	expect_event(1000, "four", 4);
	expect_event(1007, "twelve bytes", 12);
	expect_event(1007 + (1u << 27) - 1, large, sizeof(large));
	expect_event(1007 + (1u << 27), large, 28 * 4);
	expect_end(false);
}

/* An event that is long for its type, as where everything is aligned to 8 bytes. */
static void test_short_with_long_header(void **state)
{
	uint32_t length = 12;

	fake_page_init(&fake, 1);
	fake_page_word(&fake, 0, 2);
	fake_page_put(&fake, &length, sizeof(length));
	fake_page_put(&fake, "8 bytes.", 8);
	begin();
	expect_event(3, "8 bytes.", 8);
	expect_end(false);
}

static void test_times(void **state)
{
	uint64_t base = 0xf800000000001000ull; /* with bits that an absolute time lacks */

	fake_page_init(&fake, base);
	fake_page_time(&fake, 30, 1ull << 40);
	fake_page_event(&fake, 5, "late", 4);
	fake_page_time(&fake, 31, (base & ((1ull << 59) - 1)) + (1ull << 41));
	fake_page_event(&fake, 6, "last", 4);
	begin();
	expect_event(base + (1ull << 40) + 5, "late", 4);
	expect_event(base + (1ull << 41) + 6, "last", 4);
	expect_end(false);
}

static void test_padding(void **state)
{
	uint32_t discarded = 12;

	fake_page_init(&fake, 100);
	fake_page_event(&fake, 1, "one.", 4);
	/* What a filter has thrown away keeps its length, this word included, and its time. */
	fake_page_word(&fake, 29, 10);
	fake_page_put(&fake, &discarded, sizeof(discarded));
	fake_page_put(&fake, "........", 8);
	fake_page_event(&fake, 1, "two.", 4);
	/* The rest of the page is empty. */
	fake_page_word(&fake, 29, 0);
	fake_page_put(&fake, "rubbish.", 8);
	begin();
	expect_event(101, "one.", 4);
	expect_event(112, "two.", 4);
	expect_end(false);
}

static void test_lost(void **state)
{
	uint64_t lost = 1234567;

	fake_page_init(&fake, 1);
	fake_page_event(&fake, 0, "x...", 4);
	fake_page_set_commit(&fake, FAKE_MISSED);
	begin();
	assert_true(page.has_lost);
	assert_int_equal(page.lost, 0); /* it is not said how many */
	expect_event(1, "x...", 4);
	expect_end(false);
	memcpy(fake.bytes + FAKE_PAGE_HEADER + fake.len, &lost, sizeof(lost));
	fake_page_set_commit(&fake, FAKE_MISSED | FAKE_STORED);
	begin();
	assert_true(page.has_lost);
	assert_int_equal(page.lost, lost);
	expect_event(1, "x...", 4);
	expect_end(false);
}

/* ---- damaged ones -------------------------------------------------------------------------- */

static void test_damaged(void **state)
{
	uint32_t lengths[] = { 0, 3, 4096, UINT32_MAX, UINT32_MAX - 3 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		fake_page_init(&fake, 1);
		fake_page_event(&fake, 0, "good", 4);
		fake_page_word(&fake, 0, 1);
		fake_page_put(&fake, &lengths[i], sizeof(lengths[i]));
		begin();
		expect_event(1, "good", 4);
		expect_end(true);
	}
	/* The page ends within a word, a time, an event, what was discarded. */
	fake_page_init(&fake, 1);
	fake_page_put(&fake, "ab", 2);
	begin();
	expect_end(true);
	fake_page_init(&fake, 1);
	fake_page_word(&fake, 30, 1);
	begin();
	expect_end(true);
	fake_page_init(&fake, 1);
	fake_page_word(&fake, 2, 1);
	fake_page_put(&fake, "half", 4);
	begin();
	expect_end(true);
	fake_page_init(&fake, 1);
	fake_page_word(&fake, 29, 1);
	fake_page_put(&fake, &lengths[2], sizeof(lengths[2]));
	begin();
	expect_end(true);
}

static void test_bad_sizes(void **state)
{
	fake_page_init(&fake, 1);
	fake_page_event(&fake, 0, "x...", 4);
	for (size_t size = 0; size < FAKE_PAGE_HEADER + 8; size++) {
		/* Exactly as long as it says, so that a sanitizer notices what goes beyond. */
		uint8_t *copy = malloc(size + 1);

		memcpy(copy, fake.bytes, size);
		assert_int_equal(trace_page__begin(&page, &layout, copy, size), -EBADMSG);
		expect_end(false);
		free(copy);
	}
	fake.len = FAKE_PAGE_SIZE - FAKE_PAGE_HEADER + 4;
	fake_page_set_commit(&fake, 0);
	assert_int_equal(trace_page__begin(&page, &layout, fake.bytes, sizeof(fake.bytes)),
			 -EBADMSG);
	expect_end(false);
	/* Up to its very end, there is no room for a number of lost events. */
	fake.len = FAKE_PAGE_SIZE - FAKE_PAGE_HEADER;
	fake_page_set_commit(&fake, FAKE_MISSED | FAKE_STORED);
	begin();
	assert_int_equal(page.lost, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_bad_layouts),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_short_with_long_header),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_bad_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
