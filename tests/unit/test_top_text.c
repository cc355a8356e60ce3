// SPDX-License-Identifier: GPL-2.0-only
/* top_text: nothing but printable characters, in as many columns as were asked for; and numbers. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "time_spec.h"
#include "top/top_text.h"

static const char *put(const char *text, size_t size)
{
	static char put[4096];
	struct text_out out = { .buf = put, .cap = sizeof(put) };

	top_text__put(&out, text, size);
	text_out__finish(&out);
	return put;
}

static void test_characters(void **state)
{
	static const struct {
		const char *text, *shown;
	} expected[] = {
		{ "plain ~", "plain ~" },
		{ "a\tb\n\r\x7f", "a\\x09b\\x0a\\x0d\\x7f" },
		{ "\x1b]0;x\x07", "\\x1b]0;x\\x07" },
		{ "Gr\xc3\xbc\xc3\x9f \xe6\x97\xa5", "Gr\xc3\xbc\xc3\x9f \xe6\x97\xa5" },
		/* a control sequence in one character, halves, a longer form, a surrogate */
		{ "\xc2\x9b", "\\xc2\\x9b" },
		{ "\xc3", "\\xc3" },
		{ "\xbcx", "\\xbcx" },
		{ "\xc0\xaf", "\\xc0\\xaf" },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },
		/* from right to left */
		{ "\xe2\x80\xae", "\\xe2\\x80\\xae" },
	};

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_string_equal(put(expected[i].text, strlen(expected[i].text)),
				    expected[i].shown);
	assert_string_equal(put("a\0b", 3), "a\\x00b");
	assert_int_equal(top_text__columns("Gr\xc3\xbc\xc3\x9f", 6), 4);
	assert_int_equal(top_text__columns("\xe6\x97\xa5", 3), 2);
}

static const char *cell(const char *text, size_t columns, enum top_align align)
{
	static char put[256];
	struct text_out out = { .buf = put, .cap = sizeof(put) };

	top_text__put_cell(&out, text, strlen(text), columns, align);
	text_out__finish(&out);
	return put;
}

static void test_cells(void **state)
{
	assert_string_equal(cell("ab", 4, TOP_LEFT), "ab  ");
	assert_string_equal(cell("ab", 4, TOP_RIGHT), "  ab");
	assert_string_equal(cell("abcd", 4, TOP_LEFT), "abcd");
	assert_string_equal(cell("abcde", 4, TOP_LEFT), "abc+");
	assert_string_equal(cell("abcde", 1, TOP_RIGHT), "+");
	assert_string_equal(cell("abcde", 0, TOP_RIGHT), "");
	/* Half of a wide character is none. */
	assert_string_equal(cell("a\xe6\x97\xa5\xe6\x97\xa5", 3, TOP_LEFT), "a++");
	assert_string_equal(cell("a\xe6\x97\xa5\xe6\x97\xa5", 4, TOP_LEFT), "a\xe6\x97\xa5+");
	assert_string_equal(cell("\xc3\xbc", 3, TOP_RIGHT), "  \xc3\xbc");
}

static void test_parts(void **state)
{
	char text[64];
	struct text_out out = { .buf = text, .cap = sizeof(text) };

	assert_int_equal(top_text__put_part(&out, "0123456789", 10, 3, 4), 4);
	assert_int_equal(top_text__put_part(&out, "0123456789", 10, 8, 4), 2);
	assert_int_equal(top_text__put_part(&out, "0123456789", 10, 80, 4), 0);
	text_out__finish(&out);
	assert_string_equal(text, "345689");
}

static void test_rates(void **state)
{
	static const struct {
		double rate;
		const char *text;
	} expected[] = {
		{ 0, "0" },
		{ 0.01, "<0.1" },
		{ 0.2, "0.2" },
		{ 99.94, "99.9" },
		{ 99.96, "100" },
		{ 9999.4, "9999" },
		{ 9999.6, "10.0k" },
		{ 12345, "12.3k" },
		{ 123456, "123k" },
		{ 999499, "999k" },
		{ 999501, "1.00M" },
		{ 1234567, "1.23M" },
		{ 23456789, "23.5M" },
		{ 9.99e9, "9.99G" },
		{ 1e15, "1000T" },
	};
	char text[TOP_NUMBER_SIZE];

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		assert_string_equal(top_text__rate(expected[i].rate, text), expected[i].text);
		assert_true(strlen(text) <= 5);
	}
}

static void test_numbers(void **state)
{
	char text[TOP_NUMBER_SIZE];

	assert_string_equal(top_text__count(0, text), "0");
	assert_string_equal(top_text__count(999, text), "999");
	assert_string_equal(top_text__count(1000, text), "1,000");
	assert_string_equal(top_text__count(UINT64_MAX, text), "18,446,744,073,709,551,615");
	assert_string_equal(top_text__age(NSEC_PER_SEC - 1, text), "now");
	assert_string_equal(top_text__age(59 * NSEC_PER_SEC, text), "59s");
	assert_string_equal(top_text__age(3599 * NSEC_PER_SEC, text), "59m");
	assert_string_equal(top_text__age(47 * 3600 * NSEC_PER_SEC, text), "47h");
	assert_string_equal(top_text__age(UINT64_MAX, text), "213503d");
	assert_string_equal(top_text__percent(0, 0, text), "0");
	assert_string_equal(top_text__percent(1, 3, text), "33.3");
	assert_string_equal(top_text__percent(1, 100000, text), "<0.1");
	assert_string_equal(top_text__percent(99999, 100000, text), "99.9");
	assert_string_equal(top_text__percent(5, 5, text), "100");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_characters), cmocka_unit_test(test_cells),
		cmocka_unit_test(test_parts),	   cmocka_unit_test(test_rates),
		cmocka_unit_test(test_numbers),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		fputs("# no locale C.UTF-8\n", stderr);
	return cmocka_run_group_tests_name("top_text", tests, NULL, NULL);
}
