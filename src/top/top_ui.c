// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "top/top_ui.h"

#include <limits.h>
#include <string.h>
#include <wctype.h>

#define SHIFT_COLUMNS 8

/* ---- the prompt -------------------------------------------------------------------------- */

static void open_prompt(struct top_ui *ui, enum top_prompt prompt, const char *input)
{
	ui->prompt = prompt;
	strcpy(ui->input, input);
	strcpy(ui->filter_before, ui->filter);
}

static void append(struct top_ui *ui, wint_t c)
{
	size_t length = strlen(ui->input), size;
	char bytes[MB_LEN_MAX];
	mbstate_t state = { 0 };

	if (c >= TOP_PRESS_ENTER || !iswprint(c))
		return;
	size = wcrtomb(bytes, (wchar_t)c, &state);
	if (size == (size_t)-1 || length + size >= sizeof(ui->input))
		return;
	memcpy(ui->input + length, bytes, size);
	ui->input[length + size] = '\0';
}

/* Takes away the last character, with all its bytes. */
static void take_back(struct top_ui *ui)
{
	size_t length = strlen(ui->input);

	while (length && ((unsigned char)ui->input[length - 1] & 0xc0) == 0x80)
		length--;
	ui->input[length ? length - 1 : 0] = '\0';
}

/* The rows change while the filter is typed. */
static enum top_action use_as_filter(struct top_ui *ui, const char *text)
{
	if (ui->prompt != TOP_FILTER_PROMPT || !strcmp(ui->filter, text))
		return TOP_NOTHING;
	strcpy(ui->filter, text);
	return TOP_FILTER;
}

static enum top_action press_at_prompt(struct top_ui *ui, wint_t press)
{
	enum top_prompt prompt = ui->prompt;
	enum top_action action;

	switch (press) {
	case TOP_PRESS_ENTER:
		ui->prompt = TOP_NO_PROMPT;
		return prompt == TOP_KEY_PROMPT ? TOP_USE_KEY : TOP_NOTHING;
	case TOP_PRESS_ESCAPE:
		action = use_as_filter(ui, ui->filter_before);
		ui->prompt = TOP_NO_PROMPT;
		return action;
	case TOP_PRESS_BACKSPACE:
		take_back(ui);
		break;
	case TOP_PRESS_CONTROL('u'):
		ui->input[0] = '\0';
		break;
	default:
		append(ui, press);
	}
	return use_as_filter(ui, ui->input);
}

/* ---- rows -------------------------------------------------------------------------------- */

static void select_row(struct top_ui *ui, const struct top_snapshot *snapshot, int64_t index)
{
	if (!snapshot->nr_shown)
		return;
	if (index >= snapshot->nr_shown)
		index = (int64_t)snapshot->nr_shown - 1;
	if (index < 0)
		index = 0;
	ui->selected = (uint32_t)index;
	ui->selected_row = top_snapshot__shown(snapshot, ui->selected)->row;
	ui->has_selected = true;
}

/* One step back from what the user has done. */
static enum top_action escape(struct top_ui *ui)
{
	if (ui->filter[0]) {
		ui->filter[0] = '\0';
		return TOP_FILTER;
	}
	ui->has_selected = false;
	return TOP_NOTHING;
}

static enum top_action press_at_rows(struct top_ui *ui, const struct top_snapshot *snapshot,
				     wint_t press)
{
	int64_t selected = ui->selected, page = ui->page ? ui->page : 1;

	switch (press) {
	case TOP_PRESS_UP:
	case 'k':
		select_row(ui, snapshot, selected - 1);
		break;
	case TOP_PRESS_DOWN:
	case 'j':
		select_row(ui, snapshot, selected + 1);
		break;
	case TOP_PRESS_PAGE_UP:
		select_row(ui, snapshot, selected - page);
		break;
	case TOP_PRESS_PAGE_DOWN:
		select_row(ui, snapshot, selected + page);
		break;
	case TOP_PRESS_HOME:
		ui->has_selected = false;
		break;
	case TOP_PRESS_END:
		select_row(ui, snapshot, INT64_MAX);
		break;
	case TOP_PRESS_ESCAPE:
		return escape(ui);
	case TOP_PRESS_ENTER:
		if (!snapshot->nr_shown)
			return TOP_NOTHING;
		select_row(ui, snapshot, selected);
		return TOP_OPEN_ZOOM;
	case 's':
		return TOP_NEXT_KEY;
	case 'S':
		open_prompt(ui, TOP_KEY_PROMPT, "");
		break;
	case '/':
		open_prompt(ui, TOP_FILTER_PROMPT, ui->filter);
		break;
	case 'o':
		ui->order = ui->order == TOP_BY_RATE ? TOP_BY_TOTAL : TOP_BY_RATE;
		return TOP_REFRESH;
	case 'z':
		return TOP_COUNT_FROM_NOW;
	default:
		break;
	}
	return TOP_NOTHING;
}

