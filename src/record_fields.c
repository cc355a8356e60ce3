// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/* The fields of a record, by name and by type. A persist_field is an event_format_field. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "event_format_internal.h"
#include "persist_bpf.h"
#include "persist_event.h"

static const struct event_format_field *described(const struct persist_field *field)
{
	return (const struct event_format_field *)field;
}

static struct record payload_of(const struct persist_record *record)
{
	return (struct record){ .data = persist_record__payload(record), .size = record->size };
}

/* ---- finding one ------------------------------------------------------------------------- */

const struct persist_field *persist_event__find_field(const struct persist_event *event,
						      const char *name)
{
	const struct event_format *format = persist_event__format(event);
	const struct event_format_field *field;

	if (!format) {
		errno = ENODATA;
		return NULL;
	}
	field = event_format__find_field(format, name);
	if (!field)
		errno = ENOENT;
	return (const struct persist_field *)field;
}

/* The common ones are the first. */
static size_t nr_common_fields(const struct event_format *format)
{
	const struct event_format_field *field;
	size_t nr = 0;

	while ((field = event_format__field(format, nr)) && field->is_common)
		nr++;
	return nr;
}

size_t persist_event__nr_fields(const struct persist_event *event)
{
	const struct event_format *format = persist_event__format(event);

	return format ? event_format__nr_fields(format) - nr_common_fields(format) : 0;
}

const struct persist_field *persist_event__field(const struct persist_event *event, size_t index)
{
	const struct event_format *format = persist_event__format(event);

	if (index >= persist_event__nr_fields(event))
		return NULL;
	index += nr_common_fields(format);
	return (const struct persist_field *)event_format__field(format, index);
}

/* ---- what it is -------------------------------------------------------------------------- */

const char *persist_field__name(const struct persist_field *field)
{
	return described(field)->name;
}

const char *persist_field__type_text(const struct persist_field *field)
{
	return described(field)->type;
}

size_t persist_field__element_size(const struct persist_field *field)
{
	return described(field)->elem_size;
}

static bool is_integer_size(size_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

enum persist_field_type persist_field__type(const struct persist_field *field)
{
	const struct event_format_field *description = described(field);

	if (description->is_string)
		return PERSIST_FIELD_STRING;
	if (description->is_array || !is_integer_size(description->size))
		return PERSIST_FIELD_BYTES;
	if (description->is_pointer)
		return PERSIST_FIELD_POINTER;
	return description->is_signed ? PERSIST_FIELD_SIGNED : PERSIST_FIELD_UNSIGNED;
}

/* ---- its value --------------------------------------------------------------------------- */

static bool is_in(const struct event_format_field *field, const struct persist_record *record)
{
	return field->offset <= record->size && field->size <= record->size - field->offset;
}

/* The value of an integer, sign-extended to 64 bits if it is a signed one. */
static int get_integer(const struct persist_field *field, const struct persist_record *record,
		       uint64_t *value, bool *is_negative)
{
	const struct event_format_field *description = described(field);
	const struct record payload = payload_of(record);
	enum persist_field_type type = persist_field__type(field);

	if (type == PERSIST_FIELD_STRING || type == PERSIST_FIELD_BYTES)
		return -EINVAL;
	if (!is_in(description, record))
		return -ENODATA;
	*value = record__integer(&payload, description->offset, description->size);
	if (type == PERSIST_FIELD_SIGNED)
		*value = c_type__normalize(c_type__integer(description->size, true), *value);
	*is_negative = type == PERSIST_FIELD_SIGNED && (int64_t)*value < 0;
	return 0;
}

int persist_field__get_u64(const struct persist_field *field, const struct persist_record *record,
			   uint64_t *value)
{
	uint64_t bits;
	bool is_negative;
	int err = get_integer(field, record, &bits, &is_negative);

	if (err)
		return err;
	if (is_negative)
		return -ERANGE;
	*value = bits;
	return 0;
}

int persist_field__get_s64(const struct persist_field *field, const struct persist_record *record,
			   int64_t *value)
{
	uint64_t bits;
	bool is_negative;
	int err = get_integer(field, record, &bits, &is_negative);

	if (err)
		return err;
	if (!is_negative && bits > INT64_MAX)
		return -ERANGE;
	*value = (int64_t)bits;
	return 0;
}

int persist_field__get_bytes(const struct persist_field *field, const struct persist_record *record,
			     const void **bytes, size_t *size)
{
	const struct record payload = payload_of(record);
	struct memory memory;

	if (!is_in(described(field), record))
		return -ENODATA;
	memory = event_format_field__memory(described(field), &payload);
	/* Never NULL: a location word may say that there is nothing. */
	*bytes = memory.size ? memory.data : payload.data;
	*size = memory.size;
	return 0;
}

int persist_field__get_string(const struct persist_field *field,
			      const struct persist_record *record, const char **string,
			      size_t *length)
{
	const void *bytes;
	size_t size;
	int err;

	if (!described(field)->is_string)
		return -EINVAL;
	err = persist_field__get_bytes(field, record, &bytes, &size);
	if (err)
		return err;
	*string = bytes;
	*length = strnlen(*string, size);
	return 0;
}

/* ---- the whole record -------------------------------------------------------------------- */

typedef size_t (*print_fn)(const struct event_format *format, const void *payload, size_t size,
			   char *text, size_t cap);

static int print_with(print_fn print, const struct persist_event *event,
		      const struct persist_record *record, char *text, size_t size)
{
	const struct event_format *format = persist_event__format(event);
	size_t length;

	if (!format)
		return -ENODATA;
	length = print(format, persist_record__payload(record), record->size, text, size);
	return length > INT_MAX ? -EOVERFLOW : (int)length;
}

int persist_event__print(const struct persist_event *event, const struct persist_record *record,
			 char *text, size_t size)
{
	return print_with(event_format__print, event, record, text, size);
}

int persist_event__print_json(const struct persist_event *event,
			      const struct persist_record *record, char *text, size_t size)
{
	return print_with(event_format__print_json, event, record, text, size);
}
