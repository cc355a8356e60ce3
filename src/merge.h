/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* Brings the items of many streams into the order of time: a heap of those that have one. */
#ifndef PERSIST_MERGE_H
#define PERSIST_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct merge_entry {
	uint64_t time_ns;
	uint32_t stream; /* of two with the same time, the smaller number comes first */
};

struct merge {
	struct merge_entry *entries; /* a binary heap, the oldest item first */
	uint32_t nr;
	uint32_t room;
};

/* Makes room for @nr streams. Returns 0 or -ENOMEM. */
int merge__reserve(struct merge *merge, uint32_t nr);
void merge__destroy(struct merge *merge);

/* A stream that was not in it has an item of @time_ns. */
void merge__push(struct merge *merge, uint64_t time_ns, uint32_t stream);

/* The stream whose item is the oldest, or NULL. */
static inline const struct merge_entry *merge__first(const struct merge *merge)
{
	return merge->nr ? merge->entries : NULL;
}

/* The first one's next item is of @time_ns. */
void merge__replace_first(struct merge *merge, uint64_t time_ns);

/* The first one has no more items. */
void merge__pop(struct merge *merge);

#endif
