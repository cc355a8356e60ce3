// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "expression_parser.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "expression_builder.h"
#include "kernel_btf.h"
#include "kernel_helpers.h"

/* How deep parentheses and operators may nest; the parser recurses along. */
#define MAX_NESTING 250

/* Names that are looked up in the kernel's BTF, which is a search among tens of thousands. */
#define MAX_LOOKUPS 1000

/* A variable of a statement expression stands for the expression it was set to. */
struct local_variable {
	struct local_variable *next;
	const char *name;
	size_t length;
	const struct expression *value;
};

static const struct expression *parse_conditional(struct expression_parser *parser);
static const struct expression *parse_unary(struct expression_parser *parser);

static void advance(struct expression_parser *parser)
{
	parser->token = c_lexer__next(&parser->lexer);
}

static struct c_token peek(const struct expression_parser *parser)
{
	struct c_lexer lexer = parser->lexer;

	return c_lexer__next(&lexer);
}

void expression_parser__init(struct expression_parser *parser, struct arena *arena,
			     const struct event_format_field *fields, size_t nr_fields,
			     const char *text, size_t length)
{
	*parser = (struct expression_parser){
		.arena = arena,
		.fields = fields,
		.nr_fields = nr_fields,
		.lexer = { .next = text, .end = text + length },
	};
	advance(parser);
}

bool expression_parser__accept(struct expression_parser *parser, int op)
{
	if (!c_token__is(&parser->token, op))
		return false;
	advance(parser);
	return true;
}

static bool expect(struct expression_parser *parser, int op)
{
	if (expression_parser__accept(parser, op))
		return true;
	builder__fail(parser, "unexpected token");
	return false;
}

bool expression_parser__at_end(const struct expression_parser *parser)
{
	return parser->token.kind == TOKEN_END;
}

const struct event_format_field *expression_parser__field(struct expression_parser *parser)
{
	struct c_token name = parser->token;

	if (name.kind != TOKEN_NAME)
		return builder__fail(parser, "field name expected");
	advance(parser);
	for (size_t i = 0; i < parser->nr_fields; i++) {
		if (c_token__is_name(&name, parser->fields[i].name))
			return &parser->fields[i];
	}
	return builder__fail(parser, "unknown field");
}

/* Names that the kernel's BTF explains */

static struct resolved_name *add_resolved(struct expression_parser *parser, const char *name,
					  size_t length)
{
	struct resolved_name *resolved = arena__alloc(parser->arena, sizeof(*resolved));

	if (!resolved) {
		parser->no_memory = true;
		return NULL;
	}
	resolved->name = name;
	resolved->length = length;
	resolved->next = parser->resolved;
	parser->resolved = resolved;
	return resolved;
}

static bool find_enumerator(struct expression_parser *parser, const struct c_token *name,
			    int64_t *value)
{
	return parser->nr_lookups++ < MAX_LOOKUPS &&
	       kernel_btf__find_enumerator(name->text, name->length, value);
}

/* An enumerator is an int, unless its value needs more. */
static const struct expression *parse_enumerator(struct expression_parser *parser,
						 const struct c_token *name)
{
	struct resolved_name *resolved;
	bool is_int;
	int64_t value;

	if (!find_enumerator(parser, name, &value))
		return NULL;
	resolved = add_resolved(parser, name->text, name->length);
	if (!resolved)
		return NULL;
	snprintf(resolved->replacement, sizeof(resolved->replacement), "%" PRId64, value);
	is_int = value == (int32_t)value;
	return builder__constant(parser, c_type__integer(is_int ? 4 : 8, true), (uint64_t)value);
}

static bool resolve_type(struct expression_parser *parser, const char *name, size_t length,
			 struct c_type *type)
{
	struct resolved_name *resolved;

	if (parser->nr_lookups++ >= MAX_LOOKUPS ||
	    !kernel_btf__find_integer_type(name, length, type))
		return false;
	resolved = add_resolved(parser, name, length);
	if (resolved)
		snprintf(resolved->replacement, sizeof(resolved->replacement), "%c%d",
			 type->is_signed ? 's' : 'u', 8 * type->size);
	return resolved;
}

