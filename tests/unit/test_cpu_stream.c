// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpu_stream: head and tail become one sequence, every number is accounted for, and each loss has
 * the reason that can be known.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cpu_stream.h"
#include "fake_imported.h"

#define NR_CPUS (FAKE_CPU + 1)
#define SIZE	4096

/* One event on one CPU, in ordinary memory. */
struct fake_event {
	struct event_view view;
	struct ring_map heads[NR_CPUS], tails[NR_CPUS];
	struct persist_counters counters[NR_CPUS];
	struct fake_ringbuf head;
	struct persist_array_ring *tail;
	struct persist_counters *count; /* of the CPU */
};

static void init_event(struct fake_event *event, enum persist_keep keep, uint32_t generation)
{
	memset(event, 0, sizeof(*event));
	event->view = (struct event_view){
		.users = 1,
		.path = "event",
		.counters_fd = -1, /* the counters are as they stand here */
		.control_fd = -1,
		.doorbell_fd = -1,
		.counters = event->counters,
		.heads = event->heads,
		.tails = event->tails,
		.meta = {
			.record_id = FAKE_EVENT_ID,
			.nr_cpus = NR_CPUS,
			.keep = keep,
			.generation = generation,
		},
	};
	if (keep != PERSIST_KEEP_LATEST) {
		fake_ringbuf_init(&event->head, SIZE, false);
		event->heads[FAKE_CPU].start = event->head.pages;
		event->heads[FAKE_CPU].size = SIZE;
	}
	if (keep != PERSIST_KEEP_OLDEST) {
		event->view.meta.tail_type = PERSIST_TAIL_ARRAY;
		event->tail = fake_array_new(SIZE / PERSIST_UNIT_SIZE);
		event->tails[FAKE_CPU].start = event->tail;
		event->tails[FAKE_CPU].size = fake_array_size(SIZE / PERSIST_UNIT_SIZE);
	}
	event->count = &event->counters[FAKE_CPU];
}

static void destroy_event(struct fake_event *event)
{
	/* The stream has given its shares back. */
	assert_int_equal(event->view.users, 1);
	if (event->head.pages)
		fake_ringbuf_destroy(&event->head);
	free(event->tail);
}

static uint64_t begin(struct fake_event *event)
{
	uint64_t seq = ++event->count->seen;

	if (event->count->generation != event->view.meta.generation || !event->count->first_seq) {
		event->count->generation = event->view.meta.generation;
		event->count->first_seq = seq;
		event->count->head_full = 0;
	}
	return seq;
}

static void write_tail(struct fake_event *event, uint64_t seq)
{
	fake_array_write(event->tail, seq);
	event->count->recorded++;
}

/* What the BPF program does. */
static void record(struct fake_event *event)
{
	uint64_t seq = begin(event);

	if (event->head.pages && !event->count->head_full) {
		if (fake_ringbuf_write(&event->head, seq)) {
			event->count->recorded++;
			return;
		}
		event->count->head_full = 1;
	}
	if (event->tail)
		write_tail(event, seq);
	else
		event->count->lost_ring_full++;
}

#define lose(event, reason)               \
	do {                              \
		begin(event);             \
		(event)->count->reason++; \
	} while (0)

static void init_stream(struct cpu_stream *stream, struct fake_event *event)
{
	assert_int_equal(cpu_stream__init(stream, &event->view, FAKE_CPU), 0);
}

static void expect_records(struct cpu_stream *stream, uint64_t from, uint64_t to)
{
	for (uint64_t seq = from; seq <= to; seq++) {
		assert_true(cpu_stream__step(stream));
		assert_non_null(stream->record);
		assert_int_equal(stream->record->seq, seq);
		assert_true(fake_record_is_whole(stream->record));
	}
}

static void expect_loss(struct cpu_stream *stream, uint64_t from, uint64_t to,
			enum persist_loss_reason reason)
{
	assert_true(cpu_stream__step(stream));
	assert_null(stream->record);
	assert_int_equal(stream->loss.from_seq, from);
	assert_int_equal(stream->loss.to_seq, to);
	assert_int_equal(stream->loss.lost, to - from + 1);
	assert_int_equal(stream->loss.cpu, FAKE_CPU);
	assert_string_equal(persist_loss_reason__name(stream->loss.reason),
			    persist_loss_reason__name(reason));
}

