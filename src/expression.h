/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * The arguments of a print format as trees of typed nodes, made by expression_parser and
 * evaluated once per record. Trees are immutable and belong to an arena.
 */
#ifndef PERSIST_EXPRESSION_H
#define PERSIST_EXPRESSION_H

#include "c_type.h"
#include "event_format.h"
#include "kernel_printf.h"
#include "text_out.h"

enum expression_kind {
	/* leaves */
	EXPR_CONSTANT,	      /* value */
	EXPR_LITERAL,	      /* text */
	EXPR_FIELD,	      /* integer or kernel address at offset */
	EXPR_FIELD_ADDRESS,   /* where in the record a fixed field lies */
	EXPR_DYNAMIC_ADDRESS, /* where the location word at offset points to */
	EXPR_DYNAMIC_LENGTH,  /* how many bytes there are */
	/* memory */
	EXPR_DEREFERENCE, /* a */
	EXPR_ELEMENT,	  /* address a plus index b times value bytes */
	/* arithmetic on a, or on a and b, in the node's type */
	EXPR_CAST,
	EXPR_NEGATE,
	EXPR_COMPLEMENT,
	EXPR_NOT,
	EXPR_MULTIPLY,
	EXPR_DIVIDE,
	EXPR_REMAINDER,
	EXPR_ADD,
	EXPR_SUBTRACT,
	EXPR_SHIFT_LEFT,
	EXPR_SHIFT_RIGHT,
	EXPR_LESS,
	EXPR_LESS_EQUAL,
	EXPR_EQUAL,
	EXPR_NOT_EQUAL,
	EXPR_BIT_AND,
	EXPR_BIT_XOR,
	EXPR_BIT_OR,
	EXPR_AND_AND,
	EXPR_OR_OR,
	EXPR_CONDITIONAL, /* a ? b : c */
	/* texts */
	EXPR_FLAGS,    /* a by table, delimiter between */
	EXPR_SYMBOLIC, /* a by table */
	EXPR_HEX,      /* b bytes at a, delimiter between */
	EXPR_ARRAY,    /* b elements of value bytes at a */
	EXPR_BITMASK,  /* b bytes at a */
};

struct symbol {
	uint64_t value;
	const char *name;
	size_t length;
};

struct symbol_table {
	const struct symbol *symbols;
	size_t nr;
	const char *otherwise; /* for a value that is not listed; NULL: its number */
};

struct expression {
	uint8_t kind;	  /* enum expression_kind */
	bool is_relative; /* dynamic data: counted from the end of the location word */
	struct c_type type;
	/*
	 * A pointer into the record or to a literal, which may be followed, but whose address
	 * in the kernel is not known.
	 */
	bool is_memory;
	bool is_unknown;    /* depends on a variable of the kernel: it has no value here */
	unsigned int cost;  /* nodes visited by one evaluation at most */
	unsigned int depth; /* of the tree, and so of the evaluation's recursion */
	size_t offset;	    /* of the field */
	size_t length;	    /* of a fixed field, or of text */
	const struct expression *a, *b, *c;
	union {
		uint64_t value;
		const char *text;
		struct {
			const struct symbol_table *table;
			const char *delimiter;
		};
	};
};

struct record {
	const uint8_t *data; /* never NULL */
	size_t size;
	event_format_find_symbol_fn find_symbol; /* NULL: addresses have no names */
};

/**
 * expression__integer() - the value of an integer or pointer.
 * @e: any node but a text
 * @record: bytes beyond its end read as zero
 *
 * Return: the value, extended to 64 bits by its type. Memory gives 1: it is not NULL.
 */
uint64_t expression__integer(const struct expression *e, const struct record *record);

/* What a pointer points to. */
struct memory expression__memory(const struct expression *e, const struct record *record);

/* Writes a C_TEXT, or the string that a pointer points to, as %s with this spec would. */
void expression__print_string(const struct expression *e, const struct record *record,
			      const struct printf_spec *spec, struct text_out *out);

/* What __print_flags() prints: the names of the bits, and a number for those without one. */
void print_flag_names(struct text_out *out, const struct symbol_table *table, uint64_t flags,
		      const char *delimiter, size_t delimiter_length);

/* An unsigned integer of 1, 2, 4 or 8 bytes in this machine's byte order. */
uint64_t load_integer(const uint8_t *data, size_t size);

/* Like load_integer(), from an offset; zero if any of it lies outside of the record. */
uint64_t record__integer(const struct record *record, size_t offset, size_t size);

/* The bytes that the location word at an offset points to. */
struct memory record__dynamic(const struct record *record, size_t offset, bool is_relative);

#endif /* PERSIST_EXPRESSION_H */
