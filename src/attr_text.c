// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "attr_text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#define WORD_BITS	     64
#define WORD_OF_BYTE(offset) ((offset) / sizeof(uint64_t))
#define WORD_OF(member)	     WORD_OF_BYTE(offsetof(struct perf_event_attr, member))

/* The words that have a name, which is also that of a term for all of their bits. */
static const struct attr_term config_terms[] = {
	{ "config", { WORD_OF(config), UINT64_MAX } },
	{ "config1", { WORD_OF(config1), UINT64_MAX } },
	{ "config2", { WORD_OF(config2), UINT64_MAX } },
	/* The build machine's headers may be older than Linux 6.3, which has added it. */
	{ "config3", { WORD_OF_BYTE(128), UINT64_MAX } },
};

/* ---- words and bits ---------------------------------------------------------------------- */

/* The half of a word in which the size of the attr is. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define SIZE_BITS (UINT64_MAX << 32)
#else
#define SIZE_BITS (UINT64_MAX >> 32)
#endif

static bool is_zero(const unsigned char *bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (bytes[i])
			return false;
	return true;
}

size_t attr__known_size(const struct perf_event_attr *attr)
{
	return attr->size < sizeof(*attr) ? attr->size : sizeof(*attr);
}

bool attr__size_is_valid(uint32_t size)
{
	return size >= PERF_ATTR_SIZE_VER0 && size <= sysconf(_SC_PAGESIZE);
}

int attr__copy(struct perf_event_attr *to, const struct perf_event_attr *from)
{
	uint32_t size;

	if (!from)
		return -EFAULT;
	size = from->size ? from->size : PERF_ATTR_SIZE_VER0;
	if (!attr__size_is_valid(size))
		return -E2BIG;
	if (size > sizeof(*to) &&
	    !is_zero((const unsigned char *)from + sizeof(*to), size - sizeof(*to)))
		return -E2BIG;
	memset(to, 0, sizeof(*to));
	memcpy(to, from, size < sizeof(*to) ? size : sizeof(*to));
	to->size = size;
	return 0;
}

uint64_t attr__get_word(const struct perf_event_attr *attr, unsigned int word)
{
	uint64_t value;

	memcpy(&value, (const char *)attr + word * sizeof(value), sizeof(value));
	return value;
}

static void set_word(struct perf_event_attr *attr, unsigned int word, uint64_t value)
{
	memcpy((char *)attr + word * sizeof(value), &value, sizeof(value));
}

/* Puts the lowest bits of @value, in their order, where @bits has bits. */
static uint64_t spread(uint64_t value, uint64_t bits)
{
	uint64_t result = 0;

	for (; bits; bits &= bits - 1, value >>= 1)
		if (value & 1)
			result |= bits & -bits;
	return result;
}

/* The other way round. */
static uint64_t gather(uint64_t word, uint64_t bits)
{
	uint64_t result = 0;

	for (int i = 0; bits; bits &= bits - 1, i++)
		if (word & bits & -bits)
			result |= 1ull << i;
	return result;
}

uint64_t attr__get_field(const struct perf_event_attr *attr, const struct attr_field *field)
{
	return gather(attr__get_word(attr, field->word), field->bits);
}

void attr__set_field(struct perf_event_attr *attr, const struct attr_field *field, uint64_t value)
{
	uint64_t others = attr__get_word(attr, field->word) & ~field->bits;

	set_word(attr, field->word, others | spread(value, field->bits));
}

bool attr_field__is_in(const struct attr_field *field, const struct perf_event_attr *attr)
{
	return field->word < attr__known_size(attr) / sizeof(uint64_t);
}

bool attr_field__has_room(const struct attr_field *field, uint64_t value)
{
	return gather(UINT64_MAX, field->bits) >= value;
}

/* ---- reading text ------------------------------------------------------------------------ */

struct cursor {
	const char *text;
	const char *at;
	struct persist_attr_error *where;
};

/* The text is wrong at @at. */
static int refuse(const struct cursor *cursor, const char *at, const char *reason)
{
	if (cursor->where)
		*cursor->where = (struct persist_attr_error){
			.offset = (size_t)(at - cursor->text),
			.reason = reason,
		};
	return -EINVAL;
}

static bool skip_char(struct cursor *cursor, char c)
{
	if (*cursor->at != c)
		return false;
	cursor->at++;
	return true;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return INT_MAX;
}

