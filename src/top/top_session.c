// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "top/top_session.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_reader.h"
#include "time_spec.h"

/* How long a record may be on its way to a reader. */
#define HELD_BACK_NSEC NSEC_PER_MSEC

/* ---- beginning and ending ---------------------------------------------------------------- */

struct persist_reader *top_session__new_reader(const struct persist_reader_options *options,
					       char **targets, unsigned int nr_targets)
{
	struct persist_reader *reader = persist_reader__new(options);
	int err = 0;

	if (!reader)
		return NULL;
	if (!nr_targets)
		err = persist_reader__add_all(reader);
	for (unsigned int i = 0; i < nr_targets && !err; i++) {
		err = persist_reader__add(reader, targets[i]);
		/* Named twice is no harm. */
		if (err == -EEXIST)
			err = 0;
	}
	if (!err)
		return reader;
	persist_reader__free(reader);
	errno = -err;
	return NULL;
}

/* Puts the names of the fields of the events, with spaces between them. */
static void list_fields(const struct persist_reader *reader, char *text, size_t size)
{
	const struct persist_event *event;
	const struct persist_field *field;
	size_t length = 0;

	*text = '\0';
	for (uint32_t i = 0; (event = record_reader__event(reader, i)); i++) {
		length += (size_t)snprintf(text + length, size - length, "%s%s has", i ? "; " : "",
					   persist_event__meta(event)->name);
		for (size_t j = 0; length < size && (field = persist_event__field(event, j)); j++)
			length += (size_t)snprintf(text + length, size - length, " %s",
						   persist_field__name(field));
		if (length >= size)
			return;
	}
}

/* That some event has the field. Without any event, one may come that has. */
static bool is_known_part(const struct top_key_part *part, const struct persist_reader *reader)
{
	const struct persist_event *event;

	if (!record_reader__event(reader, 0))
		return true;
	for (uint32_t i = 0; (event = record_reader__event(reader, i)); i++)
		if (top_key__part_is_of(part, event))
			return true;
	return false;
}

static int check_key(const struct top_key *key, const struct persist_reader *reader, char *error,
		     size_t size)
{
	char fields[512];

	for (unsigned int i = 0; i < key->nr; i++) {
		if (is_known_part(&key->parts[i], reader))
			continue;
		list_fields(reader, fields, sizeof(fields));
		snprintf(error, size, "no event has a field \"%.64s\": %s", key->parts[i].name,
			 fields);
		return -EINVAL;
	}
	return 0;
}

static struct persist_position *find_position(const struct top_session *session, uint64_t instance,
					      uint32_t cpu)
{
	for (size_t i = 0; i < session->nr_positions; i++)
		if (session->positions[i].instance == instance && session->positions[i].cpu == cpu)
			return &session->positions[i];
	return NULL;
}

/* How far was counted: further than the reader's positions where it was not as far as those before.
 */
static int keep_positions(struct top_session *session)
{
	struct persist_position *positions, *all, *old;
	int nr = persist_reader__positions(session->reader, &positions);

	if (nr <= 0)
		return nr;
	all = reallocarray(session->positions, session->nr_positions + (size_t)nr, sizeof(*all));
	if (!all) {
		free(positions);
		return -ENOMEM;
	}
	session->positions = all;
	for (int i = 0; i < nr; i++) {
		old = find_position(session, positions[i].instance, positions[i].cpu);
		if (!old)
			all[session->nr_positions++] = positions[i];
		else if (old->seq < positions[i].seq)
			old->seq = positions[i].seq;
	}
	free(positions);
	return 0;
}

static void forget_positions(struct top_session *session)
{
	free(session->positions);
	free(session->behind);
	session->positions = NULL;
	session->behind = NULL;
	session->nr_positions = session->nr_streams = 0;
}

/* The new reader and key take the place of those before. */
static int use_reader(struct top_session *session, struct persist_reader *reader,
		      struct top_key *key)
{
	int err;

	if (session->reader) {
		err = keep_positions(session);
		if (!err)
			err = top_model__begin_rows(&session->model);
	} else {
		err = top_model__init(&session->model, TOP_MAX_ROWS);
	}
	if (err)
		return err;
	persist_reader__free(session->reader);
	top_key__free(&session->key);
	session->reader = reader;
	session->key = *key;
	free(session->behind);
	session->behind = NULL;
	session->nr_streams = 0;
	return 0;
}

