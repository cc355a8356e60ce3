// SPDX-License-Identifier: GPL-2.0-only
/* event_format: texts and records made by hand, where each rule of ftrace shows by itself. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "event_format.h"

#define COMMON                                                                         \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"                     \
	"\n"

#define HEADER(name) "name: " name "\nID: 7\nformat:\n" COMMON

/* One record with a field of each kind. */
struct sample {
	uint16_t common_type;
	uint8_t common_flags, common_preempt_count;
	int32_t common_pid;
	uint8_t u8;
	int8_t s8;
	uint16_t u16;
	int32_t s32;
	uint64_t u64;
	int64_t s64;
	uint32_t u32;
	uint32_t name_loc; /* __data_loc char[] */
	uint32_t list_loc; /* __data_loc u16[] */
	uint32_t mask_loc; /* __data_loc unsigned long[] */
	uint64_t pointer;
	char comm[8];
	uint8_t bytes[16];
	uint32_t rel_loc; /* __rel_loc char[] */
	uint32_t pad;
	char name[8];
	uint16_t list[4];
	uint64_t mask[1];
	char rel[8];
};

#define LOC(member) \
	((uint32_t)(sizeof(((struct sample *)0)->member) << 16 | offsetof(struct sample, member)))

static const char sample_fields[] =
	"\tfield:u8 u8;\toffset:8;\tsize:1;\tsigned:0;\n"
	"\tfield:s8 s8;\toffset:9;\tsize:1;\tsigned:1;\n"
	"\tfield:u16 u16;\toffset:10;\tsize:2;\tsigned:0;\n"
	"\tfield:int s32;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 u64;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:s64 s64;\toffset:24;\tsize:8;\tsigned:1;\n"
	"\tfield:strange_t u32;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:36;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u16[] list;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc unsigned long[] mask;\toffset:44;\tsize:4;\tsigned:0;\n"
	"\tfield:void * pointer;\toffset:48;\tsize:8;\tsigned:0;\n"
	"\tfield:char comm[8];\toffset:56;\tsize:8;\tsigned:0;\n"
	"\tfield:__u8 bytes[16];\toffset:64;\tsize:16;\tsigned:0;\n"
	"\tfield:__rel_loc char[] rel;\toffset:80;\tsize:4;\tsigned:0;\n"
	"\n";

static struct sample new_sample(void)
{
	struct sample s = {
		.common_type = 7,
		.common_flags = 0x08,
		.common_pid = 1234,
		.u8 = 200,
		.s8 = -3,
		.u16 = 65535,
		.s32 = -100000,
		.u64 = UINT64_MAX,
		.s64 = INT64_MIN,
		.u32 = 0x80000001,
		.name_loc = LOC(name),
		.list_loc = LOC(list),
		.mask_loc = LOC(mask),
		.pointer = 0xffff888012345678,
		.comm = "bash",
		.name = "a name",
		.list = { 1, 0xffff, 3, 4 },
		.mask = { 0xf0000000bULL },
		.rel = "related",
		/* Counts from the end of the word. */
		.rel_loc = 8 << 16 |
			   (offsetof(struct sample, rel) - (offsetof(struct sample, rel_loc) + 4)),
	};

	for (int i = 0; i < 16; i++)
		s.bytes[i] = (uint8_t)(i * 17);
	return s;
}

static struct event_format *parse(const char *text)
{
	struct event_format *format;

	assert_int_equal(event_format__parse(text, strlen(text), &format), 0);
	return format;
}

static struct event_format *parse_sample(const char *print_format)
{
	char text[8192];

	snprintf(text, sizeof(text), "%s%sprint fmt: %s\n", HEADER("test"), sample_fields,
		 print_format);
	return parse(text);
}

static void expect_print(const struct event_format *format, const void *payload, size_t size,
			 const char *expected)
{
	char text[4096];

	assert_int_equal(event_format__print(format, payload, size, text, sizeof(text)),
			 strlen(expected));
	assert_string_equal(text, expected);
}

/* The sample with this print format gives this text, which is the one ftrace would give. */
static void expect(const char *print_format, const char *expected)
{
	struct sample sample = new_sample();
	struct event_format *format = parse_sample(print_format);

	if (event_format__inexact(format))
		fail_msg("%s: %s", print_format, event_format__inexact(format));
	expect_print(format, &sample, sizeof(sample), expected);
	event_format__free(format);
}

static void expect_inexact(const char *print_format, const char *expected)
{
	struct sample sample = new_sample();
	struct event_format *format = parse_sample(print_format);

	assert_non_null(event_format__inexact(format));
	expect_print(format, &sample, sizeof(sample), expected);
	event_format__free(format);
}

/* Parsing */

