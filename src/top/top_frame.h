/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `reader top` shows, line by line: the same for a terminal and for --stdio. Nothing here
 * knows where the lines go.
 */
#ifndef TOP_FRAME_H
#define TOP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text_out.h"
#include "top/top_snapshot.h"
#include "top/top_ui.h"
#include "top/top_zoom.h"

enum top_style {
	TOP_PLAIN,
	TOP_TITLE,
	TOP_WARNING, /* something is missing */
	TOP_BARS,
	TOP_BAR_FOOT,
	TOP_HEADING, /* of columns */
	TOP_SELECTED,
	TOP_FOOTER,
};

#define TOP_LINE_SIZE (2 * 4 * TOP_KEY_MAX_SIZE)

/**
 * struct top_frame - where the lines go
 * @width:    columns; 0: as many as a line needs
 * @height:   lines; 0: no limit, and nobody who presses keys
 * @utf8:     block characters can be shown
 * @put_line: gets each line, of no more than @width columns, without a newline
 * @ctx:      its first argument
 */
struct top_frame {
	unsigned int width, height;
	bool utf8;
	void (*put_line)(void *ctx, enum top_style style, const char *text, size_t size);
	void *ctx;
	unsigned int nr_lines, nr_wanted; /* put so far, and put at the most */
	struct text_out out;
	char line[TOP_LINE_SIZE];
	char cut[TOP_LINE_SIZE];
};

/**
 * struct top_scene - what is to be shown
 * @events:      their names
 * @key:         by which is counted
 * @model:       the counts' rows
 * @snapshot:    the counts
 * @ui:          what the user has chosen; what depends on the frame's size is set in it
 * @zoom:        the records of the selected row; used if @ui says so
 * @is_complete: what the buffers hold has been counted
 * @max_entries: rows at the most, 0: all
 */
struct top_scene {
	const char *events;
	const struct top_key *key;
	const struct top_model *model;
	const struct top_snapshot *snapshot;
	struct top_ui *ui;
	const struct top_zoom *zoom;
	bool is_complete;
	uint32_t max_entries;
};

/* Puts all lines of the scene. */
void top_frame__draw(struct top_frame *frame, const struct top_scene *scene);

/* ---- for the tests: what there is room for ----------------------------------------------- */

struct top_layout {
	bool has_counts, has_heading, has_footer;
	unsigned int bars; /* lines of the plot without its foot; 0: no plot */
	unsigned int rows; /* UINT_MAX: no limit */
};

struct top_layout top_layout__of(unsigned int height);

#endif
