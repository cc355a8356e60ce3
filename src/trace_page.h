/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * The sub-buffers ("pages") of ftrace's ring buffer, as trace_pipe_raw gives them out.
 *
 * What they look like, the kernel says in events/header_page and events/header_event; what its
 * texts leave open is in include/linux/ring_buffer.h and kernel/trace/ring_buffer.c. A page:
 *
 *	u64 time_stamp	of the first event
 *	long commit	bytes of data, and in the upper bits whether events were lost before it
 *	data		events, one behind the other
 *
 * Nothing in a page is trusted: whatever it holds, nothing outside of it is touched.
 */
#ifndef PERSIST_TRACE_PAGE_H
#define PERSIST_TRACE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the parts of a page are. */
struct trace_page_layout {
	size_t commit_offset;
	size_t commit_size; /* 4 or 8 */
	size_t data_offset;
	size_t size; /* of a page */
};

/* Takes it from the text of events/header_page. Returns 0, or -EBADMSG if it is not understood. */
int trace_page__parse_layout(struct trace_page_layout *layout, const char *text);

struct trace_page {
	const uint8_t *data;
	size_t len, position;
	uint64_t time; /* of the event before; at the start, of the page */
	uint64_t page_time;
	bool is_damaged; /* the rest of the page could not be read */
	bool has_lost;	 /* events in front of this page were overwritten */
	uint64_t lost;	 /* how many, 0 if the page does not say it */
};

struct trace_page_event {
	const uint8_t *data; /* the event's record, from its common fields on */
	size_t size;
	uint64_t time; /* by the clock of the buffer */
};

/* Begins to read the page in @size bytes. Returns 0, or -EBADMSG if it contradicts itself. */
int trace_page__begin(struct trace_page *page, const struct trace_page_layout *layout,
		      const void *start, size_t size);

/* The next event; false at the end of the page, or if it is damaged from here on. */
bool trace_page__next(struct trace_page *page, struct trace_page_event *event);

#endif
