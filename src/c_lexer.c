// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "c_lexer.h"

#include <limits.h>
#include <string.h>

/*
 * Bytes are classified here and not by <ctype.h>: the text is ASCII whatever the locale, and
 * may hold any byte.
 */
static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_part(char c)
{
	return is_name_start(c) || is_digit(c);
}

static int digit_value(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

bool c_token__is(const struct c_token *token, int op)
{
	return token->kind == TOKEN_OPERATOR && token->op == op;
}

bool c_token__is_name(const struct c_token *token, const char *name)
{
	return token->kind == TOKEN_NAME && token->length == strlen(name) &&
	       !memcmp(token->text, name, token->length);
}

/* Decodes what follows a backslash at *text; advances *text beyond it. */
static char unescape_one(const char **text, const char *end)
{
	static const char from[] = "abfnrtv";
	static const char to[] = "\a\b\f\n\r\t\v";
	char c = *(*text)++;
	const char *simple = c ? strchr(from, c) : NULL;
	unsigned int value = 0;

	if (simple)
		return to[simple - from];
	if (c == 'x') {
		while (*text < end && digit_value(**text) < 16)
			value = value * 16 + (unsigned int)digit_value(*(*text)++);
		return (char)value;
	}
	if (digit_value(c) < 8) {
		const char *start = --(*text);

		while (*text < end && *text < start + 3 && digit_value(**text) < 8)
			value = value * 8 + (unsigned int)digit_value(*(*text)++);
		return (char)value;
	}
	return c;
}

size_t c_lexer__unescape(const struct c_token *token, char *out)
{
	const char *text = token->text + 1;
	const char *end = token->text + token->length - 1;
	char *start = out;

	while (text < end) {
		if (*text != '\\' || text + 1 == end) {
			*out++ = *text++;
			continue;
		}
		text++;
		*out++ = unescape_one(&text, end);
	}
	return (size_t)(out - start);
}

/* A literal from one quote to the next that has no backslash before it. */
static struct c_token quoted(struct c_lexer *lexer, char quote)
{
	const char *start = lexer->next, *p = start + 1;

	while (p < lexer->end && *p != quote)
		p += *p == '\\' && p + 1 < lexer->end ? 2 : 1;
	if (p >= lexer->end) {
		lexer->next = lexer->end;
		return (struct c_token){ .kind = TOKEN_BAD, .text = start };
	}
	lexer->next = p + 1;
	return (struct c_token){
		.kind = TOKEN_STRING,
		.text = start,
		.length = (size_t)(lexer->next - start),
	};
}

static struct c_token character(struct c_lexer *lexer)
{
	struct c_token token = quoted(lexer, '\'');
	char bytes[8];

	if (token.kind != TOKEN_STRING)
		return token;
	token.kind = TOKEN_BAD;
	if (token.length - 2 <= sizeof(bytes) && c_lexer__unescape(&token, bytes) == 1) {
		token.kind = TOKEN_NUMBER;
		token.value = (uint64_t)(int64_t)(signed char)bytes[0];
		token.size = sizeof(int);
	}
	return token;
}

/* The first type that can hold the number, as C has it: hexadecimal ones may be unsigned. */
static void set_number_type(struct c_token *token, bool is_decimal, bool has_u, bool has_l)
{
	token->is_unsigned = has_u;
	token->size = has_l ? sizeof(int64_t) : sizeof(int32_t);
	if (token->size == sizeof(int32_t)) {
		if (token->value <= INT32_MAX || (has_u && token->value <= UINT32_MAX))
			return;
		if (!is_decimal && token->value <= UINT32_MAX) {
			token->is_unsigned = true;
			return;
		}
		token->size = sizeof(int64_t);
	}
	if (token->value > INT64_MAX)
		token->is_unsigned = true;
}

static struct c_token number(struct c_lexer *lexer)
{
	struct c_token token = { .kind = TOKEN_NUMBER, .text = lexer->next };
	const char *p = lexer->next, *end = lexer->end;
	bool has_u = false, has_l = false;
	int base = 10;

	if (*p == '0') {
		base = 8;
		if (p + 1 < end && (p[1] | 0x20) == 'x') {
			base = 16;
			p += 2;
		}
	}
	for (; p < end && digit_value(*p) < base; p++)
		token.value = token.value * (uint64_t)base + (uint64_t)digit_value(*p);
	for (; p < end && strchr("uUlL", *p) && *p; p++) {
		if ((*p | 0x20) == 'u')
			has_u = true;
		else /* int is not long on 32 bits, but has the same size: LL makes it 64 */
			has_l = sizeof(long) == sizeof(int64_t) || has_l || p[-1] == *p;
	}
	if (p < end && is_name_part(*p))
		token.kind = TOKEN_BAD;
	set_number_type(&token, base == 10, has_u, has_l);
	token.length = (size_t)(p - token.text);
	lexer->next = p;
	return token;
}

static struct c_token operator(struct c_lexer *lexer)
{
	static const struct {
		char text[3];
		int op;
	} pairs[] = {
		{ "<<", OP_SHIFT_LEFT },    { ">>", OP_SHIFT_RIGHT }, { "<=", OP_LESS_EQUAL },
		{ ">=", OP_GREATER_EQUAL }, { "==", OP_EQUAL },	      { "!=", OP_NOT_EQUAL },
		{ "&&", OP_AND_AND },	    { "||", OP_OR_OR },	      { "->", OP_ARROW },
	};
	const char *p = lexer->next;
	struct c_token token = { .kind = TOKEN_OPERATOR, .text = p, .length = 1, .op = *p };

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (lexer->end - p >= 2 && !memcmp(p, pairs[i].text, 2)) {
			token.length = 2;
			token.op = pairs[i].op;
		}
	}
	if (token.length == 1 && (!*p || !strchr("+-*/%&|^~!<>=?:,.()[]{};", *p)))
		token.kind = TOKEN_BAD;
	lexer->next += token.length;
	return token;
}

static struct c_token name(struct c_lexer *lexer)
{
	struct c_token token = { .kind = TOKEN_NAME, .text = lexer->next };

	while (lexer->next < lexer->end && is_name_part(*lexer->next))
		lexer->next++;
	token.length = (size_t)(lexer->next - token.text);
	return token;
}

struct c_token c_lexer__next(struct c_lexer *lexer)
{
	while (lexer->next < lexer->end && is_space(*lexer->next))
		lexer->next++;
	if (lexer->next == lexer->end)
		return (struct c_token){ .kind = TOKEN_END, .text = lexer->end };
	if (is_name_start(*lexer->next))
		return name(lexer);
	if (is_digit(*lexer->next))
		return number(lexer);
	if (*lexer->next == '"')
		return quoted(lexer, '"');
	if (*lexer->next == '\'')
		return character(lexer);
	return operator(lexer);
}