int top_session__begin(struct top_session *session, const char *text, char *error, size_t size)
{
	struct persist_reader *reader = NULL;
	struct top_key key = { 0 };
	int err;

	err = top_key__parse(&key, text, error, size);
	if (err)
		return err;
	reader = top_session__new_reader(&session->options, session->targets, session->nr_targets);
	err = reader ? check_key(&key, reader, error, size) : -errno;
	if (!err)
		err = use_reader(session, reader, &key);
	if (err) {
		persist_reader__free(reader);
		top_key__free(&key);
	}
	return err;
}

int top_session__restart(struct top_session *session)
{
	struct top_session fresh = {
		.options = session->options,
		.targets = session->targets,
		.nr_targets = session->nr_targets,
	};
	char error[1];
	int err;

	fresh.options.since_ns = boottime_now();
	fresh.options.last = 0;
	err = top_session__begin(&fresh, session->key.text, error, sizeof(error));
	if (err)
		return err;
	top_session__end(session);
	*session = fresh;
	return 0;
}

void top_session__end(struct top_session *session)
{
	persist_reader__free(session->reader);
	session->reader = NULL;
	forget_positions(session);
	top_key__free(&session->key);
	top_model__destroy(&session->model);
}

/* ---- reading ----------------------------------------------------------------------------- */

/* Looks up how far the totals were counted of a stream that this reader has not given out before.
 */
static int bind_stream(struct top_session *session, const struct persist_item *item, uint32_t cpu)
{
	uint32_t nr = item->stream + 64;
	const struct persist_position *position;
	uint64_t *behind;

	if (item->stream >= session->nr_streams) {
		behind = reallocarray(session->behind, nr, sizeof(*behind));
		if (!behind)
			return -ENOMEM;
		for (uint32_t i = session->nr_streams; i < nr; i++)
			behind[i] = UINT64_MAX;
		session->behind = behind;
		session->nr_streams = nr;
	}
	position = find_position(session, persist_event__meta(item->event)->instance, cpu);
	/* Without one, everything is to be counted: imported records come first. */
	session->behind[item->stream] = position ? position->seq : PERSIST_POSITION_IMPORTED;
	return 0;
}

/* The position behind which the totals count. UINT64_MAX: not known yet. */
static uint64_t counted_seq(const struct top_session *session, uint32_t stream)
{
	return stream < session->nr_streams ? session->behind[stream] : UINT64_MAX;
}

/*
 * Between which times the events of a loss were. Without a record before them, they are as old as
 * the event at most; and what a clear took was before it, what is missing since then behind it.
 */
static void find_times(const struct persist_item *item, uint64_t *after_ns, uint64_t *before_ns)
{
	const struct persist_meta *meta = persist_event__meta(item->event);
	const struct persist_loss *loss = &item->loss;
	bool is_cleared = loss->reason == PERSIST_LOSS_CLEARED;

	*after_ns = loss->after_ns;
	*before_ns = loss->before_ns;
	if (is_cleared && meta->clear_time_ns && meta->clear_time_ns < *before_ns)
		*before_ns = meta->clear_time_ns;
	if (!*after_ns)
		*after_ns = meta->clear_time_ns && !is_cleared ? meta->clear_time_ns
							       : meta->attach_time_ns;
	if (*after_ns > *before_ns)
		*after_ns = *before_ns;
}

static void count_loss(struct top_session *session, const struct persist_item *item,
		       uint64_t counted)
{
	const struct persist_loss *loss = &item->loss;
	uint64_t before = loss->from_seq - 1, after_ns, before_ns;

	if (counted & PERSIST_POSITION_IMPORTED)
		counted = 0;
	if (counted >= loss->to_seq)
		return;
	find_times(item, &after_ns, &before_ns);
	if (before < counted) {
		/* What is not counted yet is the last part of it. */
		after_ns += (uint64_t)((unsigned __int128)(before_ns - after_ns) *
				       (counted - before) / loss->lost);
		before = counted;
	}
	top_model__count_lost(&session->model, loss->reason, loss->to_seq - before, after_ns,
			      before_ns);
}

