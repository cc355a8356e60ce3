// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/*
 * One generator is used for all objects. What it refuses (it never should) leaves it in a state
 * of error, in which it does nothing: the result is looked at once per object.
 */
#include "json_output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_gen.h>

#include "event_format.h"
#include "json_string.h"
#include "persist_event.h"
#include "time_spec.h"

/* The wall clock may be set while a reader follows. */
#define OFFSET_VALID_NSEC NSEC_PER_SEC

struct json_output {
	struct line_writer *writer;
	yajl_gen gen;
	int error; /* of the current object */
	int64_t wall_offset;
	uint64_t offset_used_ns; /* record time for which it was taken */
};

static void append(void *context, const char *bytes, size_t size)
{
	struct json_output *output = context;
	char *room = line_writer__reserve(output->writer, size);

	if (!room) {
		output->error = -ENOMEM;
		return;
	}
	memcpy(room, bytes, size);
	line_writer__commit(output->writer, size);
}

struct json_output *json_output__new(struct line_writer *writer)
{
	struct json_output *output = calloc(1, sizeof(*output));

	if (!output)
		return NULL;
	output->writer = writer;
	output->gen = yajl_gen_alloc(NULL);
	if (!output->gen || !yajl_gen_config(output->gen, yajl_gen_print_callback, append, output)) {
		json_output__free(output);
		return NULL;
	}
	output->wall_offset = wall_clock_offset();
	return output;
}

void json_output__free(struct json_output *output)
{
	if (!output)
		return;
	if (output->gen)
		yajl_gen_free(output->gen);
	free(output);
}

/* ---- values ------------------------------------------------------------------------------ */

static void check(struct json_output *output, yajl_gen_status status)
{
	if (status != yajl_gen_status_ok && !output->error)
		output->error = -EINVAL;
}

static void put_key(struct json_output *output, const char *key)
{
	check(output, yajl_gen_string(output->gen, (const unsigned char *)key, strlen(key)));
}

static void put_string(struct json_output *output, const char *key, const char *value, size_t size)
{
	int err;

	put_key(output, key);
	err = json_string__emit(output->gen, value, size);
	if (err && !output->error)
		output->error = err;
}

/* Exact for all 64 bits; yajl_gen_integer() has no more than a long long. */
static void put_number(struct json_output *output, const char *key, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	put_key(output, key);
	check(output, yajl_gen_number(output->gen, digits + at, sizeof(digits) - at));
}

static void put_wall_time(struct json_output *output, const char *key, int64_t wall_ns)
{
	char text[RFC3339_SIZE];

	rfc3339__format(wall_ns, text);
	put_string(output, key, text, RFC3339_SIZE - 1);
}

static void put_time(struct json_output *output, uint64_t time_ns)
{
	/* Records come in the order of time: take the offset anew when they have moved on. */
	if (time_ns - output->offset_used_ns > OFFSET_VALID_NSEC) {
		output->wall_offset = wall_clock_offset();
		output->offset_used_ns = time_ns;
	}
	put_number(output, "time_ns", time_ns);
	put_wall_time(output, "time", (int64_t)time_ns + output->wall_offset);
}

/* ---- objects ----------------------------------------------------------------------------- */

static void put_fields(struct json_output *output, const struct persist_event *event,
		       const struct persist_record *record)
{
	const struct event_format *format = persist_event__format(event);
	int err;

	put_key(output, "fields");
	check(output, yajl_gen_map_open(output->gen));
	if (format) {
		err = event_format__emit_json(format, persist_record__payload(record), record->size,
					      output->gen);
		if (err && !output->error)
			output->error = err;
	}
	check(output, yajl_gen_map_close(output->gen));
}

/* Without a format the payload is not lost. */
static void put_payload(struct json_output *output, const struct persist_record *record)
{
	const unsigned char *payload = persist_record__payload(record);

	put_key(output, "payload");
	check(output, yajl_gen_array_open(output->gen));
	for (uint32_t i = 0; i < record->size; i++)
		check(output, yajl_gen_integer(output->gen, payload[i]));
	check(output, yajl_gen_array_close(output->gen));
}

static void put_record(struct json_output *output, const struct persist_event *event,
		       const struct persist_record *record)
{
	put_string(output, "event", event->meta.name, strlen(event->meta.name));
	put_string(output, "system", event->meta.system, strlen(event->meta.system));
	put_number(output, "id", record->event_id);
	put_number(output, "cpu", record->cpu);
	put_number(output, "seq", record->seq);
	put_time(output, record->time_ns);
	put_number(output, "pid", record->pid);
	put_number(output, "tid", record->tid);
	put_string(output, "comm", record->comm, strnlen(record->comm, PERSIST_COMM_SIZE));
	put_fields(output, event, record);
	if (!persist_event__format(event))
		put_payload(output, record);
	if (record->flags & PERSIST_RECORD_INCOMPLETE) {
		put_key(output, "incomplete");
		check(output, yajl_gen_bool(output->gen, true));
	}
}

static void put_loss(struct json_output *output, const struct persist_event *event,
		     const struct persist_loss *loss)
{
	const char *reason = persist_loss_reason__name(loss->reason);

	put_number(output, "lost", loss->lost);
	put_string(output, "reason", reason, strlen(reason));
	put_string(output, "event", event->meta.name, strlen(event->meta.name));
	put_number(output, "cpu", loss->cpu);
	put_number(output, "from_seq", loss->from_seq);
	put_number(output, "to_seq", loss->to_seq);
}

static void begin_object(struct json_output *output)
{
	output->error = 0;
	yajl_gen_reset(output->gen, NULL);
	check(output, yajl_gen_map_open(output->gen));
}

static int end_object(struct json_output *output)
{
	check(output, yajl_gen_map_close(output->gen));
	append(output, "\n", 1);
	return output->error;
}

int json_output__put(struct json_output *output, const struct persist_item *item)
{
	begin_object(output);
	if (item->record)
		put_record(output, item->event, item->record);
	else
		put_loss(output, item->event, &item->loss);
	return end_object(output);
}

int json_output__put_info(struct json_output *output, const struct persist_event_info *info)
{
	static const char *const keeps[] = { "both", "oldest", "latest" };
	const struct persist_meta *meta = &info->meta;

	begin_object(output);
	put_string(output, "event", meta->name, strlen(meta->name));
	if (info->error) {
		const char *error = strerror(-info->error);

		put_string(output, "error", error, strlen(error));
		return end_object(output);
	}
	put_string(output, "system", meta->system, strlen(meta->system));
	put_string(output, "tracepoint", meta->tracepoint, strlen(meta->tracepoint));
	put_number(output, "id", meta->event_id);
	put_string(output, "keep", keeps[meta->keep], strlen(keeps[meta->keep]));
	put_number(output, "cpus", meta->nr_cpus);
	put_number(output, "head_bytes", meta->head_bytes);
	put_number(output, "tail_bytes", meta->tail_bytes);
	put_number(output, "seen", info->seen);
	put_number(output, "recorded", info->recorded);
	put_number(output, "lost", info->lost);
	put_number(output, "attach_time_ns", meta->attach_time_ns);
	put_wall_time(output, "attach_time", (int64_t)meta->attach_wall_ns);
	return end_object(output);
}
