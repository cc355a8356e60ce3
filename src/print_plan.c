// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "print_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "expression_parser.h"

/*
 * Bounds for formats that were made to hurt: nodes that all arguments of a format may visit,
 * and bytes of text after which no more is added. ftrace itself stops at 8 KiB.
 */
#define MAX_COST 65536
#define MAX_TEXT (1U << 20)

enum step_kind {
	STEP_TEXT,
	STEP_DECIMAL, /* %d, %lu and so on, without flags, width or precision */
	STEP_HEX,     /* %x and %lx, likewise */
	STEP_NUMBER,
	STEP_CHARACTER,
	STEP_STRING,
	STEP_POINTER,
	STEP_SYMBOL,
};

struct print_step {
	enum step_kind kind;
	struct c_type type; /* of the argument of a number, as the conversion has it */
	struct printf_spec spec;
	const char *text; /* what to print, or the letters after %p */
	size_t length;
	const struct expression *argument;
	const struct expression *width, *precision; /* where the format has a '*' */
};

/* State of a compilation: the format is read and the arguments are parsed along. */
struct compiler {
	struct print_plan *plan;
	struct expression_parser parser;
	const char *next, *end; /* rest of the format */
	unsigned int cost;	/* of all arguments so far */
};

static int fail(struct compiler *c, const char *why)
{
	if (!c->parser.error)
		c->parser.error = why;
	return -1;
}

static struct print_step *add_step(struct compiler *c, enum step_kind kind)
{
	struct print_step *step = &c->plan->steps[c->plan->nr_steps++];

	step->kind = kind;
	return step;
}

/* Literal text up to the next conversion; "%%" is part of it. */
static void add_text(struct compiler *c)
{
	struct print_step *step = add_step(c, STEP_TEXT);

	step->text = c->next;
	if (*c->next == '%') { /* the second one of the pair stands for both */
		step->text++;
		c->next += 2;
	}
	while (c->next < c->end && *c->next != '%')
		c->next++;
	step->length = (size_t)(c->next - step->text);
}

static const struct expression *next_argument(struct compiler *c)
{
	const struct expression *argument;

	if (!expression_parser__accept(&c->parser, ',')) {
		fail(c, "more conversions than arguments");
		return NULL;
	}
	argument = expression_parser__argument(&c->parser);
	if (!argument)
		return NULL;
	c->cost += argument->cost;
	if (c->cost > MAX_COST) {
		fail(c, "arguments too large");
		return NULL;
	}
	return argument;
}

static void parse_flags(struct compiler *c, struct printf_spec *spec)
{
	for (; c->next < c->end; c->next++) {
		switch (*c->next) {
		case '-':
			spec->flags |= PRINTF_LEFT;
			break;
		case '+':
			spec->flags |= PRINTF_PLUS;
			break;
		case ' ':
			spec->flags |= PRINTF_SPACE;
			break;
		case '#':
			spec->flags |= PRINTF_SPECIAL;
			break;
		case '0':
			spec->flags |= PRINTF_ZERO;
			break;
		default:
			return;
		}
	}
}

/* Digits, or a '*' whose value is the next argument. */
static int parse_amount(struct compiler *c, int *amount, const struct expression **argument)
{
	if (c->next < c->end && *c->next == '*') {
		c->next++;
		*argument = next_argument(c);
		if (!*argument)
			return -1;
		if ((*argument)->type.kind != C_INTEGER || (*argument)->is_unknown)
			return fail(c, "width or precision is not a number");
		return 0;
	}
	for (; c->next < c->end && *c->next >= '0' && *c->next <= '9'; c->next++) {
		*amount = (*amount < 0 ? 0 : *amount) * 10 + (*c->next - '0');
		if (*amount > PRINTF_WIDTH_MAX)
			*amount = PRINTF_WIDTH_MAX;
	}
	return 0;
}

static bool accept(struct compiler *c, char letter)
{
	if (c->next == c->end || *c->next != letter)
		return false;
	c->next++;
	return true;
}

static uint8_t parse_size(struct compiler *c)
{
	if (accept(c, 'h'))
		return accept(c, 'h') ? sizeof(char) : sizeof(short);
	if (accept(c, 'l'))
		return accept(c, 'l') ? sizeof(long long) : sizeof(long);
	if (accept(c, 'L'))
		return sizeof(long long);
	if (accept(c, 'z') || accept(c, 't'))
		return sizeof(size_t);
	return sizeof(int);
}

/* Whether a string may be one of the kernel, of which the record has only the address. */
static bool may_be_kernel_string(const struct expression *e)
{
	if (e->kind == EXPR_CONDITIONAL)
		return may_be_kernel_string(e->b) || may_be_kernel_string(e->c);
	return e->type.kind == C_POINTER && !e->is_memory && e->kind != EXPR_CONSTANT;
}

