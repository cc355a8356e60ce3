// SPDX-License-Identifier: GPL-2.0-only
/* Which fields of an event its totals are made of, on kernels that have them and that have not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "persist_totals.h"
#include "totals_layout.h"

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* Field by field as Linux 6.18 shows it; the print format does not matter here. */
#define MC_FIELDS(layers)                                                    \
	"\tfield:unsigned int error_type;\toffset:8;\tsize:4;\tsigned:0;\n"  \
	"\tfield:__data_loc char[] msg;\toffset:12;\tsize:4;\tsigned:0;\n"   \
	"\tfield:__data_loc char[] label;\toffset:16;\tsize:4;\tsigned:0;\n" \
	"\tfield:u16 error_count;\toffset:20;\tsize:2;\tsigned:0;\n"         \
	"\tfield:u8 mc_index;\toffset:22;\tsize:1;\tsigned:0;\n" layers      \
	"\tfield:long address;\toffset:32;\tsize:8;\tsigned:1;\n"            \
	"\tfield:u8 grain_bits;\toffset:40;\tsize:1;\tsigned:0;\n"
#define MC_LAYERS                                                    \
	"\tfield:s8 top_layer;\toffset:23;\tsize:1;\tsigned:1;\n"    \
	"\tfield:s8 middle_layer;\toffset:24;\tsize:1;\tsigned:1;\n" \
	"\tfield:s8 lower_layer;\toffset:25;\tsize:1;\tsigned:1;\n"
#define WIDE_LAYERS                                                  \
	"\tfield:s16 top_layer;\toffset:24;\tsize:2;\tsigned:1;\n"   \
	"\tfield:s8 middle_layer;\toffset:26;\tsize:1;\tsigned:1;\n" \
	"\tfield:s8 lower_layer;\toffset:27;\tsize:1;\tsigned:1;\n"

#define AER_FIELDS                                                             \
	"\tfield:__data_loc char[] dev_name;\toffset:8;\tsize:4;\tsigned:0;\n" \
	"\tfield:u32 status;\toffset:12;\tsize:4;\tsigned:0;\n"                \
	"\tfield:u8 severity;\toffset:16;\tsize:1;\tsigned:0;\n"               \
	"\tfield:u8 tlp_header_valid;\toffset:17;\tsize:1;\tsigned:0;\n"       \
	"\tfield:u32 tlp_header[4];\toffset:20;\tsize:16;\tsigned:0;\n"

#define MEMORY_FAILURE_FIELDS                                         \
	"\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n" \
	"\tfield:int type;\toffset:16;\tsize:4;\tsigned:1;\n"         \
	"\tfield:int result;\toffset:20;\tsize:4;\tsigned:1;\n"

#define ARM_FIELDS(more)                                               \
	"\tfield:u64 mpidr;\toffset:8;\tsize:8;\tsigned:0;\n"          \
	"\tfield:u64 midr;\toffset:16;\tsize:8;\tsigned:0;\n"          \
	"\tfield:u32 running_state;\toffset:24;\tsize:4;\tsigned:0;\n" \
	"\tfield:u32 psci_state;\toffset:28;\tsize:4;\tsigned:0;\n"    \
	"\tfield:u8 affinity;\toffset:32;\tsize:1;\tsigned:0;\n" more

#define NON_STANDARD_FIELDS                                                     \
	"\tfield:char sec_type[16];\toffset:9;\tsize:16;\tsigned:0;\n"          \
	"\tfield:char fru_id[16];\toffset:25;\tsize:16;\tsigned:0;\n"           \
	"\tfield:__data_loc char[] fru_text;\toffset:44;\tsize:4;\tsigned:0;\n" \
	"\tfield:u8 sev;\toffset:48;\tsize:1;\tsigned:0;\n"

static bool find(const char *system, const char *tracepoint, const char *fields,
		 struct totals_layout *layout)
{
	struct event_format *format;
	char text[4096];
	bool found;

