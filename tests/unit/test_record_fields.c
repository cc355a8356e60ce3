// SPDX-License-Identifier: GPL-2.0-only
/* The fields of a record, by name and by type. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "event_format.h"
#include "persist_event.h"

static char format_text[] =
	"name: sample\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:u8 byte;\toffset:8;\tsize:1;\tsigned:0;\n"
	"\tfield:s16 number;\toffset:10;\tsize:2;\tsigned:1;\n"
	"\tfield:void * pointer;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:char comm[4];\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:u16 list[2];\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] file;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:struct thing thing;\toffset:36;\tsize:12;\tsigned:0;\n"
	"\n"
	"print fmt: \"byte=%d file=%s\", REC->byte, __get_str(file)\n";

struct sample {
	struct persist_record header;
	uint16_t common_type;
	uint8_t common_flags, common_preempt_count;
	int32_t common_pid;
	uint8_t byte;
	int16_t number;
	uint64_t pointer;
	char comm[4];
	uint16_t list[2];
	uint32_t file;
	uint8_t thing[12];
	char data[8];
};

static const struct sample sample = {
	.header = { .header_size = sizeof(struct persist_record),
		    .size = sizeof(struct sample) - sizeof(struct persist_record) },
	.common_type = 7,
	.byte = 200,
	.number = -3,
	.pointer = 0xffff888000000000,
	.comm = { 'f', 'u', 'l', 'l' },
	.list = { 1, 65535 },
	.file = 5 << 16 | 48,
	.data = "name",
};

static struct persist_event *new_event(const char *text)
{
	struct persist_event *event = calloc(1, sizeof(*event));

	event->format_text = text ? strdup(text) : NULL;
	event->path = strdup("test");
	return event;
}

static const struct persist_field *find(const struct persist_event *event, const char *name)
{
	const struct persist_field *field = persist_event__find_field(event, name);

	assert_non_null(field);
	assert_string_equal(persist_field__name(field), name);
	return field;
}

static void test_find(void **state)
{
	struct persist_event *event = new_event(format_text);

	(void)state;
	assert_int_equal(persist_event__nr_fields(event), 7);
	assert_string_equal(persist_field__name(persist_event__field(event, 0)), "byte");
	assert_string_equal(persist_field__name(persist_event__field(event, 6)), "thing");
	assert_null(persist_event__field(event, 7));
	assert_null(persist_event__field(event, SIZE_MAX));
	find(event, "common_type");
	errno = 0;
	assert_null(persist_event__find_field(event, "nothing"));
	assert_int_equal(errno, ENOENT);
	persist_event__free(event);
}

static void test_types(void **state)
{
	static const struct {
		const char *name, *text;
		enum persist_field_type type;
		size_t element_size;
	} expected[] = {
		{ "byte", "u8", PERSIST_FIELD_UNSIGNED, 1 },
		{ "number", "s16", PERSIST_FIELD_SIGNED, 2 },
		{ "pointer", "void *", PERSIST_FIELD_POINTER, 8 },
		{ "comm", "char[4]", PERSIST_FIELD_STRING, 1 },
		{ "list", "u16[2]", PERSIST_FIELD_BYTES, 2 },
		{ "file", "__data_loc char[]", PERSIST_FIELD_STRING, 1 },
		{ "thing", "struct thing", PERSIST_FIELD_BYTES, 12 },
	};
	struct persist_event *event = new_event(format_text);

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const struct persist_field *field = find(event, expected[i].name);

		assert_int_equal(persist_field__type(field), expected[i].type);
		assert_string_equal(persist_field__type_text(field), expected[i].text);
		assert_int_equal(persist_field__element_size(field), expected[i].element_size);
	}
	persist_event__free(event);
}

static void test_integers(void **state)
{
	struct persist_event *event = new_event(format_text);
	uint64_t u64 = 1;
	int64_t s64 = 1;

	(void)state;
	assert_int_equal(persist_field__get_u64(find(event, "byte"), &sample.header, &u64), 0);
	assert_int_equal(u64, 200);
	assert_int_equal(persist_field__get_s64(find(event, "byte"), &sample.header, &s64), 0);
	assert_int_equal(s64, 200);
	assert_int_equal(persist_field__get_s64(find(event, "number"), &sample.header, &s64), 0);
	assert_int_equal(s64, -3);
	assert_int_equal(persist_field__get_u64(find(event, "pointer"), &sample.header, &u64), 0);
	assert_int_equal(u64, 0xffff888000000000);
	assert_int_equal(persist_field__get_u64(find(event, "common_type"), &sample.header, &u64),
			 0);
	assert_int_equal(u64, 7);
	/* What does not fit, and what is no integer, leaves the value alone. */
	assert_int_equal(persist_field__get_u64(find(event, "number"), &sample.header, &u64),
			 -ERANGE);
	assert_int_equal(persist_field__get_s64(find(event, "pointer"), &sample.header, &s64),
			 -ERANGE);
	assert_int_equal(persist_field__get_u64(find(event, "comm"), &sample.header, &u64),
			 -EINVAL);
	assert_int_equal(persist_field__get_s64(find(event, "thing"), &sample.header, &s64),
			 -EINVAL);
	assert_int_equal(u64, 7);
	assert_int_equal(s64, -3);
	persist_event__free(event);
}

