// SPDX-License-Identifier: GPL-2.0-only
/* boot_boundary: which records of a boot trace come before everything that our program saw. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "boot_import.h"

#define MAX 16
#define MS  1000000ull

/* As the kernel writes an event with one number. */
struct payload {
	uint16_t type;
	uint8_t flags;
	uint8_t preempt_count;
	int32_t pid;
	uint32_t value;
	uint32_t padding;
	char comm[8];
};

struct own {
	struct persist_record record;
	struct payload payload;
};

static const struct event_format_field value_field = {
	.name = "value",
	.offset = offsetof(struct payload, value),
	.size = sizeof(uint32_t),
};
static const struct event_format_field comm_field = {
	.name = "comm",
	.offset = offsetof(struct payload, comm),
	.size = 8,
	.is_string = true,
};
static const struct event_format_field *const fields[] = { &value_field, &comm_field };
static struct payload payloads[MAX];
static struct trace_record records[MAX];
static const struct trace_record *traced[MAX];
static struct trace_clock boot_clock, free_clock;
static struct own own;
static struct boot_boundary boundary;

static int set_up(void **state)
{
	boot_clock = (struct trace_clock){ .name = "boot" };
	/* 1 ms wrong when it was measured, at 10 s, and 5 ms at the beginning. */
	free_clock = (struct trace_clock){
		.name = "local",
		.offset = 1000,
		.measured_ns = 10000 * MS,
		.measured_error = MS,
	};
	boundary = (struct boot_boundary){
		.traced = traced,
		.clock = &boot_clock,
		.attach_time_ns = 500 * MS,
		.collected_ns = 1000 * MS,
		.fields = fields,
		.nr_fields = 2,
		.tid_offset = offsetof(struct payload, pid),
	};
	return 0;
}

static void trace(uint64_t time, int32_t tid, uint32_t value)
{
	size_t i = boundary.nr++;

	/* What is in no field, and behind the end of a string, is of another event. */
	payloads[i] = (struct payload){
		.type = 77,
		.flags = 1,
		.pid = tid,
		.value = value,
		.padding = 0xdead,
		.comm = "me\0xyz",
	};
	records[i] = (struct trace_record){
		.time = time,
		.data = (const void *)&payloads[i],
		.size = sizeof(payloads[i]),
		.id = 77,
	};
	traced[i] = &records[i];
}

static void see(uint64_t before, uint64_t after)
{
	boundary.seen_before = before;
	boundary.seen_after = after;
}

/* The oldest record that we have. */
static void record(uint64_t seq, uint64_t time, int32_t tid, uint32_t value)
{
	own = (struct own){
		.record = {
			.header_size = sizeof(own.record),
			.size = sizeof(own.payload),
			.seq = seq,
			.time_ns = time,
			.tid = (uint32_t)tid,
		},
		.payload = { .type = 77, .pid = tid, .value = value, .comm = "me" },
	};
	boundary.own = &own.record;
}

static void expect(size_t nr)
{
	assert_int_equal(boot_boundary__find(&boundary), nr);
}

static void test_nothing_seen(void **state)
{
	expect(0);
	trace(1 * MS, 10, 1);
	trace(600 * MS, 10, 2); /* behind the attachment, which takes its time */
	see(0, 0);
	expect(2);
}

/* As many as we saw are ours, whatever they hold. */
static void test_quiet(void **state)
{
	trace(1 * MS, 10, 1);
	trace(2 * MS, 10, 2);
	trace(600 * MS, 10, 1);
	trace(601 * MS, 10, 1);
	see(2, 2);
	record(1, 600 * MS + 500, 10, 1);
	expect(2);
}

/* Others that are the same are within the error of the clock: the number tells. */
static void test_number_beats_clock(void **state)
{
	boundary.clock = &free_clock;
	for (int i = 0; i < 6; i++)
		trace(500 * MS + (uint64_t)i * 1000, 10, 1);
	see(3, 3);
	record(1, 500 * MS + 4000, 10, 1);
	expect(3);
}

/* Events came while the buffer was collected: the numbers say too little, the contents tell. */
static void test_busy(void **state)
{
	trace(1 * MS, 10, 1);
	trace(499 * MS, 10, 2);
	trace(500 * MS, 11, 3);
	trace(501 * MS, 10, 3);
	trace(502 * MS, 10, 4);
	see(1, 7);
	record(1, 501 * MS + 300, 10, 3);
	expect(3);
	/* Of equal ones it is the nearest in time, whichever of the two was called first. */
	boundary.nr = 0;
	for (uint32_t i = 0; i < 5; i++)
		trace(500 * MS + i * 1000, 10, 3);
	record(1, 500 * MS + 2300, 10, 3);
	expect(2);
	record(1, 500 * MS + 2918, 10, 3);
	expect(3);
}

