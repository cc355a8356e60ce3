// SPDX-License-Identifier: GPL-2.0-only
#include "perf/perf_sideband.h"

#include <string.h>

#include "perf/perf_put.h"

/* Whose sample is missing, nobody knows. */
#define NO_THREAD UINT32_MAX

/* What follows every record of an event with sample_id_all: "struct sample_id" in the manual. */
struct sample_id_parts {
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	uint32_t cpu;
};

static char *put_sample_id(const struct perf_sample_format *format,
			   const struct sample_id_parts *parts, char *to)
{
	uint64_t type = format->sample_type;

	if (type & PERF_SAMPLE_TID)
		to = perf_put_pair(to, parts->pid, parts->tid);
	if (type & PERF_SAMPLE_TIME)
		to = perf_put_word(to, parts->time);
	if (type & PERF_SAMPLE_ID)
		to = perf_put_word(to, format->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		to = perf_put_word(to, format->id);
	if (type & PERF_SAMPLE_CPU)
		to = perf_put_pair(to, parts->cpu, 0);
	if (type & PERF_SAMPLE_IDENTIFIER)
		to = perf_put_word(to, format->id);
	return to;
}

/* Fills in the header of the record at @start that ends at @end. */
static size_t finish(void *start, const char *end, uint32_t type)
{
	const struct perf_event_header header = {
		.type = type,
		.size = (uint16_t)(end - (char *)start),
	};

	memcpy(start, &header, sizeof(header));
	return header.size;
}

size_t perf_comm__write(const struct perf_sample_format *format,
			const struct persist_record *record, void *to)
{
	const struct sample_id_parts parts = {
		.pid = record->pid,
		.tid = record->tid,
		.time = record->time_ns,
		.cpu = record->cpu,
	};
	char *at = (char *)to + sizeof(struct perf_event_header);
	size_t len = strnlen(record->comm, sizeof(record->comm) - 1);
	size_t padded = (len + sizeof(uint64_t)) & ~(sizeof(uint64_t) - 1);

	at = perf_put_pair(at, record->pid, record->tid);
	memcpy(at, record->comm, len);
	memset(at + len, 0, padded - len);
	at = put_sample_id(format, &parts, at + padded);
	return finish(to, at, PERF_RECORD_COMM);
}

size_t perf_lost__write(const struct perf_sample_format *format, const struct persist_loss *loss,
			void *to)
{
	const struct sample_id_parts parts = {
		.pid = NO_THREAD,
		.tid = NO_THREAD,
		.time = loss->before_ns,
		.cpu = loss->cpu,
	};
	char *at = (char *)to + sizeof(struct perf_event_header);

	at = perf_put_word(at, format->id);
	at = perf_put_word(at, loss->lost);
	at = put_sample_id(format, &parts, at);
	return finish(to, at, PERF_RECORD_LOST);
}
