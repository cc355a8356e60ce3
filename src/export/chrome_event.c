// SPDX-License-Identifier: GPL-2.0-only
#include "export/chrome_event.h"

#include <stdio.h>
#include <string.h>

#include "event_format.h"
#include "json_text.h"
#include "kernel_printf.h"
#include "persist_event.h"
#include "time_spec.h"

/* The process whose threads are the CPUs. Viewers take 0 for the idle tasks. */
#define CPUS_PID "1"

static void print_literal(struct text_out *out, const char *text)
{
	text_out__bytes(out, text, strlen(text));
}

void chrome_event__print_head(struct text_out *out, const void *unused)
{
	(void)unused;
	print_literal(out, "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":" CPUS_PID
			   ",\"args\":{\"name\":\"CPUs\"}}");
}

/* The name of a CPU's track, and its place among the others. */
void chrome_event__print_track(struct text_out *out, const void *what)
{
	uint32_t cpu = *(const uint32_t *)what;

	print_literal(out,
		      ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":" CPUS_PID ",\"tid\":");
	print_decimal(out, cpu);
	print_literal(out, ",\"args\":{\"name\":\"CPU ");
	print_decimal(out, cpu);
	print_literal(out, "\"}},\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":" CPUS_PID
			   ",\"tid\":");
	print_decimal(out, cpu);
	print_literal(out, ",\"args\":{\"sort_index\":");
	print_decimal(out, cpu);
	print_literal(out, "}}");
}

/* Microseconds, with a fraction that says the nanoseconds. */
static void print_time(struct text_out *out, uint64_t ns)
{
	unsigned int fraction = (unsigned int)(ns % NSEC_PER_USEC);

	print_decimal(out, ns / NSEC_PER_USEC);
	text_out__char(out, '.');
	text_out__char(out, (char)('0' + fraction / 100));
	text_out__char(out, (char)('0' + fraction / 10 % 10));
	text_out__char(out, (char)('0' + fraction % 10));
}

/* The beginning of an instant on the track of a CPU, behind its name. */
static void print_instant(struct text_out *out, uint64_t ns, uint32_t cpu)
{
	print_literal(out, ",\"ph\":\"i\",\"s\":\"t\",\"ts\":");
	print_time(out, ns);
	print_literal(out, ",\"pid\":" CPUS_PID ",\"tid\":");
	print_decimal(out, cpu);
}

static void put_string(struct text_out *out, const char *text)
{
	json_text__string(out, text, strlen(text));
}

/* A member of args; numbers beyond 2^53 are strings of digits there, for viewers have doubles. */
static void put_number(struct text_out *out, const char *key, uint64_t value)
{
	print_literal(out, key);
	json_text__integer(out, value, false, JSON_NUMBERS_OF_DOUBLES);
}

/* Without a format the payload is shown as it is. */
static void print_payload(struct text_out *out, const struct persist_record *record)
{
	const uint8_t *payload = persist_record__payload(record);

	print_literal(out, ",\"payload\":\"");
	print_hex_bytes(out, payload, record->size, '\0');
	text_out__char(out, '"');
}

static void print_fields(struct text_out *out, const struct persist_event *event,
			 const struct persist_record *record)
{
	const struct event_format *format = persist_event__format(event);
	bool is_cut = out->len >= out->cap;

	if (!format) {
		print_payload(out, record);
		return;
	}
	print_literal(out, ",\"fields\":");
	out->len += event_format__print_json_as(
		format, persist_record__payload(record), record->size, JSON_NUMBERS_OF_DOUBLES,
		is_cut ? NULL : out->buf + out->len, is_cut ? 0 : out->cap - out->len);
}

static void print_record(struct text_out *out, const struct persist_event *event,
			 const struct persist_record *record)
{
	print_literal(out, ",\n{\"name\":");
	put_string(out, event->meta.name);
	print_literal(out, ",\"cat\":");
	put_string(out, event->meta.system);
	print_instant(out, record->time_ns, record->cpu);
	put_number(out, ",\"args\":{\"pid\":", record->pid);
	put_number(out, ",\"tid\":", record->tid);
	print_literal(out, ",\"comm\":");
	json_text__string(out, record->comm, strnlen(record->comm, PERSIST_COMM_SIZE));
	put_number(out, ",\"seq\":", record->seq);
	print_fields(out, event, record);
	if (record->flags & PERSIST_RECORD_INCOMPLETE)
		print_literal(out, ",\"incomplete\":true");
	print_literal(out, "}}");
}

/* Where it was found out that they are missing, in the colour that viewers have for errors. */
static void print_loss(struct text_out *out, const struct persist_event *event,
		       const struct persist_loss *loss)
{
	char name[PERSIST_NAME_SIZE + 8];

	snprintf(name, sizeof(name), "LOST %s", event->meta.name);
	print_literal(out, ",\n{\"name\":");
	put_string(out, name);
	print_literal(out, ",\"cat\":\"lost\"");
	print_instant(out, loss->before_ns, loss->cpu);
	print_literal(out, ",\"cname\":\"terrible\",\"args\":{\"event\":");
	put_string(out, event->meta.name);
	put_number(out, ",\"lost\":", loss->lost);
	print_literal(out, ",\"reason\":");
	put_string(out, persist_loss_reason__name(loss->reason));
	put_number(out, ",\"from_seq\":", loss->from_seq);
	put_number(out, ",\"to_seq\":", loss->to_seq);
	put_number(out, ",\"after_ns\":", loss->after_ns);
	put_number(out, ",\"before_ns\":", loss->before_ns);
	print_literal(out, "}}");
}

void chrome_event__print_item(struct text_out *out, const void *what)
{
	const struct persist_item *item = what;

	if (item->record)
		print_record(out, item->event, item->record);
	else
		print_loss(out, item->event, &item->loss);
}

void chrome_event__print_end(struct text_out *out, const void *unused)
{
	(void)unused;
	print_literal(out, "\n]\n");
}