static void expect_nothing(struct cpu_stream *stream)
{
	assert_false(cpu_stream__step(stream));
	assert_false(cpu_stream__step(stream));
}

/* ---- one generation ---------------------------------------------------------------------- */

static void test_empty(void **state)
{
	struct cpu_stream stream;
	struct fake_event event;

	init_event(&event, PERSIST_KEEP_BOTH, 0);
	init_stream(&stream, &event);
	cpu_stream__limit_to(&stream, event.count, true);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);
	destroy_event(&event);
}

/* Head and tail, with what was overwritten between them. */
static void test_both(void **state)
{
	struct cpu_stream stream;
	struct fake_event event;
	uint64_t head_end, seq;

	init_event(&event, PERSIST_KEEP_BOTH, 0);
	while (!event.count->head_full)
		record(&event);
	head_end = event.count->seen - 1;
	init_stream(&stream, &event);
	cpu_stream__limit_to(&stream, event.count, true);
	expect_records(&stream, 1, head_end + 1);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);

	while (event.count->seen < 1000)
		record(&event);
	init_stream(&stream, &event);
	cpu_stream__limit_to(&stream, event.count, true);
	expect_records(&stream, 1, head_end);
	assert_true(cpu_stream__step(&stream));
	assert_null(stream.record);
	assert_int_equal(stream.loss.reason, PERSIST_LOSS_OVERWRITTEN);
	assert_int_equal(stream.loss.from_seq, head_end + 1);
	assert_int_equal(stream.loss.after_ns, head_end * 1000);
	seq = stream.loss.to_seq + 1;
	assert_int_equal(stream.loss.before_ns, seq * 1000);
	expect_records(&stream, seq, 1000);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);
	destroy_event(&event);
}

/* What comes after the stream was opened is not shown, however much of it there is. */
static void test_limit(void **state)
{
	struct persist_counters now;
	struct cpu_stream stream;
	struct fake_event event;

	init_event(&event, PERSIST_KEEP_LATEST, 0);
	for (int i = 0; i < 10; i++)
		record(&event);
	init_stream(&stream, &event);
	now = *event.count;
	for (int i = 0; i < 10; i++)
		record(&event);
	cpu_stream__limit_to(&stream, &now, true);
	expect_records(&stream, 1, 10);
	expect_nothing(&stream);
	/* A follower then goes on. */
	cpu_stream__remove_limit(&stream);
	expect_records(&stream, 11, 20);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);

	init_stream(&stream, &event);
	now = *event.count;
	while (event.count->seen < 10000)
		record(&event);
	cpu_stream__limit_to(&stream, &now, true);
	expect_loss(&stream, 1, 20, PERSIST_LOSS_OVERWRITTEN);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);
	destroy_event(&event);
}

static void test_oldest(void **state)
{
	struct cpu_stream stream;
	struct fake_event event;
	uint64_t head_end;

	init_event(&event, PERSIST_KEEP_OLDEST, 0);
	while (event.count->seen < 1000)
		record(&event);
	head_end = event.count->recorded;
	init_stream(&stream, &event);
	cpu_stream__limit_to(&stream, event.count, true);
	expect_records(&stream, 1, head_end);
	expect_loss(&stream, head_end + 1, 1000, PERSIST_LOSS_RING_FULL);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);

	/* A follower is told now and then, in ranges that continue each other. */
	init_stream(&stream, &event);
	expect_records(&stream, 1, head_end);
	expect_nothing(&stream);
	cpu_stream__set_complete(&stream, event.count);
	expect_loss(&stream, head_end + 1, 1000, PERSIST_LOSS_RING_FULL);
	expect_nothing(&stream);
	record(&event);
	record(&event);
	expect_nothing(&stream);
	cpu_stream__set_complete(&stream, event.count);
	expect_loss(&stream, 1001, 1002, PERSIST_LOSS_RING_FULL);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);
	destroy_event(&event);
}

