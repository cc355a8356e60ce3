/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The last records of one key, as lines of text. They are read from the buffers by a reader of its
 * own, which does not follow: each time up to what is there then, going on from the last time.
 */
#ifndef TOP_ZOOM_H
#define TOP_ZOOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "last_items.h"
#include "line_writer.h"
#include "top/top_key.h"
#include "top/top_timeline.h"

#define TOP_ZOOM_LINES 500

/**
 * struct top_zoom - the records of one key
 * @timeline: of those records that the buffers have held since this was opened, and of all losses
 * @nr_lines: how many of the last ones there are
 */
struct top_zoom {
	struct top_timeline timeline;
	unsigned int nr_lines;
	char *lines[TOP_ZOOM_LINES]; /* a circle */
	unsigned int first;
	struct top_key key;
	unsigned char *bytes; /* of the key; NULL: not open */
	size_t size;
	struct persist_reader_options options;
	char **targets; /* NULL: all events of the root */
	unsigned int nr_targets;
	struct persist_reader *reader; /* NULL: all that was there has been read */
	struct persist_position *positions;
	int nr_positions;
	struct last_items last;
	struct line_writer writer;
};

/**
 * top_zoom__open() - begin to show one key
 * @zoom:       filled
 * @options:    what the reader that counts was made with; pointers in it have to stay valid
 * @targets:    @nr_targets events, as persist_reader__add() takes them, or none: all of the root
 * @key:        how keys are made
 * @bytes:      the made key, of @size bytes; copied
 *
 * Nothing is read yet.
 *
 * Return: 0 and top_zoom__close() frees what it holds, or -ENOMEM.
 */
int top_zoom__open(struct top_zoom *zoom, const struct persist_reader_options *options,
		   char **targets, unsigned int nr_targets, const struct top_key *key,
		   const unsigned char *bytes, size_t size);
void top_zoom__close(struct top_zoom *zoom);

/* Begins to read what has come since the last time. Returns 0 or -errno. */
int top_zoom__begin(struct top_zoom *zoom);

/*
 * Reads on, no longer than to @until_ns (CLOCK_BOOTTIME) or little more. Returns 1 if there is more
 * to be read, 0 if everything has been read, and is shown, or -errno.
 */
int top_zoom__read(struct top_zoom *zoom, uint64_t until_ns);

/* Line @index, counted from the oldest; without a newline. */
const char *top_zoom__line(const struct top_zoom *zoom, unsigned int index);

#endif
