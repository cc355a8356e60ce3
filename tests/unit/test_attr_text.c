// SPDX-License-Identifier: GPL-2.0-only
/* attr_text: what is a format or an event in the syntax of sysfs, what is none, and where. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attr_text.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#define BITS(first, last) (UINT64_MAX >> (63 - (last) + (first)) << (first))

#define CONFIG	1
#define CONFIG1 7
#define CONFIG2 8

/* ---- formats ----------------------------------------------------------------------------- */

static const struct {
	const char *text;
	struct attr_field field;
	const char *written; /* NULL: as it was */
} good_formats[] = {
	{ "config:0-63", { CONFIG, UINT64_MAX }, NULL },
	{ "config:0", { CONFIG, 1 }, NULL },
	{ "config1:0-7,32-39", { CONFIG1, BITS(0, 7) | BITS(32, 39) }, NULL },
	{ "config2:63", { CONFIG2, BITS(63, 63) }, NULL },
	{ "attr5:23", { 5, BITS(23, 23) }, NULL },
	{ "attr5:23\n", { 5, BITS(23, 23) }, "attr5:23" },
	{ "attr2:0-31,40,42,44-46,63",
	  { 2, BITS(0, 31) | BITS(40, 40) | BITS(42, 42) | BITS(44, 46) | BITS(63, 63) },
	  NULL },
	{ "attr1:0-63", { CONFIG, UINT64_MAX }, "config:0-63" },
	{ "attr07:08-015", { CONFIG1, BITS(8, 15) }, "config1:8-15" },
	/* The order of a list has no meaning, and neighbours are one range. */
	{ "config:32-39,0-7", { CONFIG, BITS(0, 7) | BITS(32, 39) }, "config:0-7,32-39" },
	{ "config:2,0,1,3-5", { CONFIG, BITS(0, 5) }, "config:0-5" },
	{ "config:9-9", { CONFIG, BITS(9, 9) }, "config:9" },
	{ "config:0-31,32-63", { CONFIG, UINT64_MAX }, "config:0-63" },
	{ "config:0,2,4,6", { CONFIG, 0x55 }, NULL },
};

static void test_good_formats(void **state)
{
	struct persist_attr_error where;
	struct attr_field field;
	char written[256];

	for (size_t i = 0; i < ARRAY_SIZE(good_formats); i++) {
		const char *text = good_formats[i].text;

		if (attr_field__parse(&field, text, sizeof(struct perf_event_attr), &where))
			fail_msg("\"%s\" is refused at %zu: %s", text, where.offset, where.reason);
		if (field.word != good_formats[i].field.word ||
		    field.bits != good_formats[i].field.bits)
			fail_msg("\"%s\" is word %u, bits %" PRIx64, text, field.word, field.bits);
		attr_field__write(&field, written, sizeof(written));
		assert_string_equal(written,
				    good_formats[i].written ? good_formats[i].written : text);
	}
}

struct bad_text {
	const char *text;
	size_t offset;
	const char *reason; /* the beginning of it */
};

#define NO_WORD "config, config1, config2, config3 or attr<number> expected"
#define NO_BIT	"the number of a bit expected"

