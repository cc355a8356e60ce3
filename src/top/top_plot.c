// SPDX-License-Identifier: GPL-2.0-only
#include "top/top_plot.h"

#include <stdio.h>
#include <string.h>

#include "time_spec.h"
#include "top/top_text.h"

#define BAR_STEPS 8 /* of a column within one line */

static uint64_t newest_slot(const struct top_plot *plot)
{
	return plot->now / plot->seconds_per_column;
}

/* How many seconds of the column are over; the newest one has just begun, perhaps. */
static double seconds_of(const struct top_plot *plot, uint64_t slot, uint64_t now_ns)
{
	double seconds;

	if (slot != newest_slot(plot))
		return plot->seconds_per_column;
	seconds = (double)(now_ns - slot * plot->seconds_per_column * NSEC_PER_SEC) / NSEC_PER_SEC;
	return seconds > 1 ? seconds : 1;
}

void top_plot__init(struct top_plot *plot, const struct top_timeline *timeline, uint64_t now_ns,
		    enum top_bars_of what, unsigned int columns, bool utf8)
{
	*plot = (struct top_plot){ .utf8 = utf8, .now = now_ns / NSEC_PER_SEC };
	plot->columns = columns > TOP_PLOT_MARGIN ? columns - TOP_PLOT_MARGIN : 1;
	if (plot->columns > TOP_PLOT_MAX_COLUMNS)
		plot->columns = TOP_PLOT_MAX_COLUMNS;
	plot->seconds_per_column = (TOP_PLOT_SECONDS + plot->columns - 1) / plot->columns;
	/* There is no more than that in the time line. */
	if (plot->seconds_per_column > TOP_TIMELINE_SECONDS / (plot->columns + 1))
		plot->seconds_per_column = TOP_TIMELINE_SECONDS / (plot->columns + 1);
	for (unsigned int i = 0; i < plot->columns; i++) {
		uint64_t age = plot->columns - 1 - i, slot, first;
		struct top_second sum;

		if (age > newest_slot(plot))
			continue; /* before the machine was started */
		slot = newest_slot(plot) - age;
		first = slot * plot->seconds_per_column;
		sum = top_timeline__sum(timeline, first, first + plot->seconds_per_column - 1);
		if (what == TOP_BARS_OF_ALL_EVENTS)
			sum.events += sum.lost;
		plot->rates[i] = (double)sum.events / seconds_of(plot, slot, now_ns);
		plot->is_lossy[i] = sum.lost;
		plot->has_losses |= sum.lost != 0;
		if (plot->rates[i] > plot->highest)
			plot->highest = plot->rates[i];
	}
}

static void put_scale(struct text_out *out, const char *text)
{
	top_text__put_cell(out, text, strlen(text), TOP_PLOT_MARGIN - 1, TOP_RIGHT);
}

/* A bar that fills @steps of BAR_STEPS of its line. */
static void put_bar(const struct top_plot *plot, unsigned int steps, struct text_out *out)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char ascii[] = " ...::::#";

	if (plot->utf8)
		text_out__bytes(out, blocks[steps], strlen(blocks[steps]));
	else
		text_out__char(out, ascii[steps]);
}

void top_plot__put_bars(const struct top_plot *plot, unsigned int line, unsigned int nr,
			struct text_out *out)
{
	unsigned int below = (nr - 1 - line) * BAR_STEPS;
	char rate[TOP_NUMBER_SIZE] = "", scale[TOP_NUMBER_SIZE + 2] = "";

	if (!line)
		snprintf(scale, sizeof(scale), "%s/s", top_text__rate(plot->highest, rate));
	put_scale(out, scale);
	text_out__bytes(out, plot->utf8 ? "│" : "|", plot->utf8 ? sizeof("│") - 1 : 1);
	for (unsigned int i = 0; i < plot->columns; i++) {
		unsigned int steps = 0;

		if (plot->rates[i] > 0)
			steps = (unsigned int)(plot->rates[i] / plot->highest * nr * BAR_STEPS +
					       0.5);
		/* What is there is seen, however little it is. */
		if (plot->rates[i] > 0 && !steps)
			steps = 1;
		steps = steps > below ? steps - below : 0;
		put_bar(plot, steps < BAR_STEPS ? steps : BAR_STEPS, out);
	}
}

void top_plot__put_base(const struct top_plot *plot, struct text_out *out)
{
	put_scale(out, plot->has_losses ? "! lost" : "");
	text_out__bytes(out, plot->utf8 ? "└" : "+", plot->utf8 ? sizeof("└") - 1 : 1);
	for (unsigned int i = 0; i < plot->columns; i++) {
		if (plot->is_lossy[i])
			text_out__char(out, '!');
		else
			text_out__bytes(out, plot->utf8 ? "─" : "-",
					plot->utf8 ? sizeof("─") - 1 : 1);
	}
}

/* Minutes between two times that are shown: they shall not run into each other. */
static unsigned int minutes_apart(const struct top_plot *plot)
{
	static const unsigned int choices[] = { 1, 2, 5, 10 };

	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		if (choices[i] * 60 / plot->seconds_per_column >= sizeof("-10m "))
			return choices[i];
	return 60;
}

void top_plot__put_times(const struct top_plot *plot, struct text_out *out)
{
	unsigned int apart = minutes_apart(plot);
	char line[TOP_PLOT_MAX_COLUMNS + 1], text[16];

	memset(line, ' ', plot->columns);
	for (unsigned int minutes = apart;; minutes += apart) {
		unsigned int back = minutes * 60 / plot->seconds_per_column, length;

		if (back >= plot->columns)
			break;
		length = (unsigned int)snprintf(text, sizeof(text), "-%um", minutes);
		memcpy(line + plot->columns - 1 - back, text, length < back ? length : back);
	}
	if (plot->columns >= 3)
		memcpy(line + plot->columns - 3, "now", 3);
	put_scale(out, "");
	text_out__char(out, ' ');
	text_out__bytes(out, line, plot->columns);
}
