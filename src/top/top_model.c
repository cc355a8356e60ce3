// SPDX-License-Identifier: GPL-2.0-only
#include "top/top_model.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "time_spec.h"

/*
 * Names of threads can be chosen so that their hashes are the same. A key that does not find its
 * place within this many steps is counted with the others, so that no event costs more.
 */
#define MAX_PROBES 64

/* After this time, events that were lost and left no record behind them have been noticed. */
#define COUNTERS_NSEC (2 * NSEC_PER_SEC)

static int make_table(struct top_model *model, uint32_t max_rows)
{
	uint32_t table_size = 2;

	while (table_size < 2 * max_rows)
		table_size *= 2;
	model->max_rows = max_rows;
	model->table_mask = table_size - 1;
	/* Pages of which nothing is used take no memory. */
	model->rows = calloc(max_rows, sizeof(*model->rows));
	model->table = calloc(table_size, sizeof(*model->table));
	if (model->rows && model->table)
		return 0;
	free(model->rows);
	free(model->table);
	return -ENOMEM;
}

int top_model__init(struct top_model *model, uint32_t max_rows)
{
	struct top_model made = { .latest_ns = UINT64_MAX };

	if (make_table(&made, max_rows))
		return -ENOMEM;
	/* Without randomness the hashes can be foreseen, and are no less right. */
	if (getrandom(&made.seed, sizeof(made.seed), GRND_NONBLOCK) < 0)
		made.seed = 0;
	*model = made;
	return 0;
}

static void free_rows(struct top_model *model)
{
	arena__free(&model->keys);
	free(model->rows);
	free(model->table);
}

void top_model__destroy(struct top_model *model)
{
	free_rows(model);
	*model = (struct top_model){ 0 };
}

int top_model__begin_rows(struct top_model *model)
{
	struct top_model next = *model;

	if (make_table(&next, model->max_rows))
		return -ENOMEM;
	free_rows(model);
	next.keys = (struct arena){ 0 };
	next.others = (struct top_row){ 0 };
	next.nr_rows = 0;
	next.in_rows = 0;
	next.recent_in_rows = (struct top_recent){ 0 };
	*model = next;
	return 0;
}

/* Keys are short: whole words, and what is left of the last one. */
static uint32_t hash_of(const struct top_model *model, const unsigned char *key, size_t size)
{
	const uint64_t factor =
		0x9e3779b97f4a7c15ull; /* 2^64 / golden ratio: odd, and well mixed */
	uint64_t hash = model->seed ^ size, word;

	for (; size >= sizeof(word); key += sizeof(word), size -= sizeof(word)) {
		memcpy(&word, key, sizeof(word));
		hash = (hash ^ word) * factor;
		hash ^= hash >> 29;
	}
	word = 0;
	memcpy(&word, key, size);
	hash = (hash ^ word) * factor;
	return (uint32_t)(hash >> 32);
}

static struct top_row *add_row(struct top_model *model, const unsigned char *key, size_t size,
			       uint32_t hash)
{
	struct top_row *row = &model->rows[model->nr_rows];
	unsigned char *copy;

	if (model->nr_rows == model->max_rows)
		return NULL;
	copy = arena__alloc(&model->keys, size);
	if (!copy)
		return NULL;
	memcpy(copy, key, size);
	*row = (struct top_row){ .key = copy, .key_size = (uint32_t)size, .hash = hash };
	model->nr_rows++;
	return row;
}

/* The row of this key, which is made if there is none yet; NULL: it is one of the others. */
static struct top_row *find_row(struct top_model *model, const unsigned char *key, size_t size)
{
	uint32_t hash = hash_of(model, key, size);

	for (uint32_t probe = 0; probe < MAX_PROBES; probe++) {
		uint32_t *place = &model->table[(hash + probe) & model->table_mask];
		struct top_row *row;

		if (!*place) {
			row = add_row(model, key, size, hash);
			if (row)
				*place = model->nr_rows;
			return row;
		}
		row = &model->rows[*place - 1];
		if (row->hash == hash && row->key_size == size && !memcmp(row->key, key, size))
			return row;
	}
	return NULL;
}

/* Not later than it can be. */
static uint64_t possible_time(const struct top_model *model, uint64_t time_ns)
{
	return time_ns < model->latest_ns ? time_ns : model->latest_ns;
}

void top_model__count_in_row(struct top_model *model, const unsigned char *key, size_t key_size,
			     uint64_t time_ns)
{
	struct top_row *row = find_row(model, key, key_size);

	time_ns = possible_time(model, time_ns);
	if (!row)
		row = &model->others;
	row->total++;
	if (time_ns > row->last_ns)
		row->last_ns = time_ns;
	top_recent__add(&row->recent, time_ns);
	top_recent__add(&model->recent_in_rows, time_ns);
	model->in_rows++;
}

void top_model__count(struct top_model *model, uint64_t time_ns)
{
	struct top_second *second =
		top_timeline__at(&model->timeline, possible_time(model, time_ns));

	model->total++;
	if (second)
		second->events++;
}

/*
 * When the first one can have been missing. What was overwritten had been there to be seen; other
 * losses show in the counters, at which a reader looks each second.
 */
static uint64_t earliest_loss(const struct top_model *model, enum persist_loss_reason reason)
{
	bool was_recorded = reason == PERSIST_LOSS_OVERWRITTEN || reason == PERSIST_LOSS_CLEARED;
	uint64_t hidden_ns = was_recorded ? 0 : COUNTERS_NSEC;

	return model->seen_ns > hidden_ns ? model->seen_ns - hidden_ns : 0;
}

void top_model__count_lost(struct top_model *model, enum persist_loss_reason reason, uint64_t lost,
			   uint64_t after_ns, uint64_t before_ns)
{
	if ((unsigned int)reason >= TOP_NR_REASONS)
		reason = PERSIST_LOSS_UNKNOWN;
	model->lost[reason] += lost;
	if (after_ns < earliest_loss(model, reason))
		after_ns = earliest_loss(model, reason);
	top_timeline__add_lost(&model->timeline, lost, after_ns, possible_time(model, before_ns));
}

uint64_t top_model__lost(const struct top_model *model)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < TOP_NR_REASONS; i++)
		lost += model->lost[i];
	return lost;
}
