// SPDX-License-Identifier: GPL-2.0-only
/* cpu_list: what is a list of CPUs, and what is none. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cpu_list.h"

static void test_lists(void **state)
{
	struct cpu_list list;

	assert_int_equal(cpu_list__parse(&list, "0"), 0);
	assert_true(cpu_list__has(&list, 0));
	assert_false(cpu_list__has(&list, 1));

	assert_int_equal(cpu_list__parse(&list, "1-3,8,63-64"), 0);
	for (uint32_t cpu = 0; cpu < 200; cpu++)
		assert_int_equal(cpu_list__has(&list, cpu),
				 (cpu >= 1 && cpu <= 3) || cpu == 8 || cpu == 63 || cpu == 64);

	assert_int_equal(cpu_list__parse(&list, "all"), 0);
	assert_true(cpu_list__has(&list, 0));
	assert_true(cpu_list__has(&list, CPU_LIST_MAX - 1));
	assert_false(cpu_list__has(&list, CPU_LIST_MAX));
	assert_false(cpu_list__has(&list, UINT32_MAX));
}

static void test_no_lists(void **state)
{
	static const char *const wrong[] = {
		"",   ",",  "1,",  ",1",   "-", "1-",	 "-1",	 "3-1",
		"1 ", " 1", "0x1", "1..2", "x", "1-2-3", "alle", "1;2"
	};
	struct cpu_list list;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(cpu_list__parse(&list, wrong[i]), -EINVAL);
	assert_int_equal(cpu_list__parse(&list, "8192"), -ERANGE);
	assert_int_equal(cpu_list__parse(&list, "0-99999999999999999999"), -ERANGE);
}

static void test_first(void **state)
{
	struct cpu_list list;

	cpu_list__set_first(&list, 65);
	assert_true(cpu_list__has(&list, 0));
	assert_true(cpu_list__has(&list, 64));
	assert_false(cpu_list__has(&list, 65));
	cpu_list__set_first(&list, 0);
	assert_false(cpu_list__has(&list, 0));
}

static void test_possible(void **state)
{
	struct cpu_list list;
	long nr = 0;

	if (access("/sys/devices/system/cpu/possible", R_OK))
		skip();
	assert_int_equal(cpu_list__read_possible(&list), 0);
	for (uint32_t cpu = 0; cpu < CPU_LIST_MAX; cpu++)
		nr += cpu_list__has(&list, cpu);
	assert_true(nr >= sysconf(_SC_NPROCESSORS_ONLN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_no_lists),
		cmocka_unit_test(test_first),
		cmocka_unit_test(test_possible),
	};

	return cmocka_run_group_tests_name("cpu_list", tests, NULL, NULL);
}
