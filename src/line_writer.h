/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Collects lines and writes them to a descriptor, always whole ones. With a cursor file, the
 * position of each line is stored once it was written.
 */
#ifndef PERSIST_LINE_WRITER_H
#define PERSIST_LINE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "cursor_file.h"

struct line_writer {
	int fd;
	struct cursor_file *cursor; /* NULL: none */
	/*
	 * With a cursor file a pipe gets no more than PIPE_BUF bytes at once, so that the kernel
	 * takes all of them or none.
	 */
	size_t max_write;
	char *buffer;
	size_t room;
	size_t len;	   /* whole lines, and then the one that is being put together */
	size_t line_start; /* of that one */
};

/* Returns 0 or -ENOMEM. */
int line_writer__init(struct line_writer *writer, int fd, struct cursor_file *cursor);
void line_writer__destroy(struct line_writer *writer);

/* Room for @size more bytes of this line: a pointer to it, or NULL without memory. */
char *line_writer__reserve(struct line_writer *writer, size_t size);

/* @size bytes of the reserved ones were filled. */
static inline void line_writer__commit(struct line_writer *writer, size_t size)
{
	writer->len += size;
}

/*
 * The line, newline included, is complete; it holds the record @seq of the cursor file's position
 * @number. Writes if enough has come together. Returns 0 or -errno.
 */
int line_writer__end_line(struct line_writer *writer, int number, uint64_t seq);

/* Writes all complete lines. Returns 0 or -errno. */
int line_writer__flush(struct line_writer *writer);

#endif
