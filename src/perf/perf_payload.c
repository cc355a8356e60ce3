// SPDX-License-Identifier: GPL-2.0-only
#include "perf/perf_payload.h"

#include <stdbool.h>
#include <string.h>

#include "event_format.h"
#include "persist_bpf.h"

/* Where every tracepoint has its common_flags, which are 0 in a record of ours (docs/design.md). */
#define FLAGS_OFFSET 2

/* A location word: length << 16 | offset, see enum event_format_location. */
static bool is_good_location(const struct event_format_field *field, uint32_t location,
			     const char *payload, uint32_t size)
{
	uint32_t offset = location & 0xffff, length = location >> 16;

	if (field->location == FIELD_REL_LOC)
		offset += field->offset + (uint32_t)sizeof(location);
	if (offset > size || length > size - offset)
		return false;
	return !field->is_string || memchr(payload + offset, '\0', size - offset);
}

/* What leads to an empty string: to the flags or, where only what follows can be told, to the end.
 */
static uint32_t location_of_nothing(const struct event_format_field *field, char *payload,
				    uint32_t size)
{
	uint32_t end_of_word = field->offset + (uint32_t)sizeof(uint32_t);

	if (field->location != FIELD_REL_LOC) {
		payload[FLAGS_OFFSET] = '\0';
		return FLAGS_OFFSET;
	}
	if (size == end_of_word)
		return 0;
	payload[size - 1] = '\0';
	return size - 1 - end_of_word;
}

static void correct_location(const struct event_format_field *field, char *payload, uint32_t size)
{
	uint32_t location;

	if (size < sizeof(location) || field->offset > size - sizeof(location))
		return;
	memcpy(&location, payload + field->offset, sizeof(location));
	if (is_good_location(field, location, payload, size))
		return;
	location = location_of_nothing(field, payload, size);
	memcpy(payload + field->offset, &location, sizeof(location));
}

void perf_payload__write(const struct event_format *fields, uint16_t common_type,
			 const struct persist_record *record, char *to)
{
	const struct event_format_field *field;

	memcpy(to, persist_record__payload(record), record->size);
	if (record->size >= sizeof(common_type))
		memcpy(to, &common_type, sizeof(common_type));
	for (size_t i = 0; fields && (field = event_format__field(fields, i)); i++)
		if (field->location != FIELD_FIXED)
			correct_location(field, to, record->size);
}