static void note_inexact(struct compiler *c, const char *why)
{
	if (!c->plan->inexact)
		c->plan->inexact = why;
}

/*
 * A value that is made of a variable of the kernel: the rest of the line is still worth
 * having. For pointers there is the kernel's own word for one that it cannot show.
 */
static int finish_unknown(struct compiler *c, struct print_step *step, const char *text)
{
	note_inexact(c, "a value that the record does not hold is not shown");
	step->kind = STEP_TEXT;
	step->text = text;
	step->length = strlen(text);
	return 0;
}

static int finish_number(struct compiler *c, struct print_step *step)
{
	struct printf_spec *spec = &step->spec;

	if (step->argument->type.kind == C_TEXT || step->argument->is_memory)
		return fail(c, "text or address printed as a number");
	if (step->argument->is_unknown)
		return finish_unknown(c, step, "?");
	step->type = c_type__integer(spec->size, spec->is_signed);
	step->kind = STEP_NUMBER;
	if (spec->flags || spec->width >= 0 || spec->precision >= 0 || step->width ||
	    step->precision)
		return 0;
	if (spec->base == 10)
		step->kind = STEP_DECIMAL;
	else if (spec->base == 16)
		step->kind = STEP_HEX;
	return 0;
}

static int finish_string(struct compiler *c, struct print_step *step)
{
	if (step->argument->type.kind == C_INTEGER && step->argument->kind != EXPR_CONSTANT)
		return fail(c, "number printed as a string");
	if (step->argument->is_unknown)
		return finish_unknown(c, step, "?");
	if (may_be_kernel_string(step->argument))
		note_inexact(c, "a string of the kernel is shown as its address");
	step->kind = STEP_STRING;
	return 0;
}

static bool is_letter_or_digit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/*
 * The kernel's option nohash-ptr makes "%px" of "%p", but not of "%16p", which therefore
 * always prints a hash.
 */
static const char *why_pointer_is_inexact(const char *suffix, bool is_bare,
					  const struct expression *argument)
{
	if (!*suffix)
		return is_bare ? NULL : "a pointer is shown where ftrace prints a hash";
	if (*suffix == 'x')
		return NULL;
	if (!strchr("IiMmUhba", *suffix))
		return "a pointer format is not supported";
	return argument->is_memory ? NULL : "memory of the kernel is shown as its address";
}

static int finish_pointer(struct compiler *c, struct print_step *step, bool is_bare)
{
	const char *start = c->next;
	char *suffix;

	while (c->next < c->end && is_letter_or_digit(*c->next))
		c->next++;
	suffix = arena__copy_text(&c->plan->arena, start, (size_t)(c->next - start));
	if (!suffix) {
		c->parser.no_memory = true;
		return -1;
	}
	if (step->argument->type.kind == C_TEXT)
		return fail(c, "text printed as a pointer");
	if ((!*suffix || *suffix == 'x') && step->argument->is_memory)
		return fail(c, "address of the record is printed");
	if (step->argument->is_unknown)
		return finish_unknown(c, step, "(____ptrval____)");
	step->text = suffix;
	if (*suffix && strchr("SsFfB", *suffix)) {
		if (step->argument->is_memory)
			return fail(c, "address of the record is printed");
		step->kind = STEP_SYMBOL;
		c->plan->has_symbols = true;
		return 0;
	}
	note_inexact(c, why_pointer_is_inexact(suffix, is_bare, step->argument));
	step->kind = STEP_POINTER;
	return 0;
}

static int finish_conversion(struct compiler *c, struct print_step *step, bool is_bare)
{
	struct printf_spec *spec = &step->spec;

	switch (c->next < c->end ? *c->next++ : '\0') {
	case 'd':
	case 'i':
		spec->is_signed = true;
		spec->base = 10;
		return finish_number(c, step);
	case 'u':
		spec->base = 10;
		return finish_number(c, step);
	case 'o':
		spec->base = 8;
		return finish_number(c, step);
	case 'X':
		spec->flags |= PRINTF_UPPER;
		spec->base = 16;
		return finish_number(c, step);
	case 'x':
		spec->base = 16;
		return finish_number(c, step);
	case 'c':
		step->kind = STEP_CHARACTER;
		if (step->argument->type.kind == C_INTEGER && !step->argument->is_unknown)
			return 0;
		return fail(c, "text or address printed as a character");
	case 's':
		return finish_string(c, step);
	case 'p':
		return finish_pointer(c, step, is_bare);
	default:
		return fail(c, "unknown conversion");
	}
}

