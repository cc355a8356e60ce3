// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "json_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernel_printf.h"
#include "utf8.h"

static bool is_plain(uint8_t byte)
{
	return byte >= ' ' && byte < 0x7f && byte != '"' && byte != '\\';
}

static void print_hex_escape(struct text_out *out, const char *start, uint8_t byte)
{
	text_out__bytes(out, start, strlen(start));
	print_hex_bytes(out, &byte, 1, '\0');
}

/* What must not stand in a JSON string as it is. Returns the number of bytes that it took. */
static size_t print_escaped(struct text_out *out, const uint8_t *p, size_t n)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *simple = *p ? strchr(from, *p) : NULL;
	size_t length = utf8__length(p, n);

	if (simple) {
		text_out__char(out, '\\');
		text_out__char(out, to[simple - from]);
	} else if (utf8__is_control(p, length)) {
		/* The code of U+0080 to U+009F is the second byte. Not all need it, but terminals
		 * do. */
		print_hex_escape(out, "\\u00", p[length - 1]);
	} else if (length) {
		text_out__bytes(out, p, length);
	} else {
		print_hex_escape(out, "\\\\x", *p);
		length = 1;
	}
	return length;
}

void json_text__string(struct text_out *out, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	text_out__char(out, '"');
	while (n) {
		size_t length = 0;

		while (length < n && is_plain(p[length]))
			length++;
		if (length)
			text_out__bytes(out, p, length);
		else
			length = print_escaped(out, p, n);
		p += length;
		n -= length;
	}
	text_out__char(out, '"');
}

/* The largest integer N so that N, and all smaller ones, are exact as a double. */
#define MAX_EXACT_DOUBLE (UINT64_C(1) << 53)

void json_text__integer(struct text_out *out, uint64_t value, bool is_signed,
			enum json_numbers numbers)
{
	bool is_negative = is_signed && (int64_t)value < 0;
	uint64_t magnitude = is_negative ? -value : value;
	bool is_string = numbers == JSON_NUMBERS_OF_DOUBLES && magnitude > MAX_EXACT_DOUBLE;

	if (is_string)
		text_out__char(out, '"');
	if (is_negative)
		text_out__char(out, '-');
	print_decimal(out, magnitude);
	if (is_string)
		text_out__char(out, '"');
}
