// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "c_type.h"

#include <string.h>

#define LONG sizeof(long)

/*
 * Names that kernel headers use in print formats. Where 32- and 64-bit kernels differ, the
 * size is that of long.
 */
static const struct {
	const char *name;
	uint8_t size;
	bool is_signed;
} typedefs[] = {
	{ "u8", 1, false },
	{ "u16", 2, false },
	{ "u32", 4, false },
	{ "u64", 8, false },
	{ "s8", 1, true },
	{ "s16", 2, true },
	{ "s32", 4, true },
	{ "s64", 8, true },
	{ "__u8", 1, false },
	{ "__u16", 2, false },
	{ "__u32", 4, false },
	{ "__u64", 8, false },
	{ "__s8", 1, true },
	{ "__s16", 2, true },
	{ "__s32", 4, true },
	{ "__s64", 8, true },
	{ "uint8_t", 1, false },
	{ "uint16_t", 2, false },
	{ "uint32_t", 4, false },
	{ "uint64_t", 8, false },
	{ "int8_t", 1, true },
	{ "int16_t", 2, true },
	{ "int32_t", 4, true },
	{ "int64_t", 8, true },
	{ "__le16", 2, false },
	{ "__le32", 4, false },
	{ "__le64", 8, false },
	{ "__be16", 2, false },
	{ "__be32", 4, false },
	{ "__be64", 8, false },
	{ "uint", 4, false },
	{ "ushort", 2, false },
	{ "ulong", LONG, false },
	{ "size_t", LONG, false },
	{ "ssize_t", LONG, true },
	{ "uintptr_t", LONG, false },
	{ "intptr_t", LONG, true },
	{ "ptrdiff_t", LONG, true },
	{ "off_t", LONG, true },
	{ "ino_t", LONG, false },
	{ "pgoff_t", LONG, false },
	{ "loff_t", 8, true },
	{ "sector_t", 8, false },
	{ "blkcnt_t", 8, false },
	{ "ktime_t", 8, true },
	{ "time64_t", 8, true },
	{ "dev_t", 4, false },
	{ "gfp_t", 4, false },
	{ "fmode_t", 4, false },
	{ "slab_flags_t", 4, false },
	{ "umode_t", 2, false },
	{ "mode_t", 4, false },
	{ "pid_t", 4, true },
	{ "uid_t", 4, false },
	{ "gid_t", 4, false },
	{ "clockid_t", 4, true },
	{ "dma_addr_t", 8, false },
	{ "phys_addr_t", 8, false },
	{ "resource_size_t", 8, false },
	{ "netdev_features_t", 8, false },
	/* Bitmaps, which are arrays of long. */
	{ "cpumask_t", LONG, false },
	{ "nodemask_t", LONG, false },
};

bool c_type__find_typedef(const char *name, size_t length, struct c_type *type)
{
	for (size_t i = 0; i < sizeof(typedefs) / sizeof(typedefs[0]); i++) {
		if (strlen(typedefs[i].name) == length && !memcmp(typedefs[i].name, name, length)) {
			*type = c_type__integer(typedefs[i].size, typedefs[i].is_signed);
			return true;
		}
	}
	return false;
}

/* How often each keyword occurs in a type that is spelt out. */
struct keywords {
	int nr_long, nr_short, nr_char, nr_int, nr_signed, nr_unsigned, nr_bool, nr_enum;
	int nr_names; /* words that are no keyword */
	const char *name;
	size_t name_length;
};

static void count_word(struct keywords *k, const char *word, size_t length)
{
	const struct {
		const char *text;
		int *count;
	} counters[] = {
		{ "long", &k->nr_long },
		{ "short", &k->nr_short },
		{ "char", &k->nr_char },
		{ "int", &k->nr_int },
		{ "signed", &k->nr_signed },
		{ "__signed__", &k->nr_signed },
		{ "unsigned", &k->nr_unsigned },
		{ "bool", &k->nr_bool },
		{ "_Bool", &k->nr_bool },
		{ "enum", &k->nr_enum },
		{ "const", NULL },
		{ "volatile", NULL },
		{ "static", NULL },
		{ "__data_loc", NULL },
		{ "__rel_loc", NULL },
	};

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		if (strlen(counters[i].text) != length || memcmp(counters[i].text, word, length))
			continue;
		if (counters[i].count)
			++*counters[i].count;
		return;
	}
	k->nr_names++;
	k->name = word;
	k->name_length = length;
}

static bool is_word_part(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

bool c_type__from_words(const char *words, size_t length, struct c_type *type)
{
	struct keywords k = { 0 };
	size_t i = 0, size = 0;

	while (i < length) {
		size_t start = i;

		while (i < length && is_word_part(words[i]))
			i++;
		if (i > start)
			count_word(&k, words + start, i - start);
		else
			i++;
	}

	if (k.nr_names > 1)
		return false;
	if (k.nr_enum) { /* GCC makes an enumeration unsigned unless it has negative values. */
		*type = c_type__integer(sizeof(int), false);
		return true;
	}
	if (k.nr_names)
		return c_type__find_typedef(k.name, k.name_length, type);

	if (k.nr_bool || k.nr_char)
		size = 1;
	else if (k.nr_short)
		size = sizeof(short);
	else if (k.nr_long)
		size = k.nr_long > 1 ? sizeof(long long) : sizeof(long);
	else if (k.nr_int || k.nr_signed || k.nr_unsigned)
		size = sizeof(int);
	else
		return false;
	/* Kernels are built with -funsigned-char since 6.2. */
	*type = c_type__integer(size, k.nr_char ? k.nr_signed > 0 : !k.nr_unsigned && !k.nr_bool);
	type->is_bool = k.nr_bool > 0;
	return true;
}