static int add_conversion(struct compiler *c)
{
	struct print_step *step = add_step(c, STEP_TEXT);
	const char *start = ++c->next;
	bool is_bare;

	step->spec = (struct printf_spec){ .width = -1, .precision = -1 };
	parse_flags(c, &step->spec);
	if (parse_amount(c, &step->spec.width, &step->width))
		return -1;
	if (accept(c, '.')) {
		step->spec.precision = 0;
		if (parse_amount(c, &step->spec.precision, &step->precision))
			return -1;
	}
	step->spec.size = parse_size(c);
	is_bare = c->next == start;
	step->argument = next_argument(c);
	if (!step->argument)
		return -1;
	return finish_conversion(c, step, is_bare);
}

/* One step for each conversion and for the text before and behind it. */
static int allocate_steps(struct compiler *c)
{
	size_t nr = 1;

	for (const char *p = c->next; p < c->end; p++)
		nr += 2 * (*p == '%');
	c->plan->steps = arena__alloc(&c->plan->arena, nr * sizeof(*c->plan->steps));
	return c->plan->steps ? 0 : -ENOMEM;
}

static int compile_steps(struct compiler *c)
{
	while (c->next < c->end) {
		if (*c->next != '%' || (c->end - c->next > 1 && c->next[1] == '%'))
			add_text(c);
		else if (add_conversion(c))
			return -1;
	}
	/* Arguments beyond the last conversion would mean that the format ended too early. */
	if (!expression_parser__at_end(&c->parser) &&
	    (!expression_parser__accept(&c->parser, ',') || !expression_parser__at_end(&c->parser)))
		return fail(c, "more arguments than conversions");
	return 0;
}

/*
 * Quotes and backslashes in a TP_printk() format come out of the preprocessor as the
 * characters they stand for, but formats that the kernel writes itself have escapes.
 */
static char *copy_format(struct arena *arena, const char *format, size_t length)
{
	char *copy = arena__copy_text(arena, format, length), *to = copy;

	if (!copy)
		return NULL;
	for (size_t i = 0; i < length; i++) {
		char c = format[i];

		if (c == '\\' && i + 1 < length && strchr("\"\\nt", format[i + 1])) {
			c = format[++i];
			c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
		}
		*to++ = c;
	}
	*to = '\0';
	return copy;
}

/* Compiles the text on the assumption that the format ends at this quote. */
static int compile_to_quote(struct print_plan *plan, const struct event_format_field *fields,
			    size_t nr_fields, const char *text, const char *quote, const char *end,
			    const char **error)
{
	struct compiler c = { .plan = plan };

	c.next = copy_format(&plan->arena, text, (size_t)(quote - text));
	if (!c.next)
		return -ENOMEM;
	c.end = c.next + strlen(c.next);
	/* Some formats end with a newline, for which ftrace shows an empty line behind the text. */
	while (c.end > c.next && c.end[-1] == '\n')
		c.end--;
	if (allocate_steps(&c))
		return -ENOMEM;
	expression_parser__init(&c.parser, &plan->arena, fields, nr_fields, quote + 1,
				(size_t)(end - quote - 1));
	if (!compile_steps(&c)) {
		plan->resolved = c.parser.resolved;
		return 0;
	}
	*error = c.parser.error;
	return c.parser.no_memory ? -ENOMEM : -EINVAL;
}

/* The next quote that may end the format: only a comma or nothing follows. */
static const char *find_end_quote(const char *p, const char *end)
{
	while ((p = memchr(p, '"', (size_t)(end - p)))) {
		const char *next = p + 1;

		while (next < end && (*next == ' ' || *next == '\n'))
			next++;
		if (p[-1] != '\\' && (next == end || *next == ','))
			return p;
		p++;
	}
	return NULL;
}

int print_plan__compile(struct print_plan *plan, const struct event_format_field *fields,
			size_t nr_fields, const char *text, size_t length, const char **error)
{
	/*
	 * Quotes within the format are not escaped, so where it ends is found by trying: the
	 * first end with which all the rest makes sense. Real ones need one or two tries.
	 */
	const int most_tries = 16;
	const char *end = text + length, *quote = text;
	int err = -EINVAL;

	*plan = (struct print_plan){ 0 };
	*error = "format is not in quotes";
	if (!length || *text != '"')
		return -EINVAL;
	for (int i = 0; i < most_tries && (quote = find_end_quote(quote + 1, end)); i++) {
		const char *why = NULL;

		err = compile_to_quote(plan, fields, nr_fields, text + 1, quote, end, &why);
		if (!err)
			return 0;
		print_plan__free(plan);
		if (err == -ENOMEM)
			return err;
		if (i == 0)
			*error = why;
	}
	return err;
}

