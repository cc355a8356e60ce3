// SPDX-License-Identifier: GPL-2.0-only
#include "top/top_key.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top/top_text.h"

/* ---- parsing ----------------------------------------------------------------------------- */

static const char *const kind_names[] = {
	[TOP_KEY_COMM] = "comm", [TOP_KEY_PID] = "pid",	    [TOP_KEY_TID] = "tid",
	[TOP_KEY_CPU] = "cpu",	 [TOP_KEY_EVENT] = "event",
};

#define NR_KINDS (sizeof(kind_names) / sizeof(kind_names[0]))

static const char field_prefix[] = "field:";

static bool parse_part(struct top_key_part *part, const char *word)
{
	size_t prefix = sizeof(field_prefix) - 1;

	for (size_t kind = 0; kind < NR_KINDS; kind++) {
		if (strcmp(word, kind_names[kind]) != 0)
			continue;
		*part = (struct top_key_part){ (enum top_key_kind)kind, kind_names[kind] };
		return true;
	}
	if (strncmp(word, field_prefix, prefix) != 0 || !word[prefix])
		return false;
	*part = (struct top_key_part){ TOP_KEY_FIELD, word + prefix };
	return true;
}

/* Makes parts of the words, which are separated in place. Returns how many, or -EINVAL. */
static int parse_parts(struct top_key_part parts[TOP_KEY_MAX_PARTS], char *words, char *error,
		       size_t size)
{
	int nr = 0;
	char *next;

	for (char *word = words; word; word = next) {
		next = strchr(word, ',');
		if (next)
			*next++ = '\0';
		if (nr == TOP_KEY_MAX_PARTS) {
			snprintf(error, size, "more than %d parts", TOP_KEY_MAX_PARTS);
			return -EINVAL;
		}
		if (!parse_part(&parts[nr++], word)) {
			snprintf(error, size,
				 "\"%.64s\" is none of comm, pid, tid, cpu, event, field:NAME",
				 word);
			return -EINVAL;
		}
	}
	return nr;
}

int top_key__parse(struct top_key *key, const char *text, char *error, size_t size)
{
	struct top_key_part parts[TOP_KEY_MAX_PARTS] = { 0 };
	char *copy = strdup(text), *words = strdup(text);
	int nr = copy && words ? parse_parts(parts, words, error, size) : -ENOMEM;

	if (nr < 0) {
		free(copy);
		free(words);
		return nr;
	}
	*key = (struct top_key){ .text = copy, .words = words, .nr = (unsigned int)nr };
	memcpy(key->parts, parts, sizeof(parts));
	return 0;
}

void top_key__free(struct top_key *key)
{
	top_key__unbind(key);
	free(key->text);
	free(key->words);
	*key = (struct top_key){ 0 };
}

/* ---- the fields of events ---------------------------------------------------------------- */

bool top_key__part_is_of(const struct top_key_part *part, const struct persist_event *event)
{
	return part->kind != TOP_KEY_FIELD || persist_event__find_field(event, part->name);
}

void top_key__unbind(struct top_key *key)
{
	free(key->fields);
	free(key->is_bound);
	key->fields = NULL;
	key->is_bound = NULL;
	key->nr_streams = 0;
}

static int make_room(struct top_key *key, uint32_t stream)
{
	uint32_t nr = stream + 64;
	const struct persist_field **fields;
	bool *is_bound;

	fields = reallocarray(key->fields, nr, key->nr * sizeof(const struct persist_field *));
	if (!fields)
		return -ENOMEM;
	key->fields = fields;
	is_bound = realloc(key->is_bound, nr);
	if (!is_bound)
		return -ENOMEM;
	key->is_bound = is_bound;
	memset(is_bound + key->nr_streams, 0, nr - key->nr_streams);
	key->nr_streams = nr;
	return 0;
}

/* The fields that the parts are in this event; NULL for a part that is none, or not of it. */
static const struct persist_field **fields_of(struct top_key *key, const struct persist_item *item)
{
	const struct persist_field **fields;

	if (item->stream >= key->nr_streams && make_room(key, item->stream))
		return NULL;
	fields = &key->fields[(size_t)item->stream * key->nr];
	if (key->is_bound[item->stream])
		return fields;
	for (unsigned int i = 0; i < key->nr; i++)
		fields[i] = key->parts[i].kind == TOP_KEY_FIELD
				    ? persist_event__find_field(item->event, key->parts[i].name)
				    : NULL;
	key->is_bound[item->stream] = true;
	return fields;
}

/* ---- making ------------------------------------------------------------------------------ */

static unsigned char *put_number(unsigned char *to, enum top_value_type type, uint64_t number)
{
	*to++ = (unsigned char)type;
	memcpy(to, &number, sizeof(number));
	return to + sizeof(number);
}

/* FNV-1a: of what is too long to be kept; nothing is looked up by it. */
static uint64_t hash_of(const char *text, size_t size)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3ull;
	return hash;
}

static unsigned char *put_text(unsigned char *to, enum top_value_type whole,
			       enum top_value_type cut, const char *text, size_t size)
{
	uint64_t hash;
	size_t kept = size > TOP_KEY_MAX_TEXT ? TOP_KEY_MAX_TEXT : size;

	*to++ = (unsigned char)(kept == size ? whole : cut);
	*to++ = (unsigned char)kept;
	memcpy(to, text, kept);
	to += kept;
	if (kept == size)
		return to;
	hash = hash_of(text, size);
	memcpy(to, &hash, sizeof(hash));
	return to + sizeof(hash);
}

