// SPDX-License-Identifier: GPL-2.0-only
/*
 * CTF traces as babeltrace2 reads them: every kind of field, names and strings of any kind, losses
 * and clocks. Whatever an event is like, babeltrace2 has nothing to complain of.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "export/ctf_event.h"
#include "export/export_format.h"
#include "fake_event.h"
#include "log.h"

/* A field of the event, as its format text describes it. */
struct field {
	const char *declaration;
	unsigned int offset, size;
	bool is_signed;
};

static struct persist_event event;
static char directory[64];
static char message[512]; /* the last one logged */
static char *output;	  /* of babeltrace2 */

static void keep_message(void *ctx, enum persist_log_level level, const char *text)
{
	snprintf(message, sizeof(message), "%s", text);
}

static const struct log test_log = { keep_message, NULL, PERSIST_LOG_WARNING };

static int set_up(void **state)
{
	strcpy(directory, "/tmp/test_ctf.XXXXXX");
	message[0] = '\0';
	return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	fake_event_destroy(&event);
	free(output);
	output = NULL;
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command);
}

/* ---- babeltrace2 ------------------------------------------------------------------------- */

static void run(const char *command)
{
	FILE *pipe = popen(command, "r");
	size_t len = 0, room = 1 << 20;

	assert_non_null(pipe);
	free(output);
	output = malloc(room);
	assert_non_null(output);
	len = fread(output, 1, room - 1, pipe);
	output[len] = '\0';
	if (pclose(pipe))
		fail_msg("%s: %s", command, output);
}

static const char *run_babeltrace(const char *options)
{
	char command[256];

	snprintf(command, sizeof(command), "babeltrace2 %s %s 2>&1", directory, options);
	run(command);
	return output;
}

/* Its text, and its complaints. */
static const char *read_trace(void)
{
	return run_babeltrace("--no-delta --clock-cycles --fields=loglevel");
}

/* ---- traces ------------------------------------------------------------------------------ */

static void make_event(const struct field *fields, size_t nr)
{
	char text[4096] = "name: thing\nID: 77\nformat:\n"
			  "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			  "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
	size_t len = strlen(text);

	for (size_t i = 0; i < nr; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
					fields[i].declaration, fields[i].offset, fields[i].size,
					fields[i].is_signed);
	len += (size_t)snprintf(text + len, sizeof(text) - len, "\nprint fmt: \"\"\n");
	assert_in_range(len, 1, sizeof(text) - 1);
	fake_event_init(&event, text);
}

static void write_items(const struct persist_item *items, size_t nr)
{
	void *writer;

	assert_int_equal(ctf_format.open(directory, &test_log, &writer), 0);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(ctf_format.put(writer, &items[i]), 0);
	assert_int_equal(ctf_format.flush(writer, NULL), 0);
	assert_int_equal(ctf_format.close(writer), 0);
}

static struct {
	struct persist_record record;
	uint8_t payload[PERSIST_PAYLOAD_MAX];
} any;

static void set_record(const void *payload, size_t size)
{
	any.record = (struct persist_record){
		.magic = PERSIST_RECORD_MAGIC,
		.version = PERSIST_RECORD_VERSION,
		.header_size = sizeof(any.record),
		.size = (uint32_t)size,
		.event_id = 77,
		.seq = 12,
		.time_ns = 1234567890987,
		.cpu = 3,
		.pid = 4000000000,
		.tid = 101,
		.comm = "bash",
	};
	memcpy(any.payload, payload, size);
}

static const char *read_record(void)
{
	const struct persist_item item = { .event = &event, .record = &any.record };

	write_items(&item, 1);
	return read_trace();
}

#define HEAD                                                                               \
	"[00000001234567890987] sys:mine: { cpu_id = 3 }, { pid = 4000000000, tid = 101, " \
	"comm = \"bash\", seq = 12, incomplete = 0 }, "

