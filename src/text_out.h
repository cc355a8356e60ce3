/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * A bounded text buffer that keeps counting once it is full, as snprintf() does, so that a
 * caller learns the length it needs from one call, and nothing has to be allocated.
 */
#ifndef PERSIST_TEXT_OUT_H
#define PERSIST_TEXT_OUT_H

#include <stddef.h>
#include <string.h>

struct text_out {
	char *buf;
	size_t cap;
	size_t len; /* what was asked for; may exceed cap */
};

/* Where the next byte goes when at least n more fit, else NULL. Advance len after writing. */
static inline char *text_out__room(const struct text_out *out, size_t n)
{
	if (out->len > out->cap || out->cap - out->len < n)
		return NULL;
	return out->buf + out->len;
}

static inline void text_out__bytes(struct text_out *out, const void *bytes, size_t n)
{
	if (out->len < out->cap) {
		size_t room = out->cap - out->len;

		memcpy(out->buf + out->len, bytes, n < room ? n : room);
	}
	out->len += n;
}

static inline void text_out__char(struct text_out *out, char c)
{
	if (out->len < out->cap)
		out->buf[out->len] = c;
	out->len++;
}

static inline void text_out__fill(struct text_out *out, char c, size_t n)
{
	if (out->len < out->cap) {
		size_t room = out->cap - out->len;

		memset(out->buf + out->len, c, n < room ? n : room);
	}
	out->len += n;
}

/* Terminates the text as snprintf() does and returns the length that was asked for. */
static inline size_t text_out__finish(const struct text_out *out)
{
	if (out->cap)
		out->buf[out->len < out->cap ? out->len : out->cap - 1] = '\0';
	return out->len;
}

#endif /* PERSIST_TEXT_OUT_H */
