// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "expression.h"

#include <string.h>

uint64_t load_integer(const uint8_t *data, size_t size)
{
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (size) {
	case 1:
		return *data;
	case 2:
		memcpy(&u16, data, sizeof(u16));
		return u16;
	case 4:
		memcpy(&u32, data, sizeof(u32));
		return u32;
	default:
		memcpy(&u64, data, sizeof(u64));
		return u64;
	}
}

uint64_t record__integer(const struct record *record, size_t offset, size_t size)
{
	if (offset > record->size || record->size - offset < size)
		return 0;
	return load_integer(record->data + offset, size);
}

/* From an offset to the end of the record; never NULL, which would mean a kernel address. */
static struct memory record__rest(const struct record *record, size_t offset)
{
	if (offset > record->size)
		offset = record->size;
	return (struct memory){ .data = record->data + offset, .size = record->size - offset };
}

struct memory record__dynamic(const struct record *record, size_t offset, bool is_relative)
{
	uint64_t word = record__integer(record, offset, sizeof(uint32_t));
	size_t start = word & 0xffff, length = word >> 16;
	struct memory memory;

	if (!word) /* cut off, or nothing was recorded */
		start = record->size;
	else if (is_relative)
		start += offset + sizeof(uint32_t);
	memory = record__rest(record, start);
	if (length < memory.size)
		memory.size = length;
	return memory;
}

static struct memory element(struct memory memory, uint64_t index, uint64_t element_size)
{
	uint64_t distance = index * element_size;

	if (!memory.data) {
		memory.address += distance;
		return memory;
	}
	/* A negative index is a huge one here, and finds nothing, as one beyond the end does. */
	if (distance > memory.size)
		distance = memory.size;
	memory.data += distance;
	memory.size -= distance;
	return memory;
}

struct memory expression__memory(const struct expression *e, const struct record *record)
{
	struct memory memory;

	switch (e->kind) {
	case EXPR_LITERAL:
		return (struct memory){ .data = (const uint8_t *)e->text, .size = e->length };
	case EXPR_FIELD_ADDRESS:
		return record__rest(record, e->offset);
	case EXPR_DYNAMIC_ADDRESS:
		/*
		 * To the end of the record and not only of the array: as in the kernel, an
		 * array without a NUL runs into what lies behind it.
		 */
		memory = record__dynamic(record, e->offset, e->is_relative);
		memory.size = (size_t)(record->data + record->size - memory.data);
		return memory;
	case EXPR_ELEMENT:
		memory = expression__memory(e->a, record);
		return element(memory, expression__integer(e->b, record), e->value);
	case EXPR_CONDITIONAL:
		if (expression__integer(e->a, record))
			return expression__memory(e->b, record);
		return expression__memory(e->c, record);
	default:
		return (struct memory){ .address = expression__integer(e, record) };
	}
}

static uint64_t dereference(const struct expression *e, const struct record *record)
{
	struct memory memory = expression__memory(e->a, record);

	if (!memory.data || memory.size < e->type.size)
		return 0;
	return load_integer(memory.data, e->type.size);
}