void print_plan__free(struct print_plan *plan)
{
	arena__free(&plan->arena);
	*plan = (struct print_plan){ 0 };
}

/* Replaces what the format takes from the arguments, with the kernel's limits. */
static struct printf_spec effective_spec(const struct print_step *step, const struct record *record)
{
	struct printf_spec spec = step->spec;
	int64_t amount;

	if (step->width) {
		amount = (int32_t)expression__integer(step->width, record);
		if (amount < 0) {
			spec.flags |= PRINTF_LEFT;
			amount = -amount;
		}
		spec.width = amount < PRINTF_WIDTH_MAX ? (int)amount : PRINTF_WIDTH_MAX;
	}
	if (step->precision)
		spec.precision = (int32_t)expression__integer(step->precision, record);
	return spec;
}

static void print_character(struct text_out *out, uint64_t value, const struct printf_spec *spec)
{
	size_t padding = spec->width > 1 ? (size_t)spec->width - 1 : 0;

	if (!(spec->flags & PRINTF_LEFT))
		text_out__fill(out, ' ', padding);
	text_out__char(out, (char)value);
	if (spec->flags & PRINTF_LEFT)
		text_out__fill(out, ' ', padding);
}

static void print_pointer_argument(const struct print_step *step, const struct record *record,
				   const struct printf_spec *spec, struct text_out *out)
{
	const struct expression *e = step->argument;
	struct memory pointer = { 0 };

	if (e->is_memory)
		pointer = expression__memory(e, record);
	else
		pointer.address = expression__integer(e, record);
	print_pointer(out, step->text, pointer, spec);
}

/* %pS is name+offset/size [module], %ps without the middle, %pB is for return addresses. */
static void print_symbol(const struct print_step *step, const struct record *record,
			 const struct printf_spec *spec, struct text_out *out)
{
	uint64_t address = expression__integer(step->argument, record);
	unsigned int before = *step->text == 'B' ? 1 : 0;
	struct event_format_symbol symbol;
	char text[512];
	int length;

	if (!record->find_symbol || !record->find_symbol(address - before, &symbol)) {
		length = snprintf(text, sizeof(text), "0x%" PRIx64, address);
	} else {
		const char *module = symbol.module ? symbol.module : "";
		const char *brackets[] = { *module ? " [" : "", *module ? "]" : "" };

		if (*step->text == 's' || *step->text == 'f')
			length = snprintf(text, sizeof(text), "%s%s%s%s", symbol.name, brackets[0],
					  module, brackets[1]);
		else
			length = snprintf(text, sizeof(text),
					  "%s+0x%" PRIx64 "/0x%" PRIx64 "%s%s%s", symbol.name,
					  symbol.offset + before, symbol.size, brackets[0], module,
					  brackets[1]);
	}
	print_string(out, text, length < (int)sizeof(text) ? (size_t)length : sizeof(text) - 1,
		     spec);
}

static void print_converted(const struct print_step *step, const struct record *record,
			    struct text_out *out)
{
	struct printf_spec spec = effective_spec(step, record);
	uint64_t value;

	switch (step->kind) {
	case STEP_STRING:
		expression__print_string(step->argument, record, &spec, out);
		return;
	case STEP_POINTER:
		print_pointer_argument(step, record, &spec, out);
		return;
	case STEP_SYMBOL:
		print_symbol(step, record, &spec, out);
		return;
	case STEP_CHARACTER:
		print_character(out, expression__integer(step->argument, record), &spec);
		return;
	default:
		value = expression__integer(step->argument, record);
		print_number(out, c_type__normalize(step->type, value), &spec);
	}
}

static void print_plain_decimal(const struct print_step *step, uint64_t value, struct text_out *out)
{
	if (step->type.is_signed && (int64_t)value < 0) {
		text_out__char(out, '-');
		value = -value;
	}
	print_decimal(out, value);
}

void print_plan__run(const struct print_plan *plan, const struct record *record,
		     struct text_out *out)
{
	for (size_t i = 0; i < plan->nr_steps && out->len < MAX_TEXT; i++) {
		const struct print_step *step = &plan->steps[i];
		uint64_t value;

		switch (step->kind) {
		case STEP_TEXT:
			text_out__bytes(out, step->text, step->length);
			break;
		case STEP_DECIMAL:
			value = expression__integer(step->argument, record);
			print_plain_decimal(step, c_type__normalize(step->type, value), out);
			break;
		case STEP_HEX:
			value = expression__integer(step->argument, record);
			print_hex(out, c_type__normalize(step->type, value));
			break;
		default:
			print_converted(step, record, out);
		}
	}
}