static void test_header_and_fields(void **state)
{
	struct event_format *format = parse_sample("\"\"");
	const struct event_format_field *field;

	(void)state;
	assert_string_equal(event_format__name(format), "test");
	assert_int_equal(event_format__id(format), 7);
	assert_int_equal(event_format__common_size(format), 8);
	assert_int_equal(event_format__fixed_size(format), 84);
	assert_int_equal(event_format__nr_fields(format), 18);
	assert_null(event_format__field(format, 18));
	assert_null(event_format__find_field(format, "nothing"));

	field = event_format__field(format, 0);
	assert_string_equal(field->name, "common_type");
	assert_string_equal(field->type, "unsigned short");
	assert_true(field->is_common);

	field = event_format__find_field(format, "comm");
	assert_string_equal(field->type, "char[8]");
	assert_true(field->is_array && field->is_string && !field->is_common);
	assert_int_equal(field->elem_size, 1);

	field = event_format__find_field(format, "list");
	assert_string_equal(field->type, "__data_loc u16[]");
	assert_int_equal(field->location, FIELD_DATA_LOC);
	assert_true(field->is_array && !field->is_string);
	assert_int_equal(field->elem_size, 2);

	field = event_format__find_field(format, "bytes");
	assert_true(field->is_array && !field->is_string);

	field = event_format__find_field(format, "rel");
	assert_int_equal(field->location, FIELD_REL_LOC);
	assert_true(field->is_string);

	field = event_format__find_field(format, "pointer");
	assert_true(field->is_pointer && !field->is_array);
	event_format__free(format);
}

/* PREEMPT_RT kernels have one more common field, and fields begin at 12 or 16. */
static void test_long_common_header(void **state)
{
	static const char text[] =
		"name: rt\nID: 300\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
		"\tfield:unsigned char common_preempt_lazy_count;\toffset:8;\tsize:1;\tsigned:0;\n"
		"\n"
		"\tfield:u64 x;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\n"
		"print fmt: \"%llu\", REC->x\n";
	struct event_format *format = parse(text);

	(void)state;
	assert_int_equal(event_format__common_size(format), 12);
	assert_int_equal(event_format__fixed_size(format), 24);
	event_format__free(format);
}

static void test_malformed(void **state)
{
	static const char *const texts[] = {
		"",
		"name: x",
		"name: \nID: 1\nformat:\nprint fmt: \"\"\n",
		"ID: 1\nname: x\nformat:\nprint fmt: \"\"\n",
		"name: x\nID: one\nformat:\nprint fmt: \"\"\n",
		"name: x\nID: 99999\nformat:\nprint fmt: \"\"\n",
		"name: x\nID: 1\nprint fmt: \"\"\n",
		"name: x\nID: 1\nformat:\n", /* no print format */
		"name: x\nID: 1\nformat:\n\tfield:u8 a;\nprint fmt: \"\"\n",
		"name: x\nID: 1\nformat:\n\tfield:u8 a;\toffset:-1;\tsize:1;\nprint fmt: \"\"\n",
		"name: x\nID: 1\nformat:\n\tfield:u8 a;\toffset:8;\tsize:99999999;\nprint fmt: \"\"\n",
		"name: x\nID: 1\nformat:\n\tfield:;\toffset:8;\tsize:1;\tsigned:0;\nprint fmt: \"\"\n",
		"name: x\nID: 1\nformat:\n\tfield:__data_loc char[] a;\toffset:8;\tsize:2;\tsigned:0;\n"
		"print fmt: \"\"\n",
	};
	struct event_format *format = (struct event_format *)1;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(event_format__parse(texts[i], strlen(texts[i]), &format), -EINVAL);
		assert_null(format);
	}
	assert_int_equal(event_format__parse("name: x\0", 8, &format), -EINVAL);
	event_format__free(NULL);
}

static void test_too_long(void **state)
{
	size_t length = EVENT_FORMAT_MAX_TEXT + 1;
	struct event_format *format;
	char *text = malloc(length);

	(void)state;
	assert_non_null(text);
	memset(text, ' ', length);
	assert_int_equal(event_format__parse(text, length, &format), -EINVAL);
	free(text);
}

/* Expressions that would take for ever or overflow the stack are given up. */
static void test_bounded(void **state)
{
	const size_t n = 100000;
	char *text = malloc(n + 4096);
	struct event_format *format;
	size_t length;

	(void)state;
	assert_non_null(text);
	for (const char *repeated = "(-+"; *repeated; repeated++) {
		length = (size_t)sprintf(text, "%s%sprint fmt: \"%%d\", ", HEADER("deep"),
					 sample_fields);
		for (size_t i = 0; i < n; i++)
			length += (size_t)sprintf(
				text + length, *repeated == '+' && i % 2 ? "1" : "%c", *repeated);
		assert_int_equal(event_format__parse(text, length, &format), 0);
		event_format__free(format);
	}
	free(text);

	/* Each variable doubles what the one before it costs. */
	expect_inexact("\"%d\", ({ int a = REC->s32 + REC->s32; int b = a + a + a + a;"
		       "int c = b + b + b + b; int d = c + c + c + c; int e = d + d + d + d;"
		       "int f = e + e + e + e; int g = f + f + f + f; int h = g + g + g + g;"
		       "int i = h + h + h + h; i + i; })",
		       "u8=0xc8 s8=-3 u16=0xffff s32=-100000 u64=0xffffffffffffffff "
		       "s64=-9223372036854775808 u32=0x80000001 name=a name "
		       "list=01 00 ff ff 03 00 04 00 mask=0b 00 00 00 0f 00 00 00 "
		       "pointer=0xffff888012345678 comm=bash "
		       "bytes=00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff rel=related");
}

/* Numbers as the kernel prints them */