/* Moves behind the digits. Returns 0, -EINVAL if there is none, -ERANGE if they are too many. */
static int skip_number(struct cursor *cursor, int base, uint64_t *value)
{
	const char *start = cursor->at;
	int err = 0;

	*value = 0;
	for (; digit_value(*cursor->at) < base; cursor->at++)
		if (__builtin_mul_overflow(*value, (uint64_t)base, value) ||
		    __builtin_add_overflow(*value, (uint64_t)digit_value(*cursor->at), value))
			err = -ERANGE;
	return cursor->at == start ? -EINVAL : err;
}

/* Bytes of the name at @text; 0: there is none. */
static size_t name_length(const char *text)
{
	size_t len = 0;

	if (!isalpha((unsigned char)*text) && *text != '_')
		return 0;
	while (isalnum((unsigned char)text[len]) || (text[len] && strchr("_-.", text[len])))
		len++;
	return len;
}

static bool has_name(const struct attr_term *term, const char *name, size_t len)
{
	return !strncmp(term->name, name, len) && !term->name[len];
}

static const struct attr_term *find_name(const struct attr_term *terms, size_t nr, const char *name,
					 size_t len)
{
	if (len >= ATTR_TERM_NAME_SIZE)
		return NULL;
	for (size_t i = 0; i < nr; i++)
		if (has_name(&terms[i], name, len))
			return &terms[i];
	return NULL;
}

static const struct attr_term *find_config(const char *name, size_t len)
{
	return find_name(config_terms, ARRAY_SIZE(config_terms), name, len);
}

/* Only what may end a file may follow. */
static int parse_end(struct cursor *cursor)
{
	skip_char(cursor, '\n');
	return *cursor->at ? refuse(cursor, cursor->at, "\",\" or the end expected") : 0;
}

/* ---- formats ----------------------------------------------------------------------------- */

#define ATTR_PREFIX "attr"

static int parse_word(struct cursor *cursor, size_t attr_size, unsigned int *word)
{
	const char *start = cursor->at;
	size_t len = strcspn(start, ":");
	const struct attr_term *config = find_config(start, len);
	uint64_t number;
	int err;

	if (config) {
		number = config->field.word;
		cursor->at += len;
	} else {
		if (strncmp(start, ATTR_PREFIX, strlen(ATTR_PREFIX)))
			return refuse(cursor, start,
				      "config, config1, config2, config3 or attr<number> expected");
		cursor->at += strlen(ATTR_PREFIX);
		err = skip_number(cursor, 10, &number);
		if (err == -EINVAL)
			return refuse(cursor, cursor->at, "the number of a word expected");
		if (err)
			number = UINT64_MAX;
	}
	if (number >= attr_size / sizeof(uint64_t))
		return refuse(cursor, start, "beyond the end of the attr");
	*word = (unsigned int)number;
	return 0;
}

static int parse_bit(struct cursor *cursor, unsigned int *bit)
{
	const char *start = cursor->at;
	uint64_t number;
	int err = skip_number(cursor, 10, &number);

	if (err == -EINVAL)
		return refuse(cursor, start, "the number of a bit expected");
	if (err || number >= WORD_BITS)
		return refuse(cursor, start, "a word has the bits 0 to 63");
	*bit = (unsigned int)number;
	return 0;
}

static int parse_range(struct cursor *cursor, uint64_t *bits)
{
	const char *start = cursor->at, *last_start;
	unsigned int first, last;
	uint64_t range;
	int err = parse_bit(cursor, &first);

	if (err)
		return err;
	last = first;
	if (skip_char(cursor, '-')) {
		last_start = cursor->at;
		err = parse_bit(cursor, &last);
		if (err)
			return err;
		if (last < first)
			return refuse(cursor, last_start, "the range ends before it begins");
	}
	range = UINT64_MAX >> (WORD_BITS - 1 - (last - first)) << first;
	if (*bits & range)
		return refuse(cursor, start, "a bit that is in the list already");
	*bits |= range;
	return 0;
}

int attr_field__parse(struct attr_field *field, const char *text, size_t attr_size,
		      struct persist_attr_error *where)
{
	struct cursor cursor = { text, text, where };
	int err = parse_word(&cursor, attr_size, &field->word);

