// SPDX-License-Identifier: GPL-2.0-only
/*
 * What registers mean: hundreds of register sets with what the manuals say of them
 * (mce_vectors.inc), through the JSON and the text that users see; and any registers whatever.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <yajl/yajl_tree.h>

#include "json_generator.h"
#include "mce/mce_decode.h"
#include "mce/mce_json.h"
#include "mce/mce_text.h"

struct vector {
	const char *source;
	const char *registers;
	const char *members;
	const char *text;
};

static const struct vector vectors[] = {
#define V(source, registers, members)	     { source, registers, members, NULL },
#define VT(source, registers, members, text) { source, registers, members, text },
#include "mce_vectors.inc"
#undef V
#undef VT
};

#define NR_VECTORS (sizeof(vectors) / sizeof(vectors[0]))

/* As many as were asked for, and more. */
_Static_assert(NR_VECTORS >= 150, "register vectors are missing");

#define WORD_SIZE 128

/* Takes the next word of *words. */
static bool next_word(const char **words, char word[WORD_SIZE])
{
	size_t len;

	*words += strspn(*words, " ");
	len = strcspn(*words, " ");
	if (!len)
		return false;
	assert_true(len < WORD_SIZE);
	memcpy(word, *words, len);
	word[len] = '\0';
	*words += len;
	return true;
}

/* ---- in ---------------------------------------------------------------------------------- */

static enum mce_register find_register(const char *name)
{
	int reg = 0;

	while (strcmp(mce_register__name(reg), name)) {
		reg++;
		assert_true(reg < MCE_NR_REGISTERS);
	}
	return reg;
}

static void set_vendor(struct mce_registers *registers, const char *value)
{
	uint32_t vendor;

	if (mce_vendor__find(value, &vendor))
		vendor = (uint32_t)strtoul(value, NULL, 10);
	mce_registers__set(registers, MCE_CPUVENDOR, vendor);
}

static void parse_registers(const char *text, struct mce_registers *registers)
{
	char word[WORD_SIZE];

	*registers = (struct mce_registers){ 0 };
	while (next_word(&text, word)) {
		char *value = strchr(word, '=');

		assert_non_null(value);
		*value++ = '\0';
		if (!strcmp(word, "vendor"))
			set_vendor(registers, value);
		else
			mce_registers__set(registers, find_register(word),
					   strtoull(value, NULL, 0));
	}
}

/* ---- out --------------------------------------------------------------------------------- */

/* A parsed object, which the caller frees with yajl_tree_free(). */
static yajl_val json_of(const struct mce_decoded *decoded)
{
	struct json_generator generator;
	const unsigned char *text;
	char *terminated, error[256];
	yajl_val tree;
	size_t len;

	assert_int_equal(json_generator__init(&generator), 0);
	mce_json__generate(&generator, NULL, decoded);
	assert_int_equal(json_generator__end(&generator, &text, &len), 0);
	terminated = strndup((const char *)text, len);
	tree = yajl_tree_parse(terminated, error, sizeof(error));
	if (!tree)
		fail_msg("%s: %s", error, terminated);
	free(terminated);
	json_generator__destroy(&generator);
	return tree;
}

/* NUL-terminated; the caller frees it. */
static char *text_of(const struct mce_decoded *decoded)
{
	struct text_out out = { 0 };

	mce_text__print(&out, decoded, "\t");
	out = (struct text_out){ .buf = malloc(out.len + 1), .cap = out.len };
	assert_non_null(out.buf);
	mce_text__print(&out, decoded, "\t");
	assert_int_equal(out.len, out.cap);
	out.buf[out.len] = '\0';
	return out.buf;
}

static yajl_val find_member(yajl_val tree, char *path)
{
	const char *keys[4] = { 0 };
	size_t nr = 0;

	for (char *key = strtok(path, "."); key; key = strtok(NULL, ".")) {
		assert_true(nr < 3);
		keys[nr++] = key;
	}
	return yajl_tree_get(tree, keys, yajl_t_any);
}

/* The value as it is written; NULL for an object. */
static const char *value_of(yajl_val member)
{
	if (YAJL_IS_STRING(member))
		return YAJL_GET_STRING(member);
	if (YAJL_IS_NUMBER(member))
		return YAJL_GET_NUMBER(member);
	if (YAJL_IS_TRUE(member))
		return "true";
	return YAJL_IS_FALSE(member) ? "false" : NULL;
}

static bool is_among(yajl_val array, const char *value)
{
	for (size_t i = 0; i < YAJL_GET_ARRAY(array)->len; i++)
		if (!strcmp(value_of(YAJL_GET_ARRAY(array)->values[i]), value))
			return true;
	return false;
}

static bool is_there(yajl_val member)
{
	return member && (!YAJL_IS_ARRAY(member) || YAJL_GET_ARRAY(member)->len);
}

/* "key=value", "key=element" of an array, or "!key". Returns what is wrong, or NULL. */
static const char *problem_with(yajl_val tree, char *word)
{
	char *value = strchr(word, '=');
	yajl_val member;

	if (word[0] == '!')
		return is_there(find_member(tree, word + 1)) ? "is there" : NULL;
	assert_non_null(value);
	*value++ = '\0';
	member = find_member(tree, word);
	if (!member)
		return "is not there";
	if (YAJL_IS_ARRAY(member))
		return is_among(member, value) ? NULL : "is not in it";
	return !strcmp(value_of(member), value) ? NULL : value_of(member);
}