static void test_conversions(void **state)
{
	(void)state;
	expect("\"%d %d %u %x\", REC->s8, REC->s32, REC->u8, REC->u16", "-3 -100000 200 ffff");
	expect("\"%llu %lld %llx\", REC->u64, REC->s64, REC->u64",
	       "18446744073709551615 -9223372036854775808 ffffffffffffffff");
	expect("\"%Lu %lu %zu %zd\", REC->u64, REC->u64, REC->u64, REC->s64",
	       "18446744073709551615 18446744073709551615 18446744073709551615 "
	       "-9223372036854775808");
	expect("\"%hu %hhu %hd %hhd\", REC->s32, REC->s32, REC->u16, REC->u8", "31072 96 -1 -56");
	expect("\"[%5d] [%-5d] [%05d] [%+d] [% d]\", 42, 42, 42, 42, 42",
	       "[   42] [42   ] [00042] [+42] [ 42]");
	expect("\"[%.3d] [%6.3d] [%06.3d]\", 5, 5, 5", "[005] [   005] [000005]");
	expect("\"%#x %#X %#o %#x %#o\", 255, 255, 8, 0, 0", "0xff 0XFF 010 0x0 0");
	expect("\"%08lx|%-8x|%8x\", 0xabcUL, 0xabc, 0xabc", "00000abc|abc     |     abc");
	expect("\"%c%c[%3c][%-3c]\", 'o', 'k', 'x', 'y'", "ok[  x][y  ]");
	expect("\"100%% %d%%\", 5", "100% 5%");
	/* A newline at the end ends the line; others are the text's. */
	expect("\"%d\\n\", 5", "5");
	expect("\"%d\\n%d\\n\\n\", 5, 6", "5\n6");
	expect("\"\\n\"", "");
	expect("\"%s\", \"a\\n\"", "a\n");
	expect("\"%*d|%-*d|%*d\", 4, 7, 4, 7, -4, 7", "   7|7   |7   ");
	expect("\"%X %o\", 48879, 8", "BEEF 10");
}

static void test_strings(void **state)
{
	(void)state;
	expect("\"%s %s %s\", REC->comm, __get_str(name), __get_rel_str(rel)",
	       "bash a name related");
	expect("\"[%8s] [%-8s] [%.2s] [%8.2s]\", REC->comm, REC->comm, REC->comm, REC->comm",
	       "[    bash] [bash    ] [ba] [      ba]");
	expect("\"%.*s|%.*s\", 3, __get_str(name), (int)__get_dynamic_array_len(name), __get_str(name)",
	       "a n|a name");
	expect("\"%s%s\", __get_str(name)[0] ? \" \" : \"\", __get_str(name)", " a name");
	expect("\"%s\", ((void *)0)", "(null)");
	expect("\"%s %s\", \"a \" \"literal\", \"\\\"\\x41\\101\\t\\\\\"", "a literal \"AA\t\\");
	expect("\"%c%c\", REC->comm[0], __get_str(name)[2]", "bn");
	expect_inexact("\"%s\", (char *)REC->pointer", "0xffff888012345678");
}

/* Quotes and newlines of the format itself are not escaped in the format text. */
static void test_raw_quotes(void **state)
{
	(void)state;
	expect("\"name=\"%s\" comm=\"%s\"\", __get_str(name), REC->comm",
	       "name=\"a name\" comm=\"bash\"");
	expect("\"a \"%s\", and %d\", REC->comm, 5", "a \"bash\", and 5");
	expect("\"one\ntwo %d\n\", 2", "one\ntwo 2");
	expect("\"(%lx) s=\\\"%s\\\"\", 16UL, REC->comm", "(10) s=\"bash\"");
	expect("\"nothing to say\"", "nothing to say");
}

/* C */

static void test_types(void **state)
{
	(void)state;
	expect("\"%d %d\", REC->u8 + 100, (u8)(REC->u8 + 100)", "300 44");
	expect("\"%d %u\", (s8)REC->u8, (u16)REC->s8", "-56 65533");
	expect("\"%d %d\", REC->s32 < 5, REC->s32 < 5U", "1 0");
	expect("\"%d\", REC->s8 < REC->u8", "1");
	expect("\"%lld %llu\", (s64)REC->s32, (u64)(u32)REC->s32", "-100000 4294867296");
	expect("\"%lx %lx\", (unsigned long)REC->s8, (unsigned long)(u8)REC->s8",
	       "fffffffffffffffd fd");
	expect("\"%d %d\", REC->s32 >> 4, (u32)REC->s32 >> 28", "-6250 15");
	expect("\"%llx\", 1ULL << 40", "10000000000");
	expect("\"%d\", (int)sizeof(REC->bytes) + (int)sizeof(u64) + (int)sizeof(unsigned short)",
	       "26");
	expect("\"%d %d\", (bool)REC->u64, (_Bool)0", "1 0");
	expect("\"%x\", (strange_t)-1", "ffffffff");
	expect("\"%d\", (int)0xffffffff == -1", "1");
	expect("\"%d\", -1 > 0U", "1");
	expect("\"%u\", ~REC->u8", "4294967095");
	expect("\"%d %d\", 'A', '\\n'", "65 10");
	expect("\"%lld\", -9ULL", "-9");
}

