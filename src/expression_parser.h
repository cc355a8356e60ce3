/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * The C of print formats. This is what is left of a TP_printk() after the preprocessor: C
 * expressions on the fields of `REC`, with the kernel's own helpers (__get_str(),
 * __print_flags() and so on) and now and then a statement expression.
 */
#ifndef PERSIST_EXPRESSION_PARSER_H
#define PERSIST_EXPRESSION_PARSER_H

#include "arena.h"
#include "c_lexer.h"
#include "event_format.h"
#include "expression.h"

struct local_variable;

/*
 * A name in the text which only the running kernel's BTF explains, and a number or type that
 * can stand for it where there is no such BTF.
 */
struct resolved_name {
	struct resolved_name *next; /* the one before it in the text */
	const char *name;	    /* in the text */
	size_t length;
	char replacement[24];
};

struct expression_parser {
	struct arena *arena;
	const struct event_format_field *fields;
	size_t nr_fields;
	struct c_lexer lexer;
	struct c_token token; /* the one to look at next */
	struct local_variable *locals;
	struct resolved_name *resolved; /* last in the text first */
	unsigned int depth;
	unsigned int nr_lookups; /* in the kernel's BTF */
	const char *error;	 /* why the text cannot be followed: a static string */
	bool no_memory;
};

/**
 * expression_parser__init() - begin with the first token of a text.
 * @parser: to be filled
 * @arena: gets all nodes, which may outlive the parser
 * @fields: what REC-> may name, @nr_fields of them; must outlive the parser
 * @text: the arguments, @length bytes; must outlive the parser
 */
void expression_parser__init(struct expression_parser *parser, struct arena *arena,
			     const struct event_format_field *fields, size_t nr_fields,
			     const char *text, size_t length);

/* Parses one argument, up to a comma. NULL with parser->error or parser->no_memory set. */
const struct expression *expression_parser__argument(struct expression_parser *parser);

/* Reads the name of a field and finds it. NULL likewise. */
const struct event_format_field *expression_parser__field(struct expression_parser *parser);

/* Skips the operator if it is next. */
bool expression_parser__accept(struct expression_parser *parser, int op);

bool expression_parser__at_end(const struct expression_parser *parser);

#endif /* PERSIST_EXPRESSION_PARSER_H */