/* Types */

static bool is_type_keyword(const struct c_token *token)
{
	static const char *const keywords[] = {
		"void",	    "char", "short",	"int",	  "long",	"signed",
		"unsigned", "bool", "_Bool",	"const",  "static",	"struct",
		"union",    "enum", "volatile", "typeof", "__typeof__", "__auto_type",
	};

	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		if (c_token__is_name(token, keywords[i]))
			return true;
	}
	return false;
}

static const struct local_variable *find_local(const struct expression_parser *parser,
					       const struct c_token *name)
{
	const struct local_variable *local = parser->locals;

	while (local &&
	       !(local->length == name->length && !memcmp(local->name, name->text, name->length)))
		local = local->next;
	return local;
}

/* A field that is declared with the same type tells what the type is. */
static bool find_type_of_field(const struct expression_parser *parser, const char *name,
			       size_t length, struct c_type *type)
{
	for (size_t i = 0; i < parser->nr_fields; i++) {
		const struct event_format_field *field = &parser->fields[i];

		if (field->is_array || strlen(field->type) != length ||
		    memcmp(field->type, name, length))
			continue;
		if (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8) {
			*type = c_type__integer(field->size, field->is_signed);
			return true;
		}
	}
	return false;
}

/*
 * Whether a type begins here. A name of a type cannot be told from one of a variable, but
 * expressions know no variables except those that statement expressions declare.
 */
static bool starts_type(struct expression_parser *parser)
{
	const struct c_token *token = &parser->token;
	struct c_token next;
	struct c_type type;
	int64_t value;

	if (token->kind != TOKEN_NAME || find_local(parser, token))
		return false;
	if (is_type_keyword(token) || c_type__find_typedef(token->text, token->length, &type) ||
	    find_type_of_field(parser, token->text, token->length, &type))
		return true;
	next = peek(parser);
	return !c_token__is_name(token, "REC") &&
	       (c_token__is(&next, ')') || c_token__is(&next, '*')) &&
	       !find_enumerator(parser, token, &value);
}

static bool parse_typeof(struct expression_parser *parser, struct c_type *type)
{
	const struct expression *e;

	advance(parser);
	if (!expect(parser, '('))
		return false;
	e = parse_conditional(parser);
	if (!e || !expect(parser, ')'))
		return false;
	*type = e->type;
	return true;
}

/* The words of a type; a name that is being declared is left alone. */
static bool parse_type_words(struct expression_parser *parser, bool is_declaration,
			     struct c_type *type)
{
	const char *start = parser->token.text, *end = start;
	bool is_opaque = false;

	while (parser->token.kind == TOKEN_NAME) {
		struct c_token next = peek(parser);

		if (is_declaration && end > start && next.kind != TOKEN_NAME &&
		    !c_token__is(&next, '*'))
			break;
		if (c_token__is_name(&parser->token, "struct") ||
		    c_token__is_name(&parser->token, "union") ||
		    c_token__is_name(&parser->token, "void"))
			is_opaque = true;
		end = parser->token.text + parser->token.length;
		advance(parser);
	}
	*type = (struct c_type){ .kind = C_OPAQUE };
	return is_opaque || c_type__from_words(start, (size_t)(end - start), type) ||
	       find_type_of_field(parser, start, (size_t)(end - start), type) ||
	       (!c_token__is(&parser->token, '*') &&
		resolve_type(parser, start, (size_t)(end - start), type));
}