static void test_strings_and_bytes(void **state)
{
	struct persist_event *event = new_event(format_text);
	const char *string;
	const void *bytes;
	size_t size;

	(void)state;
	assert_int_equal(
		persist_field__get_string(find(event, "comm"), &sample.header, &string, &size), 0);
	assert_ptr_equal(string, sample.comm);
	assert_int_equal(size, 4); /* without a NUL */
	assert_int_equal(
		persist_field__get_string(find(event, "file"), &sample.header, &string, &size), 0);
	assert_ptr_equal(string, sample.data);
	assert_int_equal(size, 4); /* up to the NUL */
	assert_int_equal(
		persist_field__get_bytes(find(event, "file"), &sample.header, &bytes, &size), 0);
	assert_int_equal(size, 5);
	assert_int_equal(
		persist_field__get_bytes(find(event, "list"), &sample.header, &bytes, &size), 0);
	assert_ptr_equal(bytes, sample.list);
	assert_int_equal(size, 4);
	assert_int_equal(
		persist_field__get_bytes(find(event, "byte"), &sample.header, &bytes, &size), 0);
	assert_int_equal(size, 1);
	assert_int_equal(
		persist_field__get_string(find(event, "list"), &sample.header, &string, &size),
		-EINVAL);
	persist_event__free(event);
}

static void test_short_record(void **state)
{
	struct persist_event *event = new_event(format_text);
	struct sample cut = sample;
	const char *string;
	uint64_t u64;
	size_t size;

	(void)state;
	cut.header.size = 25; /* in the middle of comm */
	assert_int_equal(persist_field__get_u64(find(event, "pointer"), &cut.header, &u64), 0);
	assert_int_equal(
		persist_field__get_string(find(event, "comm"), &cut.header, &string, &size),
		-ENODATA);
	assert_int_equal(
		persist_field__get_string(find(event, "file"), &cut.header, &string, &size),
		-ENODATA);
	cut.header.size = 0;
	assert_int_equal(persist_field__get_u64(find(event, "common_type"), &cut.header, &u64),
			 -ENODATA);
	/* A location that leads out of the record is an empty string. */
	cut = sample;
	cut.file = 5 << 16 | 60000;
	assert_int_equal(
		persist_field__get_string(find(event, "file"), &cut.header, &string, &size), 0);
	assert_int_equal(size, 0);
	assert_non_null(string);
	persist_event__free(event);
}

static void test_print(void **state)
{
	static const char expected[] = "byte=200 file=name";
	struct persist_event *event = new_event(format_text);
	char text[256];

	(void)state;
	assert_int_equal(persist_event__print(event, &sample.header, text, sizeof(text)),
			 strlen(expected));
	assert_string_equal(text, expected);
	assert_int_equal(persist_event__print(event, &sample.header, text, 5), strlen(expected));
	assert_string_equal(text, "byte");
	assert_int_equal(persist_event__print(event, &sample.header, NULL, 0), strlen(expected));
	assert_true(persist_event__print_json(event, &sample.header, text, sizeof(text)) > 0);
	assert_int_equal(strncmp(text, "{\"byte\":200,\"number\":-3,", 24), 0);
	persist_event__free(event);
}

static void test_no_format(void **state)
{
	static const char *const texts[] = { NULL, "nonsense" };
	char text[16];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct persist_event *event = new_event(texts[i]);

		errno = 0;
		assert_null(persist_event__find_field(event, "byte"));
		assert_int_equal(errno, ENODATA);
		assert_int_equal(persist_event__nr_fields(event), 0);
		assert_null(persist_event__field(event, 0));
		assert_int_equal(persist_event__print(event, &sample.header, text, sizeof(text)),
				 -ENODATA);
		assert_int_equal(persist_event__print_json(event, &sample.header, NULL, 0),
				 -ENODATA);
		persist_event__free(event);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),	     cmocka_unit_test(test_types),
		cmocka_unit_test(test_integers),     cmocka_unit_test(test_strings_and_bytes),
		cmocka_unit_test(test_short_record), cmocka_unit_test(test_print),
		cmocka_unit_test(test_no_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