static void test_operators(void **state)
{
	(void)state;
	expect("\"%d\", 2 + 3 * 4 - 10 / 3 % 2", "13");
	expect("\"%d\", 1 | 2 ^ 3 & 6 == 6", "3");
	expect("\"%d\", 20 - 5 - 3", "12");
	expect("\"%d %d\", 1 << 2 + 1, (1 << 2) + 1", "8 5");
	expect("\"%d %d %d\", !5, !!5, ~0", "0 1 -1");
	expect("\"%d %d\", 1 && 0 || 1, 0 && (0 || 1)", "1 0");
	expect("\"%s\", REC->u8 > 100 ? REC->u8 > 150 ? \"big\" : \"middle\" : \"small\"", "big");
	expect("\"%d\", REC->u8 ?: 5", "200");
	expect("\"%d %d\", 7 / 0, 7 % 0", "0 0");
	expect("\"%u,%u\", ((unsigned int) ((REC->u32) >> 20)), ((unsigned int) ((REC->u32) & ((1U << 20) - 1)))",
	       "2048,1");
	expect("\"%d\", (1, 2, 3)", "3");
	expect("\"%d %d\", REC->comm ? 1 : 0, REC->bytes == ((void *)0)", "1 0");
}

/* The kernel's helpers */

static void test_flags(void **state)
{
	(void)state;
	expect("\"%s\", __print_flags(REC->u8, \"|\", { 8, \"A\" }, { 0x40, \"B\" }, { 1, \"C\" })",
	       "A|B|0x80");
	expect("\"%s\", __print_flags(0, \"|\", { 8, \"A\" })", "");
	expect("\"%s\", __print_flags(REC->u8 & 8, \"|\", { 8, \"A\" }, { 0, ((void *)0) } )", "A");
	expect("\"%s\", __print_flags(4, \"\", { 1, \"A\" })", "0x4");
	expect("\"%s\", __print_flags(9, \", \", {(unsigned long)((( gfp_t)((((1UL))) << (3)))), \"A\"}, { (1 << 0), \"B\" } )",
	       "A, B");
	expect("\"[%-5s] [%5s] [%.1s]\", __print_flags(3, \"|\", { 1, \"A\" }, { 2, \"B\" }), "
	       "__print_symbolic(1, { 1, \"x\" }), __print_symbolic(1, { 1, \"yz\" })",
	       "[A|B  ] [    x] [y]");
	expect("\"%s\", REC->u8 ? __print_flags(1, \"|\", { 1, \"one\" }) : \"none\"", "one");
}

static void test_symbolic(void **state)
{
	(void)state;
	expect("\"%s %s\", __print_symbolic(REC->u8, { 199, \"no\" }, { 200, \"yes\" }), "
	       "__print_symbolic(REC->u8, { 1, \"one\" })",
	       "yes 0xc8");
	/* The helper's parameter is an unsigned long, which extends the sign. */
	expect("\"%s %s\", __print_symbolic(REC->s8, { -3, \"minus\" }), "
	       "__print_symbolic(REC->s8, { 3, \"plus\" })",
	       "minus 0xfffffffffffffffd");
	expect("\"%s\", __print_symbolic(1, { })", "0x1");
	expect("\"%s\", __print_symbolic(1, { 0, \"#\" \"DE\" }, { 1, \"#\" \"DB\" })", "#DB");
	expect("\"%s\", __print_symbolic_u64(REC->u64, { -1ULL, \"all\" })", "all");
	expect("\"%s\", __print_symbolic(7, { 7, \"\" })", "0x7");
	expect("\"%s %s\", mc_event_error_type(REC->u8), mc_event_error_type(1)",
	       "Info Uncorrected");
}

static void test_arrays(void **state)
{
	(void)state;
	expect("\"%s\", __print_array(__get_dynamic_array(list), __get_dynamic_array_len(list) / sizeof(u16), sizeof(u16))",
	       "{0x1,0xffff,0x3,0x4}");
	expect("\"%s\", __print_dynamic_array(list, 2)", "{0x1,0xffff,0x3,0x4}");
	expect("\"%s %s\", __print_array(REC->bytes, 3, 1), __print_array(REC->bytes, 1, 8)",
	       "{0x0,0x11,0x22} {0x7766554433221100}");
	expect("\"%s\", __print_array(REC->bytes, 0, 4)", "{}");
	expect("\"%s|%s\", __print_hex(REC->bytes, 4), __print_hex_str(REC->bytes, 4)",
	       "00 11 22 33|00112233");
	expect("\"%s\", __print_hex(REC->bytes, 0)", "");
	expect("\"%s %s\", __get_bitmask(mask), __get_cpumask(mask)",
	       "0000000f,0000000b 0000000f,0000000b");
	expect("\"%d\", __get_dynamic_array_len(list)", "8");
	expect("\"%x %x\", ((u8 *)__get_dynamic_array(list))[2], ((u16 *)__get_dynamic_array(list))[REC->s8 + 4]",
	       "ff ffff");
	expect("\"%x %x\", REC->bytes[15], *(u32 *)&REC->bytes[4]", "ff 77665544");
}

