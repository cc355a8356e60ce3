/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * struct perf_event_attr as text, in the syntax of the directories of PMUs in sysfs:
 *
 *	format/NAME	where the value of a term goes, "config:0-7,32-35" or "attr5:23"
 *	events/NAME	terms and their values, "persistent,config=0x6a"
 *
 *	format = word ":" range *( "," range ) [ newline ]
 *	word   = "config" / "config1" / "config2" / "config3" / "attr" decimal
 *	range  = decimal / decimal "-" decimal		; bits 0 to 63, the lower one first
 *	event  = term *( "," term ) [ newline ]
 *	term   = name [ "=" value ]			; without a value: 1
 *	value  = decimal / "0x" hexadecimal
 *	name   = ( letter / "_" ) *( letter / digit / "_" / "-" / "." )
 *
 * The attr is seen as an array of 64-bit words, each a number in the machine's byte order. All
 * functions here stay within attr->size, which has passed attr__copy().
 *
 * Nothing is allocated, and nothing is kept between calls.
 */
#ifndef PERSIST_ATTR_TEXT_H
#define PERSIST_ATTR_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "persist_attr.h"

/* The words of which this library knows what they mean. */
#define ATTR_WORDS (sizeof(struct perf_event_attr) / sizeof(uint64_t))

#define ATTR_TERM_NAME_SIZE 64
#define ATTR_TERMS_MAX	    60

/* Some bits of one word. */
struct attr_field {
	unsigned int word;
	uint64_t bits; /* not 0 */
};

struct attr_term {
	char name[ATTR_TERM_NAME_SIZE];
	struct attr_field field;
};

/* The terms that are defined besides config, config1, config2 and config3. Starts as { 0 }. */
struct attr_terms {
	size_t nr;
	struct attr_term terms[ATTR_TERMS_MAX];
};

/**
 * attr__copy() - copy an attr of any size, as the kernel does
 * @to:   gets what this library knows, zero where @from is shorter, and the size
 * @from: any version of the structure
 *
 * Return: 0, -EFAULT (NULL), or -E2BIG: the size is none, or what is not known here is not zero.
 */
int attr__copy(struct perf_event_attr *to, const struct perf_event_attr *from);

/* Can an attr have this size? */
bool attr__size_is_valid(uint32_t size);

/* Bytes of @attr that this library knows. */
size_t attr__known_size(const struct perf_event_attr *attr);

uint64_t attr__get_word(const struct perf_event_attr *attr, unsigned int word);
uint64_t attr__get_field(const struct perf_event_attr *attr, const struct attr_field *field);
/* What of @value does not fit into the field is dropped. */
void attr__set_field(struct perf_event_attr *attr, const struct attr_field *field, uint64_t value);

/* Does the field lie within the attr? Do values up to this one fit into it? */
bool attr_field__is_in(const struct attr_field *field, const struct perf_event_attr *attr);
bool attr_field__has_room(const struct attr_field *field, uint64_t value);

/* Reads a format of an attr of this size. 0, or -EINVAL with @where, which may be NULL. */
int attr_field__parse(struct attr_field *field, const char *text, size_t attr_size,
		      struct persist_attr_error *where);

/* Writes a format as snprintf() does: returns its length, whatever @size is. */
size_t attr_field__write(const struct attr_field *field, char *text, size_t size);

/*
 * Defines a term by the text of its format. 0, or -EINVAL (not a name, or not a format: @where),
 * -EEXIST (the name is defined), -E2BIG (too many).
 */
int attr_terms__add(struct attr_terms *terms, const char *name, const char *format,
		    struct persist_attr_error *where);

/*
 * Sets what the terms of an event's @text say, and leaves the rest of the attr alone. 0, or -EINVAL
 * with @where, which may be NULL; the attr is unchanged then.
 */
int attr_text__parse(const struct attr_terms *terms, const char *text, struct perf_event_attr *attr,
		     struct persist_attr_error *where);

/*
 * Writes the text of an event from all words of the attr but type and size, as snprintf() does.
 * Returns its length, or -EINVAL if a bit is set that no term, or no choice of terms that set
 * each bit once, can say.
 */
int attr_text__write(const struct attr_terms *terms, const struct perf_event_attr *attr, char *text,
		     size_t size);

#endif
