// SPDX-License-Identifier: GPL-2.0-only
#include "perf/perf_sample.h"

#include <string.h>

#include "perf/perf_put.h"

/* The payload, padded so that it and its length, a __u32, are a multiple of 8 bytes. */
static uint32_t raw_size(const struct persist_record *record)
{
	return ((record->size + sizeof(uint32_t) + 7) & ~7u) - sizeof(uint32_t);
}

/* Each of these is one 64-bit word of a sample. */
#define WORDS_BEFORE_RAW                                                                \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

/* So are these, and all of them are 0: an empty array, no registers, no address. */
#define WORDS_BEHIND_RAW (PERF_SAMPLE_SUPPORTED & ~(WORDS_BEFORE_RAW | PERF_SAMPLE_RAW))

static size_t size_of_words(uint64_t sample_type)
{
	size_t nr = (size_t)__builtin_popcountll(sample_type);

	/* Two names for one word. */
	if (sample_type & PERF_SAMPLE_WEIGHT && sample_type & PERF_SAMPLE_WEIGHT_STRUCT)
		nr--;
	return nr * sizeof(uint64_t);
}

size_t perf_sample__size(const struct perf_sample_format *format,
			 const struct persist_record *record)
{
	size_t size = sizeof(struct perf_event_header);

	size += size_of_words(format->sample_type & (WORDS_BEFORE_RAW | WORDS_BEHIND_RAW));
	if (format->sample_type & PERF_SAMPLE_RAW)
		size += sizeof(uint32_t) + raw_size(record);
	return size;
}

static char *put_raw(const struct perf_sample_format *format, const struct persist_record *record,
		     char *to)
{
	uint32_t size = raw_size(record);
	char *end = to + sizeof(size) + size;

	to = perf_put(to, &size, sizeof(size));
	perf_payload__write(format->fields, format->common_type, record, to);
	to += record->size;
	memset(to, 0, (size_t)(end - to));
	return end;
}

size_t perf_sample__write(const struct perf_sample_format *format,
			  const struct persist_record *record, uint64_t time, void *to)
{
	uint64_t type = format->sample_type;
	struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE,
		.misc = PERF_RECORD_MISC_KERNEL,
		.size = (uint16_t)perf_sample__size(format, record),
	};
	char *at = perf_put(to, &header, sizeof(header));

	if (type & PERF_SAMPLE_IDENTIFIER)
		at = perf_put_word(at, format->id);
	if (type & PERF_SAMPLE_IP)
		at = perf_put_word(at, 0);
	if (type & PERF_SAMPLE_TID)
		at = perf_put_pair(at, record->pid, record->tid);
	if (type & PERF_SAMPLE_TIME)
		at = perf_put_word(at, time);
	if (type & PERF_SAMPLE_ADDR)
		at = perf_put_word(at, 0);
	if (type & PERF_SAMPLE_ID)
		at = perf_put_word(at, format->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		at = perf_put_word(at, format->id);
	if (type & PERF_SAMPLE_CPU)
		at = perf_put_pair(at, record->cpu, 0);
	if (type & PERF_SAMPLE_PERIOD)
		at = perf_put_word(at, format->period ? format->period : 1);
	if (type & PERF_SAMPLE_CALLCHAIN)
		at = perf_put_word(at, 0);
	if (type & PERF_SAMPLE_RAW)
		at = put_raw(format, record, at);
	memset(at, 0, size_of_words(type & WORDS_BEHIND_RAW));
	return header.size;
}