static const struct bad_text bad_formats[] = {
	{ "", 0, NO_WORD },
	{ "\n", 0, NO_WORD },
	{ ":0", 0, NO_WORD },
	{ "0", 0, NO_WORD },
	{ " config:0", 0, NO_WORD },
	{ "Config:0", 0, NO_WORD },
	{ "config4:0", 0, NO_WORD },
	{ "config01:0", 0, NO_WORD },
	{ "config:", 7, NO_BIT },
	{ "config", 6, "\":\" expected" },
	{ "config 0", 0, NO_WORD },
	{ "config\n", 0, NO_WORD },
	{ "att5:0", 0, NO_WORD },
	{ "attr", 4, "the number of a word expected" },
	{ "attr:23", 4, "the number of a word expected" },
	{ "attr-1:23", 4, "the number of a word expected" },
	{ "attrx5:23", 4, "the number of a word expected" },
	{ "attr5", 5, "\":\" expected" },
	{ "attr5 :23", 5, "\":\" expected" },
	{ "attr0x5:23", 5, "\":\" expected" },
	{ "attr5.23", 5, "\":\" expected" },
	{ "attr24:0", 0, "beyond the end" },
	{ "attr99999999999999999999:0", 0, "beyond the end" },
	{ "attr18446744073709551621:0", 0, "beyond the end" },
	{ "config::0", 7, NO_BIT },
	{ "config:,", 7, NO_BIT },
	{ "config:,0", 7, NO_BIT },
	{ "config:0,", 9, NO_BIT },
	{ "config:0,\n", 9, NO_BIT },
	{ "config:0,,1", 9, NO_BIT },
	{ "config:-7", 7, NO_BIT },
	{ "config:0-", 9, NO_BIT },
	{ "config:0--7", 9, NO_BIT },
	{ "config: 0", 7, NO_BIT },
	{ "config:+0", 7, NO_BIT },
	{ "config:x", 7, NO_BIT },
	{ "config:64", 7, "a word has the bits 0 to 63" },
	{ "config:0-64", 9, "a word has the bits 0 to 63" },
	{ "config:0,1,999", 11, "a word has the bits 0 to 63" },
	{ "config:18446744073709551616", 7, "a word has the bits 0 to 63" },
	{ "config:7-0", 9, "the range ends before it begins" },
	{ "config:0-3,63-62", 14, "the range ends before it begins" },
	{ "config:0,0", 9, "a bit that is in the list already" },
	{ "config:0-7,7-9", 11, "a bit that is in the list already" },
	{ "config:8,0-63", 9, "a bit that is in the list already" },
	{ "config:0 ", 8, "\",\" or the end expected" },
	{ "config:0-7-9", 10, "\",\" or the end expected" },
	{ "config:0x7", 8, "\",\" or the end expected" },
	{ "config:0;1", 8, "\",\" or the end expected" },
	{ "config:0\r\n", 8, "\",\" or the end expected" },
	{ "config:0\n\n", 9, "\",\" or the end expected" },
	{ "config:0\nconfig:1", 9, "\",\" or the end expected" },
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	{ "attr0:0-32", 0, "the size of the attr is there" },
	{ "attr0:63", 0, "the size of the attr is there" },
#endif
};

static void check_refusal(const struct bad_text *bad, int err,
			  const struct persist_attr_error *where)
{
	if (!err)
		fail_msg("\"%s\" is taken", bad->text);
	assert_int_equal(err, -EINVAL);
	if (where->offset != bad->offset ||
	    strncmp(where->reason, bad->reason, strlen(bad->reason)))
		fail_msg("\"%s\" is refused at %zu: %s; expected at %zu: %s", bad->text,
			 where->offset, where->reason, bad->offset, bad->reason);
}

static void test_bad_formats(void **state)
{
	struct persist_attr_error where;
	struct attr_field field;

	for (size_t i = 0; i < ARRAY_SIZE(bad_formats); i++) {
		const struct bad_text *bad = &bad_formats[i];
		int err = attr_field__parse(&field, bad->text, sizeof(struct perf_event_attr),
					    &where);

		check_refusal(bad, err, &where);
		assert_int_equal(
			attr_field__parse(&field, bad->text, sizeof(struct perf_event_attr), NULL),
			-EINVAL);
	}
}

/* What is beyond the end depends on how much there is. */
static void test_format_and_size(void **state)
{
	struct attr_field field;

	assert_int_equal(attr_field__parse(&field, "config1:0", PERF_ATTR_SIZE_VER0, NULL), 0);
	assert_int_equal(attr_field__parse(&field, "config2:0", PERF_ATTR_SIZE_VER0, NULL),
			 -EINVAL);
	assert_int_equal(attr_field__parse(&field, "config2:0", PERF_ATTR_SIZE_VER1 - 1, NULL),
			 -EINVAL);
	assert_int_equal(attr_field__parse(&field, "config2:0", PERF_ATTR_SIZE_VER1, NULL), 0);
	assert_int_equal(attr_field__parse(&field, "config3:0", 128, NULL), -EINVAL);
	assert_int_equal(attr_field__parse(&field, "config3:63", 136, NULL), 0);
	assert_int_equal(field.word, 16);
}

/* ---- events ------------------------------------------------------------------------------ */

static void add(struct attr_terms *terms, const char *name, const char *format)
{
	struct persist_attr_error where;

	if (attr_terms__add(terms, name, format, &where))
		fail_msg("%s, \"%s\" is refused at %zu: %s", name, format, where.offset,
			 where.reason);
}

/* The terms of a tree of persistent events. */
static void define_tree_terms(struct attr_terms *terms)
{
	terms->nr = 0;
	add(terms, "config", "config:0-63\n");
	add(terms, "persistent", "attr5:23\n");
}