/* What would trap in C gives 0. */
static uint64_t divide(const struct expression *e, uint64_t a, uint64_t b)
{
	bool remainder = e->kind == EXPR_REMAINDER;

	if (!b)
		return 0;
	if (!e->type.is_signed)
		return remainder ? a % b : a / b;
	if ((int64_t)b == -1)
		return remainder ? 0 : -a;
	return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

/* Both operands have been converted to one type, whose sign decides how to compare. */
static bool less(const struct expression *e, uint64_t a, uint64_t b, bool or_equal)
{
	if (a == b)
		return or_equal;
	return e->a->type.is_signed ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t shift(const struct expression *e, uint64_t a, uint64_t b)
{
	/* Too large a count is undefined in C; do what the processor's instruction does. */
	b &= 8U * e->type.size - 1;
	if (e->kind == EXPR_SHIFT_LEFT)
		return a << b;
	return e->type.is_signed ? (uint64_t)((int64_t)a >> b) : a >> b;
}

static uint64_t arithmetic(const struct expression *e, uint64_t a, uint64_t b)
{
	switch (e->kind) {
	case EXPR_MULTIPLY:
		return a * b;
	case EXPR_DIVIDE:
	case EXPR_REMAINDER:
		return divide(e, a, b);
	case EXPR_ADD:
		return a + b;
	case EXPR_SUBTRACT:
		return a - b;
	case EXPR_SHIFT_LEFT:
	case EXPR_SHIFT_RIGHT:
		return shift(e, a, b);
	case EXPR_LESS:
		return less(e, a, b, false);
	case EXPR_LESS_EQUAL:
		return less(e, a, b, true);
	case EXPR_EQUAL:
		return a == b;
	case EXPR_NOT_EQUAL:
		return a != b;
	case EXPR_BIT_AND:
		return a & b;
	case EXPR_BIT_XOR:
		return a ^ b;
	default:
		return a | b;
	}
}

/* The value before it is cut to the node's type. */
static uint64_t operation(const struct expression *e, const struct record *record)
{
	uint64_t a;

	switch (e->kind) {
	case EXPR_DEREFERENCE:
		return dereference(e, record);
	case EXPR_CAST:
		return expression__integer(e->a, record);
	case EXPR_NEGATE:
		return -expression__integer(e->a, record);
	case EXPR_COMPLEMENT:
		return ~expression__integer(e->a, record);
	case EXPR_NOT:
		return !expression__integer(e->a, record);
	case EXPR_AND_AND:
		return expression__integer(e->a, record) && expression__integer(e->b, record);
	case EXPR_OR_OR:
		return expression__integer(e->a, record) || expression__integer(e->b, record);
	case EXPR_CONDITIONAL:
		if (expression__integer(e->a, record))
			return expression__integer(e->b, record);
		return expression__integer(e->c, record);
	default:
		a = expression__integer(e->a, record);
		return arithmetic(e, a, expression__integer(e->b, record));
	}
}

uint64_t expression__integer(const struct expression *e, const struct record *record)
{
	switch (e->kind) {
	case EXPR_CONSTANT:
		return e->value;
	case EXPR_FIELD:
		return c_type__normalize(e->type, record__integer(record, e->offset, e->type.size));
	case EXPR_LITERAL:
	case EXPR_FIELD_ADDRESS:
	case EXPR_DYNAMIC_ADDRESS:
		return 1;
	case EXPR_DYNAMIC_LENGTH:
		return record__integer(record, e->offset, sizeof(uint32_t)) >> 16;
	case EXPR_ELEMENT: {
		struct memory memory = expression__memory(e, record);

		return memory.data ? 1 : memory.address;
	}
	default:
		return c_type__normalize(e->type, operation(e, record));
	}
}

static void print_prefixed_hex(struct text_out *out, uint64_t value)
{
	text_out__bytes(out, "0x", 2);
	print_hex(out, value);
}

void print_flag_names(struct text_out *out, const struct symbol_table *table, uint64_t flags,
		      const char *delimiter, size_t delimiter_length)
{
	bool first = true;

	for (size_t i = 0; i < table->nr && flags; i++) {
		const struct symbol *symbol = &table->symbols[i];

		if ((flags & symbol->value) != symbol->value)
			continue;
		flags &= ~symbol->value;
		if (!first)
			text_out__bytes(out, delimiter, delimiter_length);
		first = false;
		text_out__bytes(out, symbol->name, symbol->length);
	}
	if (flags) {
		if (!first)
			text_out__bytes(out, delimiter, delimiter_length);
		print_prefixed_hex(out, flags);
	}
}

static void print_symbolic(const struct expression *e, uint64_t value, struct text_out *out)
{
	for (size_t i = 0; i < e->table->nr; i++) {
		const struct symbol *symbol = &e->table->symbols[i];

		if (symbol->value != value)
			continue;
		/* The kernel takes an empty name for none found. */
		if (!symbol->length)
			break;
		text_out__bytes(out, symbol->name, symbol->length);
		return;
	}
	if (e->table->otherwise)
		text_out__bytes(out, e->table->otherwise, strlen(e->table->otherwise));
	else
		print_prefixed_hex(out, value);
}

/* count: an int, as the kernel's parameter is; a negative one prints nothing */
static size_t available(struct memory memory, uint64_t count, size_t element_size)
{
	int32_t wanted = (int32_t)count;
	size_t most = memory.data ? memory.size / element_size : 0;

	if (wanted < 0)
		return 0;
	return (size_t)wanted < most ? (size_t)wanted : most;
}

static void print_array(const struct expression *e, struct memory memory, uint64_t count,
			struct text_out *out)
{
	size_t element_size = e->value;
	size_t n = available(memory, count, element_size);

	text_out__char(out, '{');
	for (size_t i = 0; i < n; i++) {
		if (i)
			text_out__char(out, ',');
		print_prefixed_hex(out, load_integer(memory.data + i * element_size, element_size));
	}
	text_out__char(out, '}');
}

static void print_text(const struct expression *e, const struct record *record,
		       struct text_out *out)
{
	uint64_t count;
	struct memory memory;

	if (e->kind == EXPR_FLAGS || e->kind == EXPR_SYMBOLIC) {
		uint64_t value = expression__integer(e->a, record);

		if (e->kind == EXPR_FLAGS)
			print_flag_names(out, e->table, value, e->delimiter, e->length);
		else
			print_symbolic(e, value, out);
		return;
	}

	memory = expression__memory(e->a, record);
	count = expression__integer(e->b, record);
	if (e->kind == EXPR_HEX)
		print_hex_bytes(out, memory.data, available(memory, count, 1), *e->text);
	else if (e->kind == EXPR_ARRAY)
		print_array(e, memory, count, out);
	else
		print_bitmap(out, memory, 8 * available(memory, count, 1));
}

/* A text whose length is only known once it is made: count first, then make it again. */
static void print_text_padded(const struct expression *e, const struct record *record,
			      const struct printf_spec *spec, struct text_out *out)
{
	struct text_out count = { 0 };
	size_t length, padding = 0, room;
	struct text_out part;

	print_text(e, record, &count);
	length = count.len;
	if (spec->precision >= 0 && (size_t)spec->precision < length)
		length = (size_t)spec->precision;
	if (spec->width > 0 && (size_t)spec->width > length)
		padding = (size_t)spec->width - length;

	if (!(spec->flags & PRINTF_LEFT))
		text_out__fill(out, ' ', padding);
	room = out->len < out->cap ? out->cap - out->len : 0;
	part = (struct text_out){
		.buf = room ? out->buf + out->len : NULL,
		.cap = room < length ? room : length,
	};
	print_text(e, record, &part);
	out->len += length;
	if (spec->flags & PRINTF_LEFT)
		text_out__fill(out, ' ', padding);
}

/* A string of the kernel: its bytes are not in the record, its address is. */
static void print_kernel_string(uint64_t address, const struct printf_spec *spec,
				struct text_out *out)
{
	const char *bad = bad_pointer_text(address);

	if (bad)
		print_string(out, bad, strlen(bad), spec);
	else
		print_prefixed_hex(out, address);
}

void expression__print_string(const struct expression *e, const struct record *record,
			      const struct printf_spec *spec, struct text_out *out)
{
	struct memory memory;

	while (e->kind == EXPR_CONDITIONAL)
		e = expression__integer(e->a, record) ? e->b : e->c;
	if (e->type.kind == C_TEXT) {
		if (spec->width < 0 && spec->precision < 0)
			print_text(e, record, out);
		else
			print_text_padded(e, record, spec, out);
		return;
	}
	memory = expression__memory(e, record);
	if (memory.data)
		print_string(out, memory.data, memory.size, spec);
	else
		print_kernel_string(memory.address, spec, out);
}
