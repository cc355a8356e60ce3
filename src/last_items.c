// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "last_items.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct kept_item {
	struct persist_item item;
	void *copy; /* stays with its place in the array and is used again */
	size_t copy_room;
};

void last_items__init(struct last_items *last, uint64_t max_records, last_items_let_go_fn let_go,
		      void *ctx)
{
	*last = (struct last_items){ .max_records = max_records, .let_go = let_go, .ctx = ctx };
}

void last_items__destroy(struct last_items *last)
{
	for (size_t i = 0; i < last->room; i++)
		free(last->items[i].copy);
	free(last->items);
	*last = (struct last_items){ 0 };
}

static struct kept_item *place(const struct last_items *last, size_t index)
{
	return &last->items[(last->first + index) & (last->room - 1)];
}

static int grow(struct last_items *last)
{
	size_t room = last->room ? 2 * last->room : 64;
	struct kept_item *items = calloc(room, sizeof(*items));

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < last->room; i++)
		items[i] = *place(last, i);
	free(last->items);
	last->items = items;
	last->room = room;
	last->first = 0;
	return 0;
}

static int copy_record(struct kept_item *kept, const struct persist_record *record)
{
	size_t size = record->header_size + record->size;
	void *copy;

	if (size > kept->copy_room) {
		copy = realloc(kept->copy, size);
		if (!copy)
			return -ENOMEM;
		kept->copy = copy;
		kept->copy_room = size;
	}
	memcpy(kept->copy, record, size);
	kept->item.record = kept->copy;
	return 0;
}

static void drop_first(struct last_items *last)
{
	const struct persist_item *item = &place(last, 0)->item;

	if (last->let_go)
		last->let_go(last->ctx, item);
	if (item->record)
		last->nr_records--;
	last->first = (last->first + 1) & (last->room - 1);
	last->nr--;
}

int last_items__put(struct last_items *last, const struct persist_item *item)
{
	struct kept_item *kept;
	int err;

	if (item->record && last->nr_records == last->max_records) {
		while (last->nr_records == last->max_records)
			drop_first(last);
		/* What is missing before the first record that is kept is not of interest. */
		while (last->nr && !place(last, 0)->item.record)
			drop_first(last);
	}
	if (last->nr == last->room) {
		err = grow(last);
		if (err)
			return err;
	}
	kept = place(last, last->nr);
	kept->item = *item;
	if (item->record) {
		err = copy_record(kept, item->record);
		if (err)
			return err;
		last->nr_records++;
	}
	last->nr++;
	return 0;
}

bool last_items__take(struct last_items *last, struct persist_item *item)
{
	if (!last->nr)
		return false;
	*item = place(last, 0)->item;
	drop_first(last);
	return true;
}