static void test_numbers_of_helpers(void **state)
{
	(void)state;
	expect("\"%llu.%09u\", __print_ns_to_secs(1234567890123ULL), __print_ns_without_secs(1234567890123ULL)",
	       "1234.567890123");
	expect("\"%d %d\", __event_in_hardirq() != 0, __event_in_softirq() != 0", "1 0");
	expect("\"%d\", __builtin_expect(!!(REC->u8 > 1), 0) ? 1 : 2", "1");
	expect("\"%d %d\", __builtin_constant_p(5), __builtin_constant_p(REC->u8)", "1 0");
	expect("\"%u\", jiffies_to_msecs(0)", "0");
	expect("\"%d\", ({ int __x = (REC->u8); int __y = (128); ((__x) < (__y) ? (__x) : (__y)); })",
	       "128");
	expect("\"%d\", ({ typeof(REC->s8) a = REC->s8; _Static_assert(1, \"fine\"); (void)(&a == &a); a; })",
	       "-3");
}

/* %p and its family */

static void test_pointers(void **state)
{
	(void)state;
	expect("\"%p %px %p\", REC->pointer, REC->pointer, ((void *)0)",
	       "ffff888012345678 ffff888012345678 0000000000000000");
	expect("\"%pI4 %pi4\", REC->bytes, &REC->bytes[4]", "0.17.34.51 068.085.102.119");
	expect("\"%pI6 %pi6\", REC->bytes, REC->bytes",
	       "0011:2233:4455:6677:8899:aabb:ccdd:eeff 00112233445566778899aabbccddeeff");
	expect("\"%pM %pm %pMF %pMR\", REC->bytes, REC->bytes, REC->bytes, REC->bytes",
	       "00:11:22:33:44:55 001122334455 00-11-22-33-44-55 55:44:33:22:11:00");
	expect("\"%pU %pUl %pUB\", REC->bytes, REC->bytes, &REC->bytes",
	       "00112233-4455-6677-8899-aabbccddeeff 33221100-5544-7766-8899-aabbccddeeff "
	       "00112233-4455-6677-8899-AABBCCDDEEFF");
	expect("\"%4ph|%*phC|%*phN|%2phD\", REC->bytes, 3, REC->bytes, 3, REC->bytes, REC->bytes",
	       "00 11 22 33|00:11:22|001122|00-11");
	expect("\"%*pbl %*pb\", 40, __get_dynamic_array(mask), 40, __get_dynamic_array(mask)",
	       "0-1,3,32-35 0f,0000000b");
	expect("\"%pad\", &REC->u64", "0xffffffffffffffff");
	expect_inexact("\"%pS\", REC->pointer", "0xffff888012345678");
	expect_inexact("\"%pI4\", REC->pointer", "ffff888012345678");
	expect_inexact(
		"\"page=%p order=%d\", (((struct page *)a_kernel_variable) + (REC->u8)), REC->u16",
		"page=(____ptrval____) order=65535");
	expect_inexact("\"age=%lu\", (a_kernel_variable - REC->u64) / 250", "age=?");
}

static void expect_ip6(const char *address, const char *expected)
{
	char print_format[256];

	/* The address as an array within a literal, which is memory like any other. */
	snprintf(print_format, sizeof(print_format), "\"%%pI6c\", \"%s\"", address);
	expect(print_format, expected);
}

static void test_compressed_ip6(void **state)
{
	(void)state;
#define ZEROS(n) ZEROS_##n
#define ZEROS_2	 "\\0\\0"
#define ZEROS_4	 ZEROS_2 ZEROS_2
#define ZEROS_8	 ZEROS_4 ZEROS_4
	expect_ip6("\\40\\1\\15\\270\\1\\1\\1\\1\\1\\1\\1\\1\\1\\1\\1\\1",
		   "2001:db8:101:101:101:101:101:101");
	expect_ip6(ZEROS(8) ZEROS(8), "::");
	expect_ip6(ZEROS(8) ZEROS(4) ZEROS(2) "\\0\\1", "::1");
	expect_ip6("\\1\\1" ZEROS(8) ZEROS(4) ZEROS(2), "101::");
	expect_ip6("\\1\\1" ZEROS(4) "\\1\\1" ZEROS(4) "\\1\\1" ZEROS(2), "101::101:0:0:101:0");
	expect_ip6("\\1\\1" ZEROS(2) "\\1\\1\\1\\1\\1\\1\\1\\1\\1\\1\\0\\20",
		   "101:0:101:101:101:101:101:10");
	expect_ip6(ZEROS(8) ZEROS(2) "\\377\\377\\177\\0\\0\\1", "::ffff:127.0.0.1");
	expect_ip6("\\376\\200" ZEROS(4) ZEROS(2) "\\0\\0\\136\\376\\12\\0\\0\\1",
		   "fe80::5efe:10.0.0.1");
#undef ZEROS_8
#undef ZEROS_4
#undef ZEROS_2
#undef ZEROS
}

static void test_socket_addresses(void **state)
{
	struct sample sample = new_sample();
	struct event_format *format;
	static const uint8_t ip4[16] = { 2, 0, 0x1f, 0x90, 127, 0, 0, 1 };
	static const uint8_t ip6[28] = { 10, 0, 0x00, 0x50, 0,	      0,
					 0,  5, 0xfe, 0x80, [23] = 1, [24] = 3 };

	(void)state;
	format = parse_sample("\"%pIS|%pISpc\", REC->bytes, REC->bytes");
	memcpy(sample.bytes, ip4, sizeof(ip4));
	expect_print(format, &sample, sizeof(sample), "127.0.0.1|127.0.0.1:8080");
	memcpy(sample.bytes, ip6, sizeof(ip6)); /* runs into what is behind, as in the kernel */
	expect_print(format, &sample, sizeof(sample),
		     "fe80:0000:0000:0000:0000:0000:0000:0001|[fe80::1]:80");
	sample.bytes[0] = 99;
	expect_print(format, &sample, sizeof(sample), "(einval)|(einval)");
	event_format__free(format);

	format = parse_sample("\"%pISpfsc\", REC->bytes");
	memcpy(sample.bytes, ip6, sizeof(ip6));
	expect_print(format, &sample, sizeof(sample), "[fe80::1]:80/5%3");
	event_format__free(format);
}