static int count_record(struct top_session *session, const struct persist_item *item,
			uint64_t counted)
{
	const struct persist_record *record = item->record;
	unsigned char bytes[TOP_KEY_MAX_SIZE];
	int size = top_key__make(&session->key, item, bytes);

	if (size < 0)
		return size;
	/* Of the newest ones only these are wanted, also by the next reader. */
	if (session->options.last) {
		session->options.last = 0;
		session->options.since_ns = record->time_ns;
	}
	top_model__count_in_row(&session->model, bytes, (size_t)size, record->time_ns);
	if ((int64_t)persist_item__position(item) > (int64_t)counted)
		top_model__count(&session->model, record->time_ns);
	return 0;
}

static int count_item(struct top_session *session, const struct persist_item *item)
{
	uint64_t counted = counted_seq(session, item->stream);
	int err;

	if (counted == UINT64_MAX) {
		err = bind_stream(session, item, item->record ? item->record->cpu : item->loss.cpu);
		if (err)
			return err;
		counted = counted_seq(session, item->stream);
	}
	if (item->record)
		return count_record(session, item, counted);
	count_loss(session, item, counted);
	return 0;
}

/* What was recorded before the reader began to look again, but for a moment, has been given out. */
static void note_empty(struct top_session *session)
{
	if (session->empty_ns > HELD_BACK_NSEC)
		session->model.seen_ns = session->empty_ns - HELD_BACK_NSEC;
	session->empty_ns = boottime_now();
}

int top_session__read(struct top_session *session, uint64_t until_ns)
{
	struct persist_item item;
	int ret;

	for (unsigned int items = 0;; items++) {
		if (items % TOP_ITEMS_PER_CLOCK == 0) {
			session->model.latest_ns = boottime_now();
			if (items && session->model.latest_ns >= until_ns)
				return 1;
		}
		ret = persist_reader__next(session->reader, &item);
		if (ret == -EAGAIN)
			note_empty(session);
		if (ret <= 0)
			return ret;
		ret = count_item(session, &item);
		if (ret < 0)
			return ret;
	}
}

uint64_t top_session__now(const struct top_session *session)
{
	uint64_t now = boottime_now();

	return session->options.until_ns && session->options.until_ns < now
		       ? session->options.until_ns
		       : now;
}

/* ---- keys -------------------------------------------------------------------------------- */

/* What there is to choose from: keys with a newline behind each. */
struct choices {
	char *text;
	size_t size;
	FILE *file;
};

static bool has_choice(const struct choices *choices, const char *key)
{
	size_t length = strlen(key);

	for (const char *at = choices->text; *at; at = strchr(at, '\n') + 1)
		if (!strncmp(at, key, length) && at[length] == '\n')
			return true;
	return false;
}

static void add_choice(struct choices *choices, const char *key)
{
	fflush(choices->file);
	if (!has_choice(choices, key))
		fprintf(choices->file, "%s\n", key);
}

static void add_fields(struct choices *choices, const struct persist_event *event)
{
	const struct persist_field *field;
	char *key;

	for (size_t i = 0; (field = persist_event__field(event, i)); i++) {
		if (asprintf(&key, "field:%s", persist_field__name(field)) < 0)
			return;
		add_choice(choices, key);
		free(key);
	}
}

/* The one behind @present, or the first. Returns NULL without memory. */
static char *choice_behind(const struct choices *choices, const char *present)
{
	size_t length = strlen(present);
	const char *next = choices->text;

	for (const char *at = choices->text; *at; at = strchr(at, '\n') + 1)
		if (!strncmp(at, present, length) && at[length] == '\n')
			next = at + length + 1;
	if (!*next)
		next = choices->text;
	return strndup(next, strcspn(next, "\n"));
}

char *top_session__next_key(const struct top_session *session, const char *first)
{
	static const char *const common[] = { "comm", "pid", "tid", "cpu", "event" };
	struct choices choices = { 0 };
	const struct persist_event *event;
	char *next = NULL;

	choices.file = open_memstream(&choices.text, &choices.size);
	if (!choices.file)
		return NULL;
	add_choice(&choices, first);
	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		add_choice(&choices, common[i]);
	for (uint32_t i = 0; (event = record_reader__event(session->reader, i)); i++)
		add_fields(&choices, event);
	if (!fclose(choices.file))
		next = choice_behind(&choices, session->key.text);
	free(choices.text);
	return next;
}
