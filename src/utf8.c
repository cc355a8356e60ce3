// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "utf8.h"

#include <stdint.h>

/* The first byte of a character of UTF-8 says how many follow, and bounds the second one. */
size_t utf8__length(const void *bytes, size_t size)
{
	const uint8_t *text = bytes;
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

bool utf8__is_valid(const void *bytes, size_t size)
{
	const uint8_t *text = bytes;
	size_t length;

	for (; size; text += length, size -= length) {
		length = utf8__length(text, size);
		if (!length)
			return false;
	}
	return true;
}

bool utf8__is_control(const void *character, size_t length)
{
	const uint8_t *text = character;

	if (length == 1)
		return text[0] < ' ' || text[0] == 0x7f;
	return length == 2 && text[0] == 0xc2 && text[1] < 0xa0;
}

static uint8_t *put_escaped(uint8_t *to, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";

	*to++ = '\\';
	*to++ = 'x';
	*to++ = (uint8_t)digits[byte >> 4];
	*to++ = (uint8_t)digits[byte & 15];
	return to;
}

static size_t escape(void *to, const void *bytes, size_t size, bool controls)
{
	const uint8_t *text = bytes;
	uint8_t *at = to;

	while (size) {
		size_t length = utf8__length(text, size), nr = length ? length : 1;
		bool is_escaped = !length || (controls && utf8__is_control(text, length));

		for (size_t i = 0; i < nr; i++) {
			if (is_escaped)
				at = put_escaped(at, text[i]);
			else
				*at++ = text[i];
		}
		text += nr;
		size -= nr;
	}
	return (size_t)(at - (uint8_t *)to);
}

size_t utf8__escape(void *to, const void *text, size_t size)
{
	return escape(to, text, size, false);
}

size_t utf8__escape_controls(void *to, const void *text, size_t size)
{
	return escape(to, text, size, true);
}