/* With the head's lock taken, a record goes to the tail, between two of the head. */
static void test_head_and_tail_mixed(void **state)
{
	struct cpu_stream stream;
	struct fake_event event;

	init_event(&event, PERSIST_KEEP_BOTH, 0);
	record(&event);
	write_tail(&event, begin(&event));
	record(&event);
	write_tail(&event, begin(&event));
	write_tail(&event, begin(&event));
	record(&event);
	init_stream(&stream, &event);
	expect_records(&stream, 1, 6);
	expect_nothing(&stream);
	write_tail(&event, begin(&event));
	record(&event);
	expect_records(&stream, 7, 8);
	record(&event);
	write_tail(&event, begin(&event));
	expect_records(&stream, 9, 10);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);
	destroy_event(&event);
}

/* ---- reasons ----------------------------------------------------------------------------- */

static void test_known_reasons(void **state)
{
	struct cpu_stream stream;
	struct fake_event event;

	init_event(&event, PERSIST_KEEP_LATEST, 0);
	init_stream(&stream, &event);
	lose(&event, lost_nested);
	record(&event);
	expect_loss(&stream, 1, 1, PERSIST_LOSS_NESTED);
	expect_records(&stream, 2, 2);
	lose(&event, lost_ring_busy);
	lose(&event, lost_ring_busy);
	record(&event);
	expect_loss(&stream, 3, 4, PERSIST_LOSS_RING_BUSY);
	expect_records(&stream, 5, 5);
	lose(&event, lost_too_big);
	record(&event);
	expect_loss(&stream, 6, 6, PERSIST_LOSS_TOO_BIG);
	expect_records(&stream, 7, 7);
	lose(&event, lost_no_buffer);
	record(&event);
	expect_loss(&stream, 8, 8, PERSIST_LOSS_NO_BUFFER);
	expect_records(&stream, 9, 9);
	lose(&event, lost_nested);
	expect_nothing(&stream);
	cpu_stream__set_complete(&stream, event.count);
	expect_loss(&stream, 10, 10, PERSIST_LOSS_NESTED);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);
	destroy_event(&event);
}

static void test_unknown_reason(void **state)
{
	struct cpu_stream stream;
	struct fake_event event;

	init_event(&event, PERSIST_KEEP_LATEST, 0);
	init_stream(&stream, &event);
	lose(&event, lost_nested);
	record(&event);
	lose(&event, lost_too_big);
	record(&event);
	expect_loss(&stream, 1, 1, PERSIST_LOSS_UNKNOWN);
	expect_records(&stream, 2, 2);
	expect_loss(&stream, 3, 3, PERSIST_LOSS_UNKNOWN);
	expect_records(&stream, 4, 4);
	/* Once everything has been told, the next one is known again. */
	cpu_stream__set_complete(&stream, event.count);
	expect_nothing(&stream);
	cpu_stream__set_complete(&stream, event.count);
	expect_nothing(&stream);
	lose(&event, lost_too_big);
	record(&event);
	expect_loss(&stream, 5, 5, PERSIST_LOSS_TOO_BIG);
	expect_records(&stream, 6, 6);
	cpu_stream__destroy(&stream);
	destroy_event(&event);
}

/* What a corrupt ring hides is lost, but no counter says so. */
static void test_corrupt(void **state)
{
	struct cpu_stream stream;
	struct fake_event event;

	init_event(&event, PERSIST_KEEP_OLDEST, 0);
	for (int i = 0; i < 5; i++)
		record(&event);
	fake_data(&event.head, 8)[fake_total(64 + fake_payload_size(1))] ^= 1;
	init_stream(&stream, &event);
	cpu_stream__limit_to(&stream, event.count, true);
	expect_records(&stream, 1, 1);
	expect_loss(&stream, 2, 2, PERSIST_LOSS_UNKNOWN);
	expect_records(&stream, 3, 5);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);
	destroy_event(&event);
}