/* Terms as PMUs have them: some in several parts, some that overlap. */
static void define_pmu_terms(struct attr_terms *terms)
{
	terms->nr = 0;
	add(terms, "edge", "config:18");
	add(terms, "event", "config:0-7,32-35");
	add(terms, "ldlat", "config1:0-15");
	add(terms, "offcore_rsp", "config1:0-63");
	add(terms, "top.bit-2_", "config2:63");
	add(terms, "umask", "config:8-15");
}

static struct perf_event_attr new_attr(uint32_t size)
{
	return (struct perf_event_attr){ .type = PERF_TYPE_PERSISTENT, .size = size };
}

struct good_event {
	const char *text;
	uint64_t config, config1, config2;
	const char *written; /* NULL: as it was */
};

static void check_good_event(const struct attr_terms *terms, const struct good_event *good,
			     uint64_t flags)
{
	struct perf_event_attr attr = new_attr(sizeof(attr)), expected = attr;
	const char *text = good->written ? good->written : good->text;
	struct persist_attr_error where;
	char written[256];

	if (attr_text__parse(terms, good->text, &attr, &where))
		fail_msg("\"%s\" is refused at %zu: %s", good->text, where.offset, where.reason);
	expected.config = good->config;
	expected.config1 = good->config1;
	expected.config2 = good->config2;
	attr__set_field(&expected, &(struct attr_field){ 5, UINT64_MAX }, flags);
	if (memcmp(&attr, &expected, sizeof(attr)))
		fail_msg("\"%s\" sets something else", good->text);
	assert_int_equal(attr_text__write(terms, &attr, written, sizeof(written)), strlen(text));
	assert_string_equal(written, text);
}

static const struct good_event persistent_events[] = {
	{ "persistent,config=106", 106, 0, 0, NULL },
	{ "config=106,persistent\n", 106, 0, 0, "persistent,config=106" },
	{ "persistent=1,config=0x6a", 106, 0, 0, "persistent,config=106" },
	{ "persistent=0x1,config=0x6A", 106, 0, 0, "persistent,config=106" },
	{ "persistent,config=65536,config1=2", 65536, 2, 0, NULL },
	{ "persistent", 0, 0, 0, NULL },
};

static const struct good_event tree_events[] = {
	{ "config=0x6a,config1=3", 106, 3, 0, "config=106,config1=3" },
	{ "persistent=0,config=5", 5, 0, 0, "config=5" },
	{ "config1=7,config2=8,config=9", 9, 7, 8, "config=9,config1=7,config2=8" },
	{ "config", 1, 0, 0, "config=1" },
	{ "config=0", 0, 0, 0, NULL },
	{ "persistent=0", 0, 0, 0, "config=0" },
	{ "config=18446744073709551615", UINT64_MAX, 0, 0, NULL },
	{ "config=0xffffffffffffffff", UINT64_MAX, 0, 0, "config=18446744073709551615" },
	{ "config=0x00000000000000000001", 1, 0, 0, "config=1" },
	{ "config=010", 10, 0, 0, "config=10" },
};

static const struct good_event pmu_events[] = {
	{ "event=0xc1,umask=0x01,edge", 0x401c1, 0, 0, "edge,event=193,umask=1" },
	{ "event=0xfff", 0xf000000ff, 0, 0, "event=4095" },
	{ "config=0xf000000ff", 0xf000000ff, 0, 0, "event=4095" },
	{ "event", 1, 0, 0, "event=1" },
	{ "edge,umask=0", 0x40000, 0, 0, "edge" },
	/* A bit that none of the terms says */
	{ "config=0x10001", 0x10001, 0, 0, "config=65537" },
	{ "ldlat=3", 0, 3, 0, NULL },
	{ "offcore_rsp=3", 0, 3, 0, "ldlat=3" },
	{ "offcore_rsp=0x10003", 0, 0x10003, 0, "offcore_rsp=65539" },
	{ "top.bit-2_", 0, 0, 1ull << 63, NULL },
	{ "config2=3", 0, 0, 3, NULL },
};

