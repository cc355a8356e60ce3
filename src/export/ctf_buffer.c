// SPDX-License-Identifier: GPL-2.0-only
#include "export/ctf_buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

#define FIRST_ROOM 4096

void ctf_buffer__free(struct ctf_buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct ctf_buffer){ 0 };
}

void *ctf_buffer__reserve(struct ctf_buffer *buffer, size_t size)
{
	size_t room = buffer->room ? buffer->room : FIRST_ROOM;
	uint8_t *data;

	while (room - buffer->len < size)
		room *= 2;
	if (room != buffer->room) {
		data = realloc(buffer->data, room);
		if (!data) {
			buffer->has_failed = true;
			return NULL;
		}
		buffer->data = data;
		buffer->room = room;
	}
	return buffer->data + buffer->len;
}

void ctf_buffer__put(struct ctf_buffer *buffer, const void *bytes, size_t size)
{
	void *to = ctf_buffer__reserve(buffer, size);

	if (!to || !size)
		return;
	memcpy(to, bytes, size);
	buffer->len += size;
}

void ctf_buffer__fill(struct ctf_buffer *buffer, uint8_t byte, size_t size)
{
	void *to = ctf_buffer__reserve(buffer, size);

	if (!to)
		return;
	memset(to, byte, size);
	buffer->len += size;
}

void ctf_buffer__put_u8(struct ctf_buffer *buffer, uint8_t value)
{
	ctf_buffer__put(buffer, &value, sizeof(value));
}

void ctf_buffer__put_u32(struct ctf_buffer *buffer, uint32_t value)
{
	ctf_buffer__put(buffer, &value, sizeof(value));
}

void ctf_buffer__put_u64(struct ctf_buffer *buffer, uint64_t value)
{
	ctf_buffer__put(buffer, &value, sizeof(value));
}

void ctf_buffer__put_string(struct ctf_buffer *buffer, const void *text, size_t size)
{
	uint8_t *to;

	if (utf8__is_valid(text, size)) {
		ctf_buffer__put(buffer, text, size);
	} else {
		to = ctf_buffer__reserve(buffer, 4 * size);
		if (to)
			buffer->len += utf8__escape(to, text, size);
	}
	ctf_buffer__put_u8(buffer, 0);
}

void ctf_buffer__print(struct ctf_buffer *buffer, const char *format, ...)
{
	va_list arguments;
	char *to;
	int len;

	va_start(arguments, format);
	len = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (len < 0) {
		buffer->has_failed = true;
		return;
	}
	to = ctf_buffer__reserve(buffer, (size_t)len + 1);
	if (!to)
		return;
	va_start(arguments, format);
	vsnprintf(to, (size_t)len + 1, format, arguments);
	va_end(arguments);
	buffer->len += (size_t)len;
}

void ctf_buffer__print_literal(struct ctf_buffer *buffer, const char *text)
{
	size_t size = strlen(text);
	char *escaped = malloc(4 * size + 1);

	if (!escaped) {
		buffer->has_failed = true;
		return;
	}
	size = utf8__escape_controls(escaped, text, size);
	ctf_buffer__put_u8(buffer, '"');
	for (size_t i = 0; i < size; i++) {
		if (escaped[i] == '"' || escaped[i] == '\\')
			ctf_buffer__put_u8(buffer, '\\');
		ctf_buffer__put_u8(buffer, (uint8_t)escaped[i]);
	}
	ctf_buffer__put_u8(buffer, '"');
	free(escaped);
}
