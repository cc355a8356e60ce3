/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* The pages that each CPU has counted for itself, put together. */
#ifndef PERSIST_PAGE_TOTALS_H
#define PERSIST_PAGE_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "persist_record.h"

/**
 * page_totals__merge() - put one set of all CPUs together
 * @cpus:  the set as each of @nr_cpus CPUs has it
 * @pages: room for @nr_cpus * PERSIST_PAGE_WAYS pages
 *
 * Of a page that several CPUs have counted, counts are added up. Its @missed becomes an upper bound
 * for all CPUs: one that does not have the page, and has no free place in the set, may have had it
 * with as many errors as the smallest of those that it kept.
 *
 * Return: how many pages there are now in @pages, in no order that means anything.
 */
size_t page_totals__merge(const struct persist_page_set *cpus, size_t nr_cpus,
			  struct persist_page *pages);

/* Sorts: most errors first, then the lower address. */
void page_totals__sort(struct persist_page *pages, size_t nr);

#endif