static bool parse_type(struct expression_parser *parser, bool is_declaration, struct c_type *type)
{
	bool is_known;

	if (c_token__is_name(&parser->token, "typeof") ||
	    c_token__is_name(&parser->token, "__typeof__"))
		is_known = parse_typeof(parser, type);
	else
		is_known = parse_type_words(parser, is_declaration, type);

	/* A pointer to something unknown is still a pointer. */
	while (expression_parser__accept(parser, '*')) {
		*type = c_type__pointer_to(*type);
		is_known = true;
		while (c_token__is_name(&parser->token, "const"))
			advance(parser);
	}
	if (!is_known)
		builder__fail(parser, "unknown type");
	return is_known;
}

/* Primary expressions */

static const struct expression *parse_number(struct expression_parser *parser)
{
	struct c_token token = parser->token;

	advance(parser);
	return builder__constant(parser, c_type__integer(token.size, !token.is_unsigned),
				 token.value);
}

/* Literals beside each other are one. */
static const struct expression *parse_string(struct expression_parser *parser)
{
	struct c_lexer lexer = parser->lexer;
	size_t capacity = 1, length = 0;
	struct c_token token = parser->token;
	char *text;

	for (; token.kind == TOKEN_STRING; token = c_lexer__next(&lexer))
		capacity += token.length;
	text = arena__alloc(parser->arena, capacity);
	if (!text) {
		parser->no_memory = true;
		return NULL;
	}
	for (; parser->token.kind == TOKEN_STRING; advance(parser))
		length += c_lexer__unescape(&parser->token, text + length);
	return builder__literal(parser, text, length);
}

static const struct expression *parse_record_field(struct expression_parser *parser)
{
	const struct event_format_field *field;

	advance(parser);
	if (!expect(parser, OP_ARROW))
		return NULL;
	field = expression_parser__field(parser);
	return field ? builder__field(parser, field) : NULL;
}

static const struct expression *parse_name(struct expression_parser *parser)
{
	struct c_token name = parser->token;
	const struct local_variable *local;
	const struct expression *e;

	if (c_token__is_name(&name, "REC"))
		return parse_record_field(parser);
	local = find_local(parser, &name);
	advance(parser);
	if (local)
		return local->value;
	if (expression_parser__accept(parser, '('))
		return kernel_helpers__parse(parser, &name);
	e = parse_enumerator(parser, &name);
	return e ? e : builder__unknown(parser);
}

/* Statement expressions: declarations, and a value at the end */

static bool skip_balanced(struct expression_parser *parser)
{
	int level = 0;

	for (; parser->token.kind != TOKEN_END; advance(parser)) {
		if (!level && c_token__is(&parser->token, ';'))
			return true;
		if (c_token__is(&parser->token, '(') || c_token__is(&parser->token, '{'))
			level++;
		if (c_token__is(&parser->token, ')') || c_token__is(&parser->token, '}'))
			level--;
		if (level < 0)
			return true;
	}
	return false;
}

/* Checks that the compiler makes have no value: assertions and casts to void. */
static bool is_check(const struct expression_parser *parser)
{
	struct c_token next = peek(parser);

	return c_token__is_name(&parser->token, "_Static_assert") ||
	       c_token__is_name(&parser->token, "static_assert") ||
	       (c_token__is(&parser->token, '(') && c_token__is_name(&next, "void"));
}

static bool parse_declaration(struct expression_parser *parser)
{
	struct local_variable *local;
	struct c_type type;
	struct c_token name;
	bool is_auto = c_token__is_name(&parser->token, "__auto_type");

	if (is_auto)
		advance(parser);
	else if (!parse_type(parser, true, &type))
		return false;
	name = parser->token;
	advance(parser);
	if (name.kind != TOKEN_NAME || !expect(parser, '='))
		return builder__fail(parser, "declaration not understood");

	local = arena__alloc(parser->arena, sizeof(*local));
	if (!local) {
		parser->no_memory = true;
		return false;
	}
	local->name = name.text;
	local->length = name.length;
	local->value = parse_conditional(parser);
	if (!is_auto)
		local->value = builder__cast(parser, type, local->value);
	local->next = parser->locals;
	parser->locals = local;
	return local->value;
}