/* A number that was never given out is no record's. */
static void test_seq_from_the_future(void **state)
{
	struct cpu_stream stream;
	struct fake_event event;

	init_event(&event, PERSIST_KEEP_BOTH, 0);
	record(&event);
	fake_ringbuf_write(&event.head, 1ull << 60);
	init_stream(&stream, &event);
	expect_records(&stream, 1, 1);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);
	destroy_event(&event);
}

/* ---- positions and generations ----------------------------------------------------------- */

static void test_resume(void **state)
{
	struct cpu_stream stream;
	struct fake_event event;

	init_event(&event, PERSIST_KEEP_LATEST, 0);
	for (int i = 0; i < 10; i++)
		record(&event);
	init_stream(&stream, &event);
	cpu_stream__resume(&stream, 7);
	expect_records(&stream, 8, 10);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);

	init_stream(&stream, &event);
	cpu_stream__resume(&stream, 10);
	expect_nothing(&stream);
	record(&event);
	expect_records(&stream, 11, 11);
	cpu_stream__destroy(&stream);

	/* A position that does not exist is none. */
	init_stream(&stream, &event);
	cpu_stream__resume(&stream, 12);
	expect_records(&stream, 1, 11);
	cpu_stream__destroy(&stream);
	destroy_event(&event);
}

/* What was cleared is no loss to who comes later, but to who had come as far as that. */
static void test_after_clear(void **state)
{
	struct cpu_stream stream;
	struct fake_event event;

	init_event(&event, PERSIST_KEEP_LATEST, 1);
	event.count->seen = event.count->recorded = 100;
	event.count->first_seq = 1;
	init_stream(&stream, &event);
	cpu_stream__limit_to(&stream, event.count, true);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);

	record(&event);
	init_stream(&stream, &event);
	cpu_stream__limit_to(&stream, event.count, true);
	expect_records(&stream, 101, 101);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);

	lose(&event, lost_nested);
	record(&event);
	init_stream(&stream, &event);
	cpu_stream__resume(&stream, 50);
	cpu_stream__limit_to(&stream, event.count, true);
	expect_loss(&stream, 51, 100, PERSIST_LOSS_CLEARED);
	expect_records(&stream, 101, 101);
	expect_loss(&stream, 102, 102, PERSIST_LOSS_NESTED);
	expect_records(&stream, 103, 103);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);
	destroy_event(&event);
}

/* The buffers are exchanged under a follower: nothing is missing, and nothing comes twice. */
static void test_clear_while_following(void **state)
{
	struct fake_event old, new;
	struct cpu_stream stream;

	init_event(&old, PERSIST_KEEP_LATEST, 0);
	init_event(&new, PERSIST_KEEP_LATEST, 1);
	for (int i = 0; i < 10; i++)
		record(&old);
	init_stream(&stream, &old);
	expect_records(&stream, 1, 5);
	/* The counters are the event's. */
	*new.count = *old.count;
	record(&new);
	record(&new);
	*old.count = *new.count;
	cpu_stream__continue_with(&stream, &new.view);
	expect_records(&stream, 6, 12);
	expect_nothing(&stream);
	assert_int_equal(old.view.users, 1);
	record(&new);
	expect_records(&stream, 13, 13);
	cpu_stream__destroy(&stream);
	destroy_event(&old);
	destroy_event(&new);
}

/* What the full old head had refused is told before what the new one has. */
static void test_clear_of_full_head(void **state)
{
	struct fake_event old, new;
	struct cpu_stream stream;
	uint64_t head_end;

	init_event(&old, PERSIST_KEEP_OLDEST, 0);
	init_event(&new, PERSIST_KEEP_OLDEST, 1);
	while (old.count->seen < 500)
		record(&old);
	head_end = old.count->recorded;
	init_stream(&stream, &old);
	expect_records(&stream, 1, head_end);
	*new.count = *old.count;
	record(&new);
	*old.count = *new.count;
	cpu_stream__continue_with(&stream, &new.view);
	expect_loss(&stream, head_end + 1, 500, PERSIST_LOSS_RING_FULL);
	expect_records(&stream, 501, 501);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);
	destroy_event(&old);
	destroy_event(&new);
}