	if (err)
		return err;
	if (!skip_char(&cursor, ':'))
		return refuse(&cursor, cursor.at, "\":\" expected");
	field->bits = 0;
	do {
		err = parse_range(&cursor, &field->bits);
		if (err)
			return err;
	} while (skip_char(&cursor, ','));
	if (field->word == WORD_OF(size) && field->bits & SIZE_BITS)
		return refuse(&cursor, text, "the size of the attr is there");
	return parse_end(&cursor);
}

int attr_terms__add(struct attr_terms *terms, const char *name, const char *format,
		    struct persist_attr_error *where)
{
	struct cursor cursor = { name, name, where };
	size_t len = name_length(name);
	struct attr_term *term;
	int err;

	if (!len || name[len] || len >= ATTR_TERM_NAME_SIZE)
		return refuse(&cursor, name, "not the name of a term");
	if (find_name(terms->terms, terms->nr, name, len))
		return -EEXIST;
	if (terms->nr == ATTR_TERMS_MAX)
		return -E2BIG;
	term = &terms->terms[terms->nr];
	err = attr_field__parse(&term->field, format, sizeof(struct perf_event_attr), where);
	if (err)
		return err;
	memcpy(term->name, name, len + 1);
	terms->nr++;
	return 0;
}

/* ---- events ------------------------------------------------------------------------------ */

/* Whatever the directory of a PMU defines comes before what is the same for all. */
static const struct attr_term *find_term(const struct attr_terms *terms, const char *name,
					 size_t len)
{
	const struct attr_term *term = find_name(terms->terms, terms->nr, name, len);

	return term ? term : find_config(name, len);
}

static int parse_value(struct cursor *cursor, const struct attr_field *field, uint64_t *value)
{
	const char *start = cursor->at;
	bool is_hex = !strncmp(start, "0x", 2);
	int err;

	if (is_hex)
		cursor->at += 2;
	err = skip_number(cursor, is_hex ? 16 : 10, value);
	if (err == -EINVAL)
		return refuse(cursor, start, "a decimal or hexadecimal (0x) number expected");
	if (err || !attr_field__has_room(field, *value))
		return refuse(cursor, start, "too large for the bits of the term");
	return 0;
}

/* @taken has the bits of each word that earlier terms have set. */
static int parse_term(struct cursor *cursor, const struct attr_terms *terms,
		      struct perf_event_attr *attr, uint64_t taken[ATTR_WORDS])
{
	const char *name = cursor->at;
	size_t len = name_length(name);
	const struct attr_term *term = find_term(terms, name, len);
	uint64_t value = 1;
	int err;

	if (!len)
		return refuse(cursor, name, "the name of a term expected");
	if (!term)
		return refuse(cursor, name, "unknown term");
	if (!attr_field__is_in(&term->field, attr))
		return refuse(cursor, name, "beyond the end of the attr");
	if (taken[term->field.word] & term->field.bits)
		return refuse(cursor, name, "an earlier term has set these bits");
	taken[term->field.word] |= term->field.bits;
	cursor->at += len;
	if (skip_char(cursor, '=')) {
		err = parse_value(cursor, &term->field, &value);
		if (err)
			return err;
	}
	attr__set_field(attr, &term->field, value);
	return 0;
}

int attr_text__parse(const struct attr_terms *terms, const char *text, struct perf_event_attr *attr,
		     struct persist_attr_error *where)
{
	struct cursor cursor = { text, text, where };
	struct perf_event_attr parsed = *attr;
	uint64_t taken[ATTR_WORDS] = { 0 };
	int err;

	do {
		err = parse_term(&cursor, terms, &parsed, taken);
		if (err)
			return err;
	} while (skip_char(&cursor, ','));
	err = parse_end(&cursor);
	if (!err)
		*attr = parsed;
	return err;
}

/* ---- writing ----------------------------------------------------------------------------- */

struct text_writer {
	char *text;
	size_t size;
	size_t len; /* of all that was to be written */
};

static void __attribute__((format(printf, 2, 3)))
put(struct text_writer *out, const char *format, ...)
{
	bool has_room = out->len < out->size;
	va_list args;

	va_start(args, format);
	out->len += (size_t)vsnprintf(has_room ? out->text + out->len : NULL,
				      has_room ? out->size - out->len : 0, format, args);
	va_end(args);
}

