/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text for a terminal. What comes from records may hold any byte; nothing of it shall control the
 * terminal or spoil the columns. Characters are those of the locale (setlocale(LC_CTYPE)).
 */
#ifndef TOP_TEXT_H
#define TOP_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "text_out.h"

/*
 * Puts @size bytes. What is a printable character stays, every other byte becomes \xNN: controls,
 * those of Unicode and the marks that turn the direction of writing too, and what is no character.
 */
void top_text__put(struct text_out *out, const char *text, size_t size);

/*
 * The same for whole lines of which no more than @columns columns are wanted, without the first
 * @skip columns. Returns how many columns were put.
 */
size_t top_text__put_part(struct text_out *out, const char *text, size_t size, size_t skip,
			  size_t columns);

/* How many columns a text takes that top_text__put() has put. */
size_t top_text__columns(const char *text, size_t size);

enum top_align {
	TOP_LEFT,
	TOP_RIGHT,
};

/*
 * Puts a text that top_text__put() has put, in @columns columns: filled up with spaces, or cut with
 * a "+" at its end.
 */
void top_text__put_cell(struct text_out *out, const char *text, size_t size, size_t columns,
			enum top_align align);

/* Room for each of the following. */
#define TOP_NUMBER_SIZE 32

/* "1,234,567"; all return @text. */
const char *top_text__count(uint64_t count, char text[TOP_NUMBER_SIZE]);

/* In no more than 5 columns: "0", "0.2", "12.3", "4711", "12.3k", "1.23M". */
const char *top_text__rate(double rate, char text[TOP_NUMBER_SIZE]);

/* How long ago: "now", "12s", "3m", "5h", "2d". */
const char *top_text__age(uint64_t ns, char text[TOP_NUMBER_SIZE]);

/* @part of @whole: "0", "<0.1", "12.3", "100". */
const char *top_text__percent(uint64_t part, uint64_t whole, char text[TOP_NUMBER_SIZE]);

#endif
