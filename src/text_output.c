// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "text_output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "event_format.h"
#include "persist_event.h"
#include "text_out.h"
#include "time_spec.h"
#include "utf8.h"

/* Enough for nearly every line; a longer one is put together a second time. */
#define FIRST_LINE_ROOM 1024

#define COMM_WIDTH 15
#define TID_WIDTH  7
#define SEC_WIDTH  5

/* Writes @value with at least @width characters, filled up on the left with @fill. */
static void put_number(struct text_out *out, uint64_t value, size_t width, char fill)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	if (sizeof(digits) - at < width)
		text_out__fill(out, fill, width - (sizeof(digits) - at));
	text_out__bytes(out, digits + at, sizeof(digits) - at);
}

static void put_string(struct text_out *out, const char *string)
{
	text_out__bytes(out, string, strlen(string));
}

static const char hex_digits[] = "0123456789abcdef";

static void put_hex_byte(struct text_out *out, unsigned char byte)
{
	text_out__char(out, hex_digits[byte >> 4]);
	text_out__char(out, hex_digits[byte & 15]);
}

/*
 * Bytes of the character at @text, and whether it becomes \xNN: a control character other than a
 * tab, or a byte from 0x80 to 0x9f that is none of a character; a terminal may take that for the
 * same. Other bytes stay, as ftrace prints them.
 */
static size_t character_at(const char *text, size_t size, bool *is_escaped)
{
	size_t length;

	*is_escaped = false;
	if (*text >= ' ' && *text < 0x7f)
		return 1;
	length = utf8__length(text, size);
	if (!length) {
		*is_escaped = (unsigned char)*text < 0xa0;
		return 1;
	}
	*is_escaped = *text != '\t' && utf8__is_control(text, length);
	return length;
}

/* Bytes at the beginning of @text, in whole words, that are printable ASCII, as most text is. */
static size_t plain_length(const char *text, size_t size)
{
	const uint64_t each = 0x0101010101010101;
	size_t len = 0;
	uint64_t word;

	for (; size - len >= sizeof(word); len += sizeof(word)) {
		memcpy(&word, text + len, sizeof(word));
		/* A byte from 0x80 on, or 0x7f, or one below a blank sets its highest bit. */
		if ((word | (word + each) | (word - each * ' ')) & each * 0x80)
			break;
	}
	return len;
}

/* How many bytes become \xNN. */
static size_t count_escaped(const char *text, size_t size)
{
	size_t nr = 0;
	bool is_escaped;

	for (size_t length, i = plain_length(text, size); i < size; i += length) {
		length = character_at(text + i, size - i, &is_escaped);
		if (is_escaped)
			nr += length;
	}
	return nr;
}

/*
 * Names of threads and files hold what their makers like. No line of the output shall break, look
 * like another one, or control a terminal: from @start on, such characters become \xNN.
 */
static void escape_controls(struct text_out *out, size_t start)
{
	size_t nr, size, length;
	char *from, *to;
	bool is_escaped;

	if (out->len > out->cap)
		return; /* cut: it is put together once more */
	size = out->len - start;
	nr = count_escaped(out->buf + start, size);
	if (!nr)
		return;
	out->len += nr * (sizeof("\\xNN") - 2);
	if (out->len > out->cap)
		return;
	/* What is there moves to the end, and from there back to its place. */
	to = out->buf + start;
	from = out->buf + out->len - size;
	memmove(from, to, size);
	for (; size; size -= length) {
		length = character_at(from, size, &is_escaped);
		for (size_t i = 0; i < length; i++, from++) {
			unsigned char byte = (unsigned char)*from;

			if (!is_escaped) {
				*to++ = *from;
				continue;
			}
			*to++ = '\\';
			*to++ = 'x';
			*to++ = hex_digits[byte >> 4];
			*to++ = hex_digits[byte & 15];
		}
	}
}