size_t attr_field__write(const struct attr_field *field, char *text, size_t size)
{
	struct text_writer out = { text, size, 0 };
	uint64_t bits = field->bits;
	const char *name = NULL;
	char separator = ':';

	for (size_t i = 0; i < ARRAY_SIZE(config_terms); i++)
		if (config_terms[i].field.word == field->word)
			name = config_terms[i].name;
	if (name)
		put(&out, "%s", name);
	else
		put(&out, ATTR_PREFIX "%u", field->word);
	while (bits) {
		int first = __builtin_ctzll(bits);
		uint64_t clear = ~(bits >> first);
		int nr = clear ? __builtin_ctzll(clear) : WORD_BITS;

		put(&out, "%c%d", separator, first);
		if (nr > 1)
			put(&out, "-%d", first + nr - 1);
		bits &= ~(UINT64_MAX >> (WORD_BITS - nr) << first);
		separator = ',';
	}
	return out.len;
}

/* Terms by number: those that are defined, then the whole words that always have a name. */
static const struct attr_term *term_by_number(const struct attr_terms *terms, size_t i)
{
	return i < terms->nr ? &terms->terms[i] : &config_terms[i - terms->nr];
}

static size_t nr_terms(const struct attr_terms *terms)
{
	return terms->nr + ARRAY_SIZE(config_terms);
}

_Static_assert(ATTR_TERMS_MAX + ARRAY_SIZE(config_terms) <= 64, "a set of terms is one number");

static bool is_flag(const struct attr_field *field)
{
	return !(field->bits & (field->bits - 1));
}

/*
 * The number of the term that says most of the bits @left without saying again those that are
 * @said, and of several such the one with the fewest bits; -1: there is none.
 */
static int best_term(const struct attr_terms *terms, unsigned int word, uint64_t left,
		     uint64_t said)
{
	int says, width, most = 0, narrowest = 0, best = -1;

	for (size_t i = 0; i < terms->nr; i++) {
		const struct attr_field *field = &terms->terms[i].field;

		if (field->word != word || field->bits & said)
			continue;
		says = __builtin_popcountll(field->bits & left);
		width = __builtin_popcountll(field->bits);
		if (says && (says > most || (says == most && width < narrowest))) {
			most = says;
			narrowest = width;
			best = (int)i;
		}
	}
	return best;
}

/* The number of the term for all of a word; -1: there is none, or its name means something else. */
static int whole_word_term(const struct attr_terms *terms, unsigned int word)
{
	for (size_t i = 0; i < ARRAY_SIZE(config_terms); i++) {
		const char *name = config_terms[i].name;

		if (config_terms[i].field.word == word &&
		    find_term(terms, name, strlen(name)) == &config_terms[i])
			return (int)(terms->nr + i);
	}
	return -1;
}

/* Chooses the terms that say what is set in a word, as a set of their numbers. */
static int choose_terms(const struct attr_terms *terms, unsigned int word, uint64_t value,
			uint64_t *chosen)
{
	uint64_t left = value, said = 0;
	int term;

	*chosen = 0;
	while ((term = best_term(terms, word, left, said)) >= 0) {
		left &= ~terms->terms[term].field.bits;
		said |= terms->terms[term].field.bits;
		*chosen |= 1ull << term;
	}
	/* In word 0 are type and size, which do not have to be in a text. */
	if (!left || !word)
		return 0;
	term = whole_word_term(terms, word);
	if (term < 0)
		return -EINVAL;
	*chosen = 1ull << term;
	return 0;
}

static void put_terms(struct text_writer *out, const struct attr_terms *terms,
		      const struct perf_event_attr *attr, uint64_t chosen, bool flags)
{
	for (size_t i = 0; i < nr_terms(terms); i++) {
		const struct attr_term *term = term_by_number(terms, i);

		if (!(chosen >> i & 1) || is_flag(&term->field) != flags)
			continue;
		put(out, "%s%s", out->len ? "," : "", term->name);
		if (!flags)
			put(out, "=%" PRIu64, attr__get_field(attr, &term->field));
	}
}

int attr_text__write(const struct attr_terms *terms, const struct perf_event_attr *attr, char *text,
		     size_t size)
{
	size_t nr_words = attr__known_size(attr) / sizeof(uint64_t);
	struct text_writer out = { text, size, 0 };
	uint64_t in_word, chosen = 0;

	for (unsigned int word = 0; word < nr_words; word++) {
		int err = choose_terms(terms, word, attr__get_word(attr, word), &in_word);

		if (err)
			return err;
		chosen |= in_word;
	}
	put_terms(&out, terms, attr, chosen, true);
	put_terms(&out, terms, attr, chosen, false);
	if (!out.len)
		put(&out, "config=0");
	return (int)out.len;
}