static bool find_symbol(uint64_t address, struct event_format_symbol *symbol)
{
	const uint64_t start = 0xffff888012345600;

	*symbol = (struct event_format_symbol){ .name = "symbol",
						.offset = address - start,
						.size = 0x80 };
	if (address >= start + 0x80)
		symbol->module = "module";
	return address >= start && address < start + 0x100;
}

static void test_symbols(void **state)
{
	struct event_format *format = parse_sample(
		"\"%pS|%ps|%12ps|%pB|%pS|%ps\", REC->pointer, REC->pointer, REC->pointer, "
		"REC->pointer, (void *)(REC->pointer + 16), (void *)0x1234");
	struct sample sample = new_sample();

	(void)state;
	assert_non_null(event_format__inexact(format));
	event_format__use_symbols(format, find_symbol);
	assert_null(event_format__inexact(format));
	expect_print(format, &sample, sizeof(sample),
		     "symbol+0x78/0x80|symbol|      symbol|symbol+0x78/0x80|"
		     "symbol+0x88/0x80 [module]|0x1234");
	event_format__free(format);
}

/* What cannot be followed is shown as a list of fields, and says why. */
static void test_not_understood(void **state)
{
	static const char *const print_formats[] = {
		"\"%d\", a_function(REC->u8)",
		"\"%d\", REC->no_such_field",
		"\"%d\"",
		"\"%d\", 1, 2",
		"\"%q\", 1",
		"\"%d\", 1 +",
		"\"%d\", (1",
		"\"%s\", 5 + REC->u8",
		"\"%d\", REC->comm",
		"\"%d\", __get_str(comm)",
		"\"%d\", *(int *)REC->pointer",
		"\"%s\", __print_flags(1, \"|\", { REC->u8, \"x\" })",
		"\"%s\", __print_array(REC->bytes, 1, 3)",
		"\"%s\", ({ union u v; v.x = REC->u8; v; })",
		"not in quotes",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(print_formats) / sizeof(print_formats[0]); i++) {
		struct event_format *format = parse_sample(print_formats[i]);

		assert_non_null(event_format__inexact(format));
		event_format__free(format);
	}
}

/* Records and buffers */

static void test_short_records(void **state)
{
	struct event_format *format =
		parse_sample("\"%d [%s] [%s] [%s] %s %pI4\", REC->u8, REC->comm, __get_str(name), "
			     "__get_rel_str(rel), __print_dynamic_array(list, 2), REC->bytes");
	struct sample sample = new_sample();
	char text[256];

	(void)state;
	expect_print(format, NULL, 0, "0 [] [] [] {} ");
	for (size_t size = 0; size < sizeof(sample); size++) {
		void *copy = malloc(size); /* for a sanitizer to watch */

		memcpy(copy, &sample, size);
		event_format__print(format, copy, size, text, sizeof(text));
		free(copy);
	}
	event_format__free(format);
}

static void test_hostile_locations(void **state)
{
	struct event_format *format = parse_sample(
		"\"[%s] [%s] %s %d\", __get_str(name), __get_rel_str(rel), "
		"__print_dynamic_array(list, 2), ((u8 *)__get_dynamic_array(list))[REC->s64]");
	struct sample sample = new_sample();

	(void)state;
	sample.name_loc = 0xffffffff;
	sample.rel_loc = 0xffffffff;
	sample.list_loc = 0xfff0fff0;
	expect_print(format, &sample, sizeof(sample), "[] [] {} 0");
	event_format__free(format);
}

static void test_snprintf_rule(void **state)
{
	struct event_format *format = parse_sample("\"%s-%d\", REC->comm, REC->u8");
	struct sample sample = new_sample();
	char text[16];

	(void)state;
	assert_int_equal(event_format__print(format, &sample, sizeof(sample), NULL, 0), 8);
	memset(text, '#', sizeof(text));
	assert_int_equal(event_format__print(format, &sample, sizeof(sample), text, 6), 8);
	assert_string_equal(text, "bash-");
	assert_int_equal(text[6], '#');
	assert_int_equal(event_format__print(format, &sample, sizeof(sample), text, 9), 8);
	assert_string_equal(text, "bash-200");
	event_format__free(format);
}

/* System calls */

#define SYSCALL_FIELDS "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"

static void test_syscall_exit(void **state)
{
	struct event_format *format = parse(HEADER("sys_exit_read") SYSCALL_FIELDS
					    "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\n"
					    "print fmt: \"0x%lx\", REC->ret\n");
	uint64_t record[3] = { 0, 0, (uint64_t)-11 };

	(void)state;
	assert_null(event_format__inexact(format));
	expect_print(format, record, sizeof(record), "sys_read -> 0xfffffffffffffff5");
	event_format__free(format);
}