/* Right-aligned. Also one that is too long has a space in front: a line of a record begins so. */
static void put_comm(struct text_out *out, const char comm[PERSIST_COMM_SIZE])
{
	size_t len = strnlen(comm, PERSIST_COMM_SIZE);
	size_t width = len + count_escaped(comm, len) * (sizeof("\\xNN") - 2);

	text_out__fill(out, ' ', width < COMM_WIDTH ? COMM_WIDTH - width + 1 : 1);
	text_out__bytes(out, comm, len);
	if (width != len)
		escape_controls(out, out->len - len);
}

static void put_payload(struct text_out *out, const struct persist_event *event,
			const struct persist_record *record)
{
	const struct event_format *format = persist_event__format(event);
	const unsigned char *payload = persist_record__payload(record);
	bool is_cut = out->len >= out->cap;
	size_t start = out->len;

	if (format) {
		out->len += event_format__print(format, payload, record->size,
						is_cut ? NULL : out->buf + out->len,
						is_cut ? 0 : out->cap - out->len);
		escape_controls(out, start);
		return;
	}
	put_string(out, "payload=");
	for (uint32_t i = 0; i < record->size; i++)
		put_hex_byte(out, payload[i]);
}

static void put_record(struct text_out *out, const struct persist_event *event,
		       const struct persist_record *record, bool mark)
{
	uint64_t us = record->time_ns / NSEC_PER_USEC;

	put_comm(out, record->comm);
	text_out__char(out, ' ');
	put_number(out, record->tid, TID_WIDTH, ' ');
	text_out__bytes(out, " [", 2);
	put_number(out, record->cpu, 3, '0');
	text_out__bytes(out, "] ", 2);
	put_number(out, us / 1000000, SEC_WIDTH, ' ');
	text_out__char(out, '.');
	put_number(out, us % 1000000, 6, '0');
	text_out__bytes(out, ": ", 2);
	put_string(out, event->label);
	text_out__bytes(out, ": ", 2);
	put_payload(out, event, record);
	if (record->flags & PERSIST_RECORD_INCOMPLETE)
		put_string(out, " (incomplete: the kernel did not let the variable part be read)");
	if (mark && record->flags & PERSIST_RECORD_IMPORTED)
		put_string(out, " (imported)");
	text_out__char(out, '\n');
}

static void put_loss(struct text_out *out, const struct persist_event *event,
		     const struct persist_loss *loss)
{
	put_string(out, "LOST ");
	put_number(out, loss->lost, 0, ' ');
	put_string(out, loss->lost == 1 ? " event of " : " events of ");
	put_string(out, event->label);
	put_string(out, " on cpu ");
	put_number(out, loss->cpu, 0, ' ');
	put_string(out, ": ");
	put_string(out, persist_loss_reason__name(loss->reason));
	put_string(out, " (seq ");
	put_number(out, loss->from_seq, 0, ' ');
	put_string(out, "..");
	put_number(out, loss->to_seq, 0, ' ');
	put_string(out, ")\n");
}

static int put_line(struct line_writer *writer, const struct persist_item *item, bool mark)
{
	struct text_out out = { .cap = FIRST_LINE_ROOM };

	for (;;) {
		out.len = 0;
		out.buf = line_writer__reserve(writer, out.cap);
		if (!out.buf)
			return -ENOMEM;
		if (item->record)
			put_record(&out, item->event, item->record, mark);
		else
			put_loss(&out, item->event, &item->loss);
		if (out.len <= out.cap)
			break;
		/* One more, for the NUL that ends the payload's text. */
		out.cap = out.len + 1;
	}
	line_writer__commit(writer, out.len);
	return 0;
}

int text_output__put(struct line_writer *writer, const struct persist_item *item)
{
	return put_line(writer, item, false);
}

int text_output__put_marked(struct line_writer *writer, const struct persist_item *item)
{
	return put_line(writer, item, true);
}
