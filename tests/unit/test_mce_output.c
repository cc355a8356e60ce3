// SPDX-License-Identifier: GPL-2.0-only
/* What is put behind a machine check's record, for the layouts that kernels have had. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_event.h"
#include "json_output.h"
#include "mce/mce_output.h"
#include "mce/mce_topology.h"
#include "text_output.h"

/* ---- records of a layout ----------------------------------------------------------------- */

enum layout {
	LINUX_6_1 = 1 << 0,
	LINUX_6_9 = 1 << 1,
	LINUX_6_13 = 1 << 2,
	ALL = LINUX_6_1 | LINUX_6_9 | LINUX_6_13,
};

/* A corrected memory error of an Intel processor, and everything that the kernel notes of it. */
static const struct {
	const char *name;
	unsigned int size;
	unsigned int layouts;
	uint64_t value;
} known_fields[] = {
	{ "mcgcap", 8, ALL, 0x1000c1c },
	{ "mcgstatus", 8, ALL, 0 },
	{ "status", 8, ALL, 0x8c00004000010091 },
	{ "addr", 8, ALL, 0x12345678 },
	{ "misc", 8, ALL, 0x86 },
	{ "synd", 8, ALL, 0 },
	{ "ipid", 8, ALL, 0 },
	{ "ip", 8, ALL, 0 },
	{ "tsc", 8, ALL, 0 },
	{ "ppin", 8, LINUX_6_9 | LINUX_6_13, 0xabcd },
	{ "walltime", 8, ALL, 1767323045 },
	{ "cpu", 4, ALL, UINT32_MAX }, /* no core can be found for it, whatever machine this is */
	{ "cpuid", 4, ALL, 0x50654 },
	{ "apicid", 4, ALL, 6 },
	{ "socketid", 4, ALL, 1 },
	{ "cs", 1, ALL, 0 },
	{ "bank", 1, ALL, 7 },
	{ "cpuvendor", 1, ALL, 0 },
	{ "microcode", 4, LINUX_6_9 | LINUX_6_13, 0x5003604 },
};

#define NR_FIELDS (sizeof(known_fields) / sizeof(known_fields[0]))

struct machine_check {
	struct persist_record record;
	unsigned char payload[256];
};

static struct persist_event event;
static struct machine_check check;

/* Lays the fields out as the kernel does, each at a multiple of its size. */
static void make_event(enum layout layout)
{
	char *text = NULL;
	size_t text_size, offset = 8;
	FILE *format = open_memstream(&text, &text_size);

	fake_event_init(&event, NULL);
	strcpy(event.meta.name, "errors");
	strcpy(event.meta.system, "mce");
	strcpy(event.meta.tracepoint, "mce_record");
	memset(&check, 0, sizeof(check));
	fputs("name: mce_record\nID: 106\nformat:\n"
	      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	      "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
	      format);
	for (size_t i = 0; i < NR_FIELDS; i++) {
		if (!(known_fields[i].layouts & layout))
			continue;
		offset = (offset + known_fields[i].size - 1) / known_fields[i].size *
			 known_fields[i].size;
		fprintf(format, "\tfield:u%u %s;\toffset:%zu;\tsize:%u;\tsigned:0;\n",
			known_fields[i].size * 8, known_fields[i].name, offset,
			known_fields[i].size);
		memcpy(check.payload + offset, &known_fields[i].value, known_fields[i].size);
		offset += known_fields[i].size;
	}
	fputs("\nprint fmt: \"MC%d: %016llx\", REC->bank, REC->status\n", format);
	fclose(format);
	event.format_text = text;
	check.record = (struct persist_record){
		.magic = PERSIST_RECORD_MAGIC,
		.version = PERSIST_RECORD_VERSION,
		.header_size = sizeof(check.record),
		.size = (uint32_t)offset,
		.seq = 1,
		.time_ns = 1234567890987,
		.comm = "swapper/0",
	};
}

static const struct persist_item item = { .event = &event, .record = &check.record };

/* ---- text -------------------------------------------------------------------------------- */