static void test_good_events(void **state)
{
	struct attr_terms terms;

	define_tree_terms(&terms);
	for (size_t i = 0; i < ARRAY_SIZE(persistent_events); i++)
		check_good_event(&terms, &persistent_events[i],
				 1ull << PERSIST_ATTR_PERSISTENT_BIT);
	for (size_t i = 0; i < ARRAY_SIZE(tree_events); i++)
		check_good_event(&terms, &tree_events[i], 0);
	define_pmu_terms(&terms);
	for (size_t i = 0; i < ARRAY_SIZE(pmu_events); i++)
		check_good_event(&terms, &pmu_events[i], 0);
}

#define HAS_CONFIG3 (sizeof(struct perf_event_attr) >= 136)

#define NO_NAME	 "the name of a term expected"
#define NO_VALUE "a decimal or hexadecimal (0x) number expected"
#define TOO_BIG	 "too large for the bits of the term"
#define TWICE	 "an earlier term has set these bits"
#define NO_END	 "\",\" or the end expected"

static const struct bad_text bad_events[] = {
	{ "", 0, NO_NAME },
	{ "\n", 0, NO_NAME },
	{ ",", 0, NO_NAME },
	{ ",edge", 0, NO_NAME },
	{ "edge,", 5, NO_NAME },
	{ "edge,\n", 5, NO_NAME },
	{ "edge,,umask=1", 5, NO_NAME },
	{ "edge, umask=1", 5, NO_NAME },
	{ " edge", 0, NO_NAME },
	{ "=1", 0, NO_NAME },
	{ "1", 0, NO_NAME },
	{ "0x6a", 0, NO_NAME },
	{ "-edge", 0, NO_NAME },
	{ "edges", 0, "unknown term" },
	{ "edg", 0, "unknown term" },
	{ "Edge", 0, "unknown term" },
	{ "edge,persistent", 5, "unknown term" },
	{ "config4=1", 0, "unknown term" },
	{ "attr5=1", 0, "unknown term" },
	{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0,
	  "unknown term" },
	{ "edge umask=1", 4, NO_END },
	{ "edge;umask=1", 4, NO_END },
	{ "edge:1", 4, NO_END },
	{ "edge\n\n", 5, NO_END },
	{ "edge\numask=1", 5, NO_END },
	{ "edge\r\n", 4, NO_END },
	{ "edge/", 4, NO_END },
	{ "umask=", 6, NO_VALUE },
	{ "umask=,edge", 6, NO_VALUE },
	{ "umask=\n", 6, NO_VALUE },
	{ "umask= 1", 6, NO_VALUE },
	{ "umask=-1", 6, NO_VALUE },
	{ "umask=+1", 6, NO_VALUE },
	{ "umask=x1", 6, NO_VALUE },
	{ "umask=ff", 6, NO_VALUE },
	{ "umask=0x", 6, NO_VALUE },
	{ "umask=0x,edge", 6, NO_VALUE },
	{ "umask==1", 6, NO_VALUE },
	{ "umask=0X1", 7, NO_END },
	{ "umask=1f", 7, NO_END },
	{ "umask=0x1g", 9, NO_END },
	{ "umask=1 ", 7, NO_END },
	{ "umask=1=1", 7, NO_END },
	{ "umask=1.0", 7, NO_END },
	{ "umask=256", 6, TOO_BIG },
	{ "umask=0x100", 6, TOO_BIG },
	{ "edge=2", 5, TOO_BIG },
	{ "event=4096", 6, TOO_BIG },
	{ "umask=1,event=0x1000", 14, TOO_BIG },
	{ "umask=18446744073709551616", 6, TOO_BIG },
	{ "config=18446744073709551616", 7, TOO_BIG },
	{ "config=0x10000000000000000", 7, TOO_BIG },
	{ "config=99999999999999999999999999", 7, TOO_BIG },
	{ "edge,edge", 5, TWICE },
	{ "edge=0,edge=0", 7, TWICE },
	{ "config=1,umask=0", 9, TWICE },
	{ "umask=1,config=0", 8, TWICE },
	{ "offcore_rsp=1,event=1,ldlat=1", 22, TWICE },
	{ "config3=1", 0,
	  sizeof(struct perf_event_attr) < 136 ? "beyond the end of the attr" : "" },
};

static void test_bad_events(void **state)
{
	struct attr_terms terms;

	define_pmu_terms(&terms);
	for (size_t i = 0; i < ARRAY_SIZE(bad_events); i++) {
		struct perf_event_attr attr = new_attr(sizeof(attr)), before = attr;
		struct persist_attr_error where;
		int err = attr_text__parse(&terms, bad_events[i].text, &attr, &where);

		if (!*bad_events[i].reason)
			continue;
		check_refusal(&bad_events[i], err, &where);
		assert_int_equal(attr_text__parse(&terms, bad_events[i].text, &attr, NULL),
				 -EINVAL);
		/* What was right before the place has no effect either. */
		assert_memory_equal(&attr, &before, sizeof(attr));
	}
}

