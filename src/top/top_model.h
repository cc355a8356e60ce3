/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `reader top` counts: events by their keys (top_key.h), and all of them together. Memory is
 * bounded: when there are as many rows as there may be, the events of other keys are counted
 * together. So these sums hold at any time:
 *
 *	in_rows = the rows' totals + others.total
 *	seen    = total + lost
 *
 * and in_rows = total, unless rows of another key were begun: then what was overwritten before is
 *in the total only.
 */
#ifndef TOP_MODEL_H
#define TOP_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "persist_bpf.h"
#include "top/top_timeline.h"

/* Rows at the most, with their keys some 20 MB. */
#define TOP_MAX_ROWS 65536

#define TOP_NR_REASONS (PERSIST_LOSS_CLEARED + 1)

/**
 * struct top_row - the events of one key
 * @key:     its @key_size bytes, as top_key__make() gives them; stays where it is
 * @hash:    of these
 * @total:   events
 * @last_ns: time of the latest
 * @recent:  for their rate
 */
struct top_row {
	const unsigned char *key;
	uint32_t key_size;
	uint32_t hash;
	uint64_t total;
	uint64_t last_ns;
	struct top_recent recent;
};

/**
 * struct top_model - the counts
 * @rows:      numbered in the order in which they came, @nr_rows of at most @max_rows
 * @others:    all events that have no row
 * @in_rows:   all events that were counted by their keys
 * @recent_in_rows: of these, what the rows' rates are made of
 * @total:     all events
 * @lost:      events that are missing, by enum persist_loss_reason
 * @timeline:  of all events and losses
 * @latest_ns: no event is counted as later than this, whatever its record says: to be set to the
 *             time of the clock before what was recorded until then is counted
 * @seen_ns:   what was recorded until then has been counted; 0: not known
 */
struct top_model {
	struct top_row *rows;
	uint32_t nr_rows, max_rows;
	struct top_row others;
	uint64_t in_rows;
	struct top_recent recent_in_rows;
	uint64_t total;
	uint64_t lost[TOP_NR_REASONS];
	struct top_timeline timeline;
	uint64_t latest_ns;
	uint64_t seen_ns;
	struct arena keys;
	uint32_t *table; /* by hash: number of a row + 1, or 0 */
	uint32_t table_mask;
	uint64_t seed; /* of the hashes */
};

/* An empty model of at most @max_rows rows. Returns 0 or -ENOMEM. */
int top_model__init(struct top_model *model, uint32_t max_rows);
void top_model__destroy(struct top_model *model);

/* Takes the rows away, as for another key; totals stay. Returns 0 or -ENOMEM, and nothing changes.
 */
int top_model__begin_rows(struct top_model *model);

/* Counts an event of this key. Allocates only for a key that is new. */
void top_model__count_in_row(struct top_model *model, const unsigned char *key, size_t key_size,
			     uint64_t time_ns);

/* Counts an event in the total. */
void top_model__count(struct top_model *model, uint64_t time_ns);

/*
 * Counts events that are missing, and were between these times (top_timeline__add_lost()), of which
 * nothing was to be seen yet at @seen_ns: a storm after a quiet time is a storm.
 */
void top_model__count_lost(struct top_model *model, enum persist_loss_reason reason, uint64_t lost,
			   uint64_t after_ns, uint64_t before_ns);

/* All that is missing, whatever the reason. */
uint64_t top_model__lost(const struct top_model *model);

#endif
