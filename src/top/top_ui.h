/* SPDX-License-Identifier: GPL-2.0-only */
/* What the user of the live view has chosen, and how the keys that are pressed change that. */
#ifndef TOP_UI_H
#define TOP_UI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "top/top_snapshot.h"

/* A key that was pressed: a character, or one of these, which are none. */
enum {
	TOP_PRESS_ENTER = 0x200000,
	TOP_PRESS_ESCAPE,
	TOP_PRESS_BACKSPACE,
	TOP_PRESS_UP,
	TOP_PRESS_DOWN,
	TOP_PRESS_LEFT,
	TOP_PRESS_RIGHT,
	TOP_PRESS_PAGE_UP,
	TOP_PRESS_PAGE_DOWN,
	TOP_PRESS_HOME,
	TOP_PRESS_END,
	TOP_PRESS_OTHER,
};

#define TOP_PRESS_CONTROL(letter) ((letter)&0x1f)

/* What is left to be done for a key that was pressed. */
enum top_action {
	TOP_NOTHING,
	TOP_QUIT,
	TOP_FILTER,	    /* the filter has changed */
	TOP_REFRESH,	    /* the counts of now are wanted: in another order, or after a pause */
	TOP_NEXT_KEY,	    /* count by the next key */
	TOP_USE_KEY,	    /* count by the key that is in the input */
	TOP_COUNT_FROM_NOW, /* forget what was counted */
	TOP_OPEN_ZOOM,	    /* show the records of the selected row */
	TOP_CLOSE_ZOOM,
	TOP_REPAINT, /* what is on the screen may be spoilt */
};

enum top_prompt {
	TOP_NO_PROMPT,
	TOP_FILTER_PROMPT,
	TOP_KEY_PROMPT,
};

#define TOP_INPUT_SIZE 128

/**
 * struct top_ui - what the user has chosen; starts as { 0 }
 * @filter:       what the rows that are shown have in them
 * @input:        what has been typed at the prompt, if there is one
 * @is_paused:    the snapshot stays
 * @shows_help:   instead of anything else
 * @is_zoomed:    records of one row are shown instead of the rows
 * @has_selected: the user has moved to a row, which stays selected wherever it goes; else the
 *                first one is selected, whichever that is
 * @selected_row: its number in the model
 * @selected:     which of the shown rows it is
 * @first:        the first one of those on the screen
 * @page:         how many lines there are for rows or records
 * @zoom_back:    how many of the newest records are below the screen
 * @zoom_skip:    columns of the records that are left of the screen
 * @nr_records:   how many there are
 * @widths:       of the columns of the key: they never get narrower
 * @message:      to be read; until a key is pressed
 */
struct top_ui {
	char filter[TOP_INPUT_SIZE];
	char filter_before[TOP_INPUT_SIZE];
	enum top_prompt prompt;
	char input[TOP_INPUT_SIZE];
	enum top_order order;
	bool is_paused;
	bool shows_help;
	bool is_zoomed;
	bool has_selected;
	uint32_t selected_row;
	uint32_t selected;
	uint32_t first;
	uint32_t page;
	uint32_t zoom_back;
	uint32_t zoom_skip;
	uint32_t nr_records;
	size_t widths[TOP_KEY_MAX_PARTS];
	char message[512];
};

/* Takes a key that was pressed while @snapshot was on the screen. */
enum top_action top_ui__press(struct top_ui *ui, const struct top_snapshot *snapshot, wint_t press);

/*
 * Finds the selected row in another snapshot, or in the same one with another filter, and brings it
 * onto a screen with room for @page rows.
 */
void top_ui__place(struct top_ui *ui, const struct top_snapshot *snapshot, uint32_t page);

/* The same for the records of a row, of which there are @nr. */
void top_ui__place_records(struct top_ui *ui, uint32_t nr, uint32_t page);

/* The rows are those of another key: nothing is selected, zoomed or paused. */
void top_ui__begin_rows(struct top_ui *ui);

#endif
