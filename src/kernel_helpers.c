// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "kernel_helpers.h"

#include <string.h>
#include <time.h>

#include "expression_builder.h"

#define NSEC_PER_SEC 1000000000ULL
#define MSEC_PER_SEC 1000ULL

/* common_flags */
#define TRACE_FLAG_HARDIRQ 0x08
#define TRACE_FLAG_SOFTIRQ 0x10

static struct c_type u64_type(void)
{
	return c_type__integer(sizeof(uint64_t), false);
}

static struct c_type u32_type(void)
{
	return c_type__integer(sizeof(uint32_t), false);
}

static struct c_type long_type(bool is_signed)
{
	return c_type__integer(sizeof(long), is_signed);
}

static bool is_constant(const struct expression *e)
{
	return e->kind == EXPR_CONSTANT && !e->is_unknown;
}

static bool comma(struct expression_parser *parser)
{
	if (expression_parser__accept(parser, ','))
		return true;
	builder__fail(parser, "too few arguments");
	return false;
}

/* Arguments that are dynamic fields */

static const struct event_format_field *dynamic_field(struct expression_parser *parser)
{
	const struct event_format_field *field = expression_parser__field(parser);

	if (field && field->location == FIELD_FIXED)
		return builder__fail(parser, "field is not dynamic");
	return field;
}

static const struct expression *get_string(struct expression_parser *parser, int option)
{
	const struct event_format_field *field = dynamic_field(parser);

	return field ? builder__dynamic_address(parser, field, c_type__integer(1, false)) : NULL;
}

static const struct expression *get_array(struct expression_parser *parser, int option)
{
	const struct event_format_field *field = dynamic_field(parser);

	return field ? builder__dynamic_address(parser, field, (struct c_type){ .kind = C_OPAQUE })
		     : NULL;
}

static const struct expression *get_array_length(struct expression_parser *parser, int option)
{
	const struct event_format_field *field = dynamic_field(parser);

	return field ? builder__dynamic_length(parser, field) : NULL;
}

static const struct expression *get_bitmask(struct expression_parser *parser, int option)
{
	const struct event_format_field *field = dynamic_field(parser);
	const struct expression *address, *length;

	if (!field)
		return NULL;
	address = builder__dynamic_address(parser, field, (struct c_type){ .kind = C_OPAQUE });
	length = builder__dynamic_length(parser, field);
	return address && length ? builder__text(parser, EXPR_BITMASK, address, length) : NULL;
}

/* Tables of flags and symbols */

/* The text of a literal, "" for NULL; NULL with the error set for anything else. */
static const char *constant_text(struct expression_parser *parser, bool *is_null, size_t *length)
{
	const struct expression *e = expression_parser__argument(parser);

	if (!e)
		return NULL;
	*is_null = is_constant(e) && !e->value;
	*length = e->kind == EXPR_LITERAL ? strlen(e->text) : 0;
	if (e->kind == EXPR_LITERAL)
		return e->text;
	return *is_null ? "" : builder__fail(parser, "name is not constant");
}

struct symbol_list {
	struct symbol_list *next;
	struct symbol symbol;
};

/* One { value, name }. An empty one and one without a name end a table. */
static bool parse_symbol(struct expression_parser *parser, struct symbol *symbol, bool *is_last)
{
	const struct expression *value;

	if (!expression_parser__accept(parser, '{'))
		return builder__fail(parser, "table entry expected");
	if (expression_parser__accept(parser, '}')) {
		*is_last = true;
		return true;
	}
	value = builder__cast(parser, long_type(false), expression_parser__argument(parser));
	if (!value || !comma(parser))
		return false;
	if (!is_constant(value))
		return builder__fail(parser, "value is not constant");
	symbol->value = value->value;
	symbol->name = constant_text(parser, is_last, &symbol->length);
	expression_parser__accept(parser, ',');
	if (symbol->name && !expression_parser__accept(parser, '}'))
		return builder__fail(parser, "table entry does not end");
	return symbol->name;
}

