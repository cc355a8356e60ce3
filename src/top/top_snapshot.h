/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counts of one moment, in the order in which they are shown: they stand still while the model
 * goes on.
 */
#ifndef TOP_SNAPSHOT_H
#define TOP_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "top/top_key.h"
#include "top/top_model.h"

enum top_order {
	TOP_BY_RATE, /* the busiest first; of equally busy ones, the one with the larger total */
	TOP_BY_TOTAL,
};

/* What a row had counted at that moment. */
struct top_entry {
	uint32_t row; /* its number in the model */
	double rate;
	uint64_t total;
	uint64_t last_ns;
};

/*
 * Where the rows' rates come from: all events of the last seconds were recorded and are in the
 * rows; or some are not, and the rows' records stand for all; or none is, and so nothing is known.
 */
enum top_rates {
	TOP_RATES_COUNTED,
	TOP_RATES_ESTIMATED,
	TOP_RATES_UNKNOWN,
};

/**
 * struct top_snapshot - the counts of one moment; starts as { 0 }
 * @now_ns:     the moment
 * @rate:       of all events, lost ones included
 * @rates:      how the rates of rows are meant; they add up to @rate unless they are unknown
 * @total:      of all events
 * @lost:       by reason
 * @total_lost: all of that
 * @others:     of the events that have no row; its number is none
 * @earlier:    events that were counted by another key only
 * @timeline:   of all events
 * @entries:    of all rows, @nr_entries of them, in order
 * @shown:      numbers of those entries that pass the filter, @nr_shown of them, in order
 */
struct top_snapshot {
	uint64_t now_ns;
	double rate;
	enum top_rates rates;
	uint64_t total;
	uint64_t lost[TOP_NR_REASONS];
	uint64_t total_lost;
	struct top_entry others;
	uint64_t earlier;
	struct top_timeline timeline;
	struct top_entry *entries;
	uint32_t nr_entries;
	uint32_t *shown;
	uint32_t nr_shown;
	uint32_t room;
};

/**
 * top_snapshot__take() - the counts of now
 * @snapshot: replaced
 * @model:    where they come from
 * @now_ns:   the time of the clock
 * @order:    in which to put the rows
 *
 * All rows are shown until top_snapshot__filter() chooses.
 *
 * Return: 0 or -ENOMEM, and then the snapshot is as it was.
 */
int top_snapshot__take(struct top_snapshot *snapshot, const struct top_model *model,
		       uint64_t now_ns, enum top_order order);

/**
 * top_snapshot__filter() - choose the rows that are shown
 * @snapshot: its @shown is set
 * @model:    from which it was taken
 * @key:      by which the model counts
 * @text:     what has to be in the values of a row, in capital or small letters; "": all rows
 */
void top_snapshot__filter(struct top_snapshot *snapshot, const struct top_model *model,
			  const struct top_key *key, const char *text);

void top_snapshot__free(struct top_snapshot *snapshot);

/* Entry number @index of those that are shown. */
static inline const struct top_entry *top_snapshot__shown(const struct top_snapshot *snapshot,
							  uint32_t index)
{
	return &snapshot->entries[snapshot->shown[index]];
}

#endif
