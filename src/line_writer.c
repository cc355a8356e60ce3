// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "line_writer.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "write_all.h"

#define FIRST_ROOM (256 * 1024)
#define MAX_WRITE  (64 * 1024)

int line_writer__init(struct line_writer *writer, int fd, struct cursor_file *cursor)
{
	struct stat st;

	*writer = (struct line_writer){ .fd = fd, .cursor = cursor, .max_write = MAX_WRITE };
	if (cursor && !fstat(fd, &st) && !S_ISREG(st.st_mode))
		writer->max_write = PIPE_BUF;
	writer->buffer = malloc(FIRST_ROOM);
	if (!writer->buffer)
		return -ENOMEM;
	writer->room = FIRST_ROOM;
	return 0;
}

void line_writer__destroy(struct line_writer *writer)
{
	free(writer->buffer);
	writer->buffer = NULL;
}

char *line_writer__reserve(struct line_writer *writer, size_t size)
{
	size_t room = writer->room;
	char *buffer;

	while (room - writer->len < size)
		room *= 2;
	if (room != writer->room) {
		buffer = realloc(writer->buffer, room);
		if (!buffer)
			return NULL;
		writer->buffer = buffer;
		writer->room = room;
	}
	return writer->buffer + writer->len;
}

/* Writes the complete lines and moves the one that is not to the front. */
static int write_lines(struct line_writer *writer)
{
	int err = 0;

	if (!writer->line_start)
		return 0;
	if (writer->cursor)
		err = cursor_file__begin_write(writer->cursor, writer->line_start);
	if (!err)
		err = write_all(writer->fd, writer->buffer, writer->line_start, NULL);
	if (!err && writer->cursor)
		err = cursor_file__end_write(writer->cursor);
	if (err)
		return err;
	writer->len -= writer->line_start;
	memmove(writer->buffer, writer->buffer + writer->line_start, writer->len);
	writer->line_start = 0;
	return 0;
}

int line_writer__end_line(struct line_writer *writer, int number, uint64_t seq)
{
	int err = 0;

	/* The lines before this one, without this one's position. */
	if (writer->len > writer->max_write)
		err = write_lines(writer);
	if (writer->cursor && !err)
		cursor_file__set(writer->cursor, number, seq);
	writer->line_start = writer->len;
	return err;
}

int line_writer__flush(struct line_writer *writer)
{
	return write_lines(writer);
}