	snprintf(text, sizeof(text), "name: %s\nID: 1\n" COMMON "%s\nprint fmt: \"\"\n", tracepoint,
		 fields);
	assert_int_equal(event_format__parse(text, strlen(text), &format), 0);
	found = totals_layout__find(system, tracepoint, format, 12, layout);
	event_format__free(format);
	return found;
}

static uint32_t severity(const struct totals_layout *layout, unsigned int number)
{
	return layout->severities >> number * TOTALS_SEVERITY_BITS & 0xf;
}

#define assert_field(field, its_offset, its_size)             \
	do {                                                  \
		assert_int_equal((field).offset, its_offset); \
		assert_int_equal((field).size, its_size);     \
	} while (0)

static void test_mc_event(void **state)
{
	struct totals_layout layout;

	assert_true(find("ras", "mc_event", MC_FIELDS(MC_LAYERS), &layout));
	assert_int_equal(layout.source, TOTALS_FIELDS);
	assert_field(layout.severity, 8, 4);
	assert_field(layout.label, 16, 4);
	assert_field(layout.errors, 20, 2);
	assert_field(layout.controller, 22, 1);
	assert_field(layout.top_layer, 23, 1);
	assert_field(layout.lower_layer, 25, 1);
	assert_field(layout.address, 32, 8);
	assert_field(layout.kind, 0, 0);
	assert_int_equal(layout.address_shift, 0);
	assert_int_equal(severity(&layout, 0), PERSIST_SEVERITY_CORRECTED);
	assert_int_equal(severity(&layout, 1), PERSIST_SEVERITY_UNCORRECTED);
	assert_int_equal(severity(&layout, 2), PERSIST_SEVERITY_DEFERRED);
	assert_int_equal(severity(&layout, 3), PERSIST_SEVERITY_FATAL);
	assert_int_equal(severity(&layout, 4), PERSIST_SEVERITY_INFO);
	assert_int_equal(severity(&layout, 5), PERSIST_SEVERITY_UNKNOWN);
}

/* No totals at all are better than wrong ones. */
static void test_unknown_layouts(void **state)
{
	struct totals_layout layout;

	assert_false(find("ras", "mc_event", MC_FIELDS(WIDE_LAYERS), &layout));
	assert_int_equal(layout.source, TOTALS_NONE);
	assert_int_equal(layout.label.size, 0);
	assert_false(find("ras", "mc_event", MC_FIELDS(""), &layout));
	assert_false(find("ras", "aer_event", MC_FIELDS(MC_LAYERS), &layout));
	assert_false(find("sched", "mc_event", MC_FIELDS(MC_LAYERS), &layout));
	assert_false(find("ras", "mc_event_2", MC_FIELDS(MC_LAYERS), &layout));
	assert_false(find("ras", "aer_event",
			  "\tfield:char dev_name[16];\toffset:8;\tsize:16;\tsigned:0;\n"
			  "\tfield:u32 status;\toffset:24;\tsize:4;\tsigned:0;\n"
			  "\tfield:u8 severity;\toffset:28;\tsize:1;\tsigned:0;\n",
			  &layout));
	/* A load has to be aligned. */
	assert_false(find("ras", "aer_event",
			  "\tfield:__data_loc char[] dev_name;\toffset:8;\tsize:4;\tsigned:0;\n"
			  "\tfield:u32 status;\toffset:14;\tsize:4;\tsigned:0;\n"
			  "\tfield:u8 severity;\toffset:18;\tsize:1;\tsigned:0;\n",
			  &layout));
}

static void test_aer_event(void **state)
{
	struct totals_layout layout;

	assert_true(find("ras", "aer_event", AER_FIELDS, &layout));
	assert_field(layout.label, 8, 4);
	assert_field(layout.status, 12, 4);
	assert_field(layout.severity, 16, 1);
	assert_int_equal(severity(&layout, 0), PERSIST_SEVERITY_UNCORRECTED);
	assert_int_equal(severity(&layout, 1), PERSIST_SEVERITY_FATAL);
	assert_int_equal(severity(&layout, 2), PERSIST_SEVERITY_CORRECTED);
}