/* Returns how many expectations are not met, each of which is printed. */
static int check_vector(const struct vector *vector)
{
	const char *words = vector->members, *problem;
	struct mce_registers registers;
	struct mce_decoded decoded;
	char word[WORD_SIZE], expected[WORD_SIZE], *text;
	int problems = 0;
	yajl_val tree;

	parse_registers(vector->registers, &registers);
	mce_decode(&decoded, &registers);
	tree = json_of(&decoded);
	while (next_word(&words, word)) {
		strcpy(expected, word);
		problem = problem_with(tree, word);
		if (problem) {
			print_error("%s [%s]: %s, but: %s\n", vector->registers, vector->source,
				    expected, problem);
			problems++;
		}
	}
	text = text_of(&decoded);
	if (vector->text && !strstr(text, vector->text)) {
		print_error("%s [%s]: no \"%s\" in:\n%s", vector->registers, vector->source,
			    vector->text, text);
		problems++;
	}
	free(text);
	yajl_tree_free(tree);
	return problems;
}

static void test_vectors(void **state)
{
	int problems = 0;

	for (size_t i = 0; i < NR_VECTORS; i++) {
		assert_true(*vectors[i].source);
		problems += check_vector(&vectors[i]);
	}
	assert_int_equal(problems, 0);
}

/* ---- anything ---------------------------------------------------------------------------- */

/* xorshift64: the same in every run. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void randomize(struct mce_registers *registers, uint64_t *state)
{
	static const uint64_t vendors[] = { MCE_VENDOR_INTEL, MCE_VENDOR_AMD, MCE_VENDOR_HYGON,
					    10 };
	static const uint64_t cpuids[] = { 0x50654, 0x800f12, 0xa00f11, 0xa10f11, 0xb00f21 };

	/* As wide as the fields of mce_record: those from the CPU on have 32 bits or fewer. */
	for (int reg = 0; reg < MCE_NR_REGISTERS; reg++)
		registers->values[reg] = next_random(state) >> (reg <= MCE_WALLTIME ? 0 : 32);
	registers->values[MCE_BANK] &= 0xff;
	registers->values[MCE_CPUVENDOR] &= 0xff;
	registers->present = (uint32_t)next_random(state);
	/* Else nearly all would be of an unknown vendor, and half of them of no error. */
	if (next_random(state) % 8) {
		mce_registers__set(registers, MCE_CPUVENDOR, vendors[next_random(state) % 4]);
		mce_registers__set(registers, MCE_CPUID, cpuids[next_random(state) % 5]);
		registers->values[MCE_STATUS] |= MCE_STATUS_VAL;
	}
	if (next_random(state) % 2)
		registers->values[MCE_IPID] = 0x9600000000 | (registers->values[MCE_IPID] >> 32);
}

/* A tab counts as one. */
#define LABEL_WIDTH 12
#define TEXT_WIDTH  112

/* Every line has a label and a text, none is endless, and none controls the terminal. */
static void check_text(const char *text)
{
	const char *end;

	for (; *text; text = end + 1) {
		end = strchr(text, '\n');
		assert_non_null(end);
		assert_int_equal(*text, '\t');
		if (end - text < LABEL_WIDTH || end - text > TEXT_WIDTH)
			fail_msg("too short or too long: %.*s", (int)(end - text), text);
		for (const char *c = text + 1; c < end; c++)
			assert_in_range(*c, ' ', '~');
	}
}

#define NR_RANDOM 20000

static void test_any_registers(void **state)
{
	uint64_t random = 0x9e3779b97f4a7c15;
	struct mce_registers registers;
	struct mce_decoded decoded;

	for (int i = 0; i < NR_RANDOM; i++) {
		char *text;

		randomize(&registers, &random);
		mce_decode(&decoded, &registers);
		assert_true(decoded.severity < MCE_NR_SEVERITIES);
		assert_true(decoded.code.kind < MCE_NR_KINDS);
		yajl_tree_free(json_of(&decoded));
		text = text_of(&decoded);
		check_text(text);
		free(text);
	}
}

/* A buffer of any size is filled as far as it goes, and the whole length is told. */
static void test_short_buffer(void **state)
{
	struct mce_registers registers;
	struct mce_decoded decoded;
	char *text;
	size_t len;

	parse_registers(vectors[NR_VECTORS / 2].registers, &registers);
	mce_decode(&decoded, &registers);
	text = text_of(&decoded);
	len = strlen(text);
	for (size_t cap = 0; cap <= len; cap++) {
		struct text_out out = { .buf = malloc(cap ? cap : 1), .cap = cap };

		mce_text__print(&out, &decoded, "\t");
		assert_int_equal(out.len, len);
		assert_memory_equal(out.buf, text, cap);
		free(out.buf);
	}
	free(text);
}

/* Every number that the functions for BPF give has a name. */
static void test_names(void **state)
{
	for (int severity = 0; severity < MCE_NR_SEVERITIES; severity++)
		assert_non_null(mce_severity__name(severity)->id);
	/* The same words as in totals, where 0 says that it is not known. */
	for (int severity = 1; severity < MCE_NR_SEVERITIES; severity++)
		assert_string_equal(mce_severity__name(severity)->id,
				    persist_severity__name((uint32_t)severity));
	for (int kind = 0; kind < MCE_NR_KINDS; kind++)
		assert_non_null(mce_error_kind__text(kind));
	assert_string_equal(mce_error_kind__id(MCE_KIND_UNKNOWN), "unknown");
	for (int kind = 1; kind < MCE_NR_KINDS; kind++)
		assert_string_not_equal(mce_error_kind__id(kind), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_any_registers),
		cmocka_unit_test(test_short_buffer),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