/* This CPU has recorded nothing since the clear; it does so later. */
static void test_clear_of_idle_cpu(void **state)
{
	struct fake_event old, new;
	struct cpu_stream stream;

	init_event(&old, PERSIST_KEEP_LATEST, 0);
	init_event(&new, PERSIST_KEEP_LATEST, 1);
	record(&old);
	init_stream(&stream, &old);
	*new.count = *old.count;
	cpu_stream__continue_with(&stream, &new.view);
	expect_records(&stream, 1, 1);
	expect_nothing(&stream);
	cpu_stream__set_complete(&stream, new.count);
	expect_nothing(&stream);
	record(&new);
	expect_records(&stream, 2, 2);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);
	destroy_event(&old);
	destroy_event(&new);
}

/* Counters that already speak of new buffers do not make what is in them lost. */
static void test_counters_of_next_generation(void **state)
{
	struct fake_event old, new;
	struct cpu_stream stream;

	init_event(&old, PERSIST_KEEP_LATEST, 0);
	init_event(&new, PERSIST_KEEP_LATEST, 1);
	record(&old);
	lose(&old, lost_nested);
	init_stream(&stream, &old);
	*new.count = *old.count;
	record(&new);
	*old.count = *new.count;
	expect_records(&stream, 1, 1);
	expect_nothing(&stream);
	cpu_stream__set_complete(&stream, old.count);
	expect_loss(&stream, 2, 2, PERSIST_LOSS_NESTED);
	expect_nothing(&stream);
	cpu_stream__continue_with(&stream, &new.view);
	expect_records(&stream, 3, 3);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);
	destroy_event(&old);
	destroy_event(&new);
}

/* ---- what was imported ------------------------------------------------------------------- */

static void import(struct fake_event *event, uint64_t nr)
{
	size_t size;

	event->view.imported.header = fake_imported_new(nr, &size);
	event->view.imported.len = size;
}

static void expect_imported(struct cpu_stream *stream, uint64_t from, uint64_t to)
{
	for (uint64_t seq = from; seq <= to; seq++) {
		expect_records(stream, seq, seq);
		assert_int_equal(stream->record->flags, PERSIST_RECORD_IMPORTED);
	}
}

/* They come first, and nothing counts them; a loss at the beginning stays what it is. */
static void test_imported(void **state)
{
	struct cpu_stream stream;
	struct fake_event event;

	init_event(&event, PERSIST_KEEP_BOTH, 0);
	import(&event, 700);
	lose(&event, lost_nested);
	record(&event);
	init_stream(&stream, &event);
	cpu_stream__limit_to(&stream, event.count, true);
	expect_imported(&stream, 1, 700);
	expect_loss(&stream, 1, 1, PERSIST_LOSS_NESTED);
	assert_int_equal(stream.loss.after_ns, 0);
	expect_records(&stream, 2, 2);
	assert_int_equal(stream.record->flags, 0);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);
	free((void *)event.view.imported.header);
	destroy_event(&event);
}

/* Another CPU has none, and nothing of its own either. */
static void test_imported_elsewhere(void **state)
{
	struct cpu_stream stream;
	struct fake_event event;

	init_event(&event, PERSIST_KEEP_BOTH, 0);
	import(&event, 7);
	assert_int_equal(cpu_stream__init(&stream, &event.view, 0), 0);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);
	free((void *)event.view.imported.header);
	destroy_event(&event);
}

