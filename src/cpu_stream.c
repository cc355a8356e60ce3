// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/*
 * One CPU writes the records of an event one after the other, into head or tail, and numbers
 * them before it does so. Hence whoever has seen the record with number N finds each record with
 * a smaller number in the rings if he looks at them afterwards; or it is lost.
 */
#include "cpu_stream.h"

#include <stddef.h>
#include <string.h>

#include "time_spec.h"

/* ---- counters ---------------------------------------------------------------------------- */

static uint64_t dealt_with(const struct persist_counters *counters)
{
	return counters->recorded + persist_counters__lost(counters);
}

uint64_t persist_counters__settled(const struct persist_counters *before,
				   const struct persist_counters *now)
{
	/* Those that interrupted the recording of an older one are counted before that one is. */
	uint64_t nested = now->lost_nested - before->lost_nested;

	if (dealt_with(now) >= now->seen && !now->busy)
		return now->seen;
	if (dealt_with(now) - nested >= before->seen)
		return before->seen;
	return 0;
}

/* Makes sure that the view's counters cover the event @seq. */
static const struct persist_counters *counters_of(struct cpu_stream *stream, uint64_t seq)
{
	const struct persist_counters *counters = &stream->view->counters[stream->cpu];

	if (dealt_with(counters) < seq)
		event_view__read_counters(stream->view);
	return counters;
}

/* Where the view's buffers begin, once this CPU has used them. */
static void learn_first_seq(struct cpu_stream *stream)
{
	const struct persist_counters *counters = &stream->view->counters[stream->cpu];

	if (!stream->first_seq && counters->seen &&
	    counters->generation == stream->view->meta.generation)
		stream->first_seq = counters->first_seq;
	if (!stream->next_seq)
		stream->next_seq = stream->first_seq;
}

/* ---- losses ------------------------------------------------------------------------------ */

/* The kinds of losses that a CPU counts. */
static const struct {
	enum persist_loss_reason reason;
	size_t counter; /* offset in struct persist_counters */
} counted_losses[] = {
	{ PERSIST_LOSS_RING_FULL, offsetof(struct persist_counters, lost_ring_full) },
	{ PERSIST_LOSS_RING_BUSY, offsetof(struct persist_counters, lost_ring_busy) },
	{ PERSIST_LOSS_NESTED, offsetof(struct persist_counters, lost_nested) },
	{ PERSIST_LOSS_TOO_BIG, offsetof(struct persist_counters, lost_too_big) },
	{ PERSIST_LOSS_NO_BUFFER, offsetof(struct persist_counters, lost_no_buffer) },
};

/*
 * Why @lost records are missing that should have been written. Nobody notes down the reason of
 * each; but if only one kind of loss has happened that was not reported yet, it is known.
 */
static enum persist_loss_reason reason_by_counters(struct cpu_stream *stream, uint64_t lost,
						   const struct persist_counters *counters)
{
	enum persist_loss_reason reason = PERSIST_LOSS_UNKNOWN;
	__u64 *reported = NULL;

	for (size_t i = 0; i < sizeof(counted_losses) / sizeof(counted_losses[0]); i++) {
		size_t counter = counted_losses[i].counter;
		const __u64 *total = (const void *)((const char *)counters + counter);
		__u64 *known = (void *)((char *)&stream->reported + counter);

		if (*total <= *known)
			continue;
		if (reported)
			return PERSIST_LOSS_UNKNOWN;
		reason = counted_losses[i].reason;
		reported = known;
	}
	if (reported)
		*reported += lost;
	return reason;
}

/* Once a head that keeps the oldest records is full, it takes no more. */
static bool is_refused_by_full_head(const struct cpu_stream *stream,
				    const struct persist_counters *counters)
{
	return stream->view->meta.keep == PERSIST_KEEP_OLDEST && counters->head_full &&
	       counters->generation == stream->view->meta.generation;
}

static void make_loss(struct cpu_stream *stream, uint64_t to_seq, uint64_t before_ns,
		      enum persist_loss_reason reason)
{
	stream->record = NULL;
	stream->loss = (struct persist_loss){
		.lost = to_seq - stream->next_seq + 1,
		.from_seq = stream->next_seq,
		.to_seq = to_seq,
		.after_ns = stream->last_time_ns,
		.before_ns = before_ns,
		.cpu = stream->cpu,
		.reason = reason,
	};
	stream->next_seq = to_seq + 1;
}