static unsigned char *put_string(unsigned char *to, const char *text, size_t size)
{
	return put_text(to, TOP_VALUE_TEXT, TOP_VALUE_CUT_TEXT, text, size);
}

static unsigned char *put_none(unsigned char *to)
{
	*to++ = TOP_VALUE_NONE;
	return to;
}

static unsigned char *put_field(unsigned char *to, const struct persist_field *field,
				const struct persist_record *record)
{
	uint64_t number;
	int64_t signed_number;
	const char *text;
	const void *bytes;
	size_t size;

	if (!field)
		return put_none(to);
	switch (persist_field__type(field)) {
	case PERSIST_FIELD_UNSIGNED:
		if (persist_field__get_u64(field, record, &number))
			return put_none(to);
		return put_number(to, TOP_VALUE_UNSIGNED, number);
	case PERSIST_FIELD_SIGNED:
		if (persist_field__get_s64(field, record, &signed_number))
			return put_none(to);
		return put_number(to, TOP_VALUE_SIGNED, (uint64_t)signed_number);
	case PERSIST_FIELD_POINTER:
		if (persist_field__get_u64(field, record, &number))
			return put_none(to);
		return put_number(to, TOP_VALUE_ADDRESS, number);
	case PERSIST_FIELD_STRING:
		if (persist_field__get_string(field, record, &text, &size))
			return put_none(to);
		return put_string(to, text, size);
	default:
		if (persist_field__get_bytes(field, record, &bytes, &size))
			return put_none(to);
		return put_text(to, TOP_VALUE_BYTES, TOP_VALUE_CUT_BYTES, bytes, size);
	}
}

static unsigned char *put_part(unsigned char *to, const struct top_key_part *part,
			       const struct persist_field *field, const struct persist_item *item)
{
	const struct persist_record *record = item->record;
	const char *name;

	switch (part->kind) {
	case TOP_KEY_COMM:
		return put_string(to, record->comm, strnlen(record->comm, sizeof(record->comm)));
	case TOP_KEY_PID:
		return put_number(to, TOP_VALUE_UNSIGNED, record->pid);
	case TOP_KEY_TID:
		return put_number(to, TOP_VALUE_UNSIGNED, record->tid);
	case TOP_KEY_CPU:
		return put_number(to, TOP_VALUE_UNSIGNED, record->cpu);
	case TOP_KEY_EVENT:
		name = persist_event__meta(item->event)->name;
		return put_string(to, name, strnlen(name, PERSIST_NAME_SIZE));
	default:
		return put_field(to, field, record);
	}
}

int top_key__make(struct top_key *key, const struct persist_item *item,
		  unsigned char bytes[TOP_KEY_MAX_SIZE])
{
	const struct persist_field **fields = fields_of(key, item);
	unsigned char *to = bytes;

	if (!fields)
		return -ENOMEM;
	for (unsigned int i = 0; i < key->nr; i++)
		to = put_part(to, &key->parts[i], fields[i], item);
	return (int)(to - bytes);
}

/* ---- reading ----------------------------------------------------------------------------- */

const unsigned char *top_value__read(struct top_value *value, const unsigned char *bytes)
{
	*value = (struct top_value){ .type = (enum top_value_type) * bytes++ };
	if (value->type == TOP_VALUE_NONE)
		return bytes;
	if (top_value__is_number(value)) {
		memcpy(&value->number, bytes, sizeof(value->number));
		return bytes + sizeof(value->number);
	}
	value->size = *bytes++;
	value->text = (const char *)bytes;
	bytes += value->size;
	if (value->type == TOP_VALUE_CUT_TEXT || value->type == TOP_VALUE_CUT_BYTES)
		bytes += sizeof(uint64_t);
	return bytes;
}

static void put_bytes(struct text_out *out, const char *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < size; i++) {
		text_out__char(out, digits[(unsigned char)bytes[i] >> 4]);
		text_out__char(out, digits[(unsigned char)bytes[i] & 15]);
	}
}

void top_value__put(const struct top_value *value, struct text_out *out)
{
	char number[24];

	switch (value->type) {
	case TOP_VALUE_UNSIGNED:
		snprintf(number, sizeof(number), "%" PRIu64, value->number);
		break;
	case TOP_VALUE_SIGNED:
		snprintf(number, sizeof(number), "%" PRId64, (int64_t)value->number);
		break;
	case TOP_VALUE_ADDRESS:
		snprintf(number, sizeof(number), "0x%" PRIx64, value->number);
		break;
	case TOP_VALUE_TEXT:
	case TOP_VALUE_CUT_TEXT:
		top_text__put(out, value->text, value->size);
		snprintf(number, sizeof(number), "%s",
			 value->type == TOP_VALUE_CUT_TEXT ? "..." : "");
		break;
	case TOP_VALUE_BYTES:
	case TOP_VALUE_CUT_BYTES:
		put_bytes(out, value->text, value->size);
		snprintf(number, sizeof(number), "%s",
			 value->type == TOP_VALUE_CUT_BYTES ? "..." : "");
		break;
	default:
		snprintf(number, sizeof(number), "-");
	}
	text_out__bytes(out, number, strlen(number));
}

void top_key__put_values(const struct top_key *key, const unsigned char *bytes, bool with_names,
			 struct text_out *out)
{
	struct top_value value;

	for (unsigned int i = 0; i < key->nr; i++) {
		bytes = top_value__read(&value, bytes);
		if (i)
			text_out__char(out, ' ');
		if (with_names) {
			text_out__bytes(out, key->parts[i].name, strlen(key->parts[i].name));
			text_out__char(out, '=');
		}
		top_value__put(&value, out);
	}
}
