// SPDX-License-Identifier: GPL-2.0-only
/* Totals grouped by place, and keys in words. */
#include "summary.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ------------------------------------------------------------------------------- */

/* Adds to @text, with a space between. */
__attribute__((format(printf, 2, 3))) static void add(char text[SUMMARY_TEXT_SIZE],
						      const char *format, ...)
{
	size_t len = strlen(text);
	va_list args;

	if (len && len + 1 < SUMMARY_TEXT_SIZE) {
		text[len++] = ' ';
		text[len] = '\0';
	}
	va_start(args, format);
	vsnprintf(text + len, SUMMARY_TEXT_SIZE - len, format, args);
	va_end(args);
}

/* Labels come from firmware, and can be anything. */
void summary__clean_label(const struct persist_total_key *key, char text[PERSIST_LABEL_SIZE])
{
	snprintf(text, PERSIST_LABEL_SIZE, "%s", key->label);
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
}

static void add_label(char text[SUMMARY_TEXT_SIZE], const struct persist_total_key *key)
{
	char label[PERSIST_LABEL_SIZE];

	summary__clean_label(key, label);
	add(text, "%s", label);
}

bool summary__has_section(const struct persist_total_key *key)
{
	for (size_t i = 0; i < sizeof(key->section); i++)
		if (key->section[i])
			return true;
	return false;
}

void summary__format_guid(const uint8_t guid[16], char text[GUID_TEXT_SIZE])
{
	/* The first three parts are stored with the lowest byte first. */
	static const uint8_t order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	char *to = text;

	for (size_t i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*to++ = '-';
		to += sprintf(to, "%02x", guid[order[i]]);
	}
}

static void add_kind(char text[SUMMARY_TEXT_SIZE], const struct persist_totals *totals,
		     const struct persist_total_key *key)
{
	const char *name = persist_totals__kind_name(totals, key);

	if (name)
		add(text, "%s", name);
	else if (key->kind)
		add(text, "type %u", key->kind);
}

void summary__describe_key(const struct persist_totals *totals, const struct persist_total_key *key,
			   char text[SUMMARY_TEXT_SIZE])
{
	char guid[GUID_TEXT_SIZE];

	text[0] = '\0';
	if (key->socket >= 0)
		add(text, "socket %d", key->socket);
	if (key->cpu >= 0)
		add(text, "cpu %d", key->cpu);
	if (key->bank >= 0)
		add(text, "bank %d", key->bank);
	if (key->controller >= 0)
		add(text, "mc %d location %d:%d:%d", key->controller, key->layer[0], key->layer[1],
		    key->layer[2]);
	if (key->mpidr)
		add(text, "mpidr 0x%llx", (unsigned long long)key->mpidr);
	add_kind(text, totals, key);
	if (key->status)
		add(text, "status 0x%x", key->status);
	if (key->label[0])
		add_label(text, key);
	if (summary__has_section(key)) {
		summary__format_guid(key->section, guid);
		add(text, "section %s", guid);
	}
}

/* ---- places ------------------------------------------------------------------------------ */

/* All keys of an event have the same parts, so that any of them tells. */
const char *summary__place_title(const struct persist_totals *totals)
{
	const struct persist_total_key *key = &totals->entries[0].key;

	if (!totals->nr_entries)
		return NULL;
	if (key->bank >= 0)
		return "BANK";
	if (key->controller >= 0)
		return "DIMM";
	if (key->mpidr || key->cpu >= 0)
		return "PROCESSOR";
	for (size_t i = 0; i < totals->nr_entries; i++)
		if (totals->entries[i].key.label[0])
			return "DEVICE";
	return NULL;
}

static void name_place(const struct persist_total_key *key, char name[SUMMARY_TEXT_SIZE])
{
	name[0] = '\0';
	if (key->bank >= 0) {
		if (key->socket >= 0)
			add(name, "socket %d", key->socket);
		add(name, "bank %d", key->bank);
	} else if (key->label[0]) {
		add_label(name, key);
	} else if (key->controller >= 0) {
		add(name, "mc %d location %d:%d:%d", key->controller, key->layer[0], key->layer[1],
		    key->layer[2]);
	} else if (key->cpu >= 0) {
		add(name, "cpu %d", key->cpu);
	} else if (key->mpidr) {
		add(name, "mpidr 0x%llx", (unsigned long long)key->mpidr);
	} else {
		add(name, "(not named)");
	}
}

static int compare_names(const void *a, const void *b)
{
	const struct summary_place *one = a, *other = b;
	int order = strcmp(one->name, other->name);

	if (order)
		return order;
	return (one->label_hash > other->label_hash) - (one->label_hash < other->label_hash);
}

static int compare_errors(const void *a, const void *b)
{
	const struct summary_place *one = a, *other = b;

	if (one->errors != other->errors)
		return one->errors < other->errors ? 1 : -1;
	return compare_names(a, b);
}

static void begin_place(const struct persist_total_entry *entry, struct summary_place *place)
{
	*place = (struct summary_place){
		.label_hash = entry->key.label_hash,
		.events = entry->total.events,
		.errors = entry->total.errors,
		.first_ns = entry->total.first_ns,
		.last_ns = entry->total.last_ns,
	};
	place->by_severity[entry->key.severity % PERSIST_SEVERITIES_MAX] = entry->total.errors;
	name_place(&entry->key, place->name);
}

static void add_place(struct summary_place *sum, const struct summary_place *place)
{
	sum->events += place->events;
	sum->errors += place->errors;
	for (size_t i = 0; i < PERSIST_SEVERITIES_MAX; i++)
		sum->by_severity[i] += place->by_severity[i];
	if (place->first_ns < sum->first_ns)
		sum->first_ns = place->first_ns;
	if (place->last_ns > sum->last_ns)
		sum->last_ns = place->last_ns;
}

int summary__find_places(const struct persist_totals *totals, struct summary_place **result)
{
	struct summary_place *places;
	int nr = 0;

	*result = NULL;
	if (!summary__place_title(totals))
		return 0;
	places = calloc(totals->nr_entries, sizeof(*places));
	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < totals->nr_entries; i++)
		begin_place(&totals->entries[i], &places[i]);
	qsort(places, totals->nr_entries, sizeof(*places), compare_names);
	for (size_t i = 0; i < totals->nr_entries; i++) {
		if (nr && !compare_names(&places[nr - 1], &places[i]))
			add_place(&places[nr - 1], &places[i]);
		else
			places[nr++] = places[i];
	}
	qsort(places, nr, sizeof(*places), compare_errors);
	*result = places;
	return nr;
}

double summary__per_hour(const struct summary *summary, uint64_t errors, uint64_t since_ns)
{
	double hours = (double)(summary->now_ns - since_ns) / 3600e9;

	return summary->now_ns > since_ns ? (double)errors / hours : 0;
}
