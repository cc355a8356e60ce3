/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes that are put together before they are written: text of the metadata, packets. */
#ifndef CTF_BUFFER_H
#define CTF_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is an empty one. Once memory was short, what was put is not complete. */
struct ctf_buffer {
	uint8_t *data;
	size_t len;
	size_t room;
	bool has_failed;
};

/* Empties the buffer and gives its memory back. */
void ctf_buffer__free(struct ctf_buffer *buffer);

/* Room for @size more bytes: where they go, or NULL without memory. Advance len afterwards. */
void *ctf_buffer__reserve(struct ctf_buffer *buffer, size_t size);

void ctf_buffer__put(struct ctf_buffer *buffer, const void *bytes, size_t size);
void ctf_buffer__fill(struct ctf_buffer *buffer, uint8_t byte, size_t size);
void ctf_buffer__put_u8(struct ctf_buffer *buffer, uint8_t value);
void ctf_buffer__put_u32(struct ctf_buffer *buffer, uint32_t value);
void ctf_buffer__put_u64(struct ctf_buffer *buffer, uint64_t value);

/*
 * A string and its NUL, in which a byte that is not part of valid UTF-8 is shown as the four
 * characters \xNN: readers take a CTF string for UTF-8.
 */
void ctf_buffer__put_string(struct ctf_buffer *buffer, const void *text, size_t size);

/* Text, without its NUL. */
void ctf_buffer__print(struct ctf_buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A string literal of the metadata, with its quotes. What is not valid UTF-8 is shown as \xNN, and
 * so are control characters: who reads the metadata may print it.
 */
void ctf_buffer__print_literal(struct ctf_buffer *buffer, const char *text);

#endif
