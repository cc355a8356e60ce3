// SPDX-License-Identifier: GPL-2.0-only
/* The records that perf gets: each part is where perf_event_open(2) says that it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "event_format.h"
#include "perf/perf_clock.h"
#include "perf/perf_payload.h"
#include "perf/perf_sample.h"
#include "perf/perf_sideband.h"
#include "perf/record_time.h"
#include "perf/thread_names.h"
#include "time_spec.h"

#define ID   0x1122334455667788ull
#define TIME 987654321012345ull

struct whole_record {
	struct persist_record header;
	char payload[12];
};

static struct whole_record make_record(void)
{
	return (struct whole_record){
		.header = {
			.header_size = sizeof(struct persist_record),
			.size = 12,
			.cpu = 3,
			.pid = 100,
			.tid = 101,
			.comm = "worker",
		},
		.payload = "payload text",
	};
}

static uint64_t word(const void *record, size_t nr)
{
	uint64_t value;

	memcpy(&value, (const char *)record + 8 + 8 * nr, sizeof(value));
	return value;
}

static uint64_t pair(uint32_t first, uint32_t second)
{
	uint32_t both[2] = { first, second };
	uint64_t value;

	memcpy(&value, both, sizeof(value));
	return value;
}

/* ---- samples ------------------------------------------------------------------------------- */

static void test_sample(void **state)
{
	const struct perf_sample_format format = {
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
			       PERF_SAMPLE_PHYS_ADDR,
		.id = ID,
		.period = 10,
		.common_type = 0x4241,
	};
	const struct whole_record record = make_record();
	char bytes[PERF_SAMPLE_MAX];
	size_t size = perf_sample__size(&format, &record.header);
	uint32_t raw_size;

	(void)state;
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(perf_sample__write(&format, &record.header, TIME, bytes), size);
	assert_int_equal(size, 8 + 6 * 8 + 16 + 3 * 8);
	assert_int_equal(((struct perf_event_header *)bytes)->size, size);
	assert_int_equal(((struct perf_event_header *)bytes)->type, PERF_RECORD_SAMPLE);
	assert_true(word(bytes, 0) == ID);
	assert_true(word(bytes, 1) == 0);
	assert_true(word(bytes, 2) == pair(100, 101));
	assert_true(word(bytes, 3) == TIME);
	assert_true(word(bytes, 4) == pair(3, 0));
	assert_true(word(bytes, 5) == 10);
	memcpy(&raw_size, bytes + 8 + 6 * 8, sizeof(raw_size));
	assert_int_equal(raw_size, 12);
	assert_memory_equal(bytes + 8 + 6 * 8 + 4, &format.common_type, 2);
	assert_memory_equal(bytes + 8 + 6 * 8 + 4 + 2, "yload text", 10);
	for (size_t i = 8; i < 11; i++)
		assert_true(word(bytes, i) == 0);
	assert_int_equal((unsigned char)bytes[size], 0xff);
}

/* Both bits stand for one word. */
static void test_weights(void **state)
{
	struct perf_sample_format format = { .sample_type = PERF_SAMPLE_WEIGHT };
	const struct whole_record record = make_record();

	(void)state;
	assert_int_equal(perf_sample__size(&format, &record.header), 16);
	format.sample_type |= PERF_SAMPLE_WEIGHT_STRUCT;
	assert_int_equal(perf_sample__size(&format, &record.header), 16);
	format.sample_type |= PERF_SAMPLE_TRANSACTION;
	assert_int_equal(perf_sample__size(&format, &record.header), 24);
}

/* ---- payloads ------------------------------------------------------------------------------ */

static const char format_text[] =
	"name: damaged\nID: 77\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:__data_loc char[] text;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u8[] bytes;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] near;\toffset:16;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"%s\", __get_str(text)\n";

#define WORDS_END		 20 /* behind the last location word */
#define PAYLOAD_SIZE		 28
#define LOCATION(length, offset) ((uint32_t)(length) << 16 | (offset))

struct payload {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	uint32_t text, bytes, near;
	char rest[PAYLOAD_SIZE - WORDS_END];
};

