// SPDX-License-Identifier: GPL-2.0-only
/* Pages with errors: which are kept, what their bounds are, and how CPUs are put together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "page_set.h"
#include "page_totals.h"

#define NR_CPUS	  4
#define NR_PAGES  64
#define NR_ERRORS 20000

static uint64_t count(struct persist_page_set *set, uint64_t address, uint64_t errors,
		      uint64_t time_ns)
{
	const struct page_errors what = {
		.address = address, .errors = errors, .time_ns = time_ns, .label_hash = address + 1
	};

	return page_set__count(set, &what);
}

static uint64_t errors_of(const struct persist_page_set *set, uint64_t address)
{
	for (size_t i = 0; i < PERSIST_PAGE_WAYS; i++)
		if (set->way[i].first_ns && set->way[i].address == address)
			return set->way[i].errors;
	return 0;
}

static void test_free_places_first(void **state)
{
	struct persist_page_set set = {};

	for (uint64_t i = 0; i < PERSIST_PAGE_WAYS; i++)
		assert_int_equal(count(&set, i * 4096, i + 1, i + 1), 0);
	/* Address 0 is a page like any other. */
	assert_int_equal(count(&set, 0, 10, 100), 0);
	for (uint64_t i = 0; i < PERSIST_PAGE_WAYS; i++) {
		assert_int_equal(errors_of(&set, i * 4096), i ? i + 1 : 11);
		assert_int_equal(set.way[i].missed, 0);
	}
	assert_int_equal(set.way[0].first_ns, 1);
	assert_int_equal(set.way[0].last_ns, 100);
}

static void test_fewest_errors_leave(void **state)
{
	struct persist_page_set set = {};

	for (uint64_t i = 0; i < PERSIST_PAGE_WAYS; i++)
		count(&set, i * 4096, i == 3 ? 5 : 9, i + 1);
	assert_int_equal(count(&set, 0x100000, 1, 50), 5);
	assert_int_equal(errors_of(&set, 3 * 4096), 0);
	assert_int_equal(set.way[3].address, 0x100000);
	assert_int_equal(set.way[3].errors, 1);
	assert_int_equal(set.way[3].missed, 5);
	assert_int_equal(set.way[3].first_ns, 50);
	/* What it may have missed counts as well: it leaves with one error, and hands on six. */
	assert_int_equal(count(&set, 0x200000, 1, 51), 1);
	assert_int_equal(set.way[3].missed, 6);
	assert_int_equal(set.way[3].uncorrected, 0);
}

static void test_oldest_leaves_of_equals(void **state)
{
	struct persist_page_set set = {};

	for (uint64_t i = 0; i < PERSIST_PAGE_WAYS; i++)
		count(&set, i * 4096, 7, i == 5 ? 1 : 10 + i);
	assert_int_equal(count(&set, 0x100000, 1, 50), 7);
	assert_int_equal(set.way[5].address, 0x100000);
}

static void test_uncorrected(void **state)
{
	struct persist_page_set set = {};
	const struct page_errors errors = {
		.address = 4096, .errors = 3, .uncorrected = 2, .time_ns = 1
	};

	page_set__count(&set, &errors);
	page_set__count(&set, &errors);
	assert_int_equal(set.way[0].errors, 6);
	assert_int_equal(set.way[0].uncorrected, 4);
}

static void test_index(void **state)
{
	unsigned int used[PERSIST_PAGE_SETS] = {};

	for (uint64_t page = 0; page < 100 * PERSIST_PAGE_SETS; page++) {
		assert_true(page_set__index(page) < PERSIST_PAGE_SETS);
		used[page_set__index(page)]++;
	}
	/* Neighbours are spread evenly. */
	for (size_t i = 0; i < PERSIST_PAGE_SETS; i++)
		assert_in_range(used[i], 50, 200);
}

/* ---- against exact counts ----------------------------------------------------------------- */

/* The errors of some pages, many in a few and few in many, on some CPUs. */
struct history {
	struct persist_page_set cpus[NR_CPUS];
	uint64_t exact[NR_PAGES];
	uint64_t sum;
	uint64_t evicted;
};

static void make_history(struct history *history, unsigned int seed)
{
	memset(history, 0, sizeof(*history));
	srand(seed);
	for (uint64_t i = 0; i < NR_ERRORS; i++) {
		uint64_t page = rand() % 2 ? rand() % 3 : rand() % NR_PAGES;
		uint64_t errors = 1 + rand() % 3;

		history->exact[page] += errors;
		history->sum += errors;
		history->evicted +=
			count(&history->cpus[rand() % NR_CPUS], page * 4096, errors, i + 1);
	}
}