static struct symbol_table *new_table(struct expression_parser *parser,
				      const struct symbol_list *newest, size_t nr)
{
	struct symbol_table *table = arena__alloc(parser->arena, sizeof(*table));
	struct symbol *symbols = arena__alloc(parser->arena, nr * sizeof(*symbols));

	if (!table || !symbols) {
		parser->no_memory = true;
		return NULL;
	}
	table->symbols = symbols;
	table->nr = nr;
	for (; newest; newest = newest->next)
		symbols[--nr] = newest->symbol;
	return table;
}

/* Entries up to the parenthesis that closes the call; what follows the last is not used. */
static struct symbol_table *parse_table(struct expression_parser *parser)
{
	struct symbol_list *newest = NULL;
	bool ended = false;
	size_t nr = 0;

	do {
		struct symbol_list *entry = arena__alloc(parser->arena, sizeof(*entry));
		bool is_last = false;

		if (!entry) {
			parser->no_memory = true;
			return NULL;
		}
		if (!parse_symbol(parser, &entry->symbol, &is_last))
			return NULL;
		ended = ended || is_last;
		if (ended)
			continue;
		entry->next = newest;
		newest = entry;
		nr++;
	} while (expression_parser__accept(parser, ',') && !c_token__is(&parser->token, ')'));
	return new_table(parser, newest, nr);
}

/* The kernel's helper takes an unsigned long, whatever the field is. */
static const struct expression *parse_flag_value(struct expression_parser *parser)
{
	return builder__cast(parser, long_type(false), expression_parser__argument(parser));
}

static const struct expression *print_flags(struct expression_parser *parser, int option)
{
	const struct expression *value = parse_flag_value(parser);
	const struct symbol_table *table;
	struct expression *e;
	const char *delimiter;
	size_t length;
	bool is_null;

	if (!value || !comma(parser))
		return NULL;
	delimiter = constant_text(parser, &is_null, &length);
	if (!delimiter || !comma(parser))
		return NULL;
	table = parse_table(parser);
	e = table ? builder__text(parser, EXPR_FLAGS, value, NULL) : NULL;
	if (!e)
		return NULL;
	e->table = table;
	e->delimiter = delimiter;
	e->length = length;
	return e;
}

static const struct expression *print_symbolic(struct expression_parser *parser, int option)
{
	const struct expression *value = parse_flag_value(parser);
	const struct symbol_table *table;
	struct expression *e;

	if (!value || !comma(parser))
		return NULL;
	table = parse_table(parser);
	e = table ? builder__text(parser, EXPR_SYMBOLIC, value, NULL) : NULL;
	if (e)
		e->table = table;
	return e;
}

/* Arrays */

static const struct expression *parse_int(struct expression_parser *parser)
{
	return builder__cast(parser, c_type__integer(sizeof(int), true),
			     expression_parser__argument(parser));
}

static const struct expression *print_hex_bytes_of(struct expression_parser *parser, int separator)
{
	const struct expression *bytes = expression_parser__argument(parser), *count;
	struct expression *e;

	if (!bytes || !comma(parser))
		return NULL;
	count = parse_int(parser);
	if (!count)
		return NULL;
	if (!bytes->is_memory)
		return builder__fail(parser, "memory outside of the record is read");
	e = builder__text(parser, EXPR_HEX, bytes, count);
	if (e)
		e->text = separator ? " " : "";
	return e;
}

static const struct expression *array_text(struct expression_parser *parser,
					   const struct expression *array,
					   const struct expression *count)
{
	const struct expression *size = expression_parser__argument(parser);
	struct expression *e;

	if (!array || !count || !size)
		return NULL;
	if (!array->is_memory)
		return builder__fail(parser, "memory outside of the record is read");
	if (!is_constant(size) ||
	    (size->value != 1 && size->value != 2 && size->value != 4 && size->value != 8))
		return builder__fail(parser, "element size is not 1, 2, 4 or 8");
	count = builder__cast(parser, c_type__integer(sizeof(int), true), count);
	e = count ? builder__text(parser, EXPR_ARRAY, array, count) : NULL;
	if (e)
		e->value = size->value;
	return e;
}