/* Makes the loss of what is missing from next_seq on to @to_seq, or of the first part of it. */
static void explain_gap(struct cpu_stream *stream, uint64_t to_seq, uint64_t before_ns,
			bool is_overwritten, bool is_at_end)
{
	const struct persist_counters *counters = counters_of(stream, to_seq);
	enum persist_loss_reason reason;

	learn_first_seq(stream);
	/* Whoever comes after a clear does not find what was before. */
	if (stream->next_seq < stream->first_seq && !stream->is_continued) {
		make_loss(stream, to_seq < stream->first_seq ? to_seq : stream->first_seq - 1,
			  before_ns, PERSIST_LOSS_CLEARED);
		return;
	}
	if (is_overwritten)
		reason = PERSIST_LOSS_OVERWRITTEN;
	else if (is_at_end && is_refused_by_full_head(stream, counters))
		reason = PERSIST_LOSS_RING_FULL;
	else
		reason = reason_by_counters(stream, to_seq - stream->next_seq + 1, counters);
	make_loss(stream, to_seq, before_ns, reason);
}

/* ---- records ----------------------------------------------------------------------------- */

/* The oldest record of both rings; stream->current is set to its ring. */
static const struct persist_record *peek_oldest(struct cpu_stream *stream)
{
	const struct persist_record *first, *second;

	first = stream->head ? ring_cursor__peek(stream->head) : NULL;
	second = stream->tail ? ring_cursor__peek(stream->tail) : NULL;
	/* The head may have been looked at before the older record was there: see top. */
	if (!first && second && stream->head)
		first = ring_cursor__peek(stream->head);
	if (first && (!second || first->seq < second->seq)) {
		stream->current = stream->head;
		return first;
	}
	stream->current = stream->tail;
	return second;
}

/*
 * The next record, of one ring or the other. In the ring that gave the one before there is, nearly
 * always, the one with the next number.
 */
static const struct persist_record *peek_next(struct cpu_stream *stream)
{
	const struct persist_record *record;

	if (stream->current && stream->next_seq) {
		record = ring_cursor__peek(stream->current);
		if (record && record->seq == stream->next_seq)
			return record;
	}
	return peek_oldest(stream);
}

/* A number that was never given: what looks like a record is none. */
static bool is_from_the_future(struct cpu_stream *stream, const struct persist_record *record)
{
	const struct persist_counters *counters = &stream->view->counters[stream->cpu];

	if (counters->seen < record->seq)
		event_view__read_counters(stream->view);
	return counters->seen < record->seq;
}

/* Stands at @record, or at the loss in front of it. False if it is not to be given out. */
static bool stand_at(struct cpu_stream *stream, const struct persist_record *record)
{
	if (record->seq != stream->next_seq) {
		if (is_from_the_future(stream, record))
			return false;
		learn_first_seq(stream);
		if (!stream->next_seq)
			stream->next_seq = record->seq;
		if (record->seq < stream->next_seq)
			return false;
		if (record->seq > stream->next_seq) {
			explain_gap(stream, record->seq - 1, record->time_ns,
				    ring_cursor__has_overwritten(stream->current), false);
			return true;
		}
	}
	stream->record = record;
	stream->next_seq = record->seq + 1;
	stream->last_time_ns = record->time_ns;
	ring_cursor__advance(stream->current);
	return true;
}

/* Stands at the next imported record. False if there is none, or no other any more. */
static bool stand_at_imported(struct cpu_stream *stream)
{
	if (!stream->imported)
		return false;
	stream->record = ring_cursor__peek(stream->imported);
	if (stream->record) {
		ring_cursor__advance(stream->imported);
		return true;
	}
	ring_cursor__free(stream->imported);
	stream->imported = NULL;
	return false;
}

/* Stands at the loss of what is known to have happened without leaving a record. */
static bool stand_at_missing_end(struct cpu_stream *stream)
{
	if (!stream->complete_seq)
		return false;
	learn_first_seq(stream);
	if (!stream->next_seq || stream->next_seq > stream->complete_seq)
		return false;
	/* The tail may have been overwritten to behind the limit while it was read. */
	explain_gap(stream, stream->complete_seq, boottime_now(),
		    stream->tail && ring_cursor__has_overwritten(stream->tail), true);
	return true;
}

/* ---- life -------------------------------------------------------------------------------- */

static void close_rings(struct cpu_stream *stream)
{
	ring_cursor__free(stream->head);
	ring_cursor__free(stream->tail);
	ring_cursor__free(stream->imported);
	stream->head = stream->tail = stream->current = stream->imported = NULL;
}