static void test_bounds_hold(void **state)
{
	static struct history history;
	struct persist_page pages[NR_CPUS * PERSIST_PAGE_WAYS];

	for (unsigned int seed = 1; seed <= 20; seed++) {
		uint64_t sum = 0;
		size_t nr;

		make_history(&history, seed);
		nr = page_totals__merge(history.cpus, NR_CPUS, pages);
		page_totals__sort(pages, nr);
		for (size_t i = 0; i < nr; i++) {
			uint64_t exact = history.exact[pages[i].address / 4096];

			sum += pages[i].errors;
			assert_true(pages[i].errors <= exact);
			assert_true(pages[i].errors + pages[i].missed >= exact);
			assert_true(pages[i].first_ns <= pages[i].last_ns);
			assert_int_equal(pages[i].label_hash, pages[i].address + 1);
			for (size_t j = 0; j < i; j++)
				assert_int_not_equal(pages[j].address, pages[i].address);
		}
		assert_int_equal(sum + history.evicted, history.sum);
		/* Each of the three has more than an eighth of all on every CPU. */
		for (size_t i = 0; i < 3; i++)
			assert_true(pages[i].address / 4096 < 3);
	}
}

/* However many others there are, a page with more than its share is there. */
static void test_frequent_page_stays(void **state)
{
	struct persist_page_set set = {};
	uint64_t evicted = 0, nr = 0;

	for (uint64_t i = 0; i < 10000; i++) {
		evicted += count(&set, 0x10000000 + i * 4096, 1, i + 1);
		if (i % 6 == 0) {
			evicted += count(&set, 4096, 1, i + 1);
			nr++;
		}
	}
	assert_int_not_equal(errors_of(&set, 4096), 0);
	for (size_t i = 0; i < PERSIST_PAGE_WAYS; i++)
		if (set.way[i].address == 4096)
			assert_in_range(nr, set.way[i].errors, page_set__upper_bound(&set.way[i]));
	assert_true(evicted > 0);
}

/* ---- putting CPUs together ---------------------------------------------------------------- */

static void test_merge_nothing(void **state)
{
	static const struct persist_page_set cpus[NR_CPUS];
	struct persist_page pages[NR_CPUS * PERSIST_PAGE_WAYS];

	assert_int_equal(page_totals__merge(cpus, NR_CPUS, pages), 0);
	assert_int_equal(page_totals__merge(cpus, 0, pages), 0);
	page_totals__sort(pages, 0);
}

static void test_merge_same_page(void **state)
{
	struct persist_page_set cpus[2] = {};
	struct persist_page pages[2 * PERSIST_PAGE_WAYS];

	count(&cpus[0], 4096, 2, 10);
	count(&cpus[1], 4096, 3, 5);
	count(&cpus[1], 4096, 3, 20);
	count(&cpus[1], 8192, 1, 7);
	assert_int_equal(page_totals__merge(cpus, 2, pages), 2);
	page_totals__sort(pages, 2);
	assert_int_equal(pages[0].address, 4096);
	assert_int_equal(pages[0].errors, 8);
	assert_int_equal(pages[0].missed, 0);
	assert_int_equal(pages[0].first_ns, 5);
	assert_int_equal(pages[0].last_ns, 20);
	assert_int_equal(pages[1].address, 8192);
}

/* A CPU that does not have a page, and has no free place, may have had to drop it. */
static void test_merge_missed_elsewhere(void **state)
{
	struct persist_page_set cpus[2] = {};
	struct persist_page pages[2 * PERSIST_PAGE_WAYS];
	size_t nr;

	for (uint64_t i = 0; i < PERSIST_PAGE_WAYS; i++)
		count(&cpus[0], (i + 1) * 4096, 6 + i, i + 1);
	count(&cpus[1], 0x100000, 9, 1);
	count(&cpus[1], 4096, 1, 1);
	nr = page_totals__merge(cpus, 2, pages);
	page_totals__sort(pages, nr);
	assert_int_equal(nr, PERSIST_PAGE_WAYS + 1);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(pages[i].missed, pages[i].address == 0x100000 ? 6 : 0);
}

static void test_sort(void **state)
{
	struct persist_page pages[] = {
		{ .address = 3, .errors = 1 },
		{ .address = 2, .errors = 5 },
		{ .address = 1, .errors = 1 },
		{ .address = 4, .errors = UINT64_MAX },
	};
	static const uint64_t order[] = { 4, 2, 1, 3 };

	page_totals__sort(pages, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pages[i].address, order[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_free_places_first),
		cmocka_unit_test(test_fewest_errors_leave),
		cmocka_unit_test(test_oldest_leaves_of_equals),
		cmocka_unit_test(test_uncorrected),
		cmocka_unit_test(test_index),
		cmocka_unit_test(test_bounds_hold),
		cmocka_unit_test(test_frequent_page_stays),
		cmocka_unit_test(test_merge_nothing),
		cmocka_unit_test(test_merge_same_page),
		cmocka_unit_test(test_merge_missed_elsewhere),
		cmocka_unit_test(test_sort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