static const struct expression *print_array(struct expression_parser *parser, int option)
{
	const struct expression *array = expression_parser__argument(parser), *count;

	if (!array || !comma(parser))
		return NULL;
	count = parse_int(parser);
	return count && comma(parser) ? array_text(parser, array, count) : NULL;
}

/* All elements of a dynamic array: those its length has room for. */
static const struct expression *print_dynamic_array(struct expression_parser *parser, int option)
{
	const struct event_format_field *field = dynamic_field(parser);
	const struct expression *text, *length, *array;
	struct expression *e;

	if (!field || !comma(parser))
		return NULL;
	array = builder__dynamic_address(parser, field, (struct c_type){ .kind = C_OPAQUE });
	length = builder__dynamic_length(parser, field);
	text = array_text(parser, array, length);
	if (!text)
		return NULL;
	length = builder__binary(parser, EXPR_DIVIDE, length,
				 builder__constant(parser, u64_type(), text->value));
	e = length ? builder__text(parser, EXPR_ARRAY, array, length) : NULL;
	if (e)
		e->value = text->value;
	return e;
}

/* Numbers */

static const struct expression *nanoseconds(struct expression_parser *parser, int kind)
{
	const struct expression *value, *divisor;

	value = builder__cast(parser, u64_type(), expression_parser__argument(parser));
	divisor = builder__constant(parser, u64_type(), NSEC_PER_SEC);
	value = builder__binary(parser, (enum expression_kind)kind, value, divisor);
	return kind == EXPR_REMAINDER ? builder__cast(parser, u32_type(), value) : value;
}

static const struct expression *context_flags(struct expression_parser *parser, int mask)
{
	for (size_t i = 0; i < parser->nr_fields; i++) {
		const struct event_format_field *field = &parser->fields[i];

		if (!strcmp(field->name, "common_flags"))
			return builder__binary(
				parser, EXPR_BIT_AND, builder__field(parser, field),
				builder__constant(parser, u32_type(), (uint64_t)mask));
	}
	return builder__fail(parser, "no common_flags");
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
	return b ? greatest_common_divisor(b, a % b) : a;
}

/*
 * The frequency of jiffies is a build option of the kernel which it states nowhere, but its
 * coarse clocks advance once a jiffy and tell how much that is.
 */
static uint64_t jiffies_per_second(void)
{
	struct timespec tick;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) || tick.tv_sec || tick.tv_nsec <= 0)
		return 100;
	return (NSEC_PER_SEC + (uint64_t)tick.tv_nsec / 2) / (uint64_t)tick.tv_nsec;
}

/* j * 1000 / HZ, rounded up, in an unsigned int */
static const struct expression *jiffies_to_msecs(struct expression_parser *parser, int option)
{
	uint64_t hz = jiffies_per_second();
	uint64_t divisor = greatest_common_divisor(MSEC_PER_SEC, hz);
	uint64_t multiply = MSEC_PER_SEC / divisor, divide = hz / divisor;
	const struct expression *e;

	e = builder__cast(parser, long_type(false), expression_parser__argument(parser));
	e = builder__binary(parser, EXPR_MULTIPLY, e,
			    builder__constant(parser, long_type(false), multiply));
	e = builder__binary(parser, EXPR_ADD, e,
			    builder__constant(parser, long_type(false), divide - 1));
	e = builder__binary(parser, EXPR_DIVIDE, e,
			    builder__constant(parser, long_type(false), divide));
	return builder__cast(parser, u32_type(), e);
}

/* ras:mc_event's word for the severity of a memory error */
static const struct expression *memory_error_type(struct expression_parser *parser, int option)
{
	static const struct symbol symbols[] = {
		{ .value = 0, .name = "Corrected", .length = 9 },
		{ .value = 1, .name = "Uncorrected", .length = 11 },
		{ .value = 2, .name = "Deferred", .length = 8 },
		{ .value = 3, .name = "Fatal", .length = 5 },
	};
	static const struct symbol_table table = {
		.symbols = symbols,
		.nr = sizeof(symbols) / sizeof(symbols[0]),
		.otherwise = "Info",
	};
	const struct expression *value;
	struct expression *e;

	value = builder__cast(parser, u32_type(), expression_parser__argument(parser));
	e = value ? builder__text(parser, EXPR_SYMBOLIC, value, NULL) : NULL;
	if (e)
		e->table = &table;
	return e;
}