struct user_data_record {
	uint64_t common, nr, args[3];
	uint32_t location;
	char data[8];
};

static void test_syscall_user_array(void **state)
{
	struct event_format *format =
		parse(HEADER("sys_enter_write") SYSCALL_FIELDS
		      "\tfield:unsigned int fd;\toffset:16;\tsize:8;\tsigned:0;\n"
		      "\tfield:const char * buf;\toffset:24;\tsize:8;\tsigned:0;\n"
		      "\tfield:size_t count;\toffset:32;\tsize:8;\tsigned:0;\n"
		      "\tfield:__data_loc char[] __buf_val;\toffset:40;\tsize:4;\tsigned:0;\n\n"
		      "print fmt: \"fd: 0x%08lx, buf: 0x%08lx (%s), count: 0x%08lx\", "
		      "((unsigned long)(REC->fd)), ((unsigned long)(REC->buf)), "
		      "__print_dynamic_array(__buf_val, 1), ((unsigned long)(REC->count))\n");
	struct user_data_record record = {
		.args = { 1, 0x7fff0000, 4 },
		.location = 4 << 16 | 44,
		.data = "ok\n\xff",
	};

	(void)state;
	expect_print(format, &record, 48,
		     "sys_write(fd: 1, buf: 0x7fff0000 (6f:6b:0a:ff) \"ok..\", count: 4)");
	record.args[2] = 100;
	expect_print(
		format, &record, 48,
		"sys_write(fd: 1, buf: 0x7fff0000 (6f:6b:0a:ff, ...) \"ok..\"..., count: 0x64)");
	/* Whoever recorded this could not read user space. */
	record.location = 0;
	expect_print(format, &record, 48, "sys_write(fd: 1, buf: 0x7fff0000, count: 0x64)");
	event_format__free(format);
}

/* Linux 7: flags by name, and the mode only where a file may be created */
static void test_syscall_openat(void **state)
{
	struct event_format *format = parse(
		HEADER("sys_enter_openat") SYSCALL_FIELDS
		"\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
		"\tfield:int flags;\toffset:32;\tsize:8;\tsigned:0;\n"
		"\tfield:umode_t mode;\toffset:40;\tsize:8;\tsigned:0;\n"
		"\tfield:__data_loc char[] __filename_val;\toffset:48;\tsize:4;\tsigned:0;\n\n"
		"print fmt: \"dfd: 0x%08lx, filename: 0x%08lx \\\"%s\\\", flags: %s%s, mode: 0%03o\", "
		"((unsigned long)(REC->dfd)), ((unsigned long)(REC->filename)), "
		"__get_str(__filename_val), (REC->flags & ~3) && !(REC->flags & 3) ? "
		"\"O_RDONLY|\" : \"\",  REC->flags ? __print_flags(REC->flags, \"|\", "
		"{ 0x1, \"O_WRONLY\" }) : \"O_RDONLY\",  ((unsigned long)(REC->mode))\n");
	struct {
		uint64_t common, nr, args[4];
		uint32_t location;
		char data[12];
	} record = {
		.args = { 4294967196, 4096, 0x80000, 0 },
		.location = 10 << 16 | 52,
		.data = "/etc/motd",
	};

	(void)state;
	expect_print(format, &record, sizeof(record),
		     "sys_openat(dfd: 4294967196, filename: 4096 \"/etc/motd\", "
		     "flags: O_RDONLY|O_CLOEXEC)");
	record.args[2] = 0;
	expect_print(format, &record, sizeof(record),
		     "sys_openat(dfd: 4294967196, filename: 4096 \"/etc/motd\", flags: O_RDONLY)");
	record.args[2] = 0x241;
	record.args[3] = 0666;
	expect_print(format, &record, sizeof(record),
		     "sys_openat(dfd: 4294967196, filename: 4096 \"/etc/motd\", "
		     "flags: O_WRONLY|O_CREAT|O_TRUNC, mode: 0666)");
	event_format__free(format);
}

/* JSON */

static void expect_json(const struct event_format *format, const void *payload, size_t size,
			const char *expected)
{
	char printed[8192];

	assert_int_equal(event_format__print_json(format, payload, size, printed, sizeof(printed)),
			 strlen(expected));
	assert_string_equal(printed, expected);
}

static void test_json(void **state)
{
	struct event_format *format = parse_sample("\"\"");
	struct sample sample = new_sample();

	(void)state;
	expect_json(format, &sample, sizeof(sample),
		    "{\"u8\":200,\"s8\":-3,\"u16\":65535,\"s32\":-100000,"
		    "\"u64\":18446744073709551615,\"s64\":-9223372036854775808,"
		    "\"u32\":2147483649,\"name\":\"a name\",\"list\":[1,65535,3,4],"
		    "\"mask\":[64424509451],\"pointer\":18446612682375452280,\"comm\":\"bash\","
		    "\"bytes\":[0,17,34,51,68,85,102,119,136,153,170,187,204,221,238,255],"
		    "\"rel\":\"related\"}");
	event_format__free(format);
}

