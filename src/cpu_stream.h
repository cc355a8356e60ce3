/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * What one event recorded on one CPU, in the order of its sequence numbers: the records of head
 * and tail, and a loss wherever numbers are missing. Over a clear it goes on from the old buffers
 * to the new ones. What was imported comes before all that, and has no part in its numbers.
 */
#ifndef PERSIST_CPU_STREAM_H
#define PERSIST_CPU_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "event_view.h"
#include "persist_bpf.h"
#include "ring_cursor.h"

struct cpu_stream {
	struct event_view *view;
	struct event_view *successor; /* shown once this view is read to its end; NULL: none */
	uint32_t cpu;
	struct ring_cursor *head, *tail; /* NULL: none, or not mapped */
	struct ring_cursor *current;	 /* the one that gave the last record */
	struct ring_cursor *imported;	 /* older than all of that; NULL: none, or all read */

	uint64_t next_seq;  /* of what comes next; 0: where the stream begins is not known yet */
	uint64_t first_seq; /* smallest number in the buffers of the view; 0: not known yet */
	uint64_t limit_seq; /* nothing behind this one is wanted */
	/*
	 * Everything up to this number was recorded or lost before the rings are looked at: what
	 * they do not show of it is lost.
	 */
	uint64_t complete_seq;
	uint64_t last_time_ns;		  /* of the last record */
	bool is_continued;		  /* the view before was the generation before */
	struct persist_counters complete; /* those that complete_seq was last taken from */
	struct persist_counters reported; /* what was lost, as far as its reason was told */

	/* The item at which the stream stands, after cpu_stream__step() returned true. */
	const struct persist_record *record; /* NULL: a loss */
	struct persist_loss loss;
};

/*
 * Begins at the oldest record of @view, of which the stream takes a share. The view's counters
 * must have been read. Returns 0 or -errno, with a message.
 */
int cpu_stream__init(struct cpu_stream *stream, struct event_view *view, uint32_t cpu);
void cpu_stream__destroy(struct cpu_stream *stream);

/* The last item that was used was at the position @seq. Before the first step. */
void cpu_stream__resume(struct cpu_stream *stream, uint64_t seq);

/*
 * Goes to the next item. False if there is none at the moment. The item before is not valid any
 * more in either case.
 */
bool cpu_stream__step(struct cpu_stream *stream);

/*
 * Reads no further than what @counters have seen. With @is_settled, each event up to there is
 * known to have been dealt with.
 */
void cpu_stream__limit_to(struct cpu_stream *stream, const struct persist_counters *counters,
			  bool is_settled);

/* Reads without a limit from now on. */
static inline void cpu_stream__remove_limit(struct cpu_stream *stream)
{
	stream->limit_seq = UINT64_MAX;
}

/*
 * Each event that @counters has seen has been dealt with: report what the rings do not show of
 * them.
 */
void cpu_stream__set_complete(struct cpu_stream *stream, const struct persist_counters *counters);

/* The buffers were cleared: go on with those of @view, whose counters were read, at the end. */
void cpu_stream__continue_with(struct cpu_stream *stream, struct event_view *view);

/*
 * How far events have been dealt with at the time of @now, given counters of before: an event is
 * counted as seen first, and as recorded or lost last, one after the other. 0 if it is not known.
 */
uint64_t persist_counters__settled(const struct persist_counters *before,
				   const struct persist_counters *now);

#endif
