/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Makes typed nodes as C's rules have it (promotions, conversions, pointer arithmetic) and
 * folds what is constant, so that the tables of flags cost nothing when a record is printed.
 *
 * Every function takes NULL operands, which stand for an error that has already been noted in
 * the parser, and then returns NULL itself.
 */
#ifndef PERSIST_EXPRESSION_BUILDER_H
#define PERSIST_EXPRESSION_BUILDER_H

#include "expression_parser.h"

/* Notes why the text cannot be followed, unless something went wrong before. Gives NULL. */
void *builder__fail(struct expression_parser *parser, const char *why);

const struct expression *builder__constant(struct expression_parser *parser, struct c_type type,
					   uint64_t value);
const struct expression *builder__literal(struct expression_parser *parser, const char *text,
					  size_t length);

/* A variable of the kernel. What is made of it can only be printed as an unknown pointer. */
const struct expression *builder__unknown(struct expression_parser *parser);

/* REC->field: its value; of an array or structure, where it lies */
const struct expression *builder__field(struct expression_parser *parser,
					const struct event_format_field *field);
const struct expression *builder__dynamic_address(struct expression_parser *parser,
						  const struct event_format_field *field,
						  struct c_type target);
const struct expression *builder__dynamic_length(struct expression_parser *parser,
						 const struct event_format_field *field);

const struct expression *builder__cast(struct expression_parser *parser, struct c_type type,
				       const struct expression *e);
/* kind: EXPR_NEGATE, EXPR_COMPLEMENT, EXPR_NOT */
const struct expression *builder__unary(struct expression_parser *parser, enum expression_kind kind,
					const struct expression *e);
/* kind: EXPR_MULTIPLY to EXPR_OR_OR */
const struct expression *builder__binary(struct expression_parser *parser,
					 enum expression_kind kind, const struct expression *a,
					 const struct expression *b);
const struct expression *builder__conditional(struct expression_parser *parser,
					      const struct expression *condition,
					      const struct expression *yes,
					      const struct expression *no);

const struct expression *builder__dereference(struct expression_parser *parser,
					      const struct expression *pointer);
const struct expression *builder__address_of(struct expression_parser *parser,
					     const struct expression *e);
const struct expression *builder__index(struct expression_parser *parser,
					const struct expression *pointer,
					const struct expression *index);

/* sizeof an expression */
const struct expression *builder__size_of(struct expression_parser *parser,
					  const struct expression *e);

/* A C_TEXT node of this kind on one or two operands; the caller fills in the rest. */
struct expression *builder__text(struct expression_parser *parser, enum expression_kind kind,
				 const struct expression *a, const struct expression *b);

#endif /* PERSIST_EXPRESSION_BUILDER_H */