static void test_event_and_size(void **state)
{
	struct perf_event_attr attr = new_attr(PERF_ATTR_SIZE_VER0);
	struct persist_attr_error where;
	struct attr_terms terms;

	define_pmu_terms(&terms);
	assert_int_equal(attr_text__parse(&terms, "edge,config1=1", &attr, &where), 0);
	check_refusal(&(struct bad_text){ "edge,config2=0", 5, "beyond the end of the attr" },
		      attr_text__parse(&terms, "edge,config2=0", &attr, &where), &where);
	check_refusal(&(struct bad_text){ "top.bit-2_", 0, "beyond the end of the attr" },
		      attr_text__parse(&terms, "top.bit-2_", &attr, &where), &where);
}

/* A text sets what it says, and nothing else. */
static void test_rest_is_kept(void **state)
{
	struct perf_event_attr attr = new_attr(sizeof(attr));
	struct attr_terms terms;

	define_pmu_terms(&terms);
	attr.config = UINT64_MAX;
	attr.sample_type = 5;
	assert_int_equal(attr_text__parse(&terms, "umask=0x12,edge=0", &attr, NULL), 0);
	assert_true(attr.config == (UINT64_MAX & ~0x4ff00ull) + 0x1200);
	assert_int_equal(attr.sample_type, 5);
	assert_int_equal(attr.type, PERF_TYPE_PERSISTENT);
}

/* ---- definitions ------------------------------------------------------------------------- */

static void test_definitions(void **state)
{
	static const char *const wrong[] = { "",   "1",	  "a b", "a=",	"a,b",	   "-a",
					     ".a", "a/b", "\n",	 "a\n", "\xc3\xa4" };
	char name[ATTR_TERM_NAME_SIZE + 1];
	struct persist_attr_error where;
	struct attr_terms terms = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(attr_terms__add(&terms, wrong[i], "config:0", &where), -EINVAL);
		assert_string_equal(where.reason, "not the name of a term");
	}
	memset(name, 'a', sizeof(name));
	name[ATTR_TERM_NAME_SIZE] = '\0';
	assert_int_equal(attr_terms__add(&terms, name, "config:0", NULL), -EINVAL);
	name[ATTR_TERM_NAME_SIZE - 1] = '\0';
	assert_int_equal(attr_terms__add(&terms, name, "config:0", NULL), 0);
	assert_int_equal(attr_terms__add(&terms, name, "config:1", NULL), -EEXIST);
	assert_int_equal(attr_terms__add(&terms, "b", "config:x", &where), -EINVAL);
	assert_int_equal(where.offset, 7);
	assert_int_equal(terms.nr, 1);
	while (terms.nr < ATTR_TERMS_MAX) {
		snprintf(name, sizeof(name), "term%zu", terms.nr);
		assert_int_equal(attr_terms__add(&terms, name, "config:0", NULL), 0);
	}
	assert_int_equal(attr_terms__add(&terms, "b", "config:0", NULL), -E2BIG);
}

/* A tree may give a meaning of its own to the names that are always there. */
static void test_redefinition(void **state)
{
	struct perf_event_attr attr = new_attr(sizeof(attr));
	struct attr_terms terms = { 0 };
	char text[64];

	add(&terms, "config", "config2:0-7");
	assert_int_equal(attr_text__parse(&terms, "config=255", &attr, NULL), 0);
	assert_int_equal(attr.config, 0);
	assert_int_equal(attr.config2, 255);
	assert_int_equal(attr_text__parse(&terms, "config=256", &attr, NULL), -EINVAL);
	assert_int_equal(attr_text__write(&terms, &attr, text, sizeof(text)), 10);
	assert_string_equal(text, "config=255");
	/* Then nothing says the field of this name. */
	attr.config = 1;
	assert_int_equal(attr_text__write(&terms, &attr, text, sizeof(text)), -EINVAL);
}

/* ---- writing ----------------------------------------------------------------------------- */

