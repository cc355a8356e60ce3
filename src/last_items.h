/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* Keeps the newest records that are put in, and the losses between them, until they are taken. */
#ifndef PERSIST_LAST_ITEMS_H
#define PERSIST_LAST_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "persist_bpf.h"

struct kept_item;

/* Is told of each item that is let go for a newer one. Its record is valid during the call. */
typedef void (*last_items_let_go_fn)(void *ctx, const struct persist_item *item);

struct last_items {
	uint64_t max_records;
	uint64_t nr_records;
	struct kept_item *items; /* a circular array */
	size_t room;		 /* a power of two */
	size_t first, nr;
	last_items_let_go_fn let_go;
	void *ctx;
};

/* @max_records is at least 1; @let_go may be NULL. */
void last_items__init(struct last_items *last, uint64_t max_records, last_items_let_go_fn let_go,
		      void *ctx);
void last_items__destroy(struct last_items *last);

/* Copies the item, with its record. Returns 0 or -ENOMEM. */
int last_items__put(struct last_items *last, const struct persist_item *item);

/* Takes the oldest item out; its record is valid until the next put. False if there is none. */
bool last_items__take(struct last_items *last, struct persist_item *item);

#endif
