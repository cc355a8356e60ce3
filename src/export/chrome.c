// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trace-event format of Chrome's tracing, which the Perfetto UI loads as well. Of its two forms
 * this is the array, since that may lack its end: "the ] at the end of the array is optional".
 * Source: "Trace Event Format", the document that chrome://tracing refers to.
 *
 * The events of a CPU are instants on a track of its own, a thread of one process.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event_format.h"
#include "export/export_format.h"
#include "json_text.h"
#include "kernel_printf.h"
#include "line_writer.h"
#include "log.h"
#include "persist_event.h"
#include "text_out.h"
#include "time_spec.h"

/* Enough for nearly every event; a longer one is put together a second time. */
#define FIRST_EVENT_ROOM 2048

/* The process whose threads are the CPUs. Viewers take 0 for the idle tasks. */
#define CPUS_PID "1"

/*
 * What is killed in write(2) has written whole pages. In a file an event does not go across the
 * border of a page, unless it is longer than one, so that such a file ends with a whole event.
 */
#define PAGE_BYTES 4096

struct chrome_writer {
	const struct log *log;
	const char *output; /* for messages */
	int fd;
	bool is_regular;
	bool has_failed;	/* and said so */
	uint64_t put_bytes;	/* offset behind what was put */
	uint64_t written_bytes; /* of that, what was written */
	struct line_writer writer;
	bool *has_track; /* of each CPU */
	uint32_t nr_tracks;
};

/* ---- writing ----------------------------------------------------------------------------- */

static int report(struct chrome_writer *chrome, int err)
{
	chrome->has_failed = true;
	if (err == -EPIPE)
		log_error(chrome->log, "%s: nobody reads it any more (%s)", chrome->output,
			  strerror(-err));
	else
		log_error(chrome->log, "%s: %s; what was written until then can be read",
			  chrome->output, strerror(-err));
	return err;
}

static void print_literal(struct text_out *out, const char *text)
{
	text_out__bytes(out, text, strlen(text));
}

/*
 * A file that cannot be written on, because the disk is full for one, ends with a whole event, and
 * with the end of the array if there is room for that.
 */
static void mend_file(struct chrome_writer *chrome)
{
	static const char end[] = "\n]\n";
	off_t at = lseek(chrome->fd, 0, SEEK_CUR);
	const char *newline;
	size_t more;

	if (!chrome->is_regular || at < 0 || (uint64_t)at < chrome->written_bytes)
		return;
	more = (size_t)((uint64_t)at - chrome->written_bytes);
	/* Newlines stand between events only, each behind the comma that follows the one before. */
	newline = memrchr(chrome->writer.buffer, '\n', more);
	if (newline && newline[-1] == ',')
		chrome->written_bytes += (uint64_t)(newline - 1 - chrome->writer.buffer);
	if (!ftruncate(chrome->fd, (off_t)chrome->written_bytes) &&
	    lseek(chrome->fd, (off_t)chrome->written_bytes, SEEK_SET) >= 0 &&
	    write(chrome->fd, end, sizeof(end) - 1) != sizeof(end) - 1)
		log_debug(chrome->log, "%s: the end of the array is missing", chrome->output);
}

/* What line_writer has returned. */
static int check_written(struct chrome_writer *chrome, int err)
{
	if (!err) {
		chrome->written_bytes = chrome->put_bytes - chrome->writer.len;
		return 0;
	}
	mend_file(chrome);
	return report(chrome, err);
}

/* Moves the event to the next page if it would go across the end of this one; returns how far. */
static size_t align(const struct chrome_writer *chrome, char *event, size_t len)
{
	size_t left = PAGE_BYTES - chrome->put_bytes % PAGE_BYTES;

	if (!chrome->is_regular || len <= left || len > PAGE_BYTES)
		return 0;
	memmove(event + left, event, len);
	memset(event, ' ', left);
	return left;
}

/*
 * Puts one event, or what stands before the first one. @print is called again if there was not
 * enough room for what it has printed.
 */
static int put_text(struct chrome_writer *chrome,
		    void (*print)(struct text_out *out, const void *what), const void *what)
{
	struct text_out out = { .cap = FIRST_EVENT_ROOM };
	int err;

	for (;;) {
		out.len = 0;
		out.buf = line_writer__reserve(&chrome->writer, out.cap + PAGE_BYTES);
		if (!out.buf)
			return report(chrome, -ENOMEM);
		print(&out, what);
		if (out.len <= out.cap)
			break;
		/* One more, for the NUL that ends the fields' text. */
		out.cap = out.len + 1;
	}
	out.len += align(chrome, out.buf, out.len);
	line_writer__commit(&chrome->writer, out.len);
	chrome->put_bytes += out.len;
	err = line_writer__end_line(&chrome->writer, 0, 0);
	return check_written(chrome, err);
}

