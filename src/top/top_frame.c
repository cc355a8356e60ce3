// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "top/top_frame.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "program_name.h"
#include "time_spec.h"
#include "top/top_plot.h"
#include "top/top_text.h"

/* What --stdio makes the plot if lines may have any length. */
#define DEFAULT_WIDTH 80

/* A column of a key that is not the last one, on a terminal. */
#define WIDEST_COLUMN 48

/* ---- lines ------------------------------------------------------------------------------- */

static struct text_out *begin_line(struct top_frame *frame)
{
	frame->out = (struct text_out){ .buf = frame->line, .cap = sizeof(frame->line) };
	return &frame->out;
}

static void end_line(struct top_frame *frame, enum top_style style)
{
	struct text_out cut = { .buf = frame->cut, .cap = sizeof(frame->cut) };
	size_t size = frame->out.len < frame->out.cap ? frame->out.len : frame->out.cap;

	if (frame->height && frame->nr_lines == frame->nr_wanted)
		return;
	frame->nr_lines++;
	top_text__put_part(&cut, frame->line, size, 0, frame->width ? frame->width : SIZE_MAX);
	frame->put_line(frame->ctx, style, frame->cut, cut.len < cut.cap ? cut.len : cut.cap);
}

static void put_text(struct text_out *out, const char *text)
{
	text_out__bytes(out, text, strlen(text));
}