/* What perf gets of a record with these location words, and @rest behind them. */
static struct payload write_payload(uint32_t text, uint32_t bytes, uint32_t near, const char *rest)
{
	struct {
		struct persist_record header;
		struct payload payload;
	} record = {
		.header = { .header_size = sizeof(record.header), .size = PAYLOAD_SIZE },
		.payload = { .type = 0xffff,
			     .flags = 0xff,
			     .pid = 5,
			     .text = text,
			     .bytes = bytes,
			     .near = near },
	};
	struct payload written;
	struct event_format *format;

	memcpy(record.payload.rest, rest, sizeof(record.payload.rest));
	assert_int_equal(event_format__parse(format_text, strlen(format_text), &format), 0);
	perf_payload__write(format, 77, &record.header, (char *)&written);
	event_format__free(format);
	assert_int_equal(written.type, 77);
	assert_int_equal(written.pid, 5);
	return written;
}

static void test_sound_payload(void **state)
{
	struct payload written = write_payload(LOCATION(4, WORDS_END), LOCATION(4, WORDS_END + 4),
					       LOCATION(4, 0), "abc\0\1\2\3\4");

	(void)state;
	assert_int_equal(written.text, LOCATION(4, WORDS_END));
	assert_int_equal(written.bytes, LOCATION(4, WORDS_END + 4));
	assert_int_equal(written.near, LOCATION(4, 0));
	assert_int_equal(written.flags, 0xff);
	assert_memory_equal(written.rest, "abc\0\1\2\3\4", 8);
}

/* Where an array or a string begins that is not in the record, there is an empty one. */
static void test_locations_outside(void **state)
{
	static const uint32_t outside[] = {
		LOCATION(0, PAYLOAD_SIZE + 1),
		LOCATION(1, PAYLOAD_SIZE),
		LOCATION(9, WORDS_END),
		0xffffffff,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
		struct payload written = write_payload(outside[i], outside[i], 0, "abcdefg");

		assert_int_equal(written.text, LOCATION(0, 2));
		assert_int_equal(written.bytes, LOCATION(0, 2));
		assert_int_equal(written.flags, 0);
		assert_int_equal(written.near, 0);
	}
}

/* perf looks for the NUL, however long the string is said to be. */
static void test_string_without_end(void **state)
{
	struct payload written =
		write_payload(LOCATION(8, WORDS_END), LOCATION(8, WORDS_END), 0, "abcdefgh");

	(void)state;
	assert_int_equal(written.text, LOCATION(0, 2));
	assert_int_equal(written.flags, 0);
	assert_int_equal(written.bytes, LOCATION(8, WORDS_END));
	/* A word that counts from its own end can lead to nothing before it. */
	assert_int_equal(written.near, LOCATION(0, 7));
	assert_memory_equal(written.rest, "abcdefg", 8);
}

/* ---- times --------------------------------------------------------------------------------- */

/* What was written is found again, whatever the format is. */
static void test_times(void **state)
{
	static const uint64_t parts = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				      PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
				      PERF_SAMPLE_RAW;
	const struct persist_loss loss = { .lost = 1, .before_ns = TIME, .cpu = 3 };
	const struct whole_record record = make_record();

	(void)state;
	/* All subsets of the parts. */
	for (uint64_t type = parts;; type = (type - 1) & parts) {
		struct perf_event_attr attr = { .sample_type = type | PERF_SAMPLE_TIME,
						.sample_id_all = 1 };
		struct perf_sample_format format = { .sample_type = attr.sample_type, .id = ID };
		_Alignas(8) char sample[PERF_SAMPLE_MAX], lost[PERF_SIDEBAND_MAX];
		uint64_t time, id;

		perf_sample__write(&format, &record.header, TIME, sample);
		perf_lost__write(&format, &loss, lost);
		assert_true(record_time__get(&attr, (void *)sample, &time) && time == TIME);
		assert_true(record_time__get(&attr, (void *)lost, &time) && time == TIME);
		assert_int_equal(record_time__id(&attr, (void *)sample, &id),
				 !!(type & PERF_SAMPLE_IDENTIFIER));
		if (type & PERF_SAMPLE_IDENTIFIER) {
			assert_true(id == ID);
			assert_true(record_time__id(&attr, (void *)lost, &id) && id == ID);
		}
		attr.sample_type = type;
		assert_false(record_time__get(&attr, (void *)sample, &time));
		if (!type)
			break;
	}
}