static void test_unspeakable(void **state)
{
	struct perf_event_attr attr = new_attr(sizeof(attr));
	struct attr_terms terms;
	char text[64];

	define_tree_terms(&terms);
	attr.sample_period = 1;
	assert_int_equal(attr_text__write(&terms, &attr, text, sizeof(text)), -EINVAL);
	attr = new_attr(sizeof(attr));
	attr.disabled = 1;
	assert_int_equal(attr_text__write(&terms, &attr, text, sizeof(text)), -EINVAL);
	/* Beyond its size, an attr has nothing. */
	attr = new_attr(PERF_ATTR_SIZE_VER0);
	attr.config2 = 1;
	assert_int_equal(attr_text__write(&terms, &attr, text, sizeof(text)), 8);
	assert_string_equal(text, "config=0");
}

static void test_room(void **state)
{
	static const char whole[] = "persistent,config=106";
	struct perf_event_attr attr = new_attr(sizeof(attr));
	struct attr_field field = { 5, BITS(23, 23) };
	struct attr_terms terms;

	define_tree_terms(&terms);
	assert_int_equal(attr_text__parse(&terms, whole, &attr, NULL), 0);
	assert_int_equal(attr_text__write(&terms, &attr, NULL, 0), strlen(whole));
	assert_int_equal(attr_field__write(&field, NULL, 0), strlen("attr5:23"));
	for (size_t size = 1; size <= sizeof(whole) + 1; size++) {
		char text[sizeof(whole) + 2];

		memset(text, 'x', sizeof(text));
		assert_int_equal(attr_text__write(&terms, &attr, text, size), strlen(whole));
		assert_int_equal(strlen(text), size <= strlen(whole) ? size - 1 : strlen(whole));
		assert_memory_equal(text, whole, strlen(text));
		assert_int_equal(text[size < sizeof(whole) ? size : sizeof(whole)], 'x');
	}
}

/* ---- sizes of the attr ------------------------------------------------------------------- */

/* An attr of a caller that was built with newer headers */
union newer_attr {
	struct perf_event_attr attr;
	unsigned char bytes[sizeof(struct perf_event_attr) + 64];
};

static void test_copy(void **state)
{
	struct perf_event_attr copy, attr = { .type = 1, .config = 2, .config1 = 3, .config2 = 4 };
	union newer_attr newer = { .bytes = { 0 } };

	newer.attr.config = 2;
	assert_int_equal(attr__copy(&copy, NULL), -EFAULT);
	/* 0 is the first size that there was, which ends before config2. */
	assert_int_equal(attr__copy(&copy, &attr), 0);
	assert_int_equal(copy.size, PERF_ATTR_SIZE_VER0);
	assert_int_equal(copy.config1, 3);
	assert_int_equal(copy.config2, 0);
	attr.size = PERF_ATTR_SIZE_VER1;
	assert_int_equal(attr__copy(&copy, &attr), 0);
	assert_int_equal(copy.config2, 4);
	attr.size = PERF_ATTR_SIZE_VER0 - 1;
	assert_int_equal(attr__copy(&copy, &attr), -E2BIG);
	attr.size = UINT32_MAX;
	assert_int_equal(attr__copy(&copy, &attr), -E2BIG);

	newer.attr.size = sizeof(newer);
	assert_int_equal(attr__copy(&copy, &newer.attr), 0);
	assert_int_equal(copy.size, sizeof(newer));
	assert_int_equal(attr__known_size(&copy), sizeof(copy));
	newer.bytes[sizeof(newer) - 1] = 1;
	assert_int_equal(attr__copy(&copy, &newer.attr), -E2BIG);
	newer.attr.size--;
	assert_int_equal(attr__copy(&copy, &newer.attr), 0);
}

/* ---- round trips ------------------------------------------------------------------------- */

#define ROUNDS 10000

static uint64_t random_bits(void)
{
	return (uint64_t)mrand48() << 32 ^ (uint64_t)mrand48();
}

static unsigned int random_below(unsigned int end)
{
	return (unsigned int)lrand48() % end;
}

/* Ranges and single bits, few or many. */
static struct attr_field random_field(void)
{
	struct attr_field field = { 1 + random_below(ATTR_WORDS - 1), 0 };
	unsigned int first, last;

	do {
		first = random_below(64);
		last = random_below(4) ? first + random_below(64 - first) : first;
		field.bits |= BITS(first, last);
	} while (random_below(3));
	if (!random_below(8))
		field.bits &= random_bits() | 1ull << first;
	return field;
}