static void test_every_kind_of_field(void **state)
{
	const struct field fields[] = {
		{ "u8 u8", 8, 1, false },
		{ "s8 s8", 9, 1, true },
		{ "u16 u16", 10, 2, false },
		{ "s32 s32", 12, 4, true },
		{ "u64 u64", 16, 8, false },
		{ "s64 s64", 24, 8, true },
		{ "void * pointer", 32, 8, false },
		{ "char text[4]", 40, 4, false },
		{ "u16 array[2]", 44, 4, false },
		{ "struct s structure", 48, 3, false },
		{ "__data_loc char[] string", 52, 4, false },
		{ "__data_loc u8[] bytes", 56, 4, false },
		{ "__rel_loc s32[] numbers", 60, 4, true },
	};
	struct {
		uint64_t common;
		uint8_t u8;
		int8_t s8;
		uint16_t u16;
		int32_t s32;
		uint64_t u64;
		int64_t s64;
		uint64_t pointer;
		char text[4];
		uint16_t array[2];
		uint8_t structure[3];
		uint8_t pad;
		uint32_t string_loc, bytes_loc, numbers_loc;
		char string[8];
		uint8_t bytes[4];
		int32_t numbers[2];
	} __attribute__((packed)) payload = {
		.u8 = 255,
		.s8 = -128,
		.u16 = 65535,
		.s32 = -2147483647 - 1,
		.u64 = UINT64_MAX,
		.s64 = INT64_MIN,
		.pointer = 0xffff888012345678,
		.text = "abcd",
		.array = { 1, 65535 },
		.structure = { 0, 16, 255 },
		.string_loc = 8 << 16 | 64,
		.bytes_loc = 4 << 16 | 72,
		.numbers_loc = 8 << 16 | (76 - 64),
		.string = "dynamic",
		.bytes = { 0, 127, 128, 255 },
		.numbers = { -1, 7 },
	};

	assert_int_equal(sizeof(payload), 84);
	make_event(fields, sizeof(fields) / sizeof(fields[0]));
	set_record(&payload, sizeof(payload));
	assert_string_equal(
		read_record(),
		HEAD "{ u8 = 255, s8 = -128, u16 = 65535, s32 = -2147483648, "
		     "u64 = 18446744073709551615, s64 = -9223372036854775808, "
		     "pointer = 0xFFFF888012345678, text = \"abcd\", array = [ [0] = 1, [1] = "
		     "65535 ], structure = [ [0] = 0x0, [1] = 0x10, [2] = 0xFF ], string = "
		     "\"dynamic\", _bytes_length = 4, bytes = [ [0] = 0, [1] = 127, [2] = 128, "
		     "[3] = 255 ], _numbers_length = 2, numbers = [ [0] = -1, [1] = 7 ] }\n");
}

