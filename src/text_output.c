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
 * Whether the byte at @i controls a terminal: a control character of ASCII; or one of those from
 * 0x80 to 0x9f, as a byte that nothing of UTF-8 precedes, or as the second one of U+0080 to U+009F.
 * What is before @start is not ours to look at.
 */
static bool is_control(const char *text, size_t start, size_t i)
{
	unsigned char c = (unsigned char)text[i],
		      before = i > start ? (unsigned char)text[i - 1] : 0;

	if (c < 0x80)
		return (c < ' ' && c != '\t') || c == 0x7f;
	return c < 0xa0 && (before < 0x80 || before == 0xc2);
}

/*
 * Names of threads and files hold what their makers like. No line of the output shall break, look
 * like another one, or control a terminal: from @start on, control characters become \xNN.
 */
static void escape_controls(struct text_out *out, size_t start)
{
	size_t nr = 0, from, to;

	if (out->len > out->cap)
		return; /* cut: it is put together once more */
	for (size_t i = start; i < out->len; i++)
		nr += is_control(out->buf, start, i);
	if (!nr)
		return;
	from = out->len;
	out->len += nr * (sizeof("\\xNN") - 2);
	if (out->len > out->cap)
		return;
	for (to = out->len; from > start; from--) {
		char c = out->buf[from - 1];

		if (!is_control(out->buf, start, from - 1)) {
			out->buf[--to] = c;
			continue;
		}
		to -= sizeof("\\xNN") - 1;
		out->buf[to] = '\\';
		out->buf[to + 1] = 'x';
		out->buf[to + 2] = hex_digits[(unsigned char)c >> 4];
		out->buf[to + 3] = hex_digits[(unsigned char)c & 15];
	}
}

/* Right-aligned. Also one that is too long has a space in front: a line of a record begins so. */
static void put_comm(struct text_out *out, const char comm[PERSIST_COMM_SIZE])
{
	size_t len = strnlen(comm, PERSIST_COMM_SIZE);
	size_t width = len;

	for (size_t i = 0; i < len; i++)
		if (is_control(comm, 0, i))
			width += sizeof("\\xNN") - 2;
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
		       const struct persist_record *record)
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

int text_output__put(struct line_writer *writer, const struct persist_item *item)
{
	struct text_out out = { .cap = FIRST_LINE_ROOM };

	for (;;) {
		out.len = 0;
		out.buf = line_writer__reserve(writer, out.cap);
		if (!out.buf)
			return -ENOMEM;
		if (item->record)
			put_record(&out, item->event, item->record);
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