/* The lines of @item, with and without what they mean; the caller frees them. */
static char *text_of(const struct persist_item *shown, bool is_raw)
{
	struct line_writer writer;
	char *text;

	assert_int_equal(line_writer__init(&writer, -1, NULL), 0);
	assert_int_equal(text_output__put(&writer, shown), 0);
	if (!is_raw)
		assert_int_equal(mce_output__put_text(&writer, shown), 0);
	text = strndup(writer.buffer, writer.len);
	line_writer__destroy(&writer);
	return text;
}

static void expect_text(enum layout layout, const char *processor)
{
	char expected[1024], *text, *raw;

	make_event(layout);
	raw = text_of(&item, true);
	text = text_of(&item, false);
	snprintf(expected, sizeof(expected),
		 "%s"
		 "\tseverity  corrected: the hardware corrected it, nothing was lost\n"
		 "\terror     memory controller: read, channel 1 (code 0x0091)\n"
		 "\t          model-specific code 0x0001\n"
		 "\taddress   0x12345640, physical, known to 64 bytes; page 0x12345\n"
		 "\tcount     1 corrected error since the bank was last cleared\n"
		 "\tfrom      bank 7, socket 1, APIC ID 0x6\n"
		 "\tprocessor Intel family 0x6 model 0x55 stepping 0x4%s\n"
		 "\ttime      2026-01-02T03:04:05Z\n",
		 raw, processor);
	assert_string_equal(text, expected);
	free(raw);
	free(text);
	fake_event_destroy(&event);
}

static void test_text_of_layouts(void **state)
{
	/* What the layout has no field for is not mentioned. */
	expect_text(LINUX_6_1, "");
	expect_text(LINUX_6_9, ", microcode 0x5003604, PPIN 0xabcd");
	expect_text(LINUX_6_13, ", microcode 0x5003604, PPIN 0xabcd");
}

static void expect_unchanged(const struct persist_item *shown)
{
	char *raw = text_of(shown, true), *text = text_of(shown, false);

	assert_string_equal(raw, text);
	free(raw);
	free(text);
}

static void test_text_of_others(void **state)
{
	const struct persist_item loss = {
		.event = &event,
		.loss = { .lost = 2, .from_seq = 1, .to_seq = 2 },
	};

	make_event(LINUX_6_9);
	expect_unchanged(&loss);
	/* Another tracepoint, even with such fields; it is not the name of the event that counts.
	 */
	strcpy(event.meta.name, "mce_record");
	strcpy(event.meta.tracepoint, "mce_other");
	expect_unchanged(&item);
	strcpy(event.meta.tracepoint, "mce_record");
	strcpy(event.meta.system, "other");
	expect_unchanged(&item);
	fake_event_destroy(&event);
	/* Without a format nobody knows where the registers are. */
	make_event(LINUX_6_9);
	free(event.format_text);
	event.format_text = NULL;
	expect_unchanged(&item);
	fake_event_destroy(&event);
}

/* A record that ends before the status. */
static void test_cut_record(void **state)
{
	make_event(LINUX_6_9);
	check.record.size = 20;
	expect_unchanged(&item);
	fake_event_destroy(&event);
}

/* ---- JSON -------------------------------------------------------------------------------- */

/* The caller frees it. */
static char *json_of(const struct persist_item *shown, bool is_raw)
{
	struct json_output *output;
	struct line_writer writer;
	char *text;

	assert_int_equal(line_writer__init(&writer, -1, NULL), 0);
	output = json_output__new(&writer);
	assert_non_null(output);
	if (!is_raw)
		json_output__set_member(output, mce_output__generate);
	assert_int_equal(json_output__put(output, shown), 0);
	text = strndup(writer.buffer, writer.len);
	json_output__free(output);
	line_writer__destroy(&writer);
	return text;
}

