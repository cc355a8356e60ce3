// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "expression_builder.h"

/*
 * Bounds on what a record can cost, for formats that were made to hurt. Real ones stay below
 * a tenth of each.
 */
#define MAX_DEPTH 200
#define MAX_COST  16384

void *builder__fail(struct expression_parser *parser, const char *why)
{
	if (!parser->error && !parser->no_memory)
		parser->error = why;
	return NULL;
}

static struct expression *new_node(struct expression_parser *parser, enum expression_kind kind,
				   struct c_type type)
{
	struct expression *e = arena__alloc(parser->arena, sizeof(*e));

	if (!e) {
		parser->no_memory = true;
		return NULL;
	}
	e->kind = (uint8_t)kind;
	e->type = type;
	e->cost = 1;
	e->depth = 1;
	return e;
}

static void add_operand(struct expression *e, const struct expression *operand)
{
	if (!operand)
		return;
	e->is_unknown = e->is_unknown || operand->is_unknown;
	e->cost += operand->cost; /* cannot wrap: three operands are at most MAX_COST each */
	if (e->depth <= operand->depth)
		e->depth = operand->depth + 1;
}

static struct expression *new_operation(struct expression_parser *parser, enum expression_kind kind,
					struct c_type type, const struct expression *a,
					const struct expression *b, const struct expression *c)
{
	struct expression *e = new_node(parser, kind, type);

	if (!e)
		return NULL;
	e->a = a;
	e->b = b;
	e->c = c;
	add_operand(e, a);
	add_operand(e, b);
	add_operand(e, c);
	if (e->cost > MAX_COST || e->depth > MAX_DEPTH)
		return builder__fail(parser, "expression too large");
	return e;
}

static bool is_constant(const struct expression *e)
{
	return !e || (e->kind == EXPR_CONSTANT && !e->is_unknown);
}

/* A node whose operands are all constant is replaced by its value. */
static const struct expression *fold(struct expression_parser *parser, const struct expression *e)
{
	static const struct record no_record;

	if (!e || !is_constant(e->a) || !is_constant(e->b) || !is_constant(e->c))
		return e;
	return builder__constant(parser, e->type, expression__integer(e, &no_record));
}

static struct c_type int_type(void)
{
	return c_type__integer(sizeof(int), true);
}

const struct expression *builder__constant(struct expression_parser *parser, struct c_type type,
					   uint64_t value)
{
	struct expression *e = new_node(parser, EXPR_CONSTANT, type);

	if (e)
		e->value = c_type__normalize(type, value);
	return e;
}

const struct expression *builder__literal(struct expression_parser *parser, const char *text,
					  size_t length)
{
	struct c_type type = c_type__pointer_to(c_type__integer(1, false));
	struct expression *e = new_node(parser, EXPR_LITERAL, type);

	if (!e)
		return NULL;
	e->is_memory = true;
	e->text = text;
	e->length = length;
	return e;
}

const struct expression *builder__unknown(struct expression_parser *parser)
{
	struct expression *e = new_node(parser, EXPR_CONSTANT, c_type__integer(8, false));

	if (e)
		e->is_unknown = true;
	return e;
}

