// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "perf/memory_stream.h"

#include <errno.h>
#include <stdbool.h>

int memory_stream__open(struct memory_stream *stream)
{
	stream->bytes = NULL;
	stream->size = 0;
	stream->out = open_memstream(&stream->bytes, &stream->size);
	return stream->out ? 0 : -ENOMEM;
}

int memory_stream__end(struct memory_stream *stream)
{
	bool has_failed = ferror(stream->out);

	return fclose(stream->out) || has_failed ? -ENOMEM : 0;
}