static const char expected_object[] =
	",\"decoded\":{\"severity\":\"corrected\",\"status\":{\"valid\":true,\"overflow\":false,"
	"\"uncorrected\":false,\"enabled\":false,\"misc_valid\":true,\"addr_valid\":true,"
	"\"context_corrupt\":false},\"error\":{\"code\":145,\"model_code\":1,"
	"\"kind\":\"memory_controller\",\"operation\":\"read\",\"channel\":1,\"filtered\":false},"
	"\"address\":{\"value\":305419840,\"mode\":\"physical\",\"bytes\":64,\"page\":74565},"
	"\"corrected_count\":1,\"corrected_count_overflow\":false,\"threshold\":\"none\","
	"\"mcg_status\":{\"restart_ip_valid\":false,\"error_ip_valid\":false,"
	"\"in_progress\":false},\"bank\":7,\"from_firmware\":false,\"socket\":1,\"apic_id\":6,"
	"\"time\":\"2026-01-02T03:04:05Z\",\"processor\":{\"vendor\":\"intel\",\"family\":6,"
	"\"model\":85,\"stepping\":4,\"microcode\":83899908,\"ppin\":43981},\"missing\":[]}}\n";

static void test_json(void **state)
{
	const char *raw_fields, *fields;
	char *raw, *text;
	size_t len;

	make_event(LINUX_6_9);
	raw = json_of(&item, true);
	text = json_of(&item, false);
	/* Before them is the time, for which the wall clock is asked each time. */
	raw_fields = strstr(raw, ",\"fields\":");
	fields = strstr(text, ",\"fields\":");
	assert_non_null(raw_fields);
	assert_non_null(fields);
	/* The same, with a member more at the end. */
	assert_null(strstr(raw, "decoded"));
	len = strlen(raw_fields) - 2;
	assert_memory_equal(raw_fields, fields, len);
	assert_string_equal(fields + len, expected_object);
	free(raw);
	free(text);
	check.record.flags = PERSIST_RECORD_INCOMPLETE;
	text = json_of(&item, false);
	assert_non_null(strstr(text, "\"missing\":[]},\"incomplete\":true}\n"));
	free(text);
	strcpy(event.meta.tracepoint, "other");
	text = json_of(&item, false);
	assert_null(strstr(text, "decoded"));
	free(text);
	fake_event_destroy(&event);
}

/* ---- topology ---------------------------------------------------------------------------- */

/* Makes DIRECTORY/cpu3/topology/core_id with this text. */
static void describe_cpu_3(const char *directory, const char *core)
{
	static const char *const parts[] = { "/cpu3", "/topology" };
	char path[PATH_MAX];
	FILE *file;

	strcpy(path, directory);
	for (size_t i = 0; i < 2; i++) {
		strcat(path, parts[i]);
		assert_true(!mkdir(path, 0755) || errno == EEXIST);
	}
	strcat(path, "/core_id");
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(core, file);
	fclose(file);
}

static void remove_cpu_3(const char *directory)
{
	static const char *const paths[] = { "/cpu3/topology/core_id", "/cpu3/topology", "/cpu3",
					     "" };
	char path[PATH_MAX];

	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s%s", directory, paths[i]);
		assert_int_equal(remove(path), 0);
	}
}

static void test_topology(void **state)
{
	char directory[] = "/tmp/persist-mce-XXXXXX";
	struct mce_registers registers = { 0 };

	assert_non_null(mkdtemp(directory));
	describe_cpu_3(directory, "17\n");
	mce_topology__find_core(&registers, directory);
	assert_false(mce_registers__has(&registers, MCE_CORE));
	mce_registers__set(&registers, MCE_CPU, 4);
	mce_topology__find_core(&registers, directory);
	assert_false(mce_registers__has(&registers, MCE_CORE));
	mce_registers__set(&registers, MCE_CPU, 3);
	describe_cpu_3(directory, "nonsense");
	mce_topology__find_core(&registers, directory);
	assert_false(mce_registers__has(&registers, MCE_CORE));
	describe_cpu_3(directory, "17\n");
	mce_topology__find_core(&registers, directory);
	assert_true(mce_registers__has(&registers, MCE_CORE));
	assert_int_equal(mce_registers__get(&registers, MCE_CORE), 17);
	remove_cpu_3(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_of_layouts), cmocka_unit_test(test_text_of_others),
		cmocka_unit_test(test_cut_record),	cmocka_unit_test(test_json),
		cmocka_unit_test(test_topology),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