static void test_short_record(void **state)
{
	const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_TID | PERF_SAMPLE_IDENTIFIER,
		.sample_id_all = 1,
	};
	const struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = 8 };
	uint64_t value;

	(void)state;
	assert_false(record_time__get(&attr, &header, &value));
	assert_false(record_time__id(&attr, &header, &value));
}

/* ---- names of threads ---------------------------------------------------------------------- */

static void found_name(void *context, const struct thread_name *now)
{
	assert_int_equal(now->tid, syscall(SYS_gettid));
	assert_string_equal(now->comm, "a new name here");
	++*(int *)context;
}

static void test_changed_names(void **state)
{
	static struct thread_names names;
	struct whole_record record = make_record();
	int nr = 0;

	(void)state;
	/* No such thread. */
	record.header.pid = record.header.tid = 0x7ffffff0;
	assert_true(thread_names__is_new(&names, &record.header));
	record.header.pid = (uint32_t)getpid();
	record.header.tid = (uint32_t)syscall(SYS_gettid);
	assert_true(thread_names__is_new(&names, &record.header));
	assert_int_equal(prctl(PR_SET_NAME, "a new name here"), 0);
	thread_names__refresh(&names, found_name, &nr);
	assert_int_equal(nr, 1);
	thread_names__refresh(&names, found_name, &nr);
	assert_int_equal(nr, 1);
	memcpy(record.header.comm, "a new name here", 16);
	assert_false(thread_names__is_new(&names, &record.header));
}

/* ---- clocks -------------------------------------------------------------------------------- */

static uint64_t now(clockid_t id)
{
	struct timespec time;

	clock_gettime(id, &time);
	return (uint64_t)time.tv_sec * NSEC_PER_SEC + (uint64_t)time.tv_nsec;
}

/* A time that was taken between two others lies between them on the other clock, too. */
static void test_chosen_clocks(void **state)
{
	static const clockid_t ids[] = { CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME,
					 CLOCK_MONOTONIC_RAW, CLOCK_TAI };
	/* The pair from which is converted is that exact, or the machine was very busy. */
	const uint64_t slack = 20 * NSEC_PER_MSEC;

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		const struct perf_event_attr attr = { .use_clockid = 1, .clockid = ids[i] };
		uint64_t before, boot, after, converted;
		struct perf_clock clock;

		assert_int_equal(perf_clock__init(&clock, &attr), 0);
		before = now(ids[i]);
		boot = boottime_now();
		after = now(ids[i]);
		converted = perf_clock__convert(&clock, boot);
		assert_true(converted + slack >= before && converted <= after + slack);
		perf_clock__destroy(&clock);
	}
}

/* Without going back, and without running away. */
static void test_local_clock(void **state)
{
	const struct perf_event_attr attr = { 0 };
	struct perf_clock clock;
	uint64_t boot = boottime_now(), last = 0, time;
	int err = perf_clock__init(&clock, &attr);

	(void)state;
	if (err)
		assert_int_equal(clock.kind, PERF_CLOCK_BOOTTIME);
	for (uint64_t i = 0; i < 1000; i++) {
		time = perf_clock__convert(&clock, boot + i * NSEC_PER_MSEC);
		assert_true(time >= last);
		if (last)
			assert_in_range(time - last, NSEC_PER_MSEC * 9 / 10,
					NSEC_PER_MSEC * 11 / 10);
		last = time;
	}
	perf_clock__adjust(&clock);
	assert_true(perf_clock__convert(&clock, boot + 999 * NSEC_PER_MSEC) >= last ||
		    last - perf_clock__convert(&clock, boot + 999 * NSEC_PER_MSEC) <
			    NSEC_PER_MSEC * 20);
	perf_clock__destroy(&clock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_sound_payload),
		cmocka_unit_test(test_locations_outside),
		cmocka_unit_test(test_string_without_end),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_short_record),
		cmocka_unit_test(test_changed_names),
		cmocka_unit_test(test_chosen_clocks),
		cmocka_unit_test(test_local_clock),
	};

	return cmocka_run_group_tests_name("perf records", tests, NULL, NULL);
}
