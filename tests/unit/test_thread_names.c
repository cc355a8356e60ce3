// SPDX-License-Identifier: GPL-2.0-only
/* thread_names: a name is new once, and again when it has changed or was forgotten. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "perf/thread_names.h"

static struct thread_names names;

static bool is_new(uint32_t pid, uint32_t tid, const char *comm)
{
	struct persist_record record = { .pid = pid, .tid = tid };

	strncpy(record.comm, comm, sizeof(record.comm) - 1);
	return thread_names__is_new(&names, &record);
}

static int set_up(void **state)
{
	memset(&names, 0, sizeof(names));
	return 0;
}

static void test_changes(void **state)
{
	assert_true(is_new(10, 10, "bash"));
	assert_false(is_new(10, 10, "bash"));
	assert_true(is_new(10, 10, "true"));
	assert_false(is_new(10, 10, "true"));
	/* The id was given to another process, whose name is the same. */
	assert_true(is_new(9, 10, "true"));
	assert_false(is_new(9, 10, "true"));
	assert_true(is_new(10, 11, "true"));
	/* A name without one is a name. */
	assert_true(is_new(10, 12, ""));
	assert_false(is_new(10, 12, ""));
}

static void test_idle_threads(void **state)
{
	assert_false(is_new(0, 0, "swapper/0"));
	assert_false(is_new(0, 0, "swapper/1"));
}

/* More threads than there is room for: those that are forgotten are new again, and no other. */
static void test_many_threads(void **state)
{
	const uint32_t nr = 4 * THREAD_NAMES_SIZE;
	uint32_t known = 0;

	for (uint32_t tid = 1; tid <= nr; tid++)
		assert_true(is_new(tid, tid, "many"));
	for (uint32_t tid = nr; tid; tid--)
		known += !is_new(tid, tid, "many");
	assert_in_range(known, THREAD_NAMES_SIZE / 2, THREAD_NAMES_SIZE);
	/* Neighbours do not push each other out. */
	set_up(NULL);
	for (uint32_t tid = 100000; tid < 100000 + THREAD_NAMES_SIZE / 4; tid++)
		assert_true(is_new(1, tid, "some"));
	known = 0;
	for (uint32_t tid = 100000; tid < 100000 + THREAD_NAMES_SIZE / 4; tid++)
		known += !is_new(1, tid, "some");
	assert_in_range(known, THREAD_NAMES_SIZE / 5, THREAD_NAMES_SIZE / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_changes, set_up),
		cmocka_unit_test_setup(test_idle_threads, set_up),
		cmocka_unit_test_setup(test_many_threads, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
