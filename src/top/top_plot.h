/* SPDX-License-Identifier: GPL-2.0-only */
/* A time line as a plot of a few lines of text. */
#ifndef TOP_PLOT_H
#define TOP_PLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "text_out.h"
#include "top/top_timeline.h"

/* The plot shows at least this long, unless it gets too narrow for that. */
#define TOP_PLOT_SECONDS 300

#define TOP_PLOT_MAX_COLUMNS 512

/* Columns before those of the plot: the scale. */
#define TOP_PLOT_MARGIN 9

/* Lines below the bars: the base line, and the times. */
#define TOP_PLOT_FOOT 2

struct top_plot {
	unsigned int columns;		 /* of the plot itself */
	unsigned int seconds_per_column; /* the columns' times are multiples of it: bars stand */
	bool utf8;
	bool has_losses;
	uint64_t now; /* in seconds */
	double highest;
	double rates[TOP_PLOT_MAX_COLUMNS]; /* of each column, the latest one last */
	bool is_lossy[TOP_PLOT_MAX_COLUMNS];
};

/* What the bars are: where losses belong to what is shown, they count. */
enum top_bars_of {
	TOP_BARS_OF_RECORDS,
	TOP_BARS_OF_ALL_EVENTS,
};

/* A plot of what led to @now_ns, in @columns columns, those of the scale included. */
void top_plot__init(struct top_plot *plot, const struct top_timeline *timeline, uint64_t now_ns,
		    enum top_bars_of what, unsigned int columns, bool utf8);

/* Puts line @line of @nr lines of bars, counted from the top. */
void top_plot__put_bars(const struct top_plot *plot, unsigned int line, unsigned int nr,
			struct text_out *out);

/* Puts the line below the bars, with a "!" where events are missing. */
void top_plot__put_base(const struct top_plot *plot, struct text_out *out);

/* Puts the line with the times. */
void top_plot__put_times(const struct top_plot *plot, struct text_out *out);

#endif