/* ---- events ------------------------------------------------------------------------------ */

static void print_head(struct text_out *out, const void *unused)
{
	(void)unused;
	print_literal(out, "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":" CPUS_PID
			   ",\"args\":{\"name\":\"CPUs\"}}");
}

/* The name of a CPU's track, and its place among the others. */
static void print_track(struct text_out *out, const void *what)
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

static void print_item(struct text_out *out, const void *what)
{
	const struct persist_item *item = what;

	if (item->record)
		print_record(out, item->event, item->record);
	else
		print_loss(out, item->event, &item->loss);
}

/* ---- the format -------------------------------------------------------------------------- */

static int add_track(struct chrome_writer *chrome, uint32_t cpu)
{
	bool *has_track = chrome->has_track;
	int err;

	if (cpu >= chrome->nr_tracks) {
		has_track = reallocarray(has_track, cpu + 64, sizeof(*has_track));
		if (!has_track)
			return report(chrome, -ENOMEM);
		memset(has_track + chrome->nr_tracks, 0, cpu + 64 - chrome->nr_tracks);
		chrome->has_track = has_track;
		chrome->nr_tracks = cpu + 64;
	}
	if (has_track[cpu])
		return 0;
	err = put_text(chrome, print_track, &cpu);
	has_track[cpu] = !err;
	return err;
}

static int chrome_put(void *writer, const struct persist_item *item)
{
	struct chrome_writer *chrome = writer;
	int err = add_track(chrome, item->record ? item->record->cpu : item->loss.cpu);

	return err ? err : put_text(chrome, print_item, item);
}

static int chrome_flush(void *writer, const struct persist_reader *reader)
{
	struct chrome_writer *chrome = writer;

	(void)reader;
	return chrome->has_failed ? -EIO
				  : check_written(chrome, line_writer__flush(&chrome->writer));
}

static int chrome_output_fd(const void *writer)
{
	const struct chrome_writer *chrome = writer;

	return chrome->fd;
}

static void print_end(struct text_out *out, const void *unused)
{
	(void)unused;
	print_literal(out, "\n]\n");
}

static int chrome_close(void *writer)
{
	struct chrome_writer *chrome = writer;
	int err = 0;

	if (!chrome->has_failed)
		err = put_text(chrome, print_end, NULL);
	if (!chrome->has_failed && !err)
		err = check_written(chrome, line_writer__flush(&chrome->writer));
	/* Some file systems say only now that there was no room. */
	if (chrome->fd >= 0 && close(chrome->fd) && !chrome->has_failed)
		err = report(chrome, -errno);
	line_writer__destroy(&chrome->writer);
	free(chrome->has_track);
	free(chrome);
	return err;
}

/* Where the output begins: it may be appended to a file, or standard output in the middle of one.
 */
static int look_at_output(struct chrome_writer *chrome)
{
	struct stat st;
	int flags = fcntl(chrome->fd, F_GETFL);
	off_t at;

	if (flags < 0 || fstat(chrome->fd, &st))
		return -errno;
	chrome->is_regular = S_ISREG(st.st_mode);
	if (!chrome->is_regular)
		return 0;
	at = lseek(chrome->fd, 0, flags & O_APPEND ? SEEK_END : SEEK_CUR);
	if (at < 0)
		return -errno;
	chrome->put_bytes = chrome->written_bytes = (uint64_t)at;
	return 0;
}

static int begin(struct chrome_writer *chrome, const char *output)
{
	int err;

	if (output)
		chrome->fd = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	else
		chrome->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	if (chrome->fd < 0) {
		err = -errno;
		log_error(chrome->log, "%s: cannot be written: %s", chrome->output, strerror(-err));
		return err;
	}
	err = look_at_output(chrome);
	if (!err)
		err = line_writer__init(&chrome->writer, chrome->fd, NULL);
	if (err)
		return report(chrome, err);
	return put_text(chrome, print_head, NULL);
}

static int chrome_open(const char *output, const struct log *log, void **writer)
{
	struct chrome_writer *chrome = calloc(1, sizeof(*chrome));
	int err;

	if (!chrome) {
		log_error(log, "cannot start: %s", strerror(ENOMEM));
		return -ENOMEM;
	}
	chrome->log = log;
	chrome->output = output ? output : "standard output";
	chrome->fd = -1;
	err = begin(chrome, output);
	if (err) {
		chrome->has_failed = true;
		chrome_close(chrome);
		return err;
	}
	*writer = chrome;
	return 0;
}

const struct export_format chrome_format = {
	.name = "chrome",
	.summary =
		"trace-event JSON, for the Perfetto UI and chrome://tracing; to -o FILE or standard output",
	.open = chrome_open,
	.put = chrome_put,
	.flush = chrome_flush,
	.output_fd = chrome_output_fd,
	.close = chrome_close,
};
