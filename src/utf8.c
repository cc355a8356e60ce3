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

size_t utf8__escape(void *to, const void *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *text = bytes;
	uint8_t *at = to;
	size_t length;

	for (; size; text += length, size -= length) {
		length = utf8__length(text, size);
		for (size_t i = 0; i < length; i++)
			*at++ = text[i];
		if (length)
			continue;
		length = 1;
		*at++ = '\\';
		*at++ = 'x';
		*at++ = (uint8_t)digits[*text >> 4];
		*at++ = (uint8_t)digits[*text & 15];
	}
	return (size_t)(at - (uint8_t *)to);
}
