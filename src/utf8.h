/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* Strings from a kernel can hold any bytes; formats that want text want it in UTF-8. */
#ifndef PERSIST_UTF8_H
#define PERSIST_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character at @text, of which there are @size > 0; 0 if there is no valid one. */
size_t utf8__length(const void *text, size_t size);

/* Whether all of @size bytes are valid. */
bool utf8__is_valid(const void *text, size_t size);

/*
 * Copies @size bytes to @to, where a byte that is not part of a valid character becomes the four
 * characters \xNN: room for 4 * @size bytes is enough. Returns the bytes written.
 */
size_t utf8__escape(void *to, const void *text, size_t size);

/* Whether this character of @length bytes controls a terminal: those of ASCII, and U+0080 to
 * U+009F. */
bool utf8__is_control(const void *character, size_t length);

/* The same as utf8__escape(), and the bytes of control characters become \xNN as well. */
size_t utf8__escape_controls(void *to, const void *text, size_t size);

#endif
