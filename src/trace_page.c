// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "trace_page.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * The first word of an event has a type or length in 5 bits, and the time since the event before
 * in 27: low bits first on little-endian machines, high bits first on others.
 */
#define TYPE_LEN_BITS	5
#define TIME_DELTA_BITS 27

/* Lengths of up to TYPE_DATA_MAX words are in the first word itself; 0: in the second. */
enum type_len {
	TYPE_LONG = 0,
	TYPE_DATA_MAX = 28,
	TYPE_PADDING = 29,
	TYPE_TIME_EXTEND = 30,
	TYPE_TIME_STAMP = 31,
};

/* Upper bits of the commit word, on machines of 32 bits, too. */
#define COMMIT_MISSED_EVENTS (1u << 31)
#define COMMIT_MISSED_STORED (1u << 30)
#define COMMIT_LENGTH	     ((1u << 20) - 1)

/* Of an absolute time stamp, these are taken from the page's. */
#define TIME_STAMP_BITS 59
#define TIME_STAMP_MASK ((1ull << TIME_STAMP_BITS) - 1)

/* ---- layout ------------------------------------------------------------------------------- */

/* A line such as "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;" */
static bool find_field(const char *text, const char *declaration, size_t *offset, size_t *size)
{
	const char *field = strstr(text, declaration);
	unsigned int found_offset, found_size;

	if (!field || sscanf(field + strlen(declaration), ";\toffset:%u;\tsize:%u;", &found_offset,
			     &found_size) != 2)
		return false;
	*offset = found_offset;
	*size = found_size;
	return true;
}

int trace_page__parse_layout(struct trace_page_layout *layout, const char *text)
{
	size_t time_offset, time_size, data_size;

	if (!find_field(text, "u64 timestamp", &time_offset, &time_size) ||
	    !find_field(text, "local_t commit", &layout->commit_offset, &layout->commit_size) ||
	    !find_field(text, "char data", &layout->data_offset, &data_size))
		return -EBADMSG;
	if (time_offset || time_size != sizeof(uint64_t) ||
	    layout->commit_offset != sizeof(uint64_t) ||
	    (layout->commit_size != 4 && layout->commit_size != 8) ||
	    layout->data_offset != layout->commit_offset + layout->commit_size || !data_size ||
	    data_size > COMMIT_LENGTH)
		return -EBADMSG;
	layout->size = layout->data_offset + data_size;
	return 0;
}

/* ---- pages -------------------------------------------------------------------------------- */

static uint64_t load_long(const uint8_t *at, size_t size)
{
	uint64_t wide;
	uint32_t word;

	if (size == sizeof(wide)) {
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
	memcpy(&word, at, sizeof(word));
	return word;
}

/* Their number is stored behind the data, if there was room for it. */
static void read_lost(struct trace_page *page, const struct trace_page_layout *layout,
		      uint64_t commit, size_t room)
{
	page->has_lost = commit & COMMIT_MISSED_EVENTS;
	if (page->has_lost && commit & COMMIT_MISSED_STORED &&
	    room - page->len >= layout->commit_size)
		page->lost = load_long(page->data + page->len, layout->commit_size);
}

int trace_page__begin(struct trace_page *page, const struct trace_page_layout *layout,
		      const void *start, size_t size)
{
	const uint8_t *bytes = start;
	uint64_t commit;

	memset(page, 0, sizeof(*page));
	if (size < layout->data_offset)
		return -EBADMSG;
	memcpy(&page->page_time, bytes, sizeof(page->page_time));
	page->time = page->page_time;
	commit = load_long(bytes + layout->commit_offset, layout->commit_size);
	page->data = bytes + layout->data_offset;
	page->len = commit & COMMIT_LENGTH;
	if (page->len > size - layout->data_offset) {
		page->len = 0;
		return -EBADMSG;
	}
	read_lost(page, layout, commit, size - layout->data_offset);
	return 0;
}

/* ---- events ------------------------------------------------------------------------------- */

static uint32_t type_len_of(uint32_t word)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return word & ((1u << TYPE_LEN_BITS) - 1);
#else
	return word >> TIME_DELTA_BITS;
#endif
}

static uint32_t time_delta_of(uint32_t word)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return word >> TYPE_LEN_BITS;
#else
	return word & ((1u << TIME_DELTA_BITS) - 1);
#endif
}

/* Takes @bytes from the page; NULL if there are not as many. */
static const uint8_t *take(struct trace_page *page, size_t bytes)
{
	const uint8_t *at = page->data + page->position;

	if (bytes > page->len - page->position) {
		page->is_damaged = true;
		page->position = page->len;
		return NULL;
	}
	page->position += bytes;
	return at;
}

static bool take_word(struct trace_page *page, uint32_t *word)
{
	const uint8_t *at = take(page, sizeof(*word));

	if (at)
		memcpy(word, at, sizeof(*word));
	return at;
}

/* The length in the second word counts that word, too. */
static bool take_long_length(struct trace_page *page, uint32_t *length)
{
	if (!take_word(page, length))
		return false;
	if (*length < sizeof(*length)) {
		page->is_damaged = true;
		page->position = page->len;
		return false;
	}
	*length -= sizeof(*length);
	return true;
}

static bool take_data(struct trace_page *page, uint32_t length, struct trace_page_event *event)
{
	/* The ring pads what it stores to whole words. */
	size_t padded = ((size_t)length + 3) & ~(size_t)3;

	event->data = take(page, padded);
	event->size = length;
	event->time = page->time;
	return event->data;
}

/* What was discarded; without a time it is the rest of the page, and has no length. */
static void skip_padding(struct trace_page *page, uint32_t delta)
{
	uint32_t length;

	if (!delta) {
		page->position = page->len;
		return;
	}
	page->time += delta;
	if (take_long_length(page, &length))
		take(page, length);
}

bool trace_page__next(struct trace_page *page, struct trace_page_event *event)
{
	uint32_t word, type_len, delta, length, high;

	while (page->position < page->len && take_word(page, &word)) {
		type_len = type_len_of(word);
		delta = time_delta_of(word);
		switch (type_len) {
		case TYPE_PADDING:
			skip_padding(page, delta);
			break;
		case TYPE_TIME_EXTEND:
			if (take_word(page, &high))
				page->time += delta + ((uint64_t)high << TIME_DELTA_BITS);
			break;
		case TYPE_TIME_STAMP:
			if (take_word(page, &high))
				page->time = ((delta + ((uint64_t)high << TIME_DELTA_BITS)) &
					      TIME_STAMP_MASK) |
					     (page->page_time & ~TIME_STAMP_MASK);
			break;
		case TYPE_LONG:
			page->time += delta;
			return take_long_length(page, &length) && take_data(page, length, event);
		default:
			page->time += delta;
			return take_data(page, type_len * sizeof(uint32_t), event);
		}
	}
	return false;
}
