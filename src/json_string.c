// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "json_string.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* The first byte of a character of UTF-8 says how many follow, and bounds the second one. */
static size_t utf8_length(const uint8_t *text, size_t size)
{
	uint8_t low = 0x80, high = 0xbf;
	size_t length;

	if (text[0] < 0x80)
		return 1;
	if (text[0] >= 0xc2 && text[0] <= 0xdf)
		length = 2;
	else if (text[0] >= 0xe0 && text[0] <= 0xef)
		length = 3;
	else if (text[0] >= 0xf0 && text[0] <= 0xf4)
		length = 4;
	else
		return 0;
	if (text[0] == 0xe0)
		low = 0xa0; /* less would be a longer form of a shorter character */
	else if (text[0] == 0xed)
		high = 0x9f; /* more would be half of a surrogate pair */
	else if (text[0] == 0xf0)
		low = 0x90;
	else if (text[0] == 0xf4)
		high = 0x8f; /* more would be behind U+10FFFF */
	if (length > size || text[1] < low || text[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if (text[i] < 0x80 || text[i] > 0xbf)
			return 0;
	return length;
}

static bool is_utf8(const uint8_t *text, size_t size)
{
	size_t length;

	for (; size; text += length, size -= length) {
		length = utf8_length(text, size);
		if (!length)
			return false;
	}
	return true;
}

static size_t escape(uint8_t *to, const uint8_t *text, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *begin = to;
	size_t length;

	for (; size; text += length, size -= length) {
		length = utf8_length(text, size);
		for (size_t i = 0; i < length; i++)
			*to++ = text[i];
		if (length)
			continue;
		length = 1;
		*to++ = '\\';
		*to++ = 'x';
		*to++ = (uint8_t)digits[*text >> 4];
		*to++ = (uint8_t)digits[*text & 15];
	}
	return (size_t)(to - begin);
}

int json_string__emit(yajl_gen gen, const void *bytes, size_t size)
{
	yajl_gen_status status;
	uint8_t *escaped;

	if (is_utf8(bytes, size))
		return yajl_gen_string(gen, bytes, size) == yajl_gen_status_ok ? 0 : -EINVAL;
	escaped = malloc(4 * size);
	if (!escaped)
		return -ENOMEM;
	status = yajl_gen_string(gen, escaped, escape(escaped, bytes, size));
	free(escaped);
	return status == yajl_gen_status_ok ? 0 : -EINVAL;
}