static void put(struct text_out *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void put(struct text_out *out, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put_text(out, text);
}

static void put_line(struct top_frame *frame, enum top_style style, const char *text)
{
	put_text(begin_line(frame), text);
	end_line(frame, style);
}

/* The line has a text on its right that is more important than what is on the left. */
static void end_line_with(struct top_frame *frame, enum top_style style, const char *right)
{
	char left_text[TOP_LINE_SIZE];
	size_t left = frame->out.len < sizeof(left_text) ? frame->out.len : sizeof(left_text);
	size_t columns = top_text__columns(right, strlen(right)) + 2;
	struct text_out *out;

	if (columns < frame->width) {
		memcpy(left_text, frame->line, left);
		out = begin_line(frame);
		top_text__put_cell(out, left_text, left, frame->width - columns, TOP_LEFT);
	}
	put_text(&frame->out, "  ");
	put_text(&frame->out, right);
	end_line(frame, style);
}

/* ---- what there is room for -------------------------------------------------------------- */

struct top_layout top_layout__of(unsigned int height)
{
	struct top_layout layout = { 0 };
	unsigned int used = 1; /* the title */

	if (!height)
		return (struct top_layout){ true, true, false, 4, UINT_MAX };
	layout.has_footer = height >= 2;
	layout.has_counts = height >= 3;
	layout.has_heading = height >= 6;
	layout.bars = height >= 20 ? 4 : height >= 16 ? 2 : 0;
	used += layout.has_footer + layout.has_counts + layout.has_heading;
	if (layout.bars)
		used += layout.bars + TOP_PLOT_FOOT;
	layout.rows = height - used;
	return layout;
}

/* ---- the upper part ---------------------------------------------------------------------- */

static void put_title(struct top_frame *frame, const struct top_scene *scene)
{
	int64_t wall =
		((int64_t)scene->snapshot->now_ns + wall_clock_offset()) / (int64_t)NSEC_PER_SEC;
	time_t seconds = (time_t)wall;
	char clock[32] = "", right[TOP_INPUT_SIZE + 64];
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(clock, sizeof(clock), frame->height ? "%H:%M:%S" : "%F %T", &tm);
	put(begin_line(frame), "%s top  %s  ", program_name__short(), clock);
	top_text__put(&frame->out, scene->events, strlen(scene->events));
	snprintf(right, sizeof(right), "%sby %.100s; %s", scene->ui->is_paused ? "PAUSED  " : "",
		 scene->key->text,
		 scene->ui->order == TOP_BY_RATE ? "busiest first" : "largest first");
	end_line_with(frame, TOP_TITLE, right);
}

/* "lost 67 (0.1%): overwritten 60, ring_busy 7" */
static void put_losses(struct text_out *out, const struct top_snapshot *snapshot)
{
	uint64_t lost = snapshot->total_lost;
	char number[TOP_NUMBER_SIZE];
	const char *separator = ": ";

	put(out, "lost %s", top_text__count(lost, number));
	if (!lost)
		return;
	put(out, " (%s%%)", top_text__percent(lost, snapshot->total + lost, number));
	for (unsigned int reason = 0; reason < TOP_NR_REASONS; reason++) {
		if (!snapshot->lost[reason])
			continue;
		put(out, "%s%s %s", separator, persist_loss_reason__name(reason),
		    top_text__count(snapshot->lost[reason], number));
		separator = ", ";
	}
}

static void put_counts(struct top_frame *frame, const struct top_snapshot *snapshot)
{
	char number[TOP_NUMBER_SIZE];
	struct text_out *out = begin_line(frame);

	put(out, "%s records, ", top_text__count(snapshot->total, number));
	put(out, "%s events/s; ", top_text__rate(snapshot->rate, number));
	put_losses(out, snapshot);
	end_line(frame, snapshot->total_lost ? TOP_WARNING : TOP_PLAIN);
}

static void put_plot(struct top_frame *frame, const struct top_timeline *timeline, uint64_t now_ns,
		     enum top_bars_of what, unsigned int bars)
{
	unsigned int width = frame->width ? frame->width : DEFAULT_WIDTH;
	struct top_plot plot;

	if (!bars)
		return;
	top_plot__init(&plot, timeline, now_ns, what, width, frame->utf8);
	for (unsigned int line = 0; line < bars; line++) {
		top_plot__put_bars(&plot, line, bars, begin_line(frame));
		end_line(frame, TOP_BARS);
	}
	top_plot__put_base(&plot, begin_line(frame));
	end_line(frame, plot.has_losses ? TOP_WARNING : TOP_BAR_FOOT);
	top_plot__put_times(&plot, begin_line(frame));
	end_line(frame, TOP_BAR_FOOT);
}

/* ---- rows -------------------------------------------------------------------------------- */

/* Room for one value of a key as text. */
#define VALUE_SIZE (4 * TOP_KEY_MAX_TEXT + 8)

/* "12.3", "~12.3" for an estimate, "?" where there is not even that. */
static const char *row_rate(const struct top_entry *entry, const struct top_snapshot *snapshot,
			    char text[TOP_NUMBER_SIZE + 1])
{
	if (snapshot->rates == TOP_RATES_UNKNOWN)
		return "?";
	top_text__rate(entry->rate, text + 1);
	if (snapshot->rates == TOP_RATES_COUNTED || !(entry->rate > 0))
		return text + 1;
	*text = '~';
	return text;
}

static void put_numbers(struct text_out *out, const struct top_entry *entry,
			const struct top_snapshot *snapshot)
{
	char rate[TOP_NUMBER_SIZE + 1], total[TOP_NUMBER_SIZE], percent[TOP_NUMBER_SIZE],
		age[TOP_NUMBER_SIZE];
	uint64_t now = snapshot->now_ns > entry->last_ns ? snapshot->now_ns : entry->last_ns;

	put(out, "%7s %13s %6s %5s  ", row_rate(entry, snapshot, rate),
	    top_text__count(entry->total, total),
	    top_text__percent(entry->total, snapshot->total, percent),
	    top_text__age(now - entry->last_ns, age));
}

static void put_heading(struct top_frame *frame, const struct top_scene *scene,
			const bool is_number[TOP_KEY_MAX_PARTS])
{
	const struct top_key *key = scene->key;
	struct text_out *out = begin_line(frame);

	put(out, "%7s %13s %6s %5s  ", "RATE/s", "RECORDS", "%", "LAST");
	for (unsigned int i = 0; i < key->nr; i++) {
		size_t size = strlen(key->parts[i].name);
		size_t start;

		if (i)
			text_out__char(out, ' ');
		start = out->len;
		top_text__put_cell(out, key->parts[i].name, size, scene->ui->widths[i],
				   is_number[i] ? TOP_RIGHT : TOP_LEFT);
		for (; key->parts[i].kind != TOP_KEY_FIELD && start < out->len; start++)
			out->buf[start] = (char)toupper((unsigned char)out->buf[start]);
	}
	end_line(frame, TOP_HEADING);
}

/* Makes the columns wide enough for @nr rows from @first on, and finds those of numbers only. */
static void fit_columns(const struct top_frame *frame, const struct top_scene *scene,
			uint32_t first, uint32_t nr, bool is_number[TOP_KEY_MAX_PARTS])
{
	size_t widest = frame->width ? WIDEST_COLUMN : SIZE_MAX;
	const struct top_key *key = scene->key;
	bool is_text[TOP_KEY_MAX_PARTS] = { false };
	size_t *widths = scene->ui->widths;
	char text[VALUE_SIZE];
	struct top_value value;

	for (unsigned int i = 0; i < key->nr; i++)
		if (widths[i] < strlen(key->parts[i].name))
			widths[i] = strlen(key->parts[i].name);
	for (uint32_t row = 0; row < nr; row++) {
		const struct top_entry *entry = top_snapshot__shown(scene->snapshot, first + row);
		const unsigned char *bytes = scene->model->rows[entry->row].key;

		for (unsigned int i = 0; i < key->nr; i++) {
			struct text_out out = { .buf = text, .cap = sizeof(text) };
			size_t columns;

			bytes = top_value__read(&value, bytes);
			top_value__put(&value, &out);
			is_number[i] |= top_value__is_number(&value);
			is_text[i] |= value.size > 0;
			columns = top_text__columns(text, out.len);
			if (columns > widest)
				columns = widest;
			if (columns > widths[i])
				widths[i] = columns;
		}
	}
	for (unsigned int i = 0; i < key->nr; i++)
		is_number[i] &= !is_text[i];
}

static void put_values(struct text_out *out, const struct top_scene *scene,
		       const struct top_entry *entry, const bool is_number[TOP_KEY_MAX_PARTS])
{
	const unsigned char *bytes = scene->model->rows[entry->row].key;
	char text[VALUE_SIZE];
	struct top_value value;

	for (unsigned int i = 0; i < scene->key->nr; i++) {
		struct text_out one = { .buf = text, .cap = sizeof(text) };

		bytes = top_value__read(&value, bytes);
		top_value__put(&value, &one);
		if (i)
			text_out__char(out, ' ');
		if (!is_number[i] && i == scene->key->nr - 1)
			text_out__bytes(out, text, one.len); /* as far as the line goes */
		else
			top_text__put_cell(out, text, one.len, scene->ui->widths[i],
					   is_number[i] ? TOP_RIGHT : TOP_LEFT);
	}
}

/* What is said in place of rows. */
static const char *reason_for_no_rows(const struct top_scene *scene)
{
	if (scene->ui->filter[0])
		return "no row has this in it";
	return "no records yet";
}

static void put_others(struct top_frame *frame, const struct top_scene *scene)
{
	put_numbers(begin_line(frame), &scene->snapshot->others, scene->snapshot);
	put(&frame->out, "(others: keys beyond %u rows; z: anew)", scene->model->max_rows);
	end_line(frame, TOP_PLAIN);
}

static void put_earlier(struct top_frame *frame, const struct top_snapshot *snapshot)
{
	char total[TOP_NUMBER_SIZE], percent[TOP_NUMBER_SIZE];

	put(begin_line(frame), "%7s %13s %6s %5s  (before this key; gone since)", "",
	    top_text__count(snapshot->earlier, total),
	    top_text__percent(snapshot->earlier, snapshot->total, percent), "");
	end_line(frame, TOP_PLAIN);
}

static void put_rows(struct top_frame *frame, const struct top_scene *scene,
		     const struct top_layout *layout)
{
	const struct top_snapshot *snapshot = scene->snapshot;
	bool is_number[TOP_KEY_MAX_PARTS] = { false };
	bool has_others = snapshot->others.total;
	bool has_earlier = snapshot->earlier && scene->is_complete;
	uint32_t page = layout->rows, below = has_others + has_earlier, nr;

	if (page != UINT_MAX)
		page = page > below ? page - below : 0;
	if (scene->max_entries && scene->max_entries < page)
		page = scene->max_entries;
	top_ui__place(scene->ui, snapshot, page);
	nr = snapshot->nr_shown - scene->ui->first;
	if (nr > page)
		nr = page;
	fit_columns(frame, scene, scene->ui->first, nr, is_number);
	if (layout->has_heading)
		put_heading(frame, scene, is_number);
	for (uint32_t i = scene->ui->first; i < scene->ui->first + nr; i++) {
		const struct top_entry *entry = top_snapshot__shown(snapshot, i);

		put_numbers(begin_line(frame), entry, snapshot);
		put_values(&frame->out, scene, entry, is_number);
		end_line(frame,
			 frame->height && i == scene->ui->selected ? TOP_SELECTED : TOP_PLAIN);
	}
	if (!nr && page)
		put_line(frame, TOP_PLAIN, reason_for_no_rows(scene));
	if (has_others)
		put_others(frame, scene);
	if (has_earlier)
		put_earlier(frame, snapshot);
}

/* ---- records ----------------------------------------------------------------------------- */

static const struct top_entry *zoomed_entry(const struct top_scene *scene)
{
	const struct top_snapshot *snapshot = scene->snapshot;

	for (uint32_t i = 0; i < snapshot->nr_entries; i++)
		if (snapshot->entries[i].row == scene->ui->selected_row)
			return &snapshot->entries[i];
	return &snapshot->others;
}

static void put_zoom_counts(struct top_frame *frame, const struct top_scene *scene)
{
	const struct top_entry *entry = zoomed_entry(scene);
	char number[TOP_NUMBER_SIZE + 1], right[TOP_NUMBER_SIZE + 8];
	struct text_out *out = begin_line(frame);

	top_key__put_values(scene->key, scene->zoom->bytes, true, out);
	put(out, ": %s records, ", top_text__count(entry->total, number));
	put(out, "%s/s", row_rate(entry, scene->snapshot, number));
	snprintf(right, sizeof(right), "lost %s",
		 top_text__count(scene->snapshot->total_lost, number));
	end_line_with(frame, scene->snapshot->total_lost ? TOP_WARNING : TOP_PLAIN, right);
}

static void put_records(struct top_frame *frame, const struct top_scene *scene,
			const struct top_layout *layout)
{
	const struct top_zoom *zoom = scene->zoom;
	struct top_ui *ui = scene->ui;
	uint32_t nr, last;

	top_ui__place_records(ui, zoom->nr_lines, layout->rows);
	last = zoom->nr_lines - ui->zoom_back;
	nr = last < layout->rows ? last : layout->rows;
	if (layout->has_heading) {
		put(begin_line(frame), "records %u to %u of the last %u of this row",
		    nr ? last - nr + 1 : 0, last, zoom->nr_lines);
		end_line(frame, TOP_HEADING);
	}
	for (uint32_t i = last - nr; i < last; i++) {
		const char *line = top_zoom__line(zoom, i);

		top_text__put_part(begin_line(frame), line, strlen(line), ui->zoom_skip,
				   frame->width);
		end_line(frame, TOP_PLAIN);
	}
	if (!nr && layout->rows)
		put_line(frame, TOP_PLAIN,
			 zoom->reader ? "reading the buffers ..."
				      : "the buffers hold no record of this row any more");
}

/* ---- help -------------------------------------------------------------------------------- */

static void put_help(struct top_frame *frame)
{
	static const char *const lines[] = {
		"",
		"  q           quit",
		"  p, Space    pause: the display stands, the counting goes on",
		"  s           count by the next key: comm, pid, tid, cpu, event, fields",
		"  S           count by a key that you type, such as comm,field:name",
		"  o           order: the busiest rows first, or the largest",
		"  /           show only rows with this text in their keys",
		"  z           count from zero, from now on",
		"  Up, Down, Page Up, Page Down, End: select a row; Home: always the first",
		"  Enter       the last records of the selected row; there, arrows scroll",
		"  Esc         back: from the records, from a filter, from a selected row",
		"  Ctrl-L      paint the screen again",
		"",
		"RATE/s is that of the last 5 seconds: ~ is an estimate, for some of their",
		"events are lost; ? if all are. LAST is how long ago the last record was.",
		"\"lost\" are events of which there is no record, each counted once; a ! below",
		"the plot is where. By a new key is counted what the buffers hold, and what comes.",
		"",
		"Any key goes back.",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		put_line(frame, TOP_PLAIN, lines[i]);
}

/* ---- the last line ----------------------------------------------------------------------- */

static void put_prompt(struct top_frame *frame, const struct top_ui *ui)
{
	const char *question = ui->prompt == TOP_FILTER_PROMPT
				       ? "rows with: "
				       : "count by (comm, pid, cpu, field:...): ";
	size_t columns = strlen(question) + top_text__columns(ui->input, strlen(ui->input)) + 1;
	char text[2 * TOP_INPUT_SIZE];

	/* Of what is too long, the end is to be seen. */
	snprintf(text, sizeof(text), "%s%s_", question, ui->input);
	top_text__put_part(begin_line(frame), text, strlen(text),
			   columns > frame->width ? columns - frame->width : 0, frame->width);
	end_line(frame, TOP_TITLE);
}

/* How many lines the last one is: a message may be longer. */
static unsigned int footer_lines(const struct top_frame *frame, const struct top_ui *ui)
{
	size_t columns = top_text__columns(ui->message, strlen(ui->message)), lines;

	if (ui->prompt != TOP_NO_PROMPT)
		return 1;
	lines = (columns + frame->width - 1) / frame->width;
	if (lines > frame->height / 4)
		lines = frame->height / 4;
	return lines ? (unsigned int)lines : 1;
}

static void put_message(struct top_frame *frame, const struct top_ui *ui)
{
	unsigned int lines = footer_lines(frame, ui);

	for (unsigned int line = 0; line < lines; line++) {
		top_text__put_part(begin_line(frame), ui->message, strlen(ui->message),
				   (size_t)line * frame->width, frame->width);
		end_line(frame, TOP_WARNING);
	}
}

static void put_footer(struct top_frame *frame, const struct top_scene *scene)
{
	const struct top_ui *ui = scene->ui;
	struct text_out *out;

	if (ui->prompt != TOP_NO_PROMPT) {
		put_prompt(frame, ui);
		return;
	}
	if (ui->message[0]) {
		put_message(frame, ui);
		return;
	}
	out = begin_line(frame);
	if (ui->is_zoomed) {
		put_text(out, "Esc back  arrows scroll  p pause  h help  q quit");
	} else {
		if (ui->filter[0])
			put(out, "[%u of %u rows have \"%s\", Esc: all]  ",
			    scene->snapshot->nr_shown, scene->snapshot->nr_entries, ui->filter);
		put_text(out, "q quit  h help  p pause  s next key  / filter  o order  Enter zoom");
	}
	end_line(frame, TOP_FOOTER);
}

void top_frame__draw(struct top_frame *frame, const struct top_scene *scene)
{
	const struct top_layout layout = top_layout__of(frame->height);
	const struct top_snapshot *snapshot = scene->snapshot;

	frame->nr_lines = 0;
	frame->nr_wanted = frame->height;
	if (layout.has_footer)
		frame->nr_wanted -= footer_lines(frame, scene->ui);
	put_title(frame, scene);
	if (scene->ui->shows_help) {
		put_help(frame);
	} else if (scene->ui->is_zoomed) {
		if (layout.has_counts)
			put_zoom_counts(frame, scene);
		put_plot(frame, &scene->zoom->timeline, snapshot->now_ns, TOP_BARS_OF_RECORDS,
			 layout.bars);
		put_records(frame, scene, &layout);
	} else {
		if (layout.has_counts)
			put_counts(frame, snapshot);
		put_plot(frame, &snapshot->timeline, snapshot->now_ns, TOP_BARS_OF_ALL_EVENTS,
			 layout.bars);
		put_rows(frame, scene, &layout);
	}
	if (!layout.has_footer)
		return;
	while (frame->nr_lines < frame->nr_wanted)
		put_line(frame, TOP_PLAIN, "");
	frame->nr_wanted = frame->height;
	put_footer(frame, scene);
}
