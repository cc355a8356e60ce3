// SPDX-License-Identifier: GPL-2.0-only
/* merge: many streams come out in the order of time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "merge.h"

#define NR_STREAMS 100
#define NR_ITEMS   1000

static void test_order(void **state)
{
	static uint64_t times[NR_STREAMS];
	static uint32_t left[NR_STREAMS];
	const struct merge_entry *first;
	struct merge merge = { 0 };
	uint64_t last = 0;
	uint32_t nr = 0;

	srand(1);
	assert_int_equal(merge__reserve(&merge, 10), 0);
	assert_int_equal(merge__reserve(&merge, NR_STREAMS), 0);
	for (uint32_t i = 0; i < NR_STREAMS; i++) {
		times[i] = (uint64_t)rand() % 1000;
		left[i] = NR_ITEMS;
		merge__push(&merge, times[i], i);
	}
	while ((first = merge__first(&merge))) {
		uint32_t stream = first->stream;

		assert_int_equal(first->time_ns, times[stream]);
		assert_true(first->time_ns >= last);
		last = first->time_ns;
		nr++;
		if (!--left[stream]) {
			merge__pop(&merge);
			continue;
		}
		times[stream] += (uint64_t)rand() % 100;
		merge__replace_first(&merge, times[stream]);
	}
	assert_int_equal(nr, NR_STREAMS * NR_ITEMS);
	merge__destroy(&merge);
}

/* Items of the same time come in the order of the streams, so that output can be compared. */
static void test_same_time(void **state)
{
	struct merge merge = { 0 };

	assert_int_equal(merge__reserve(&merge, 3), 0);
	merge__push(&merge, 7, 2);
	merge__push(&merge, 7, 0);
	merge__push(&merge, 7, 1);
	for (uint32_t stream = 0; stream < 3; stream++) {
		assert_int_equal(merge__first(&merge)->stream, stream);
		merge__pop(&merge);
	}
	assert_null(merge__first(&merge));
	merge__destroy(&merge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_same_time),
	};

	return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
