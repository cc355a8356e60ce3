// SPDX-License-Identifier: GPL-2.0-only
/* What a look at a tree says, on an ordinary file system whose times are set by hand. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "time_spec.h"
#include "tree_watch.h"

#define LONG_NSEC (NSEC_PER_SEC / 10)

static char root[64], staging[80], staged[96];
static uint64_t now;

static int make_tree(void **state)
{
	snprintf(root, sizeof(root), "/tmp/test_tree_watch.XXXXXX");
	if (!mkdtemp(root))
		return -1;
	snprintf(staging, sizeof(staging), "%s/staging", root);
	snprintf(staged, sizeof(staged), "%s/event", staging);
	now = 1000 * NSEC_PER_SEC;
	return mkdir(staging, 0755);
}

static int remove_tree(void **state)
{
	rmdir(staged);
	rmdir(staging);
	return rmdir(root);
}

/* As a change at that time does. */
static void set_time(time_t seconds)
{
	const struct timespec times[2] = { { .tv_sec = seconds }, { .tv_sec = seconds } };

	assert_int_equal(utimensat(AT_FDCWD, staging, times, 0), 0);
}

static enum tree_state look_after(struct tree_watch *watch, uint64_t nsec)
{
	now += nsec;
	return tree_watch__look(watch, now);
}

static void test_changes(void **state)
{
	struct tree_watch watch;

	assert_int_equal(tree_watch__init(&watch, root), 0);
	set_time(1);
	/* Another change may follow in the same tick of the clock. */
	assert_int_equal(look_after(&watch, 0), TREE_CHANGING);
	assert_int_equal(look_after(&watch, 10 * NSEC_PER_MSEC), TREE_CHANGING);
	assert_int_equal(look_after(&watch, LONG_NSEC), TREE_QUIET);
	assert_int_equal(look_after(&watch, 1), TREE_QUIET);
	set_time(2);
	assert_int_equal(look_after(&watch, LONG_NSEC), TREE_CHANGING);
	assert_int_equal(look_after(&watch, LONG_NSEC), TREE_QUIET);
	/* The clock was set back. */
	set_time(1);
	assert_int_equal(look_after(&watch, LONG_NSEC), TREE_CHANGING);
	assert_false(tree_watch__is_staging(&watch, now));
	tree_watch__destroy(&watch);
}

static void test_staged(void **state)
{
	struct tree_watch watch;
	struct stat st;

	assert_int_equal(tree_watch__init(&watch, root), 0);
	assert_int_equal(mkdir(staged, 0755), 0);
	assert_int_equal(stat(staging, &st), 0);
	if (st.st_nlink != 3)
		skip(); /* a file system that does not count as bpffs does */
	assert_int_equal(look_after(&watch, 0), TREE_CHANGING);
	assert_int_equal(look_after(&watch, LONG_NSEC), TREE_CHANGING);
	assert_true(tree_watch__is_staging(&watch, now));
	/* A loader that was killed: nothing can be told any more. */
	assert_int_equal(look_after(&watch, 100 * NSEC_PER_SEC), TREE_UNKNOWN);
	assert_false(tree_watch__is_staging(&watch, now));
	assert_int_equal(rmdir(staged), 0);
	set_time(3);
	assert_int_equal(look_after(&watch, LONG_NSEC), TREE_CHANGING);
	assert_int_equal(look_after(&watch, LONG_NSEC), TREE_QUIET);
	tree_watch__destroy(&watch);
}

static void test_no_tree(void **state)
{
	struct tree_watch watch;

	assert_int_equal(tree_watch__init(&watch, root), 0);
	assert_int_equal(look_after(&watch, 0), TREE_CHANGING);
	assert_int_equal(rmdir(staging), 0);
	assert_int_equal(look_after(&watch, LONG_NSEC), TREE_UNKNOWN);
	assert_int_equal(mkdir(staging, 0755), 0);
	assert_int_equal(look_after(&watch, LONG_NSEC), TREE_CHANGING);
	assert_int_equal(look_after(&watch, LONG_NSEC), TREE_QUIET);
	tree_watch__destroy(&watch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_changes, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(test_staged, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(test_no_tree, make_tree, remove_tree),
	};

	return cmocka_run_group_tests_name("tree_watch", tests, NULL, NULL);
}