/* It is the same as an older one, but not of the same moment. */
static void test_repeated(void **state)
{
	for (uint32_t i = 0; i < 3; i++)
		trace((500 + 40 * i) * MS, 10, 3);
	trace(581 * MS, 11, 4);
	see(1, 7);
	/* Our program was called first. */
	record(1, 580 * MS - 82, 10, 3);
	expect(2);
	/* It came when all of these had been collected. */
	boundary.collected_ns = 582 * MS;
	record(1, 620 * MS, 10, 3);
	expect(4);
	boundary.collected_ns = 580 * MS + 100;
	boundary.nr = 3;
	record(1, 580 * MS + 400000, 10, 5);
	expect(3);
	/* Only of the last one the kernel's tracing may have been called, and not yet our program.
	 */
	record(1, 580 * MS + 200, 10, 3);
	expect(2);
	trace(580 * MS + 50, 11, 4);
	expect(4);
}

/* The trace has a filter, or was off: numbers lead nowhere, the time of the attachment counts. */
static void test_filtered(void **state)
{
	for (uint32_t i = 0; i < 4; i++)
		trace((1 + i) * MS, 10, i);
	for (uint32_t i = 4; i < 8; i++)
		trace((700 + i) * MS, 10, i);
	see(900, 900);
	record(801, 706 * MS + 300, 10, 6);
	expect(4);
	record(5, 706 * MS + 300, 10, 6);
	expect(4);
	/* Others that were seen are there. */
	record(3, 706 * MS + 300, 10, 6);
	expect(4);
}

/* The first that we saw has been overwritten: count back from the oldest that is left. */
static void test_overwritten(void **state)
{
	for (uint32_t i = 0; i < 8; i++)
		trace((500 + i) * MS, 10, i);
	see(2, 9);
	record(4, 505 * MS + 300, 10, 5);
	expect(2);
	/* The boot trace has lost the first of them, too. */
	record(7, 505 * MS + 300, 10, 5);
	expect(0);
}

/* Nothing of what we saw is in the boot trace. */
static void test_ended_before(void **state)
{
	trace(1 * MS, 10, 1);
	trace(2 * MS, 10, 2);
	see(2, 2);
	record(1, 600 * MS, 10, 2);
	expect(2);
	/* Nor do we have any of it ourselves, or only the end. */
	record(20, 600 * MS, 10, 2);
	expect(2);
	boundary.own = NULL;
	expect(2);
}

static void test_all_ours(void **state)
{
	trace(600 * MS, 10, 1);
	trace(601 * MS, 10, 2);
	see(2, 2);
	record(1, 600 * MS + 10, 10, 1);
	expect(0);
	/* It has lost the first ones. */
	see(9, 9);
	record(1, 590 * MS, 10, 7);
	expect(0);
}

static void test_overwritten_without_records(void **state)
{
	trace(1 * MS, 10, 1);
	trace(600 * MS, 10, 2);
	see(5, 5);
	expect(1); /* by the time of the attachment */
}

/* What is shorter than it should be is compared with nothing. */
static void test_short(void **state)
{
	trace(1 * MS, 10, 1);
	trace(600 * MS, 10, 2);
	records[1].size = 8;
	see(1, 1);
	record(1, 600 * MS, 10, 2);
	expect(1);
}

static void test_clock(void **state)
{
	assert_int_equal(trace_clock__to_boottime(&boot_clock, 5), 5);
	assert_int_equal(trace_clock__error(&boot_clock, 5), 0);
	assert_int_equal(trace_clock__to_boottime(&free_clock, 5), 1005);
	assert_int_equal(trace_clock__error(&free_clock, 10000 * MS), MS);
	assert_int_equal(trace_clock__error(&free_clock, 0), MS + 5 * MS);
	free_clock.offset = -1000;
	assert_int_equal(trace_clock__to_boottime(&free_clock, 1005), 5);
	assert_int_equal(trace_clock__to_boottime(&free_clock, 5), 0);
}

#define test(function) cmocka_unit_test_setup(function, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(test_nothing_seen),
		test(test_quiet),
		test(test_number_beats_clock),
		test(test_busy),
		test(test_repeated),
		test(test_filtered),
		test(test_overwritten),
		test(test_ended_before),
		test(test_all_ours),
		test(test_overwritten_without_records),
		test(test_short),
		test(test_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
