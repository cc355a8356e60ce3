// SPDX-License-Identifier: GPL-2.0-only
/* The trace-event format of Chrome's tracing, see chrome_event.h: how it is written. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/chrome_event.h"
#include "export/export_format.h"
#include "line_writer.h"
#include "log.h"
#include "text_out.h"

/* Enough for nearly every event; a longer one is put together a second time. */
#define FIRST_EVENT_ROOM 2048

/*
 * What is killed in write(2) has written whole pages. In a file an event does not go across the
 * border of a page, unless it is longer than one, so that such a file ends with a whole event.
 */
#define PAGE_BYTES 4096

/* More CPUs than any kernel supports. What a hostile record says beyond gets no name. */
#define MAX_TRACKS 8192

struct chrome_writer {
	const struct log *log;
	const char *output; /* for messages */
	int fd;
	bool is_regular;
	bool has_failed;	/* and said so */
	uint64_t begin_bytes;	/* offset in the file where the array begins */
	uint64_t put_bytes;	/* offset behind what was put */
	uint64_t written_bytes; /* of that, what was written */
	struct line_writer writer;
	bool has_track[MAX_TRACKS]; /* of each CPU */
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
	    chrome->written_bytes > chrome->begin_bytes &&
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

/* ---- the format -------------------------------------------------------------------------- */

static int add_track(struct chrome_writer *chrome, uint32_t cpu)
{
	if (cpu >= MAX_TRACKS || chrome->has_track[cpu])
		return 0;
	chrome->has_track[cpu] = true;
	return put_text(chrome, chrome_event__print_track, &cpu);
}

static int chrome_put(void *writer, const struct persist_item *item)
{
	struct chrome_writer *chrome = writer;
	int err = add_track(chrome, item->record ? item->record->cpu : item->loss.cpu);

	return err ? err : put_text(chrome, chrome_event__print_item, item);
}

static int chrome_flush(void *writer, const struct persist_reader *reader)
{
	struct chrome_writer *chrome = writer;

	(void)reader;
	return check_written(chrome, line_writer__flush(&chrome->writer));
}

static int chrome_output_fd(const void *writer)
{
	const struct chrome_writer *chrome = writer;

	return chrome->fd;
}

static int chrome_close(void *writer)
{
	struct chrome_writer *chrome = writer;
	int err = 0;

	if (!chrome->has_failed)
		err = put_text(chrome, chrome_event__print_end, NULL);
	if (!chrome->has_failed && !err)
		err = check_written(chrome, line_writer__flush(&chrome->writer));
	/* Some file systems say only now that there was no room. */
	if (chrome->fd >= 0 && close(chrome->fd) && !chrome->has_failed)
		err = report(chrome, -errno);
	line_writer__destroy(&chrome->writer);
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
	chrome->begin_bytes = chrome->put_bytes = chrome->written_bytes = (uint64_t)at;
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
	return put_text(chrome, chrome_event__print_head, NULL);
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
	.summary = "trace events for the Perfetto UI and chrome://tracing (-o FILE)",
	.open = chrome_open,
	.put = chrome_put,
	.flush = chrome_flush,
	.output_fd = chrome_output_fd,
	.close = chrome_close,
};