/* What CTF calls its own things, names that begin with underscores or digits, one name twice. */
static void test_names(void **state)
{
	const struct field fields[] = {
		{ "u8 event", 8, 1, false },	  { "u8 stream", 9, 1, false },
		{ "u8 struct", 10, 1, false },	  { "u8 int", 11, 1, false },
		{ "u8 string", 12, 1, false },	  { "u8 _Bool", 13, 1, false },
		{ "u8 _x", 14, 1, false },	  { "u8 __x", 15, 1, false },
		{ "u8 x", 16, 1, false },	  { "u8 x", 17, 1, false },
		{ "u8 9", 18, 1, false },	  { "u8 timestamp", 19, 1, false },
		{ "u8 x", 20, 1, false },	  { "u8 uint8_t", 21, 1, false },
		{ "u8 typealias", 22, 1, false }, { "u8 id", 23, 1, false },
	};
	const uint8_t payload[24] = { [8] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

	make_event(fields, sizeof(fields) / sizeof(fields[0]));
	set_record(payload, sizeof(payload));
	assert_string_equal(read_record(),
			    HEAD "{ event = 1, stream = 2, struct = 3, int = 4, string = 5, "
				 "_Bool = 6, _x = 7, __x = 8, x_ = 9, x__ = 10, 9 = 11, "
				 "timestamp = 12, x___ = 13, uint8_t = 14, typealias = 15, id = 16 "
				 "}\n");
}

/* A length is a field, too. */
static void test_names_of_lengths(void **state)
{
	const struct field fields[] = {
		{ "u32 _x_length", 8, 4, false },
		{ "u32 _x_length", 12, 4, false },
		{ "__data_loc u8[] x", 20, 4, false },
	};
	const uint32_t payload[6] = { [2] = 1, 2, 3 };

	make_event(fields, sizeof(fields) / sizeof(fields[0]));
	set_record(payload, sizeof(payload));
	assert_string_equal(read_record(),
			    HEAD "{ _x_length = 1, _x_length_ = 2, _x_length__ = 0, x = [ ] }\n");
}

static void test_name_of_the_event(void **state)
{
	const struct field fields[] = {
		{ "u8 x", 8, 1, false },
	};

	make_event(fields, sizeof(fields) / sizeof(fields[0]));
	strcpy(event.label, "a\"b\\c\n\xff\x7f\xc2\x9b;};*/");
	strcpy(event.meta.name, "../.x/");
	set_record("\0\0\0\0\0\0\0\0\5", 9);
	assert_non_null(
		strstr(read_record(), " a\"b\\c\\x0a\\xff\\x7f\\xc2\\x9b;};*/: { cpu_id = 3 }"));
	assert_non_null(strstr(output, "{ x = 5 }\n"));
	snprintf(message, sizeof(message), "%s/_._.x_-cpu3", directory);
	assert_int_equal(access(message, F_OK), 0);
}

/* Strings of any bytes are valid UTF-8, and the same as in JSON. */
static void test_any_bytes(void **state)
{
	const struct field fields[] = {
		{ "char text[4]", 8, 4, false },
	};
	static struct persist_item items[255];
	static struct {
		struct persist_record record;
		uint8_t payload[12];
	} records[255];

	make_event(fields, sizeof(fields) / sizeof(fields[0]));
	for (int i = 0; i < 255; i++) {
		set_record("\0\0\0\0\0\0\0\0????", 12);
		records[i].record = any.record;
		records[i].record.time_ns += (uint64_t)i;
		memset(records[i].record.comm, i + 1, PERSIST_COMM_SIZE);
		memset(records[i].payload, i + 1, 12);
		items[i] = (struct persist_item){ .event = &event, .record = &records[i].record };
	}
	write_items(items, 255);
	read_trace();
	assert_non_null(strstr(output, "{ text = \"aaaa\" }\n"));
	assert_non_null(strstr(output, "{ text = \"\\\\xff\\\\xff\\\\xff\\\\xff\" }\n"));
	assert_non_null(strstr(output, "comm = \"\\\\x80\\\\x80"));
	assert_null(strstr(output, "PLUGIN"));
}

/* What lies beyond the record is zero or empty. */
static void test_short_record(void **state)
{
	const struct field fields[] = {
		{ "u64 number", 8, 8, false },
		{ "u16 array[2]", 16, 4, false },
		{ "char text[8]", 20, 8, false },
		{ "__data_loc u8[] bytes", 28, 4, false },
	};

	make_event(fields, sizeof(fields) / sizeof(fields[0]));
	set_record("", 0);
	assert_string_equal(read_record(),
			    HEAD "{ number = 0, array = [ [0] = 0, [1] = 0 ], text = \"\", "
				 "_bytes_length = 0, bytes = [ ] }\n");
}

/* A format that says what no record can hold: only what there is, is written. */
static void test_long_arrays(void **state)
{
	const struct field fields[] = {
		{ "u8 whole[92]", 8, 92, false },
		{ "u8 huge[1000000]", 8, 1000000, false },
		{ "u64 far[2]", 1000000, 16, false },
		{ "u8 none[0]", 8, 0, false },
	};
	static const uint8_t payload[100];
	struct stat st;
	char path[128];

	make_event(fields, sizeof(fields) / sizeof(fields[0]));
	set_record(payload, sizeof(payload));
	read_record();
	assert_non_null(strstr(output, "[91] = 0 ], _huge_length = "));
	assert_non_null(strstr(output, "_far_length = 0, far = [ ], _none_length = 0, none = [ ]"));
	snprintf(path, sizeof(path), "%s/mine-cpu3", directory);
	assert_int_equal(stat(path, &st), 0);
	assert_in_range(st.st_size, 1, 4096);
}

static void test_no_format(void **state)
{
	fake_event_init(&event, NULL);
	set_record("\x00\x01\xff\x20", 4);
	any.record.flags = PERSIST_RECORD_INCOMPLETE;
	assert_non_null(strstr(read_record(),
			       "incomplete = 1 }, { _payload_length = 4, payload = [ [0] = 0x0, "
			       "[1] = 0x1, [2] = 0xFF, [3] = 0x20 ] }\n"));
}

static struct persist_item loss(uint64_t lost, uint64_t after_ns, uint64_t before_ns)
{
	return (struct persist_item){
		.event = &event,
		.loss = {
			.lost = lost,
			.after_ns = after_ns,
			.before_ns = before_ns,
			.cpu = 3,
		},
	};
}

/* At the beginning, since the event was attached; two in a row; and at the end. */
static void test_losses(void **state)
{
	const struct field fields[] = {
		{ "u8 x", 8, 1, false },
	};
	struct persist_item items[5];

	make_event(fields, sizeof(fields) / sizeof(fields[0]));
	event.meta.attach_time_ns = 1000;
	set_record("\0\0\0\0\0\0\0\0\5", 9);
	items[0] = loss(11, 0, any.record.time_ns);
	items[1] = (struct persist_item){ .event = &event, .record = &any.record };
	items[2] = loss(22, any.record.time_ns, any.record.time_ns + 100);
	items[3] = loss(33, any.record.time_ns + 100, any.record.time_ns + 200);
	items[4] = loss(UINT32_MAX, any.record.time_ns + 200, any.record.time_ns + 300);
	write_items(items, 5);
	/* How many, after what time, before what time */
	run_babeltrace("-c sink.text.details -p compact=true,with-metadata=false |"
		       "sed -n 's/\\[\\([0-9,]*\\) [0-9,]*\\]/\\1/g;"
		       "s/\\(.*\\) {.*} Discarded events (\\(.*\\) events)/\\2 \\1/p'");
	assert_string_equal(output, "11 1000 1,234,567,890,987\n"
				    "22 1,234,567,890,987 1,234,567,891,087\n"
				    "33 1,234,567,891,087 1,234,567,891,187\n"
				    "4,294,967,295 1,234,567,891,187 1,234,567,891,287\n");
}

/* A CPU of which nothing but a loss is known. */
static void test_only_a_loss(void **state)
{
	struct persist_item item;

	make_event(NULL, 0);
	item = loss(5, 0, 1000);
	write_items(&item, 1);
	assert_non_null(strstr(read_trace(), "discarded 5 events"));
}

static void test_nothing(void **state)
{
	fake_event_init(&event, NULL);
	write_items(NULL, 0);
	assert_string_equal(read_trace(), "");
}

/* Times beyond what a clock can say are no reason for not reading the rest. */
static void test_hostile_time(void **state)
{
	const struct field fields[] = {
		{ "u8 x", 8, 1, false },
	};
	struct persist_item items[2];

	make_event(fields, sizeof(fields) / sizeof(fields[0]));
	set_record("\0\0\0\0\0\0\0\0\5", 9);
	any.record.time_ns = UINT64_MAX;
	items[0] = loss(1, UINT64_MAX, UINT64_MAX);
	items[1] = (struct persist_item){ .event = &event, .record = &any.record };
	write_items(items, 2);
	assert_non_null(strstr(read_trace(), "{ x = 5 }\n"));
}

static void test_directories(void **state)
{
	char path[128];
	void *writer;
	FILE *file;

	fake_event_init(&event, NULL);
	assert_int_equal(ctf_format.open(NULL, &test_log, &writer), -EINVAL);
	assert_non_null(strstr(message, "-o"));
	snprintf(path, sizeof(path), "%s/a/b", directory);
	assert_int_equal(ctf_format.open(path, &test_log, &writer), -ENOENT);
	assert_non_null(strstr(message, path));
	snprintf(path, sizeof(path), "%s/file", directory);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(ctf_format.open(path, &test_log, &writer), -ENOTDIR);
	assert_int_equal(ctf_format.open(directory, &test_log, &writer), -ENOTEMPTY);
	assert_non_null(strstr(message, "is not empty"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(ctf_format.open(directory, &test_log, &writer), 0);
	assert_int_equal(ctf_format.close(writer), 0);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_every_kind_of_field), TEST(test_names),     TEST(test_names_of_lengths),
		TEST(test_name_of_the_event),	TEST(test_any_bytes), TEST(test_short_record),
		TEST(test_long_arrays),		TEST(test_no_format), TEST(test_losses),
		TEST(test_only_a_loss),		TEST(test_nothing),   TEST(test_hostile_time),
		TEST(test_directories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