/* A position is in front of everything of our own, or behind all that was imported. */
static void test_resume_imported(void **state)
{
	struct cpu_stream stream;
	struct fake_event event;

	init_event(&event, PERSIST_KEEP_BOTH, 0);
	import(&event, 700);
	for (int i = 0; i < 5; i++)
		record(&event);
	init_stream(&stream, &event);
	cpu_stream__resume(&stream, 650 | PERSIST_POSITION_IMPORTED);
	expect_imported(&stream, 651, 700);
	expect_records(&stream, 1, 5);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);

	init_stream(&stream, &event);
	cpu_stream__resume(&stream, 700 | PERSIST_POSITION_IMPORTED);
	expect_records(&stream, 1, 5);
	cpu_stream__destroy(&stream);

	init_stream(&stream, &event);
	cpu_stream__resume(&stream, 2);
	expect_records(&stream, 3, 5);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);
	free((void *)event.view.imported.header);

	/* They are gone, with a clear: what is left goes on where it was. */
	event.view.imported.header = NULL;
	init_stream(&stream, &event);
	cpu_stream__resume(&stream, 650 | PERSIST_POSITION_IMPORTED);
	expect_records(&stream, 1, 5);
	cpu_stream__destroy(&stream);
	destroy_event(&event);
}

/* Two clears between two looks: a generation was never seen. */
static void test_two_clears(void **state)
{
	struct fake_event old, new;
	struct cpu_stream stream;

	init_event(&old, PERSIST_KEEP_LATEST, 0);
	init_event(&new, PERSIST_KEEP_LATEST, 2);
	record(&old);
	init_stream(&stream, &old);
	*new.count = *old.count;
	new.count->seen = new.count->recorded = 50;
	record(&new);
	*old.count = *new.count;
	cpu_stream__set_complete(&stream, old.count);
	cpu_stream__continue_with(&stream, &new.view);
	expect_records(&stream, 1, 1);
	expect_loss(&stream, 2, 50, PERSIST_LOSS_CLEARED);
	expect_records(&stream, 51, 51);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);
	destroy_event(&old);
	destroy_event(&new);
}

/* A reader that opened the old buffers just before they were exchanged. */
static void test_old_view(void **state)
{
	struct cpu_stream stream;
	struct fake_event event;

	init_event(&event, PERSIST_KEEP_LATEST, 0);
	for (int i = 0; i < 10; i++)
		record(&event);
	event.count->generation = 1;
	event.count->seen = 15;
	event.count->recorded = 15;
	event.count->first_seq = 11;
	init_stream(&stream, &event);
	cpu_stream__limit_to(&stream, event.count, true);
	expect_records(&stream, 1, 10);
	expect_nothing(&stream);
	cpu_stream__destroy(&stream);
	destroy_event(&event);
}

/* ---- counters ---------------------------------------------------------------------------- */

static void test_settled(void **state)
{
	struct persist_counters before = { .seen = 10, .recorded = 9, .busy = 1 };
	struct persist_counters now = before;

	assert_int_equal(persist_counters__settled(&before, &now), 0);
	now.recorded = 10;
	now.busy = 0;
	assert_int_equal(persist_counters__settled(&before, &now), 10);
	now.seen = 12;
	now.recorded = 11;
	now.busy = 1;
	assert_int_equal(persist_counters__settled(&before, &now), 10);
	/* Number 11 has interrupted number 10, which goes on after it. */
	now = before;
	now.seen = 11;
	now.lost_nested = 1;
	assert_int_equal(persist_counters__settled(&before, &now), 0);
	now.recorded = 10;
	now.busy = 0;
	assert_int_equal(persist_counters__settled(&before, &now), 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_both),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_oldest),
		cmocka_unit_test(test_head_and_tail_mixed),
		cmocka_unit_test(test_known_reasons),
		cmocka_unit_test(test_unknown_reason),
		cmocka_unit_test(test_corrupt),
		cmocka_unit_test(test_seq_from_the_future),
		cmocka_unit_test(test_resume),
		cmocka_unit_test(test_imported),
		cmocka_unit_test(test_imported_elsewhere),
		cmocka_unit_test(test_resume_imported),
		cmocka_unit_test(test_after_clear),
		cmocka_unit_test(test_clear_while_following),
		cmocka_unit_test(test_clear_of_full_head),
		cmocka_unit_test(test_clear_of_idle_cpu),
		cmocka_unit_test(test_counters_of_next_generation),
		cmocka_unit_test(test_two_clears),
		cmocka_unit_test(test_old_view),
		cmocka_unit_test(test_settled),
	};

	return cmocka_run_group_tests_name("cpu_stream", tests, NULL, NULL);
}