/* The compiler's own */

static const struct expression *builtin_expect(struct expression_parser *parser, int option)
{
	const struct expression *e = expression_parser__argument(parser);

	if (e && comma(parser) && expression_parser__argument(parser))
		return builder__cast(parser, long_type(true), e);
	return NULL;
}

static const struct expression *builtin_constant_p(struct expression_parser *parser, int option)
{
	const struct expression *e = expression_parser__argument(parser);

	if (!e)
		return NULL;
	return builder__constant(parser, c_type__integer(sizeof(int), true),
				 is_constant(e) || e->kind == EXPR_LITERAL);
}

static const struct expression *builtin_choose_expr(struct expression_parser *parser, int option)
{
	const struct expression *condition = expression_parser__argument(parser), *yes, *no;

	if (!condition || !comma(parser))
		return NULL;
	yes = expression_parser__argument(parser);
	if (!yes || !comma(parser))
		return NULL;
	no = expression_parser__argument(parser);
	if (!is_constant(condition))
		return builder__fail(parser, "choice is not constant");
	return condition->value ? yes : no;
}

static const struct kernel_helper {
	const char *name;
	const struct expression *(*parse)(struct expression_parser *parser, int option);
	int option;
} kernel_helpers[] = {
	{ "__get_str", get_string, 0 },
	{ "__get_rel_str", get_string, 0 },
	{ "__get_dynamic_array", get_array, 0 },
	{ "__get_rel_dynamic_array", get_array, 0 },
	{ "__get_sockaddr", get_array, 0 },
	{ "__get_rel_sockaddr", get_array, 0 },
	{ "__get_dynamic_array_len", get_array_length, 0 },
	{ "__get_rel_dynamic_array_len", get_array_length, 0 },
	{ "__get_bitmask", get_bitmask, 0 },
	{ "__get_rel_bitmask", get_bitmask, 0 },
	{ "__get_cpumask", get_bitmask, 0 },
	{ "__get_rel_cpumask", get_bitmask, 0 },
	{ "__print_flags", print_flags, 0 },
	{ "__print_flags_u64", print_flags, 0 },
	{ "__print_symbolic", print_symbolic, 0 },
	{ "__print_symbolic_u64", print_symbolic, 0 },
	{ "__print_hex", print_hex_bytes_of, ' ' },
	{ "__print_hex_str", print_hex_bytes_of, '\0' },
	{ "__print_array", print_array, 0 },
	{ "__print_dynamic_array", print_dynamic_array, 0 },
	{ "__print_ns_to_secs", nanoseconds, EXPR_DIVIDE },
	{ "__print_ns_without_secs", nanoseconds, EXPR_REMAINDER },
	{ "__event_in_hardirq", context_flags, TRACE_FLAG_HARDIRQ },
	{ "__event_in_softirq", context_flags, TRACE_FLAG_SOFTIRQ },
	{ "__event_in_irq", context_flags, TRACE_FLAG_HARDIRQ | TRACE_FLAG_SOFTIRQ },
	{ "jiffies_to_msecs", jiffies_to_msecs, 0 },
	{ "mc_event_error_type", memory_error_type, 0 },
	{ "__builtin_expect", builtin_expect, 0 },
	{ "__builtin_constant_p", builtin_constant_p, 0 },
	{ "__builtin_choose_expr", builtin_choose_expr, 0 },
};

const struct expression *kernel_helpers__parse(struct expression_parser *parser,
					       const struct c_token *name)
{
	for (size_t i = 0; i < sizeof(kernel_helpers) / sizeof(kernel_helpers[0]); i++) {
		const struct kernel_helper *helper = &kernel_helpers[i];
		const struct expression *e;

		if (!c_token__is_name(name, helper->name))
			continue;
		e = helper->parse(parser, helper->option);
		if (e && !expression_parser__accept(parser, ')'))
			return builder__fail(parser, "call does not end");
		return e;
	}
	return builder__fail(parser, "function of the kernel is called");
}
