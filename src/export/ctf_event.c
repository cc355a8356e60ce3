// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sources of the format: "Common Trace Format v1.8.3", and what babeltrace2 makes of it. Everything
 * is aligned to bytes, and in the byte order of this machine.
 */
#include "export/ctf_event.h"

#include <stdlib.h>
#include <string.h>

#include "event_format_internal.h"
#include "export/ctf_stream.h"
#include "persist_event.h"

/* How a field is written. */
enum encoding {
	ENCODED_INTEGER,
	ENCODED_STRING,
	ENCODED_ARRAY,	  /* its length is part of the type */
	ENCODED_SEQUENCE, /* its length is written before it */
};

struct field_class {
	enum encoding encoding;
	size_t size; /* of the integer, or of an element; 1, 2, 4 or 8 */
	size_t nr;   /* elements of an array */
	const char *type;
};

static bool is_integer_size(size_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* The names of the aliases end with the number of bits. */
static const char *type_name(const struct event_format_field *field, bool is_opaque, size_t size)
{
	static const char *const unsigned_types[] = { "uint8_t", "uint16_t", "uint32_t",
						      "uint64_t" };
	static const char *const signed_types[] = { "int8_t", "int16_t", "int32_t", "int64_t" };
	static const char *const hex_types[] = { "hex8_t", "hex16_t", "hex32_t", "hex64_t" };
	int index = __builtin_ctzl(size);

	if (is_opaque || field->is_pointer)
		return hex_types[index];
	return field->is_signed ? signed_types[index] : unsigned_types[index];
}

/*
 * An array that a record cannot hold (a hostile format says anything) is written as what there is
 * of it, so that a record cannot become much longer than it was.
 */
static bool has_fixed_length(const struct event_format_field *field)
{
	return field->location == FIELD_FIXED && field->size &&
	       (size_t)field->offset + field->size <= PERSIST_PAYLOAD_MAX;
}

static struct field_class classify(const struct event_format_field *field)
{
	bool is_opaque = !is_integer_size(field->elem_size);
	struct field_class class = { .size = is_opaque ? 1 : field->elem_size };

	class.type = type_name(field, is_opaque, class.size);
	if (field->is_string) {
		class.encoding = ENCODED_STRING;
	} else if (!field->is_array && is_integer_size(field->size)) {
		class.encoding = ENCODED_INTEGER;
	} else if (has_fixed_length(field)) {
		class.encoding = ENCODED_ARRAY;
		class.nr = field->size / class.size;
	} else {
		class.encoding = ENCODED_SEQUENCE;
	}
	return class;
}

/* ---- metadata ---------------------------------------------------------------------------- */

void ctf_event__describe_types(struct ctf_buffer *text)
{
	for (unsigned int bits = 8; bits <= 64; bits *= 2)
		ctf_buffer__print(
			text,
			"typealias integer { size = %u; align = 8; signed = false; } := uint%u_t;\n"
			"typealias integer { size = %u; align = 8; signed = true; } := int%u_t;\n"
			"typealias integer { size = %u; align = 8; signed = false; base = 16; } := "
			"hex%u_t;\n",
			bits, bits, bits, bits, bits, bits);
	ctf_buffer__print(text, "typealias integer { size = 64; align = 8; signed = false; map = "
				"clock." CTF_CLOCK_NAME ".value; } := timestamp_t;\n");
}

/* Names that are taken in one structure. */
struct names {
	char **names;
	size_t nr;
};

/* Babeltrace2 2.0 also refuses a name that is one before it without that one's underscore. */
static bool is_taken(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->nr; i++)
		if (!strcmp(names->names[i], name) || !strcmp(names->names[i] + 1, name))
			return true;
	return false;
}

/* A name that begins so and is not taken, which it is then; NULL without memory. */
static const char *take_name(struct names *names, const char *prefix, const char *name,
			     const char *suffix)
{
	struct ctf_buffer text = { 0 };

	ctf_buffer__print(&text, "%s%s%s", prefix, name, suffix);
	while (!text.has_failed && is_taken(names, (const char *)text.data))
		ctf_buffer__print(&text, "_");
	if (text.has_failed) {
		ctf_buffer__free(&text);
		return NULL;
	}
	names->names[names->nr] = (char *)text.data;
	return names->names[names->nr++];
}

static void free_names(struct names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->names[i]);
	free(names->names);
}

static void describe_field(struct ctf_buffer *text, struct names *names,
			   const struct event_format_field *field)
{
	const struct field_class class = classify(field);
	const char *name = take_name(names, "_", field->name, ""), *length = NULL;

	if (class.encoding == ENCODED_SEQUENCE)
		length = take_name(names, "__", field->name, "_length");
	if (!name || (class.encoding == ENCODED_SEQUENCE && !length)) {
		text->has_failed = true;
		return;
	}
	switch (class.encoding) {
	case ENCODED_INTEGER:
		ctf_buffer__print(text, "\t\t%s %s;\n", class.type, name);
		break;
	case ENCODED_STRING:
		ctf_buffer__print(text, "\t\tstring %s;\n", name);
		break;
	case ENCODED_ARRAY:
		ctf_buffer__print(text, "\t\t%s %s[%zu];\n", class.type, name, class.nr);
		break;
	case ENCODED_SEQUENCE:
		ctf_buffer__print(text, "\t\tuint32_t %s;\n\t\t%s %s[%s];\n", length, class.type,
				  name, length);
		break;
	}
}

