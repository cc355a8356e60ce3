// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "event_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "c_type.h"
#include "event_format_internal.h"
#include "expression_parser.h"

/* Offsets and sizes beyond this are nonsense: a location word holds 16 bits of each. */
#define MAX_RECORD (1U << 20)

/* Real events have some 20. Fields are searched one by one. */
#define MAX_FIELDS 1024

#define PRINT_FORMAT "print fmt:"

/* A piece of the format text. */
struct slice {
	const char *start, *end;
};

static size_t slice_length(struct slice s)
{
	return (size_t)(s.end - s.start);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static struct slice trim(struct slice s)
{
	while (s.start < s.end && is_space(*s.start))
		s.start++;
	while (s.start < s.end && is_space(s.end[-1]))
		s.end--;
	return s;
}

static bool skip_prefix(struct slice *s, const char *prefix)
{
	size_t length = strlen(prefix);

	if (slice_length(*s) < length || memcmp(s->start, prefix, length))
		return false;
	s->start += length;
	return true;
}

/* Cuts the part before the delimiter off the front; false when there is no delimiter. */
static bool split(struct slice *rest, char delimiter, struct slice *part)
{
	const char *at = memchr(rest->start, delimiter, slice_length(*rest));

	if (!at)
		return false;
	*part = (struct slice){ rest->start, at };
	rest->start = at + 1;
	return true;
}

static bool parse_number(struct slice s, unsigned int max, unsigned int *value)
{
	s = trim(s);
	if (s.start == s.end)
		return false;
	for (*value = 0; s.start < s.end; s.start++) {
		if (*s.start < '0' || *s.start > '9')
			return false;
		*value = *value * 10 + (unsigned int)(*s.start - '0');
		if (*value > max)
			return false;
	}
	return true;
}

static bool is_name_part(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static bool contains(struct slice s, const char *text)
{
	for (; s.start < s.end; s.start++) {
		struct slice rest = s;

		if (skip_prefix(&rest, text))
			return true;
	}
	return false;
}

static char *copy_slice(struct arena *arena, struct slice s)
{
	return arena__copy_text(arena, s.start, slice_length(s));
}

/* A declaration such as "char comm[16]" taken apart; of "u8[] x" the brackets are type. */
struct declaration {
	struct slice type, name, brackets;
};

static bool parse_declaration(struct slice text, struct declaration *d)
{
	text = trim(text);
	d->brackets = (struct slice){ text.end, text.end };
	if (text.start < text.end && text.end[-1] == ']') {
		while (text.end > text.start && *text.end != '[')
			text.end--;
		d->brackets.start = text.end;
		text = trim(text);
	}
	d->name.end = text.end;
	while (text.end > text.start && is_name_part(text.end[-1]))
		text.end--;
	d->name.start = text.end;
	d->type = trim(text);
	return d->name.start < d->name.end && d->type.start < d->type.end;
}

/* "char[16]": the type as C would write it without the name */
static char *type_text(struct arena *arena, const struct declaration *d)
{
	size_t type_length = slice_length(d->type), brackets_length = slice_length(d->brackets);
	char *text = arena__alloc(arena, type_length + brackets_length + 1);

	if (!text)
		return NULL;
	memcpy(text, d->type.start, type_length);
	memcpy(text + type_length, d->brackets.start, brackets_length);
	return text;
}

static bool is_char_type(struct slice type)
{
	return contains(type, "char") && !contains(type, "signed") && !contains(type, "*");
}

/* Bytes of one element: by the number of elements if it is given, else by their type. */
static unsigned int element_size(const struct event_format_field *field,
				 const struct declaration *d, struct c_type type)
{
	struct slice inner = { d->brackets.start + 1, d->brackets.end - 1 };
	unsigned int nr;

	if (slice_length(d->brackets) > 2 && parse_number(inner, MAX_RECORD, &nr) && nr &&
	    field->size % nr == 0)
		return field->size / nr;
	if (field->location == FIELD_FIXED && type.size && field->size % type.size)
		return 1;
	return type.size ? type.size : 1;
}

static void describe_array(struct event_format_field *field, const struct declaration *d)
{
	struct slice type = d->type;
	struct c_type c_type = { 0 };
	const char *bracket = memchr(type.start, '[', slice_length(type));

	if (bracket)
		type.end = bracket;
	field->is_pointer = contains(type, "*");
	if (field->is_pointer)
		c_type.size = sizeof(void *);
	else if (c_type__from_words(type.start, slice_length(type), &c_type) &&
		 field->location != FIELD_FIXED)
		field->is_signed = c_type.is_signed;
	field->elem_size = element_size(field, d, c_type);
	field->is_string = is_char_type(type) && field->elem_size == 1;
}

static void describe_field(struct event_format_field *field, const struct declaration *d)
{
	field->location = contains(d->type, "__data_loc")  ? FIELD_DATA_LOC
			  : contains(d->type, "__rel_loc") ? FIELD_REL_LOC
							   : FIELD_FIXED;
	field->is_array = field->location != FIELD_FIXED || d->brackets.start < d->brackets.end;
	field->elem_size = field->size;
	if (field->is_array)
		describe_array(field, d);
	else
		field->is_pointer = contains(d->type, "*");
}

/* offset:8;	size:4;	signed:1;	the last was added in Linux 2.6.33 */
static bool parse_attributes(struct slice line, struct event_format_field *field)
{
	unsigned int is_signed = 0;
	struct slice part;

	if (!split(&line, ';', &part))
		return false;
	part = trim(part);
	if (!skip_prefix(&part, "offset:") || !parse_number(part, MAX_RECORD, &field->offset))
		return false;
	if (!split(&line, ';', &part))
		return false;
	part = trim(part);
	if (!skip_prefix(&part, "size:") || !parse_number(part, MAX_RECORD, &field->size))
		return false;
	if (split(&line, ';', &part)) {
		part = trim(part);
		if (!skip_prefix(&part, "signed:") || !parse_number(part, 1, &is_signed))
			return false;
	}
	field->is_signed = is_signed;
	return true;
}

static int parse_field(struct event_format *format, struct slice line, bool is_common)
{
	struct event_format_field *field = &format->fields[format->nr_fields];
	struct slice declaration_text;
	struct declaration declaration;

	if (format->nr_fields == MAX_FIELDS)
		return -EINVAL;
	if (!split(&line, ';', &declaration_text) ||
	    !parse_declaration(declaration_text, &declaration) || !parse_attributes(line, field))
		return -EINVAL;
	field->name = copy_slice(&format->arena, declaration.name);
	field->type = type_text(&format->arena, &declaration);
	if (!field->name || !field->type)
		return -ENOMEM;
	field->is_common = is_common && !strncmp(field->name, "common_", strlen("common_"));
	describe_field(field, &declaration);
	if (field->location != FIELD_FIXED && field->size != sizeof(uint32_t))
		return -EINVAL;
	format->nr_fields++;
	return 0;
}

static int allocate_fields(struct event_format *format, struct slice text)
{
	size_t nr = 1;

	for (const char *p = text.start; p < text.end; p++)
		nr += *p == '\n';
	if (nr > MAX_FIELDS)
		nr = MAX_FIELDS;
	format->fields = arena__alloc(&format->arena, nr * sizeof(*format->fields));
	return format->fields ? 0 : -ENOMEM;
}

/*
 * One line a field. A blank line parts the common ones from the others. What is no field is
 * skipped, so that kernels may add to the text. Leaves in *text what follows "print fmt:".
 */
static int parse_fields(struct event_format *format, struct slice *text)
{
	bool is_common = true;
	struct slice line;
	int err;

	err = allocate_fields(format, *text);
	while (!err) {
		if (skip_prefix(text, PRINT_FORMAT))
			return 0;
		if (!split(text, '\n', &line))
			return -EINVAL;
		line = trim(line);
		if (skip_prefix(&line, "field:"))
			err = parse_field(format, line, is_common);
		else if (line.start == line.end && format->nr_fields)
			is_common = false;
	}
	return err;
}

static int parse_header(struct event_format *format, struct slice *text)
{
	struct slice line;

	if (!split(text, '\n', &line) || !skip_prefix(&line, "name:"))
		return -EINVAL;
	line = trim(line);
	if (line.start == line.end)
		return -EINVAL;
	format->name = copy_slice(&format->arena, line);
	if (!format->name)
		return -ENOMEM;
	if (!split(text, '\n', &line) || !skip_prefix(&line, "ID:") ||
	    !parse_number(line, UINT16_MAX, &format->id))
		return -EINVAL;
	if (!split(text, '\n', &line) || !skip_prefix(&line, "format:"))
		return -EINVAL;
	return 0;
}

static void set_sizes(struct event_format *format)
{
	for (size_t i = 0; i < format->nr_fields; i++) {
		const struct event_format_field *field = &format->fields[i];
		size_t end = (size_t)field->offset + field->size;

		if (format->fixed_size < end)
			format->fixed_size = end;
		if (field->is_common && format->common_size < end)
			format->common_size = end;
	}
	/* The header is a structure with an int in it, and is padded like one. */
	format->common_size = (format->common_size + sizeof(int) - 1) & ~(sizeof(int) - 1);
}

static int set_text(struct event_format *format, const char *text, struct slice print_format)
{
	int err;

	print_format = trim(print_format);
	format->print_format_offset = (size_t)(print_format.start - text);
	format->print_format = copy_slice(&format->arena, print_format);
	if (!format->print_format)
		return -ENOMEM;
	if (syscall_text__init(&format->syscall, format->name, format->fields, format->nr_fields,
			       format->print_format)) {
		format->style = TEXT_SYSCALL;
		return 0;
	}
	err = print_plan__compile(&format->plan, format->fields, format->nr_fields,
				  format->print_format, slice_length(print_format),
				  &format->inexact);
	if (err == -EINVAL) {
		format->style = TEXT_FIELDS;
		return 0;
	}
	format->inexact = format->plan.inexact;
	return err;
}

int event_format__parse(const char *text, size_t len, struct event_format **out)
{
	struct slice rest = { text, text + len };
	struct event_format *format;
	int err;

	*out = NULL;
	if (!text || !len || len > EVENT_FORMAT_MAX_TEXT || memchr(text, '\0', len))
		return -EINVAL;
	format = calloc(1, sizeof(*format));
	if (!format)
		return -ENOMEM;
	err = parse_header(format, &rest);
	if (!err)
		err = parse_fields(format, &rest);
	if (!err) {
		set_sizes(format);
		err = set_text(format, text, rest);
	}
	if (err) {
		event_format__free(format);
		return err;
	}
	*out = format;
	return 0;
}

/* Replacing goes from the end to the beginning, the order in which the list has the names. */
static void replace_names(char *text, size_t *length, const struct event_format *format)
{
	const struct resolved_name *name;

	for (name = format->plan.resolved; name; name = name->next) {
		size_t offset =
			format->print_format_offset + (size_t)(name->name - format->print_format);
		size_t new_length = strlen(name->replacement);
		char *place = text + offset, *rest = place + name->length;

		memmove(place + new_length, rest, *length - (size_t)(rest - text));
		memcpy(place, name->replacement, new_length);
		*length = *length - name->length + new_length;
	}
}

int event_format__resolve_text(const char *text, size_t len, char **out, size_t *out_len)
{
	const struct resolved_name *name;
	struct event_format *format;
	size_t capacity = len + 1;
	int err;

	*out = NULL;
	err = event_format__parse(text, len, &format);
	if (err)
		return err;
	for (name = format->plan.resolved; name; name = name->next)
		capacity += strlen(name->replacement);
	*out = malloc(capacity);
	if (*out) {
		memcpy(*out, text, len);
		replace_names(*out, &len, format);
		(*out)[len] = '\0';
		*out_len = len;
	}
	event_format__free(format);
	return *out ? 0 : -ENOMEM;
}

void event_format__free(struct event_format *format)
{
	if (!format)
		return;
	print_plan__free(&format->plan);
	arena__free(&format->arena);
	free(format);
}

const char *event_format__name(const struct event_format *format)
{
	return format->name;
}

unsigned int event_format__id(const struct event_format *format)
{
	return format->id;
}

size_t event_format__fixed_size(const struct event_format *format)
{
	return format->fixed_size;
}

size_t event_format__common_size(const struct event_format *format)
{
	return format->common_size;
}

const char *event_format__inexact(const struct event_format *format)
{
	if (!format->inexact && format->plan.has_symbols && !format->find_symbol)
		return "a kernel symbol is shown as its address";
	return format->inexact;
}

void event_format__use_symbols(struct event_format *format, event_format_find_symbol_fn find)
{
	format->find_symbol = find;
}

size_t event_format__nr_fields(const struct event_format *format)
{
	return format->nr_fields;
}

const struct event_format_field *event_format__field(const struct event_format *format, size_t i)
{
	return i < format->nr_fields ? &format->fields[i] : NULL;
}

const struct event_format_field *event_format__find_field(const struct event_format *format,
							  const char *name)
{
	for (size_t i = 0; i < format->nr_fields; i++) {
		if (!strcmp(format->fields[i].name, name))
			return &format->fields[i];
	}
	return NULL;
}

struct memory event_format_field__memory(const struct event_format_field *field,
					 const struct record *record)
{
	struct memory memory = { 0 };

	if (field->location != FIELD_FIXED)
		return record__dynamic(record, field->offset, field->location == FIELD_REL_LOC);
	if (field->offset < record->size) {
		memory.data = record->data + field->offset;
		memory.size = record->size - field->offset;
	}
	if (memory.size > field->size)
		memory.size = field->size;
	return memory;
}

static void print_field_value(const struct event_format_field *field, const struct record *record,
			      struct text_out *out)
{
	static const struct printf_spec plain = { .width = -1, .precision = -1 };
	struct memory memory = event_format_field__memory(field, record);
	uint64_t value;

	if (field->is_string) {
		print_string(out, memory.data, memory.size, &plain);
		return;
	}
	if (field->is_array || field->size > sizeof(value) || (field->size & (field->size - 1))) {
		print_hex_bytes(out, memory.data, memory.size, ' ');
		return;
	}
	value = field->size ? record__integer(record, field->offset, field->size) : 0;
	if (field->is_signed) {
		value = c_type__normalize(c_type__integer(field->size, true), value);
		if ((int64_t)value < 0) {
			text_out__char(out, '-');
			value = -value;
		}
		print_decimal(out, value);
		return;
	}
	text_out__bytes(out, "0x", 2);
	print_hex(out, value);
}

/* What is printed when the print format cannot be followed: "a=1 b=0x2" */
static void print_fields(const struct event_format *format, const struct record *record,
			 struct text_out *out)
{
	bool first = true;

	for (size_t i = 0; i < format->nr_fields; i++) {
		const struct event_format_field *field = &format->fields[i];

		if (field->is_common)
			continue;
		if (!first)
			text_out__char(out, ' ');
		first = false;
		text_out__bytes(out, field->name, strlen(field->name));
		text_out__char(out, '=');
		print_field_value(field, record, out);
	}
}

size_t event_format__print(const struct event_format *format, const void *payload, size_t size,
			   char *buf, size_t cap)
{
	struct record record = {
		.data = size ? payload : (const void *)"",
		.size = size,
		.find_symbol = format->find_symbol,
	};
	struct text_out out = { .buf = buf, .cap = cap };

	switch (format->style) {
	case TEXT_PRINT_FORMAT:
		print_plan__run(&format->plan, &record, &out);
		break;
	case TEXT_SYSCALL:
		syscall_text__print(&format->syscall, &record, &out);
		break;
	case TEXT_FIELDS:
		print_fields(format, &record, &out);
		break;
	}
	return text_out__finish(&out);
}