/* Whatever bytes a string holds, the output is valid JSON in UTF-8. */
static void test_json_strings(void **state)
{
	static const char text[] =
		HEADER("s") "\tfield:char s[8];\toffset:8;\tsize:8;\tsigned:0;\n\n"
			    "print fmt: \"%s\", REC->s\n";
	static const struct {
		const char *bytes, *json;
	} cases[] = {
		{ "plain", "{\"s\":\"plain\"}" },
		{ "12345678", "{\"s\":\"12345678\"}" }, /* not NUL-terminated */
		{ "q\"\\\n\x01", "{\"s\":\"q\\\"\\\\\\n\\u0001\"}" },
		{ "\xc3\xa9\xe2\x82\xac", "{\"s\":\"\xc3\xa9\xe2\x82\xac\"}" },
		{ "\xf0\x9f\x98\x80", "{\"s\":\"\xf0\x9f\x98\x80\"}" },
		{ "a\xff"
		  "b",
		  "{\"s\":\"a\\\\xffb\"}" },
		{ "\xc3", "{\"s\":\"\\\\xc3\"}" },
		{ "\xed\xa0\x80", "{\"s\":\"\\\\xed\\\\xa0\\\\x80\"}" }, /* a surrogate */
		{ "\xc0\xaf", "{\"s\":\"\\\\xc0\\\\xaf\"}" },		 /* a longer form of "/" */
		{ "", "{\"s\":\"\"}" },
	};
	struct event_format *format = parse(text);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char record[16] = { 0 };

		memcpy(record + 8, cases[i].bytes, strnlen(cases[i].bytes, 8));
		expect_json(format, record, sizeof(record), cases[i].json);
	}
	expect_json(format, NULL, 0, "{\"s\":\"\"}");
	event_format__free(format);
}

/* Longer than what a value gets without an allocation. */
static void test_json_long_array(void **state)
{
	static const char text[] =
		HEADER("a") "\tfield:u8 a[1024];\toffset:8;\tsize:1024;\tsigned:0;\n\n"
			    "print fmt: \"\"\n";
	struct event_format *format = parse(text);
	char record[8 + 1024], expected[8192];
	size_t length;

	(void)state;
	memset(record, 0xff, sizeof(record));
	length = (size_t)sprintf(expected, "{\"a\":[255");
	for (int i = 1; i < 1024; i++)
		length += (size_t)sprintf(expected + length, ",255");
	sprintf(expected + length, "]}");
	expect_json(format, record, sizeof(record), expected);
	event_format__free(format);
}

static void test_json_no_fields(void **state)
{
	struct event_format *format = parse(HEADER("none") "print fmt: \"\"\n");
	char record[8] = { 0 };

	(void)state;
	expect_json(format, record, sizeof(record), "{}");
	event_format__free(format);
}

/* Names that only BTF explains */

static void test_resolve_nothing(void **state)
{
	static const char text[] = HEADER("x") "\nprint fmt: \"%d\", 5\n";
	char *resolved;
	size_t length;

	(void)state;
	assert_int_equal(event_format__resolve_text(text, strlen(text), &resolved, &length), 0);
	assert_int_equal(length, strlen(text));
	assert_string_equal(resolved, text);
	free(resolved);
	assert_int_equal(event_format__resolve_text("", 0, &resolved, &length), -EINVAL);
	assert_null(resolved);
}

static void test_resolve_enumerators(void **state)
{
	static const char text[] = HEADER(
		"x") "\tfield:u8 s;\toffset:8;\tsize:1;\tsigned:0;\n\n"
		     "print fmt: \"%s TCP_CLOSE\", __print_symbolic(REC->s, { TCP_ESTABLISHED, "
		     "\"TCP_ESTABLISHED\" }, { TCP_CLOSE, \"TCP_CLOSE\" }, { ( __kernel_rwf_t)9, \"9\" })\n";
	static const char expected[] =
		HEADER("x") "\tfield:u8 s;\toffset:8;\tsize:1;\tsigned:0;\n\n"
			    "print fmt: \"%s TCP_CLOSE\", __print_symbolic(REC->s, { 1, "
			    "\"TCP_ESTABLISHED\" }, { 7, \"TCP_CLOSE\" }, { ( s32)9, \"9\" })\n";
	char *resolved;
	size_t length;

	(void)state;
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		skip();
	assert_int_equal(event_format__resolve_text(text, strlen(text), &resolved, &length), 0);
	assert_string_equal(resolved, expected);
	assert_int_equal(length, strlen(expected));
	free(resolved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header_and_fields),
		cmocka_unit_test(test_long_common_header),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_conversions),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_raw_quotes),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_symbolic),
		cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_numbers_of_helpers),
		cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_compressed_ip6),
		cmocka_unit_test(test_socket_addresses),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_not_understood),
		cmocka_unit_test(test_short_records),
		cmocka_unit_test(test_hostile_locations),
		cmocka_unit_test(test_snprintf_rule),
		cmocka_unit_test(test_syscall_exit),
		cmocka_unit_test(test_syscall_user_array),
		cmocka_unit_test(test_syscall_openat),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_strings),
		cmocka_unit_test(test_json_long_array),
		cmocka_unit_test(test_json_no_fields),
		cmocka_unit_test(test_resolve_nothing),
		cmocka_unit_test(test_resolve_enumerators),
	};

	return cmocka_run_group_tests_name("event_format", tests, NULL, NULL);
}