static bool is_declaration(struct expression_parser *parser)
{
	struct c_token next = peek(parser);
	bool is_name = next.kind == TOKEN_NAME || c_token__is(&next, '*');

	return parser->token.kind == TOKEN_NAME && !find_local(parser, &parser->token) &&
	       (is_type_keyword(&parser->token) || (is_name && starts_type(parser)));
}

static const struct expression *parse_statements(struct expression_parser *parser)
{
	const struct expression *value = NULL;

	while (!expression_parser__accept(parser, '}')) {
		if (expression_parser__accept(parser, ';'))
			continue;
		if (is_check(parser)) {
			if (!skip_balanced(parser))
				return builder__fail(parser, "statement does not end");
		} else if (is_declaration(parser)) {
			if (!parse_declaration(parser))
				return NULL;
		} else {
			value = parse_conditional(parser);
			if (!value)
				return NULL;
		}
		if (!expect(parser, ';'))
			return NULL;
	}
	return value ? value : builder__fail(parser, "statement expression without a value");
}

static const struct expression *parse_statement_expression(struct expression_parser *parser)
{
	struct local_variable *outer = parser->locals;
	const struct expression *value = parse_statements(parser);

	parser->locals = outer;
	return value;
}

/* "(" has been read: a cast, a statement expression, or an expression in parentheses. */
static const struct expression *parse_parenthesis(struct expression_parser *parser)
{
	const struct expression *e;
	struct c_type type;

	if (expression_parser__accept(parser, '{')) {
		e = parse_statement_expression(parser);
		return e && expect(parser, ')') ? e : NULL;
	}
	if (starts_type(parser)) {
		if (!parse_type(parser, false, &type) || !expect(parser, ')'))
			return NULL;
		return builder__cast(parser, type, parse_unary(parser));
	}
	do {
		e = parse_conditional(parser);
	} while (e && expression_parser__accept(parser, ','));
	return e && expect(parser, ')') ? e : NULL;
}

static const struct expression *parse_primary(struct expression_parser *parser)
{
	switch (parser->token.kind) {
	case TOKEN_NUMBER:
		return parse_number(parser);
	case TOKEN_STRING:
		return parse_string(parser);
	case TOKEN_NAME:
		return parse_name(parser);
	default:
		if (expression_parser__accept(parser, '('))
			return parse_parenthesis(parser);
		return builder__fail(parser, "expression expected");
	}
}

/* Operators */

static const struct expression *parse_postfix(struct expression_parser *parser)
{
	const struct expression *e = parse_primary(parser);

	while (e && expression_parser__accept(parser, '[')) {
		const struct expression *index = parse_conditional(parser);

		if (!index || !expect(parser, ']'))
			return NULL;
		e = builder__index(parser, e, index);
	}
	return e;
}

static const struct expression *parse_sizeof(struct expression_parser *parser)
{
	const struct expression *e;
	struct c_type type;

	advance(parser);
	if (!expression_parser__accept(parser, '('))
		return builder__size_of(parser, parse_unary(parser));
	if (starts_type(parser)) {
		if (!parse_type(parser, false, &type) || !expect(parser, ')'))
			return NULL;
		if (!type.size)
			return builder__fail(parser, "size of something unknown");
		return builder__constant(parser, c_type__integer(sizeof(size_t), false), type.size);
	}
	e = parse_conditional(parser);
	return e && expect(parser, ')') ? builder__size_of(parser, e) : NULL;
}

static const struct expression *parse_prefix(struct expression_parser *parser, int op)
{
	const struct expression *e;

	advance(parser);
	e = parse_unary(parser);
	switch (op) {
	case '-':
		return builder__unary(parser, EXPR_NEGATE, e);
	case '~':
		return builder__unary(parser, EXPR_COMPLEMENT, e);
	case '!':
		return builder__unary(parser, EXPR_NOT, e);
	case '*':
		return builder__dereference(parser, e);
	case '&':
		return builder__address_of(parser, e);
	default: /* unary plus promotes, as subtracting nothing does */
		return e ? builder__binary(parser, EXPR_ADD,
					   builder__constant(parser, c_type__integer(4, true), 0),
					   e)
			 : NULL;
	}
}