/* ---- records ----------------------------------------------------------------------------- */

static void scroll_records(struct top_ui *ui, int64_t lines)
{
	int64_t back = (int64_t)ui->zoom_back + lines;

	ui->zoom_back = back > 0 ? (uint32_t)back : 0;
	top_ui__place_records(ui, ui->nr_records, ui->page);
}

static enum top_action press_at_records(struct top_ui *ui, wint_t press)
{
	switch (press) {
	case TOP_PRESS_UP:
	case 'k':
		scroll_records(ui, 1);
		break;
	case TOP_PRESS_DOWN:
	case 'j':
		scroll_records(ui, -1);
		break;
	case TOP_PRESS_PAGE_UP:
		scroll_records(ui, ui->page);
		break;
	case TOP_PRESS_PAGE_DOWN:
		scroll_records(ui, -(int64_t)ui->page);
		break;
	case TOP_PRESS_HOME:
		scroll_records(ui, ui->nr_records);
		break;
	case TOP_PRESS_END:
		ui->zoom_back = 0;
		break;
	case TOP_PRESS_LEFT:
		ui->zoom_skip -= ui->zoom_skip < SHIFT_COLUMNS ? ui->zoom_skip : SHIFT_COLUMNS;
		break;
	case TOP_PRESS_RIGHT:
		ui->zoom_skip += SHIFT_COLUMNS;
		break;
	case TOP_PRESS_ESCAPE:
	case TOP_PRESS_BACKSPACE:
		return TOP_CLOSE_ZOOM;
	default:
		break;
	}
	return TOP_NOTHING;
}

/* ------------------------------------------------------------------------------------------ */

/* Keys that mean the same in rows and records. True if it was one. */
static bool press_anywhere(struct top_ui *ui, wint_t press, enum top_action *action)
{
	*action = TOP_NOTHING;
	switch (press) {
	case 'q':
	case 'Q':
		*action = TOP_QUIT;
		return true;
	case 'h':
	case '?':
		ui->shows_help = true;
		return true;
	case 'p':
	case ' ':
		ui->is_paused = !ui->is_paused;
		*action = ui->is_paused ? TOP_NOTHING : TOP_REFRESH;
		return true;
	case TOP_PRESS_CONTROL('l'):
		*action = TOP_REPAINT;
		return true;
	default:
		return false;
	}
}

enum top_action top_ui__press(struct top_ui *ui, const struct top_snapshot *snapshot, wint_t press)
{
	enum top_action action;

	ui->message[0] = '\0';
	if (ui->prompt != TOP_NO_PROMPT)
		return press_at_prompt(ui, press);
	if (ui->shows_help && press != 'q' && press != 'Q') {
		ui->shows_help = false;
		return TOP_NOTHING;
	}
	if (press_anywhere(ui, press, &action))
		return action;
	return ui->is_zoomed ? press_at_records(ui, press) : press_at_rows(ui, snapshot, press);
}

void top_ui__place(struct top_ui *ui, const struct top_snapshot *snapshot, uint32_t page)
{
	ui->page = page;
	if (!ui->has_selected) {
		ui->selected = ui->first = 0;
		return;
	}
	for (uint32_t i = 0; i < snapshot->nr_shown; i++) {
		if (top_snapshot__shown(snapshot, i)->row == ui->selected_row) {
			ui->selected = i;
			break;
		}
	}
	/* If it is not shown any more, what is now in its place. */
	select_row(ui, snapshot, ui->selected);
	if (ui->first > ui->selected)
		ui->first = ui->selected;
	if (page && ui->selected - ui->first >= page)
		ui->first = ui->selected - page + 1;
	/* No empty lines at the end while there are rows above. */
	if (ui->first + page > snapshot->nr_shown)
		ui->first = snapshot->nr_shown > page ? snapshot->nr_shown - page : 0;
}

void top_ui__place_records(struct top_ui *ui, uint32_t nr, uint32_t page)
{
	uint32_t furthest = nr > page ? nr - page : 0;

	ui->page = page;
	ui->nr_records = nr;
	if (ui->zoom_back > furthest)
		ui->zoom_back = furthest;
}

void top_ui__begin_rows(struct top_ui *ui)
{
	ui->is_paused = ui->is_zoomed = ui->has_selected = false;
	ui->selected = ui->first = 0;
	memset(ui->widths, 0, sizeof(ui->widths));
}
