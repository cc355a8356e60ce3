// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "page_totals.h"

#include <stdlib.h>

#include "page_set.h"

/* What a page that is not in this set can have had here at most. */
static uint64_t least_bound(const struct persist_page_set *set)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < PERSIST_PAGE_WAYS; i++) {
		uint64_t bound = page_set__upper_bound(&set->way[i]);

		if (bound < least)
			least = bound;
	}
	return least;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct persist_page *one = a, *other = b;

	return (one->address > other->address) - (one->address < other->address);
}

static int compare_errors(const void *a, const void *b)
{
	const struct persist_page *one = a, *other = b;

	if (one->errors != other->errors)
		return one->errors < other->errors ? 1 : -1;
	return compare_addresses(a, b);
}

static void add_page(struct persist_page *sum, const struct persist_page *page)
{
	sum->errors += page->errors;
	sum->uncorrected += page->uncorrected;
	sum->missed += page->missed;
	if (page->first_ns < sum->first_ns)
		sum->first_ns = page->first_ns;
	if (page->last_ns > sum->last_ns) {
		sum->last_ns = page->last_ns;
		sum->label_hash = page->label_hash;
	}
}

size_t page_totals__merge(const struct persist_page_set *cpus, size_t nr_cpus,
			  struct persist_page *pages)
{
	uint64_t missed_everywhere = 0;
	size_t nr = 0, nr_merged = 0;

	for (size_t cpu = 0; cpu < nr_cpus; cpu++) {
		uint64_t least = least_bound(&cpus[cpu]);

		missed_everywhere += least;
		for (size_t i = 0; i < PERSIST_PAGE_WAYS; i++) {
			if (!page_set__upper_bound(&cpus[cpu].way[i]))
				continue;
			pages[nr] = cpus[cpu].way[i];
			/* Instead of what a CPU may have missed that does not have the page. */
			pages[nr++].missed -= least;
		}
	}
	qsort(pages, nr, sizeof(*pages), compare_addresses);
	for (size_t i = 0; i < nr; i++) {
		if (nr_merged && pages[nr_merged - 1].address == pages[i].address)
			add_page(&pages[nr_merged - 1], &pages[i]);
		else
			pages[nr_merged++] = pages[i];
	}
	for (size_t i = 0; i < nr_merged; i++)
		pages[i].missed += missed_everywhere;
	return nr_merged;
}

void page_totals__sort(struct persist_page *pages, size_t nr)
{
	qsort(pages, nr, sizeof(*pages), compare_errors);
}