static bool is_integer_size(size_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* What the elements of an array field are, or C_OPAQUE for a structure. */
static struct c_type element_type(const struct event_format_field *field)
{
	if (field->is_array && is_integer_size(field->elem_size))
		return c_type__integer(field->elem_size, field->is_signed);
	return (struct c_type){ .kind = C_OPAQUE };
}

const struct expression *builder__field(struct expression_parser *parser,
					const struct event_format_field *field)
{
	struct expression *e;

	if (field->location != FIELD_FIXED)
		return builder__fail(parser, "dynamic field used as a value");
	if (field->is_array || !is_integer_size(field->size)) {
		e = new_node(parser, EXPR_FIELD_ADDRESS, c_type__pointer_to(element_type(field)));
		if (e)
			e->is_memory = true;
	} else {
		struct c_type type = c_type__integer(field->size, field->is_signed);

		if (field->is_pointer && field->size == sizeof(void *))
			type = c_type__pointer_to((struct c_type){ .kind = C_OPAQUE });
		e = new_node(parser, EXPR_FIELD, type);
	}
	if (!e)
		return NULL;
	e->offset = field->offset;
	e->length = field->size;
	return e;
}

const struct expression *builder__dynamic_address(struct expression_parser *parser,
						  const struct event_format_field *field,
						  struct c_type target)
{
	struct expression *e = new_node(parser, EXPR_DYNAMIC_ADDRESS, c_type__pointer_to(target));

	if (!e)
		return NULL;
	e->is_memory = true;
	e->is_relative = field->location == FIELD_REL_LOC;
	e->offset = field->offset;
	return e;
}

const struct expression *builder__dynamic_length(struct expression_parser *parser,
						 const struct event_format_field *field)
{
	struct c_type type = c_type__integer(sizeof(unsigned int), false);
	struct expression *e = new_node(parser, EXPR_DYNAMIC_LENGTH, type);

	if (e)
		e->offset = field->offset;
	return e;
}

/* The same node seen as another type. */
static const struct expression *retype(struct expression_parser *parser, struct c_type type,
				       const struct expression *e)
{
	struct expression *copy = new_node(parser, (enum expression_kind)e->kind, type);

	if (!copy)
		return NULL;
	*copy = *e;
	copy->type = type;
	return copy;
}

static bool same_integer(struct c_type a, struct c_type b)
{
	return a.kind == C_INTEGER && b.kind == C_INTEGER && a.size == b.size &&
	       a.is_signed == b.is_signed && a.is_bool == b.is_bool;
}

const struct expression *builder__cast(struct expression_parser *parser, struct c_type type,
				       const struct expression *e)
{
	if (!e || same_integer(type, e->type))
		return e;
	if (e->type.kind == C_TEXT) {
		if (type.kind == C_POINTER)
			return e;
		return builder__fail(parser, "text used as a number");
	}
	if (type.kind == C_OPAQUE)
		return builder__fail(parser, "cast to a structure or to void");
	if (e->is_memory) {
		if (type.kind == C_POINTER)
			return retype(parser, type, e);
		if (!type.is_bool)
			return builder__fail(parser, "address of the record used as a number");
	}
	return fold(parser, new_operation(parser, EXPR_CAST, type, e, NULL, NULL));
}

/* An operand of arithmetic: an integer or a kernel address, of at least int's width. */
static const struct expression *promote(struct expression_parser *parser,
					const struct expression *e)
{
	if (!e)
		return NULL;
	if (e->type.kind == C_TEXT || e->is_memory)
		return builder__fail(parser, "text or address used in arithmetic");
	if (e->type.kind == C_POINTER)
		return builder__cast(parser, c_type__integer(e->type.size, false), e);
	if (e->type.size < sizeof(int))
		return builder__cast(parser, int_type(), e);
	return e;
}

/* C's usual arithmetic conversions for two promoted types. */
static struct c_type common_type(struct c_type a, struct c_type b)
{
	if (a.size != b.size)
		return a.size > b.size ? a : b;
	return c_type__integer(a.size, a.is_signed && b.is_signed);
}

/* Whether a node is good for a condition: anything but a text. */
static bool is_condition(const struct expression *e)
{
	return e->type.kind == C_INTEGER || e->type.kind == C_POINTER;
}

const struct expression *builder__unary(struct expression_parser *parser, enum expression_kind kind,
					const struct expression *e)
{
	struct c_type type = int_type();

	if (!e)
		return NULL;
	if (kind == EXPR_NOT) {
		if (!is_condition(e))
			return builder__fail(parser, "text used as a condition");
	} else {
		e = promote(parser, e);
		if (!e)
			return NULL;
		type = e->type;
	}
	return fold(parser, new_operation(parser, kind, type, e, NULL, NULL));
}

/* pointer + integer, in elements of what it points to; void counts as bytes, as in GNU C */
static const struct expression *element(struct expression_parser *parser,
					const struct expression *pointer,
					const struct expression *index)
{
	struct c_type ptrdiff = c_type__integer(sizeof(int64_t), true);
	struct expression *e;

	index = builder__cast(parser, ptrdiff, promote(parser, index));
	if (!index)
		return NULL;
	e = new_operation(parser, EXPR_ELEMENT, pointer->type, pointer, index, NULL);
	if (!e)
		return NULL;
	e->is_memory = pointer->is_memory;
	e->value = pointer->type.target_size ? pointer->type.target_size : 1;
	return e;
}

static bool is_null(const struct expression *e)
{
	return is_constant(e) && !e->value;
}

/* Comparing memory is possible only with NULL, since its address is not known. */
static const struct expression *compare_with_null(struct expression_parser *parser,
						  enum expression_kind kind,
						  const struct expression *a,
						  const struct expression *b)
{
	const struct expression *pointer = a->is_memory ? a : b;
	const struct expression *other = a->is_memory ? b : a;

	if (!is_null(other))
		return builder__fail(parser, "address of the record compared");
	pointer = builder__unary(parser, EXPR_NOT, pointer);
	return kind == EXPR_EQUAL ? pointer : builder__unary(parser, EXPR_NOT, pointer);
}

static const struct expression *logical(struct expression_parser *parser, enum expression_kind kind,
					const struct expression *a, const struct expression *b)
{
	if (!is_condition(a) || !is_condition(b))
		return builder__fail(parser, "text used as a condition");
	return fold(parser, new_operation(parser, kind, int_type(), a, b, NULL));
}

const struct expression *builder__binary(struct expression_parser *parser,
					 enum expression_kind kind, const struct expression *a,
					 const struct expression *b)
{
	bool is_comparison = kind >= EXPR_LESS && kind <= EXPR_NOT_EQUAL;
	struct c_type type;

	if (!a || !b)
		return NULL;
	if (kind == EXPR_AND_AND || kind == EXPR_OR_OR)
		return logical(parser, kind, a, b);
	if ((kind == EXPR_EQUAL || kind == EXPR_NOT_EQUAL) && (a->is_memory || b->is_memory))
		return compare_with_null(parser, kind, a, b);
	if (kind == EXPR_ADD && a->is_memory && a->type.kind == C_POINTER)
		return element(parser, a, b);
	if (kind == EXPR_ADD && b->is_memory && b->type.kind == C_POINTER)
		return element(parser, b, a);

	a = promote(parser, a);
	b = promote(parser, b);
	if (!a || !b)
		return NULL;
	if (kind == EXPR_SHIFT_LEFT || kind == EXPR_SHIFT_RIGHT) {
		type = a->type;
	} else {
		type = common_type(a->type, b->type);
		a = builder__cast(parser, type, a);
		b = builder__cast(parser, type, b);
		if (!a || !b)
			return NULL;
	}
	if (is_comparison)
		type = int_type();
	return fold(parser, new_operation(parser, kind, type, a, b, NULL));
}

/* What both branches of a conditional become. */
static bool conditional_type(const struct expression *yes, const struct expression *no,
			     struct c_type *type)
{
	if (yes->type.kind == C_TEXT || no->type.kind == C_TEXT) {
		*type = (struct c_type){ .kind = C_TEXT };
		return yes->type.kind != C_INTEGER && no->type.kind != C_INTEGER;
	}
	if (yes->type.kind == C_POINTER || no->type.kind == C_POINTER) {
		*type = yes->type.kind == C_POINTER ? yes->type : no->type;
		return true;
	}
	*type = common_type(yes->type, no->type);
	return true;
}

const struct expression *builder__conditional(struct expression_parser *parser,
					      const struct expression *condition,
					      const struct expression *yes,
					      const struct expression *no)
{
	struct expression *e;
	struct c_type type;

	if (!condition || !yes || !no)
		return NULL;
	if (!is_condition(condition))
		return builder__fail(parser, "text used as a condition");
	if (yes->type.kind == C_INTEGER && no->type.kind == C_INTEGER) {
		yes = promote(parser, yes);
		no = promote(parser, no);
		if (!yes || !no)
			return NULL;
	}
	if (!conditional_type(yes, no, &type))
		return builder__fail(parser, "text and number as alternatives");
	if (type.kind == C_INTEGER) {
		yes = builder__cast(parser, type, yes);
		no = builder__cast(parser, type, no);
		if (!yes || !no)
			return NULL;
	}
	if (is_constant(condition))
		return condition->value ? yes : no;
	e = new_operation(parser, EXPR_CONDITIONAL, type, condition, yes, no);
	if (e)
		e->is_memory = yes->is_memory || no->is_memory;
	return e;
}

const struct expression *builder__dereference(struct expression_parser *parser,
					      const struct expression *pointer)
{
	struct c_type type;
	struct expression *e;

	if (!pointer)
		return NULL;
	if (!pointer->is_memory || pointer->type.kind != C_POINTER)
		return builder__fail(parser, "memory outside of the record is read");
	if (!is_integer_size(pointer->type.target_size))
		return builder__fail(parser, "structure used as a value");
	type = c_type__integer(pointer->type.target_size, pointer->type.target_is_signed);

	if (pointer->kind != EXPR_FIELD_ADDRESS)
		return new_operation(parser, EXPR_DEREFERENCE, type, pointer, NULL, NULL);
	e = new_node(parser, EXPR_FIELD, type);
	if (e)
		e->offset = pointer->offset;
	return e;
}

const struct expression *builder__address_of(struct expression_parser *parser,
					     const struct expression *e)
{
	struct expression *address;

	if (!e)
		return NULL;
	if (e->kind == EXPR_DEREFERENCE)
		return e->a;
	if (e->kind == EXPR_FIELD_ADDRESS)
		return e;
	if (e->kind != EXPR_FIELD)
		return builder__fail(parser, "address of something that is no field");
	address = new_node(parser, EXPR_FIELD_ADDRESS, c_type__pointer_to(e->type));
	if (!address)
		return NULL;
	address->is_memory = true;
	address->offset = e->offset;
	address->length = e->length;
	return address;
}

const struct expression *builder__index(struct expression_parser *parser,
					const struct expression *pointer,
					const struct expression *index)
{
	const size_t most = EVENT_FORMAT_MAX_TEXT; /* any bound that keeps offsets sane */

	if (!pointer || !index)
		return NULL;
	if (pointer->type.kind != C_POINTER)
		return builder__fail(parser, "index into something that is no array");
	/* An element at a fixed place is as good as a field. */
	if (pointer->kind == EXPR_FIELD_ADDRESS && is_constant(index) && index->value < most) {
		struct expression *e = new_node(parser, EXPR_FIELD_ADDRESS, pointer->type);

		if (!e)
			return NULL;
		e->is_memory = true;
		e->offset = pointer->offset + index->value * pointer->type.target_size;
		return builder__dereference(parser, e);
	}
	return builder__dereference(parser, element(parser, pointer, index));
}

const struct expression *builder__size_of(struct expression_parser *parser,
					  const struct expression *e)
{
	size_t size;

	if (!e)
		return NULL;
	if (e->kind == EXPR_FIELD_ADDRESS)
		size = e->length;
	else if (e->kind == EXPR_LITERAL)
		size = e->length + 1;
	else
		size = e->type.size;
	if (!size)
		return builder__fail(parser, "size of something unknown");
	return builder__constant(parser, c_type__integer(sizeof(size_t), false), size);
}

struct expression *builder__text(struct expression_parser *parser, enum expression_kind kind,
				 const struct expression *a, const struct expression *b)
{
	return new_operation(parser, kind, (struct c_type){ .kind = C_TEXT }, a, b, NULL);
}
