// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "merge.h"

#include <errno.h>
#include <stdlib.h>

static inline bool is_before(const struct merge_entry *one, const struct merge_entry *other)
{
	if (one->time_ns != other->time_ns)
		return one->time_ns < other->time_ns;
	return one->stream < other->stream;
}

int merge__reserve(struct merge *merge, uint32_t nr)
{
	struct merge_entry *entries;

	if (nr <= merge->room)
		return 0;
	entries = reallocarray(merge->entries, nr, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	merge->entries = entries;
	merge->room = nr;
	return 0;
}

void merge__destroy(struct merge *merge)
{
	free(merge->entries);
	*merge = (struct merge){ 0 };
}

void merge__push(struct merge *merge, uint64_t time_ns, uint32_t stream)
{
	const struct merge_entry entry = { time_ns, stream };
	uint32_t at = merge->nr++;

	while (at && is_before(&entry, &merge->entries[(at - 1) / 2])) {
		merge->entries[at] = merge->entries[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	merge->entries[at] = entry;
}

/* Puts @entry at the top and lets it sink to its place. */
static void sink(struct merge *merge, struct merge_entry entry)
{
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < merge->nr) {
		if (child + 1 < merge->nr &&
		    is_before(&merge->entries[child + 1], &merge->entries[child]))
			child++;
		if (!is_before(&merge->entries[child], &entry))
			break;
		merge->entries[at] = merge->entries[child];
		at = child;
	}
	merge->entries[at] = entry;
}

void merge__replace_first(struct merge *merge, uint64_t time_ns)
{
	const struct merge_entry entry = { time_ns, merge->entries[0].stream };

	sink(merge, entry);
}

void merge__pop(struct merge *merge)
{
	merge->nr--;
	if (merge->nr)
		sink(merge, merge->entries[merge->nr]);
}
