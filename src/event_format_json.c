// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/* A record's fields as JSON. Field names are C identifiers, which need no escapes. */
#include <string.h>

#include "event_format.h"
#include "event_format_internal.h"

static void print_integer(struct text_out *out, uint64_t value, bool is_signed)
{
	if (is_signed && (int64_t)value < 0) {
		text_out__char(out, '-');
		value = -value;
	}
	print_decimal(out, value);
}

static bool is_between(uint8_t byte, uint8_t low, uint8_t high)
{
	return byte >= low && byte <= high;
}

static bool is_continued(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!is_between(p[i], 0x80, 0xbf))
			return false;
	}
	return true;
}

/*
 * Length of the character of UTF-8 at p, or 0 if there is no valid one. The second byte has
 * narrower bounds after some first ones: no longer forms of shorter characters, no
 * surrogates, nothing beyond U+10FFFF.
 */
static size_t utf8_length(const uint8_t *p, size_t n)
{
	uint8_t low = 0x80, high = 0xbf;
	size_t length;

	if (*p < 0x80)
		return 1;
	if (is_between(*p, 0xc2, 0xdf))
		length = 2;
	else if (is_between(*p, 0xe0, 0xef))
		length = 3;
	else if (is_between(*p, 0xf0, 0xf4))
		length = 4;
	else
		return 0;
	if (*p == 0xe0)
		low = 0xa0;
	else if (*p == 0xed)
		high = 0x9f;
	else if (*p == 0xf0)
		low = 0x90;
	else if (*p == 0xf4)
		high = 0x8f;
	if (n < length || !is_between(p[1], low, high) || !is_continued(p + 2, length - 2))
		return 0;
	return length;
}

static bool is_plain(uint8_t byte)
{
	return byte >= ' ' && byte < 0x80 && byte != '"' && byte != '\\';
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
	size_t length = utf8_length(p, n);

	if (simple) {
		text_out__char(out, '\\');
		text_out__char(out, to[simple - from]);
	} else if (*p < ' ') {
		print_hex_escape(out, "\\u00", *p);
	} else if (length) {
		text_out__bytes(out, p, length);
	} else {
		print_hex_escape(out, "\\\\x", *p);
		length = 1;
	}
	return length;
}

static void print_json_string(struct text_out *out, struct memory memory)
{
	const uint8_t *p = memory.data;
	size_t n = memory.size ? strnlen((const char *)p, memory.size) : 0;

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

static bool is_integer_size(size_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Elements that are no integers (structures) come as their bytes. */
static void print_json_array(struct text_out *out, struct memory memory, size_t element_size,
			     bool is_signed)
{
	struct c_type type;

	if (!is_integer_size(element_size))
		element_size = 1;
	type = c_type__integer(element_size, is_signed);
	text_out__char(out, '[');
	for (size_t at = 0; memory.size - at >= element_size; at += element_size) {
		uint64_t value = load_integer(memory.data + at, element_size);

		if (at)
			text_out__char(out, ',');
		print_integer(out, c_type__normalize(type, value), is_signed);
	}
	text_out__char(out, ']');
}

static void print_json_value(struct text_out *out, const struct event_format_field *field,
			     const struct record *record)
{
	uint64_t value;

	if (field->is_string) {
		print_json_string(out, event_format_field__memory(field, record));
		return;
	}
	if (field->is_array || !is_integer_size(field->size)) {
		print_json_array(out, event_format_field__memory(field, record), field->elem_size,
				 field->is_array && field->is_signed);
		return;
	}
	value = record__integer(record, field->offset, field->size);
	value = c_type__normalize(c_type__integer(field->size, field->is_signed), value);
	print_integer(out, value, field->is_signed);
}

size_t event_format__print_json(const struct event_format *format, const void *payload, size_t size,
				char *buf, size_t cap)
{
	struct record record = { .data = size ? payload : (const void *)"", .size = size };
	struct text_out out = { .buf = buf, .cap = cap };
	char separator = '{';

	for (size_t i = 0; i < format->nr_fields; i++) {
		const struct event_format_field *field = &format->fields[i];

		if (field->is_common)
			continue;
		text_out__char(&out, separator);
		separator = ',';
		text_out__char(&out, '"');
		text_out__bytes(&out, field->name, strlen(field->name));
		text_out__bytes(&out, "\":", 2);
		print_json_value(&out, field, &record);
	}
	if (separator == '{')
		text_out__char(&out, '{');
	text_out__char(&out, '}');
	return text_out__finish(&out);
}
