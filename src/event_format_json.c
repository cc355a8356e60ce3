// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/* A record's fields as JSON. Field names are C identifiers, which need no escapes. */
#include <string.h>

#include "event_format.h"
#include "event_format_internal.h"
#include "json_text.h"

/* Where a record goes, and how. */
struct json_fields {
	struct text_out *out;
	enum json_numbers numbers;
};

static bool is_integer_size(size_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Elements that are no integers (structures) come as their bytes. */
static void print_json_array(const struct json_fields *fields, struct memory memory,
			     size_t element_size, bool is_signed)
{
	struct c_type type;

	if (!is_integer_size(element_size))
		element_size = 1;
	type = c_type__integer(element_size, is_signed);
	text_out__char(fields->out, '[');
	for (size_t at = 0; memory.size - at >= element_size; at += element_size) {
		uint64_t value = load_integer(memory.data + at, element_size);

		if (at)
			text_out__char(fields->out, ',');
		json_text__integer(fields->out, c_type__normalize(type, value), is_signed,
				   fields->numbers);
	}
	text_out__char(fields->out, ']');
}

static void print_json_value(const struct json_fields *fields,
			     const struct event_format_field *field, const struct record *record)
{
	struct memory memory;
	uint64_t value;

	if (field->is_string) {
		memory = event_format_field__memory(field, record);
		if (memory.size)
			memory.size = strnlen((const char *)memory.data, memory.size);
		json_text__string(fields->out, memory.data, memory.size);
		return;
	}
	if (field->is_array || !is_integer_size(field->size)) {
		memory = event_format_field__memory(field, record);
		print_json_array(fields, memory, field->elem_size,
				 field->is_array && field->is_signed);
		return;
	}
	value = record__integer(record, field->offset, field->size);
	value = c_type__normalize(c_type__integer(field->size, field->is_signed), value);
	json_text__integer(fields->out, value, field->is_signed, fields->numbers);
}

size_t event_format__print_json_as(const struct event_format *format, const void *payload,
				   size_t size, enum json_numbers numbers, char *buf, size_t cap)
{
	struct record record = { .data = size ? payload : (const void *)"", .size = size };
	struct text_out out = { .buf = buf, .cap = cap };
	const struct json_fields fields = { &out, numbers };
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
		print_json_value(&fields, field, &record);
	}
	if (separator == '{')
		text_out__char(&out, '{');
	text_out__char(&out, '}');
	return text_out__finish(&out);
}

size_t event_format__print_json(const struct event_format *format, const void *payload, size_t size,
				char *buf, size_t cap)
{
	return event_format__print_json_as(format, payload, size, JSON_NUMBERS_EXACT, buf, cap);
}
