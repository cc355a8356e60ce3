/* SPDX-License-Identifier: GPL-2.0-only */
/* What is put together in memory before it is written: open_memstream(3) with its errors. */
#ifndef MEMORY_STREAM_H
#define MEMORY_STREAM_H

#include <stddef.h>
#include <stdio.h>

struct memory_stream {
	FILE *out;
	char *bytes;
	size_t size;
};

/* Returns 0 or -ENOMEM. */
int memory_stream__open(struct memory_stream *stream);

/*
 * Ends it, after which @bytes and @size are valid. Returns 0, or -ENOMEM if not all of it was
 * stored. The bytes are the caller's to free in any case.
 */
int memory_stream__end(struct memory_stream *stream);

#endif
