/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * By what events are counted together: "comm", "cpu,field:bank", ... A key is parsed once, then
 * made of each record as a short string of bytes, from which its values can be read again.
 */
#ifndef TOP_KEY_H
#define TOP_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "persist_bpf.h"
#include "text_out.h"

#define TOP_KEY_MAX_PARTS 8

/* Longer strings differ in their first TOP_KEY_MAX_TEXT bytes, or in the hash of all. */
#define TOP_KEY_MAX_TEXT 192

/* Of one made key: of each part a type, a length, the text and the hash. */
#define TOP_KEY_MAX_SIZE (TOP_KEY_MAX_PARTS * (2 + TOP_KEY_MAX_TEXT + sizeof(uint64_t)))

enum top_key_kind {
	TOP_KEY_COMM,
	TOP_KEY_PID,
	TOP_KEY_TID,
	TOP_KEY_CPU,
	TOP_KEY_EVENT,
	TOP_KEY_FIELD,
};

struct top_key_part {
	enum top_key_kind kind;
	const char *name; /* of the field, else of the kind */
};

/**
 * struct top_key - a parsed key
 * @text:  as the user gave it
 * @parts: @nr of them
 *
 * It is used for the records of one reader: what is found out about an event is kept by the
 * number of the stream.
 */
struct top_key {
	char *text;
	struct top_key_part parts[TOP_KEY_MAX_PARTS];
	unsigned int nr;
	char *words;			     /* the text in pieces, to which the names point */
	const struct persist_field **fields; /* of each stream, and in it of each part */
	bool *is_bound;			     /* of each stream: whether its fields were looked up */
	uint32_t nr_streams;
};

/**
 * top_key__parse() - understand a key
 * @key:   filled on success
 * @text:  parts with commas between them: comm, pid, tid, cpu, event, field:NAME
 * @error: set to what is wrong if -EINVAL is returned
 * @size:  bytes of @error
 *
 * Return: 0 and top_key__free() frees what it holds, -EINVAL or -ENOMEM.
 */
int top_key__parse(struct top_key *key, const char *text, char *error, size_t size);
void top_key__free(struct top_key *key);

/* Whether records of this event have the field that this part is, if it is one. */
bool top_key__part_is_of(const struct top_key_part *part, const struct persist_event *event);

/* Forgets what was found out about events: the next records are those of another reader. */
void top_key__unbind(struct top_key *key);

/**
 * top_key__make() - the key of a record
 * @key:   the key
 * @item:  a record, not a loss
 * @bytes: gets the key
 *
 * A field that the event does not have, or the record does not reach, has the value "-".
 *
 * Return: how many bytes, or -ENOMEM.
 */
int top_key__make(struct top_key *key, const struct persist_item *item,
		  unsigned char bytes[TOP_KEY_MAX_SIZE]);

/* ---- reading a made key ------------------------------------------------------------------ */

enum top_value_type {
	TOP_VALUE_NONE = '-',
	TOP_VALUE_UNSIGNED = 'u',
	TOP_VALUE_SIGNED = 's',
	TOP_VALUE_ADDRESS = 'a',
	TOP_VALUE_TEXT = 't',
	TOP_VALUE_CUT_TEXT = 'T', /* there was more of it */
	TOP_VALUE_BYTES = 'b',
	TOP_VALUE_CUT_BYTES = 'B',
};

struct top_value {
	enum top_value_type type;
	uint64_t number;
	const char *text; /* @size bytes, any of them; no NUL behind them */
	size_t size;
};

/* Reads the value at @bytes, of a made key. Returns where the next one begins. */
const unsigned char *top_value__read(struct top_value *value, const unsigned char *bytes);

/* Whether it is shown flush right. */
static inline bool top_value__is_number(const struct top_value *value)
{
	return value->type == TOP_VALUE_UNSIGNED || value->type == TOP_VALUE_SIGNED ||
	       value->type == TOP_VALUE_ADDRESS;
}

/* Puts the value as text for a terminal: see top_text__put(). */
void top_value__put(const struct top_value *value, struct text_out *out);

/* Puts all @nr values of a made key, "NAME=VALUE" each if @with_names, else the values alone. */
void top_key__put_values(const struct top_key *key, const unsigned char *bytes, bool with_names,
			 struct text_out *out);

#endif
