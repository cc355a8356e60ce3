/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Counting errors of pages in a set of a few places: how a page comes in, and which one leaves.
 *
 * It is the Space-Saving algorithm (Metwally, Agrawal, El Abbadi 2005): a page that is not there
 * takes the place of the one with the fewest errors, and inherits these as what it may have had
 * without being counted. So a page that has more than 1/PERSIST_PAGE_WAYS of its set's errors is
 * always there, however many others there are, and of each page in the set a lower and an upper
 * bound are known. Only arithmetic here, so that a unit test can run it.
 */
#ifndef PAGE_SET_H
#define PAGE_SET_H

#include "persist_record.h"

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/* What is counted; @errors is not 0. */
struct page_errors {
	__u64 address; /* of the page */
	__u64 errors;
	__u64 uncorrected; /* of these */
	__u64 label_hash;
	__u64 time_ns; /* not 0 */
};

/* The set that a page belongs in. Multiplying spreads neighbours, as of a broken row. */
static __always_inline __u32 page_set__index(__u64 page_number)
{
	return (page_number * 0x9e3779b97f4a7c15ULL) >> (64 - PERSIST_PAGE_SET_BITS);
}

/* The most errors that a page can have had; 0: the place is free. */
static __always_inline __u64 page_set__upper_bound(const struct persist_page *page)
{
	return page->errors + page->missed;
}

/* Where the page is, or where it is to go: a free place, else that of the page to be evicted. */
static __always_inline __u32 page_set__find(const struct persist_page_set *set, __u64 address)
{
	__u64 least = ~0ULL, oldest = ~0ULL;
	__u32 place = 0;

#pragma GCC unroll 8
	for (__u32 i = 0; i < PERSIST_PAGE_WAYS; i++) {
		const struct persist_page *page = &set->way[i];
		__u64 bound = page_set__upper_bound(page);

		if (bound && page->address == address)
			return i;
		if (bound < least || (bound == least && page->last_ns < oldest)) {
			least = bound;
			oldest = page->last_ns;
			place = i;
		}
	}
	return place;
}

/* Counts the errors. Returns those of the page that had to leave for this one, 0 if none had. */
static __always_inline __u64 page_set__count(struct persist_page_set *set,
					     const struct page_errors *errors)
{
	/* The mask tells the verifier what the loop above has made sure. */
	__u32 place = page_set__find(set, errors->address) & (PERSIST_PAGE_WAYS - 1);
	struct persist_page *page = &set->way[place];
	__u64 bound = page_set__upper_bound(page), evicted = 0;

	if (!bound || page->address != errors->address) {
		evicted = page->errors;
		page->address = errors->address;
		page->errors = 0;
		page->uncorrected = 0;
		page->missed = bound;
		page->first_ns = errors->time_ns;
	}
	page->errors += errors->errors;
	page->uncorrected += errors->uncorrected;
	page->last_ns = errors->time_ns;
	page->label_hash = errors->label_hash;
	return evicted;
}

#endif