static void check_format_round_trip(const struct attr_field *field)
{
	struct persist_attr_error where;
	struct attr_field parsed;
	char text[256];

	assert_true(attr_field__write(field, text, sizeof(text)) < sizeof(text));
	if (attr_field__parse(&parsed, text, sizeof(struct perf_event_attr), &where))
		fail_msg("\"%s\" is refused at %zu: %s", text, where.offset, where.reason);
	assert_int_equal(parsed.word, field->word);
	assert_true(parsed.bits == field->bits);
}

/*
 * Terms that do not overlap, defined by the text of random formats. @defined has the bits of each
 * word that they say.
 */
static void define_random_terms(struct attr_terms *terms, uint64_t defined[ATTR_WORDS])
{
	unsigned int nr = random_below(16);
	char name[16], text[256];

	terms->nr = 0;
	memset(defined, 0, ATTR_WORDS * sizeof(*defined));
	for (unsigned int i = 0; i < nr; i++) {
		struct attr_field field = random_field();

		field.bits &= ~defined[field.word];
		if (!field.bits)
			continue;
		defined[field.word] |= field.bits;
		check_format_round_trip(&field);
		attr_field__write(&field, text, sizeof(text));
		snprintf(name, sizeof(name), "t%u", i);
		add(terms, name, text);
	}
}

/* Something in every word in which terms can say it; all of a word if it has a name. */
static struct perf_event_attr random_attr(const uint64_t defined[ATTR_WORDS])
{
	struct perf_event_attr attr = new_attr(sizeof(attr));

	for (unsigned int word = 1; word < ATTR_WORDS; word++) {
		bool has_name = word == CONFIG || word == CONFIG1 || word == CONFIG2;
		uint64_t bits = random_bits() & (random_below(2) ? UINT64_MAX : random_bits());

		if (!random_below(has_name ? 2 : 8))
			attr__set_field(&attr, &(struct attr_field){ word, UINT64_MAX },
					has_name && random_below(2) ? bits : bits & defined[word]);
	}
	return attr;
}

static void test_round_trip(void **state)
{
	struct attr_terms terms;
	struct persist_attr_error where;
	uint64_t defined[ATTR_WORDS];
	char text[2048], again[2048];

	for (unsigned int round = 0; round < ROUNDS; round++) {
		struct perf_event_attr attr, parsed = new_attr(sizeof(parsed));
		int len;

		srand48(round);
		define_random_terms(&terms, defined);
		attr = random_attr(defined);
		len = attr_text__write(&terms, &attr, text, sizeof(text));
		if (len < 0 || len >= (int)sizeof(text) || (size_t)len != strlen(text))
			fail_msg("round %u: cannot be written (%d)", round, len);
		if (attr_text__parse(&terms, text, &parsed, &where))
			fail_msg("round %u: \"%s\" is refused at %zu: %s", round, text,
				 where.offset, where.reason);
		if (memcmp(&attr, &parsed, sizeof(attr)))
			fail_msg("round %u: \"%s\" gives another attr", round, text);
		attr_text__write(&terms, &parsed, again, sizeof(again));
		assert_string_equal(again, text);
	}
}

/* A value comes back from any bits, and others are left alone. */
static void test_fields(void **state)
{
	for (unsigned int round = 0; round < ROUNDS; round++) {
		struct perf_event_attr attr = new_attr(sizeof(attr));
		struct attr_field field, others;
		uint64_t value, other;

		srand48(round);
		field = random_field();
		others = (struct attr_field){ field.word, ~field.bits };
		attr__set_field(&attr, &(struct attr_field){ field.word, UINT64_MAX },
				random_bits());
		other = attr__get_field(&attr, &others);
		value = random_bits();
		while (!attr_field__has_room(&field, value))
			value >>= 1;
		attr__set_field(&attr, &field, value);
		assert_true(attr__get_field(&attr, &field) == value);
		assert_true(attr__get_field(&attr, &others) == other);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_formats),
		cmocka_unit_test(test_bad_formats),
		cmocka_unit_test(test_format_and_size),
		cmocka_unit_test(test_good_events),
		cmocka_unit_test(test_bad_events),
		cmocka_unit_test(test_event_and_size),
		cmocka_unit_test(test_rest_is_kept),
		cmocka_unit_test(test_definitions),
		cmocka_unit_test(test_redefinition),
		cmocka_unit_test(test_unspeakable),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_fields),
	};

	return cmocka_run_group_tests_name("attr_text", tests, NULL, NULL);
}
