// SPDX-License-Identifier: GPL-2.0-only
#include "perf/record_time.h"

#include <stddef.h>
#include <string.h>

/*
 * A word of a record: counted from its beginning behind the header, or from its end. False if it is
 * too short.
 */
static bool word_from_begin(const struct perf_event_header *record, int nr, uint64_t *word)
{
	size_t at = sizeof(*record) + (size_t)nr * sizeof(*word);

	if (at + sizeof(*word) > record->size)
		return false;
	memcpy(word, (const char *)record + at, sizeof(*word));
	return true;
}

static bool word_from_end(const struct perf_event_header *record, int nr, uint64_t *word)
{
	size_t back = ((size_t)nr + 1) * sizeof(*word);

	if (sizeof(*record) + back > record->size)
		return false;
	memcpy(word, (const char *)record + record->size - back, sizeof(*word));
	return true;
}

static bool is_sample(const struct perf_event_header *record)
{
	return record->type == PERF_RECORD_SAMPLE;
}

static int count(const struct perf_event_attr *attr, uint64_t parts)
{
	return __builtin_popcountll(attr->sample_type & parts);
}

bool record_time__id(const struct perf_event_attr *attr, const struct perf_event_header *record,
		     uint64_t *id)
{
	if (!(attr->sample_type & PERF_SAMPLE_IDENTIFIER))
		return false;
	return is_sample(record) ? word_from_begin(record, 0, id) : word_from_end(record, 0, id);
}

bool record_time__get(const struct perf_event_attr *attr, const struct perf_event_header *record,
		      uint64_t *time)
{
	if (!(attr->sample_type & PERF_SAMPLE_TIME))
		return false;
	if (is_sample(record))
		return word_from_begin(
			record,
			count(attr, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID),
			time);
	return attr->sample_id_all &&
	       word_from_end(record,
			     count(attr, PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
						 PERF_SAMPLE_IDENTIFIER),
			     time);
}
