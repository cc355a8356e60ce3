/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading and counting: a reader whose items go into a model. For another key, rows are counted
 * anew by a new reader, from what the buffers hold. Totals and losses go on: of what the new reader
 * gives out, they count only what is behind the positions of the reader before.
 */
#ifndef TOP_SESSION_H
#define TOP_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "persist_bpf.h"
#include "top/top_key.h"
#include "top/top_model.h"

/* How many items may pass until the time is looked at again. */
#define TOP_ITEMS_PER_CLOCK 256

/**
 * struct top_session - what is read and counted; starts as { 0 }
 * @options:    for the readers
 * @targets:    @nr_targets events; with none, all of the root
 * @key:        by which is counted
 * @model:      the counts
 * @reader:     NULL: not begun
 * @positions:  @nr_positions of them: as far as that, totals and losses were counted by readers
 * before
 * @behind:     the same for each of the reader's @nr_streams streams, as it is needed
 * @empty_ns:   when the reader had nothing more the last time
 */
struct top_session {
	struct persist_reader_options options;
	char **targets;
	unsigned int nr_targets;
	struct top_key key;
	struct top_model model;
	struct persist_reader *reader;
	struct persist_position *positions;
	size_t nr_positions;
	uint64_t *behind;
	uint32_t nr_streams;
	uint64_t empty_ns;
};

/*
 * A reader of these events. Returns NULL with errno if it cannot be made or one of the events not
 * be read, which was logged.
 */
struct persist_reader *top_session__new_reader(const struct persist_reader_options *options,
					       char **targets, unsigned int nr_targets);

/**
 * top_session__begin() - begin to count, or go on with another key
 * @session: its options and targets are set
 * @key:     by which to count, as top_key__parse() takes it
 * @error:   set to what is wrong with the key if -EINVAL is returned
 * @size:    bytes of @error
 *
 * Return: 0; -EINVAL, or -errno as of persist_reader__add(), which was logged; then what was
 * counted before goes on.
 */
int top_session__begin(struct top_session *session, const char *key, char *error, size_t size);

/* Begins anew with zero, with what comes from now on. Returns as top_session__begin(). */
int top_session__restart(struct top_session *session);

void top_session__end(struct top_session *session);

/*
 * Reads and counts, no longer than to @until_ns (CLOCK_BOOTTIME) or little more. Returns 1 if there
 * is more to be read, -EAGAIN if there is nothing at the moment, 0 if nothing will come any more,
 * or another -errno.
 */
int top_session__read(struct top_session *session, uint64_t until_ns);

/* The time to which the counts belong: now, but not after the options' end. */
uint64_t top_session__now(const struct top_session *session);

/**
 * top_session__next_key() - another key by which these events could be counted
 * @session: has begun
 * @first:   the key that the user gave
 *
 * In turn the user's, the parts that every event has, and the fields of the events.
 *
 * Return: the key behind the present one, which the caller frees; NULL without memory.
 */
char *top_session__next_key(const struct top_session *session, const char *first);

#endif