static int open_rings(struct cpu_stream *stream)
{
	int err = event_view__open_head(stream->view, stream->cpu, &stream->head);

	if (!err)
		err = event_view__open_tail(stream->view, stream->cpu, &stream->tail);
	if (err)
		close_rings(stream);
	return err;
}

/* Leaves the old view, all of which was read. */
static void adopt_successor(struct cpu_stream *stream)
{
	struct event_view *old = stream->view;

	close_rings(stream);
	stream->view = stream->successor;
	stream->successor = NULL;
	stream->first_seq = 0;
	stream->is_continued = stream->view->meta.generation == old->meta.generation + 1;
	event_view__put(old);
	/* What went wrong was logged; what cannot be read will be reported as lost. */
	open_rings(stream);
	learn_first_seq(stream);
}

int cpu_stream__init(struct cpu_stream *stream, struct event_view *view, uint32_t cpu)
{
	int err;

	memset(stream, 0, sizeof(*stream));
	stream->view = event_view__get(view);
	stream->cpu = cpu;
	stream->limit_seq = UINT64_MAX;
	err = open_rings(stream);
	if (!err)
		err = event_view__open_imported(view, cpu, &stream->imported);
	if (err) {
		cpu_stream__destroy(stream);
		return err;
	}
	learn_first_seq(stream);
	return 0;
}

void cpu_stream__destroy(struct cpu_stream *stream)
{
	close_rings(stream);
	event_view__put(stream->view);
	event_view__put(stream->successor);
	stream->view = stream->successor = NULL;
}

/* Passes over the imported records up to the number @seq. */
static void skip_imported(struct cpu_stream *stream, uint64_t seq)
{
	const struct persist_record *record;

	while (stream->imported && (record = ring_cursor__peek(stream->imported)) &&
	       record->seq <= seq)
		ring_cursor__advance(stream->imported);
}

void cpu_stream__resume(struct cpu_stream *stream, uint64_t seq)
{
	if (seq & PERSIST_POSITION_IMPORTED) {
		skip_imported(stream, seq & ~PERSIST_POSITION_IMPORTED);
	} else if (seq <= stream->view->counters[stream->cpu].seen) {
		skip_imported(stream, UINT64_MAX);
		stream->next_seq = seq + 1;
	}
}

void cpu_stream__limit_to(struct cpu_stream *stream, const struct persist_counters *counters,
			  bool is_settled)
{
	if (counters->generation == stream->view->meta.generation)
		stream->limit_seq = counters->seen;
	else if (counters->generation > stream->view->meta.generation)
		stream->limit_seq = counters->first_seq - 1;
	else
		stream->limit_seq = 0; /* nothing is in these buffers */
	if (is_settled)
		stream->complete_seq = stream->limit_seq;
}

void cpu_stream__set_complete(struct cpu_stream *stream, const struct persist_counters *counters)
{
	uint32_t newer = counters->generation - stream->view->meta.generation;
	uint64_t seq = counters->seen;

	/* Numbers of the next generation are not to be found here, those between two clears never.
	 */
	if (newer == 1)
		seq = counters->first_seq - 1;
	else if (newer > 1 && counters->generation > stream->view->meta.generation)
		return;
	/* All that was counted by the last time has been given out: forget why it was lost. */
	if (stream->next_seq > stream->complete.seen && stream->complete.seen)
		stream->reported = stream->complete;
	stream->complete = *counters;
	if (seq > stream->complete_seq)
		stream->complete_seq = seq;
}

void cpu_stream__continue_with(struct cpu_stream *stream, struct event_view *view)
{
	event_view__put(stream->successor);
	stream->successor = event_view__get(view);
	/* What the old buffers do not show of what came before the new ones will never come. */
	if (view->counters[stream->cpu].generation == view->meta.generation)
		cpu_stream__set_complete(stream, &view->counters[stream->cpu]);
}

bool cpu_stream__step(struct cpu_stream *stream)
{
	const struct persist_record *record;

	if (stand_at_imported(stream))
		return true;
	for (;;) {
		record = peek_next(stream);
		if (record && record->seq <= stream->limit_seq) {
			if (stand_at(stream, record))
				return true;
			ring_cursor__advance(stream->current);
			continue;
		}
		if (stand_at_missing_end(stream))
			return true;
		if (record || !stream->successor)
			return false;
		adopt_successor(stream);
	}
}
