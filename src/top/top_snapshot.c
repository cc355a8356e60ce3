// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "top/top_snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The values of a row as text; longer ones are not filtered beyond this. */
#define FILTER_TEXT_SIZE (4 * TOP_KEY_MAX_SIZE)

static int make_room(struct top_snapshot *snapshot, uint32_t nr)
{
	struct top_entry *entries;
	uint32_t *shown;

	if (nr <= snapshot->room)
		return 0;
	nr += nr / 2;
	entries = reallocarray(snapshot->entries, nr, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	snapshot->entries = entries;
	shown = reallocarray(snapshot->shown, nr, sizeof(*shown));
	if (!shown)
		return -ENOMEM;
	snapshot->shown = shown;
	snapshot->room = nr;
	return 0;
}

/* Larger values first. */
#define COMPARE(a, b) (((a) < (b)) - ((a) > (b)))

static int compare_totals(const struct top_entry *a, const struct top_entry *b)
{
	int order = COMPARE(a->total, b->total);

	if (!order)
		order = COMPARE(a->last_ns, b->last_ns);
	/* At last in the order in which they came, so that rows do not jump. */
	return order ? order : -COMPARE(a->row, b->row);
}

static int by_total(const void *a, const void *b)
{
	return compare_totals(a, b);
}

static int by_rate(const void *a, const void *b)
{
	const struct top_entry *first = a, *second = b;
	int order = COMPARE(first->rate, second->rate);

	return order ? order : compare_totals(first, second);
}

/*
 * Finds how the rates of rows are meant. Returns how many events of the last seconds one record of
 * them stands for.
 */
static double weigh_records(struct top_snapshot *snapshot, const struct top_model *model)
{
	struct top_second recent = top_timeline__recent(&model->timeline, snapshot->now_ns);
	uint64_t in_rows = top_recent__sum(&model->recent_in_rows, snapshot->now_ns);
	uint64_t events = recent.events + recent.lost;

	if (events == in_rows)
		snapshot->rates = TOP_RATES_COUNTED;
	else
		snapshot->rates = in_rows ? TOP_RATES_ESTIMATED : TOP_RATES_UNKNOWN;
	return snapshot->rates == TOP_RATES_ESTIMATED ? (double)events / (double)in_rows : 1;
}

static struct top_entry entry_of(const struct top_row *row, uint32_t number, uint64_t now_ns,
				 double weight)
{
	return (struct top_entry){
		.row = number,
		.rate = weight * top_recent__rate(&row->recent, now_ns),
		.total = row->total,
		.last_ns = row->last_ns,
	};
}

static void show_all(struct top_snapshot *snapshot)
{
	snapshot->nr_shown = snapshot->nr_entries;
	for (uint32_t i = 0; i < snapshot->nr_entries; i++)
		snapshot->shown[i] = i;
}

int top_snapshot__take(struct top_snapshot *snapshot, const struct top_model *model,
		       uint64_t now_ns, enum top_order order)
{
	double weight;

	if (make_room(snapshot, model->nr_rows))
		return -ENOMEM;
	snapshot->now_ns = now_ns;
	snapshot->total = model->total;
	snapshot->rate = top_timeline__rate(&model->timeline, now_ns);
	memcpy(snapshot->lost, model->lost, sizeof(snapshot->lost));
	snapshot->total_lost = top_model__lost(model);
	snapshot->timeline = model->timeline;
	weight = weigh_records(snapshot, model);
	snapshot->others = entry_of(&model->others, UINT32_MAX, now_ns, weight);
	snapshot->earlier = model->total > model->in_rows ? model->total - model->in_rows : 0;
	snapshot->nr_entries = model->nr_rows;
	for (uint32_t i = 0; i < model->nr_rows; i++)
		snapshot->entries[i] = entry_of(&model->rows[i], i, now_ns, weight);
	if (model->nr_rows)
		qsort(snapshot->entries, model->nr_rows, sizeof(*snapshot->entries),
		      order == TOP_BY_RATE ? by_rate : by_total);
	show_all(snapshot);
	return 0;
}

static bool has_text(const struct top_key *key, const struct top_row *row, const char *text)
{
	char values[FILTER_TEXT_SIZE];
	struct text_out out = { .buf = values, .cap = sizeof(values) };

	top_key__put_values(key, row->key, false, &out);
	text_out__finish(&out);
	return strcasestr(values, text);
}

void top_snapshot__filter(struct top_snapshot *snapshot, const struct top_model *model,
			  const struct top_key *key, const char *text)
{
	if (!*text) {
		show_all(snapshot);
		return;
	}
	snapshot->nr_shown = 0;
	for (uint32_t i = 0; i < snapshot->nr_entries; i++)
		if (has_text(key, &model->rows[snapshot->entries[i].row], text))
			snapshot->shown[snapshot->nr_shown++] = i;
}

void top_snapshot__free(struct top_snapshot *snapshot)
{
	free(snapshot->entries);
	free(snapshot->shown);
	*snapshot = (struct top_snapshot){ 0 };
}