static const struct expression *parse_unary(struct expression_parser *parser)
{
	const struct expression *e;

	if (parser->depth == MAX_NESTING)
		return builder__fail(parser, "nested too deeply");
	parser->depth++;
	if (parser->token.kind == TOKEN_OPERATOR && parser->token.op < 128 &&
	    strchr("-~!*&+", parser->token.op))
		e = parse_prefix(parser, parser->token.op);
	else if (c_token__is_name(&parser->token, "sizeof"))
		e = parse_sizeof(parser);
	else
		e = parse_postfix(parser);
	parser->depth--;
	return e;
}

static const struct binary_operator {
	int op;
	int precedence; /* a higher one binds closer */
	enum expression_kind kind;
	bool is_swapped; /* a > b is b < a */
} binary_operators[] = {
	{ '*', 10, EXPR_MULTIPLY, false },
	{ '/', 10, EXPR_DIVIDE, false },
	{ '%', 10, EXPR_REMAINDER, false },
	{ '+', 9, EXPR_ADD, false },
	{ '-', 9, EXPR_SUBTRACT, false },
	{ OP_SHIFT_LEFT, 8, EXPR_SHIFT_LEFT, false },
	{ OP_SHIFT_RIGHT, 8, EXPR_SHIFT_RIGHT, false },
	{ '<', 7, EXPR_LESS, false },
	{ OP_LESS_EQUAL, 7, EXPR_LESS_EQUAL, false },
	{ '>', 7, EXPR_LESS, true },
	{ OP_GREATER_EQUAL, 7, EXPR_LESS_EQUAL, true },
	{ OP_EQUAL, 6, EXPR_EQUAL, false },
	{ OP_NOT_EQUAL, 6, EXPR_NOT_EQUAL, false },
	{ '&', 5, EXPR_BIT_AND, false },
	{ '^', 4, EXPR_BIT_XOR, false },
	{ '|', 3, EXPR_BIT_OR, false },
	{ OP_AND_AND, 2, EXPR_AND_AND, false },
	{ OP_OR_OR, 1, EXPR_OR_OR, false },
};

static const struct binary_operator *find_operator(const struct c_token *token)
{
	size_t n = sizeof(binary_operators) / sizeof(binary_operators[0]);

	for (size_t i = 0; i < n; i++) {
		if (c_token__is(token, binary_operators[i].op))
			return &binary_operators[i];
	}
	return NULL;
}

/* Precedence climbing: takes operators that bind at least as close as `precedence`. */
static const struct expression *parse_binary(struct expression_parser *parser, int precedence)
{
	const struct expression *left = parse_unary(parser);
	const struct binary_operator *op;

	while (left && (op = find_operator(&parser->token)) && op->precedence >= precedence) {
		const struct expression *right;

		advance(parser);
		right = parse_binary(parser, op->precedence + 1);
		if (op->is_swapped)
			left = builder__binary(parser, op->kind, right, left);
		else
			left = builder__binary(parser, op->kind, left, right);
	}
	return left;
}

/* condition ? yes : no, and GNU C's condition ?: no */
static const struct expression *parse_conditional(struct expression_parser *parser)
{
	const struct expression *condition, *yes, *no = NULL;

	if (parser->depth == MAX_NESTING)
		return builder__fail(parser, "nested too deeply");
	parser->depth++;
	condition = parse_binary(parser, 1);
	if (condition && expression_parser__accept(parser, '?')) {
		yes = c_token__is(&parser->token, ':') ? condition : parse_conditional(parser);
		if (yes && expect(parser, ':'))
			no = parse_conditional(parser);
		condition = builder__conditional(parser, condition, yes, no);
	}
	parser->depth--;
	return condition;
}

const struct expression *expression_parser__argument(struct expression_parser *parser)
{
	return parse_conditional(parser);
}
