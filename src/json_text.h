/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * What yajl is too slow for: strings and integers of JSON, put straight into a buffer that may be
 * too small.
 */
#ifndef PERSIST_JSON_TEXT_H
#define PERSIST_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text_out.h"

/*
 * Puts @size bytes as a string, with its quotes. A byte that is not part of valid UTF-8 becomes the
 * four characters \xNN, so that the text is valid whatever the bytes are.
 */
void json_text__string(struct text_out *out, const void *bytes, size_t size);

/* How integers that a double cannot hold are written: those whose magnitude is beyond 2^53. */
enum json_numbers {
	JSON_NUMBERS_EXACT,	 /* as numbers, as all others */
	JSON_NUMBERS_OF_DOUBLES, /* as strings of their digits, for readers with doubles only */
};

/* Puts an integer, sign-extended to 64 bits if it is a signed one. */
void json_text__integer(struct text_out *out, uint64_t value, bool is_signed,
			enum json_numbers numbers);

#endif
