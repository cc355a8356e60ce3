// SPDX-License-Identifier: GPL-2.0-only
/*
 * Texts of formats and events from anywhere: what is taken is written back with the same meaning,
 * what is refused is refused within the text and changes nothing.
 *
 * Input: lines. The first is the text of an event; each of the others defines a term, by a name,
 * a space and a format.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "attr_text.h"

static void check(bool condition)
{
	if (!condition)
		abort();
}

static void check_error(int err, const char *text, const struct persist_attr_error *where)
{
	check(err == -EINVAL);
	check(where->offset <= strlen(text));
	check(where->reason && *where->reason);
}

static void check_format(const char *text)
{
	struct attr_field field, again;
	struct persist_attr_error where;
	char written[256];
	int err = attr_field__parse(&field, text, sizeof(struct perf_event_attr), &where);

	if (err) {
		check_error(err, text, &where);
		return;
	}
	check(field.bits && field.word < ATTR_WORDS);
	check(attr_field__write(&field, written, sizeof(written)) < sizeof(written));
	check(!attr_field__parse(&again, written, sizeof(struct perf_event_attr), NULL));
	check(again.word == field.word && again.bits == field.bits);
}

static void check_event(const struct attr_terms *terms, const char *text)
{
	struct perf_event_attr attr = { .size = sizeof(attr) }, again = attr, before = attr;
	static char written[ATTR_TERMS_MAX * (ATTR_TERM_NAME_SIZE + 24)];
	struct persist_attr_error where;
	int len, err = attr_text__parse(terms, text, &attr, &where);

	if (err) {
		check_error(err, text, &where);
		check(!memcmp(&attr, &before, sizeof(attr)));
		return;
	}
	len = attr_text__write(terms, &attr, written, sizeof(written));
	/* Terms can overlap so that no choice that is found says what another one has said. */
	if (len == -EINVAL)
		return;
	check(len > 0 && (size_t)len < sizeof(written) && strlen(written) == (size_t)len);
	/* What is 0 is left out, and the type is not demanded, but could be set by a term. */
	again.type = attr.type;
	err = attr_text__parse(terms, written, &again, NULL);
	if (!strcmp(written, "config=0"))
		return; /* the name may have been defined as something beyond this */
	check(!err && !memcmp(&again, &attr, sizeof(attr)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct attr_terms terms;
	char *input = malloc(size + 1), *line, *format, *next;

	if (!input)
		return 0;
	memcpy(input, data, size);
	input[size] = '\0';
	terms.nr = 0;
	next = strchr(input, '\n');
	if (next)
		*next++ = '\0';
	while (next) {
		line = next;
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		format = strchr(line, ' ');
		if (!format)
			continue;
		*format++ = '\0';
		check_format(format);
		attr_terms__add(&terms, line, format, NULL);
	}
	check_format(input);
	check_event(&terms, input);
	free(input);
	return 0;
}
