/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* Tokens of the C expressions in a print format. */
#ifndef PERSIST_C_LEXER_H
#define PERSIST_C_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum c_token_kind {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_NUMBER, /* character constants, too */
	TOKEN_STRING,
	TOKEN_OPERATOR,
	TOKEN_BAD, /* not C, or a literal that does not end */
};

/* Operators of one character are that character. */
enum c_operator {
	OP_SHIFT_LEFT = 256,
	OP_SHIFT_RIGHT,
	OP_LESS_EQUAL,
	OP_GREATER_EQUAL,
	OP_EQUAL,
	OP_NOT_EQUAL,
	OP_AND_AND,
	OP_OR_OR,
	OP_ARROW,
};

struct c_token {
	enum c_token_kind kind;
	const char *text; /* a string with its quotes */
	size_t length;
	int op;		/* TOKEN_OPERATOR */
	uint64_t value; /* TOKEN_NUMBER, and its type: */
	uint8_t size;	/* 4 or 8 bytes */
	bool is_unsigned;
};

struct c_lexer {
	const char *next, *end;
};

/* The next token; TOKEN_END for ever once the text is used up. */
struct c_token c_lexer__next(struct c_lexer *lexer);

/**
 * c_lexer__unescape() - the bytes of a string literal.
 * @token: a TOKEN_STRING
 * @out: room for token->length bytes
 *
 * Return: the number of bytes written; no NUL is added.
 */
size_t c_lexer__unescape(const struct c_token *token, char *out);

bool c_token__is(const struct c_token *token, int op);
bool c_token__is_name(const struct c_token *token, const char *name);

#endif /* PERSIST_C_LEXER_H */
