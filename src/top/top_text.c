// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "top/top_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <wchar.h>
#include <wctype.h>

#include "time_spec.h"

/* ---- characters -------------------------------------------------------------------------- */

struct character {
	size_t size;	/* bytes of it */
	size_t columns; /* that it takes */
	bool is_shown;	/* as it is; else as \xNN */
};

#define ESCAPE_COLUMNS (sizeof("\\xNN") - 1)

/* A text that turns the direction of writing is not what it looks like. */
static bool turns_direction(wchar_t c)
{
	return c == 0x61c || (c >= 0x200e && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

/* The character at the begin of @text, of which there are @size bytes, at least one. */
static struct character character_at(const char *text, size_t size)
{
	struct character escaped = { 1, ESCAPE_COLUMNS, false };
	mbstate_t state = { 0 };
	wchar_t c;
	size_t length;
	int columns;

	if (*text >= ' ' && *text < 0x7f)
		return (struct character){ 1, 1, true };
	length = mbrtowc(&c, text, size, &state);
	if (length == 0 || length > size) /* NUL, or an error */
		return escaped;
	columns = wcwidth(c);
	if (columns < 0 || !iswprint((wint_t)c) || turns_direction(c))
		return escaped;
	return (struct character){ length, (size_t)columns, true };
}

static void put_escape(struct text_out *out, unsigned char byte)
{
	static const char digits[] = "0123456789abcdef";
	const char text[] = { '\\', 'x', digits[byte >> 4], digits[byte & 15] };

	text_out__bytes(out, text, sizeof(text));
}

void top_text__put(struct text_out *out, const char *text, size_t size)
{
	top_text__put_part(out, text, size, 0, SIZE_MAX);
}

size_t top_text__put_part(struct text_out *out, const char *text, size_t size, size_t skip,
			  size_t columns)
{
	size_t column = 0, put = 0;

	for (size_t i = 0; i < size;) {
		struct character c = character_at(text + i, size - i);

		if (column >= skip) {
			if (c.columns > columns - put)
				break;
			if (c.is_shown)
				text_out__bytes(out, text + i, c.size);
			else
				put_escape(out, (unsigned char)text[i]);
			put += c.columns;
		}
		column += c.columns;
		i += c.size;
	}
	return put;
}

size_t top_text__columns(const char *text, size_t size)
{
	size_t columns = 0;

	for (size_t i = 0; i < size;) {
		struct character c = character_at(text + i, size - i);

		columns += c.columns;
		i += c.size;
	}
	return columns;
}

void top_text__put_cell(struct text_out *out, const char *text, size_t size, size_t columns,
			enum top_align align)
{
	size_t wanted = top_text__columns(text, size);

	if (wanted > columns) {
		if (!columns)
			return;
		wanted = top_text__put_part(out, text, size, 0, columns - 1);
		text_out__fill(out, '+', columns - wanted);
		return;
	}
	if (align == TOP_RIGHT)
		text_out__fill(out, ' ', columns - wanted);
	top_text__put(out, text, size);
	if (align == TOP_LEFT)
		text_out__fill(out, ' ', columns - wanted);
}

/* ---- numbers ----------------------------------------------------------------------------- */

const char *top_text__count(uint64_t count, char text[TOP_NUMBER_SIZE])
{
	char digits[TOP_NUMBER_SIZE];
	int nr = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	char *to = text;

	for (int i = 0; i < nr; i++) {
		if (i && (nr - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return text;
}

const char *top_text__rate(double rate, char text[TOP_NUMBER_SIZE])
{
	static const char units[] = { 'k', 'M', 'G', 'T' };
	size_t unit = 0;

	if (rate < 0.05) {
		snprintf(text, TOP_NUMBER_SIZE, rate > 0 ? "<0.1" : "0");
	} else if (rate < 99.95) {
		snprintf(text, TOP_NUMBER_SIZE, "%.1f", rate);
	} else if (rate < 9999.5) {
		snprintf(text, TOP_NUMBER_SIZE, "%.0f", rate);
	} else {
		for (rate /= 1000; rate >= 999.5 && unit < sizeof(units) - 1; unit++)
			rate /= 1000;
		snprintf(text, TOP_NUMBER_SIZE, "%.*f%c",
			 rate < 9.995	? 2
			 : rate < 99.95 ? 1
					: 0,
			 rate, units[unit]);
	}
	return text;
}

const char *top_text__age(uint64_t ns, char text[TOP_NUMBER_SIZE])
{
	uint64_t seconds = ns / NSEC_PER_SEC;

	if (!seconds)
		snprintf(text, TOP_NUMBER_SIZE, "now");
	else if (seconds < 60)
		snprintf(text, TOP_NUMBER_SIZE, "%" PRIu64 "s", seconds);
	else if (seconds < 3600)
		snprintf(text, TOP_NUMBER_SIZE, "%" PRIu64 "m", seconds / 60);
	else if (seconds < 48 * 3600)
		snprintf(text, TOP_NUMBER_SIZE, "%" PRIu64 "h", seconds / 3600);
	else
		snprintf(text, TOP_NUMBER_SIZE, "%" PRIu64 "d", seconds / 86400);
	return text;
}

const char *top_text__percent(uint64_t part, uint64_t whole, char text[TOP_NUMBER_SIZE])
{
	double percent = whole ? 100.0 * (double)part / (double)whole : 0;

	if (!part)
		snprintf(text, TOP_NUMBER_SIZE, "0");
	else if (percent < 0.05)
		snprintf(text, TOP_NUMBER_SIZE, "<0.1");
	else if (part == whole)
		snprintf(text, TOP_NUMBER_SIZE, "100");
	else /* not all of it, however near */
		snprintf(text, TOP_NUMBER_SIZE, "%.1f", percent < 99.95 ? percent : 99.9);
	return text;
}