static void test_memory_failure(void **state)
{
	static const char *const systems[] = { "ras", "memory_failure" };
	struct totals_layout layout;

	for (size_t i = 0; i < 2; i++) {
		assert_true(
			find(systems[i], "memory_failure_event", MEMORY_FAILURE_FIELDS, &layout));
		assert_field(layout.address, 8, 8);
		assert_int_equal(layout.address_shift, 12);
		assert_field(layout.kind, 16, 4);
		assert_field(layout.status, 20, 4);
		/* The program takes 0 for a number that the event does not have. */
		assert_field(layout.severity, 0, 0);
		assert_int_equal(severity(&layout, 0), PERSIST_SEVERITY_UNCORRECTED);
	}
}

static void test_arm_event(void **state)
{
	struct totals_layout layout;

	assert_true(find("ras", "arm_event",
			 ARM_FIELDS("\tfield:u8 sev;\toffset:60;\tsize:1;\tsigned:0;\n"
				    "\tfield:int cpu;\toffset:64;\tsize:4;\tsigned:1;\n"),
			 &layout));
	assert_field(layout.mpidr, 8, 8);
	assert_field(layout.severity, 60, 1);
	assert_field(layout.cpu, 64, 4);
	assert_int_equal(severity(&layout, 0), PERSIST_SEVERITY_UNCORRECTED);
	/* Before Linux 6.17 it does not say how bad it is. */
	assert_true(find("ras", "arm_event", ARM_FIELDS(""), &layout));
	assert_field(layout.cpu, 0, 0);
	assert_int_equal(severity(&layout, 0), PERSIST_SEVERITY_UNKNOWN);
}

/* Its GUID need not be aligned: on a PREEMPT_RT kernel it is at an odd place. */
static void test_non_standard_event(void **state)
{
	struct totals_layout layout;

	assert_true(find("ras", "non_standard_event", NON_STANDARD_FIELDS, &layout));
	assert_int_equal(layout.section_offset, 9);
	assert_field(layout.label, 44, 4);
	assert_field(layout.severity, 48, 1);
}

static void test_names(void **state)
{
	const char *system, *tracepoint;
	size_t nr = 0;

	assert_string_equal(totals_layout__kind_name("mce", "mce_record", 12), "memory_controller");
	assert_string_equal(totals_layout__kind_name("mce", "mce_record", 1000), "unknown");
	assert_string_equal(totals_layout__kind_name("ras", "extlog_mem_event", 3), "multi_bit");
	assert_string_equal(totals_layout__kind_name("cxl", "cxl_dram", 1), "scrub_ecc");
	assert_null(totals_layout__kind_name("ras", "mc_event", 1));
	assert_null(totals_layout__kind_name("sched", "sched_switch", 1));
	assert_string_equal(persist_severity__name(PERSIST_SEVERITY_DEFERRED), "deferred");
	for (uint32_t i = 0; i < PERSIST_NR_SEVERITIES; i++)
		assert_non_null(persist_severity__name(i));
	assert_string_equal(persist_severity__name(PERSIST_NR_SEVERITIES), "unknown");
	assert_string_equal(persist_severity__name(UINT32_MAX), "unknown");
	assert_int_equal(persist_event__has_totals("mce", "mce_record"), 1);
	assert_int_equal(persist_event__has_totals("mce", "mc_event"), 0);
	for (; totals_layout__event(nr, &system, &tracepoint); nr++)
		assert_int_equal(persist_event__has_totals(system, tracepoint), 1);
	assert_true(nr > 10);
}

/* Bounded, and the same for the same machine. */
static void test_room(void **state)
{
	assert_true(totals_layout__max_entries(1) >= 1024);
	assert_true(totals_layout__max_entries(8192) < 200000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mc_event),  cmocka_unit_test(test_unknown_layouts),
		cmocka_unit_test(test_aer_event), cmocka_unit_test(test_memory_failure),
		cmocka_unit_test(test_arm_event), cmocka_unit_test(test_non_standard_event),
		cmocka_unit_test(test_names),	  cmocka_unit_test(test_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