static void describe_fields(struct ctf_buffer *text, const struct event_format *format)
{
	size_t nr = event_format__nr_fields(format);
	/* Of each field its own name, and perhaps that of its length. */
	struct names names = { .names = calloc(2 * nr + 1, sizeof(char *)) };

	if (!names.names) {
		text->has_failed = true;
		return;
	}
	for (size_t i = 0; i < nr; i++) {
		const struct event_format_field *field = event_format__field(format, i);

		if (!field->is_common)
			describe_field(text, &names, field);
	}
	free_names(&names);
}

void ctf_event__describe(struct ctf_buffer *text, const struct persist_event *event,
			 uint32_t stream_id)
{
	const struct event_format *format = persist_event__format(event);

	ctf_buffer__print(text,
			  "\nstream {\n"
			  "\tid = %u;\n"
			  "\tevent.header := struct {\n"
			  "\t\ttimestamp_t timestamp;\n"
			  "\t};\n"
			  "\tpacket.context := ",
			  stream_id);
	ctf_stream__describe_context(text);
	ctf_buffer__print(text,
			  ";\n"
			  "\tevent.context := struct {\n"
			  "\t\tuint32_t _pid;\n"
			  "\t\tuint32_t _tid;\n"
			  "\t\tstring _comm;\n"
			  "\t\tuint64_t _seq;\n"
			  "\t\tuint8_t _incomplete;\n"
			  "\t};\n"
			  "};\n"
			  "\nevent {\n"
			  "\tid = 0;\n"
			  "\tstream_id = %u;\n"
			  "\tname = ",
			  stream_id);
	ctf_buffer__print_literal(text, event->label);
	ctf_buffer__print(text, ";\n\tfields := struct {\n");
	if (format)
		describe_fields(text, format);
	else
		ctf_buffer__print(text, "\t\tuint32_t __payload_length;\n"
					"\t\thex8_t _payload[__payload_length];\n");
	ctf_buffer__print(text, "\t};\n};\n");
}

/* ---- records ----------------------------------------------------------------------------- */

static void put_integer(struct ctf_buffer *buffer, uint64_t value, size_t size)
{
	const uint8_t value8 = (uint8_t)value;
	const uint16_t value16 = (uint16_t)value;
	const uint32_t value32 = (uint32_t)value;

	ctf_buffer__put(buffer,
			size == 1   ? (const void *)&value8
			: size == 2 ? (const void *)&value16
			: size == 4 ? (const void *)&value32
				    : (const void *)&value,
			size);
}

static void put_field(struct ctf_buffer *buffer, const struct event_format_field *field,
		      const struct record *record)
{
	const struct field_class class = classify(field);
	struct memory memory;
	size_t used;

	if (class.encoding == ENCODED_INTEGER) {
		put_integer(buffer, record__integer(record, field->offset, field->size),
			    class.size);
		return;
	}
	memory = event_format_field__memory(field, record);
	if (class.encoding == ENCODED_STRING) {
		used = memory.size ? strnlen((const char *)memory.data, memory.size) : 0;
		ctf_buffer__put_string(buffer, memory.data, used);
		return;
	}
	used = memory.size / class.size;
	if (class.encoding == ENCODED_ARRAY && used > class.nr)
		used = class.nr;
	if (class.encoding == ENCODED_SEQUENCE)
		ctf_buffer__put_u32(buffer, (uint32_t)used);
	ctf_buffer__put(buffer, memory.data, used * class.size);
	if (class.encoding == ENCODED_ARRAY)
		ctf_buffer__fill(buffer, 0, (class.nr - used) * class.size);
}

void ctf_event__write(struct ctf_buffer *buffer, const struct persist_event *event,
		      const struct persist_record *record, uint64_t time_ns)
{
	const struct event_format *format = persist_event__format(event);
	const void *payload = persist_record__payload(record);
	const struct record fields = { .data = payload, .size = record->size };

	ctf_buffer__put_u64(buffer, time_ns);
	ctf_buffer__put_u32(buffer, record->pid);
	ctf_buffer__put_u32(buffer, record->tid);
	ctf_buffer__put_string(buffer, record->comm, strnlen(record->comm, PERSIST_COMM_SIZE));
	ctf_buffer__put_u64(buffer, record->seq);
	ctf_buffer__put_u8(buffer, !!(record->flags & PERSIST_RECORD_INCOMPLETE));
	if (!format) {
		ctf_buffer__put_u32(buffer, record->size);
		ctf_buffer__put(buffer, payload, record->size);
		return;
	}
	for (size_t i = 0; i < event_format__nr_fields(format); i++) {
		const struct event_format_field *field = event_format__field(format, i);

		if (!field->is_common)
			put_field(buffer, field, &fields);
	}
}
