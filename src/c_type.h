/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* As much of C's types as print formats need. */
#ifndef PERSIST_C_TYPE_H
#define PERSIST_C_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum c_kind {
	C_INTEGER,
	C_POINTER,
	C_TEXT,	  /* what __print_flags() and its like return: only good for %s */
	C_OPAQUE, /* void, structures, unions */
};

struct c_type {
	uint8_t kind;	       /* enum c_kind */
	uint8_t size;	       /* bytes; 0 for C_TEXT and C_OPAQUE */
	bool is_signed;	       /* C_INTEGER */
	bool is_bool;	       /* converting to it gives 0 or 1 */
	uint8_t target_size;   /* C_POINTER: of the integer it points to, 0 for all else */
	bool target_is_signed; /* C_POINTER */
};

static inline struct c_type c_type__integer(size_t size, bool is_signed)
{
	return (struct c_type){ .kind = C_INTEGER, .size = (uint8_t)size, .is_signed = is_signed };
}

static inline struct c_type c_type__pointer_to(struct c_type target)
{
	return (struct c_type){
		.kind = C_POINTER,
		.size = sizeof(void *),
		.target_size = target.size,
		.target_is_signed = target.is_signed,
	};
}

/* A value of the type, extended to 64 bits by its sign. */
static inline uint64_t c_type__normalize(struct c_type type, uint64_t value)
{
	unsigned int unused_bits = 64 - 8U * type.size;

	if (type.is_bool)
		return value != 0;
	if (unused_bits % 64 == 0)
		return value;
	value <<= unused_bits;
	return type.is_signed ? (uint64_t)((int64_t)value >> unused_bits) : value >> unused_bits;
}

/**
 * c_type__find_typedef() - an integer type that the kernel has a name for.
 * @name: the name, need not be NUL-terminated
 * @length: its length
 * @type: set when there is one
 *
 * Return: whether the name is known.
 */
bool c_type__find_typedef(const char *name, size_t length, struct c_type *type);

/**
 * c_type__from_words() - an integer type that is spelt out, such as "unsigned long".
 * @words: the words with anything but letters between them; qualifiers are skipped
 * @length: length of the text
 * @type: set when it is one
 *
 * A single word may also be a typedef.
 *
 * Return: whether the words name an integer type.
 */
bool c_type__from_words(const char *words, size_t length, struct c_type *type);

#endif /* PERSIST_C_TYPE_H */
