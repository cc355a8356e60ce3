// SPDX-License-Identifier: GPL-2.0-only
/* perf_data: the stream as it is at any moment, the complete file, and what cannot be written. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_event.h"
#include "perf/perf_data.h"
#include "perf/perf_header.h"
#include "perf/perf_records.h"

#define SAMPLE_TYPE                                                                      \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW)

static char directory[] = "/tmp/test_perf_data.XXXXXX";
static char path[64], old_path[64];
static struct persist_event first, second, bare;
static const struct persist_event *const events[] = { &first, &second, &bare };
static const char *const command[] = { "reader", "record", "-e", "mine", NULL };
static struct fake_thing thing;
static struct perf_data *file;
static char message[512];

static void keep_message(void *ctx, enum persist_log_level level, const char *text)
{
	snprintf(message, sizeof(message), "%s", text);
}

static const struct log log = { keep_message, NULL, PERSIST_LOG_WARNING };

static int set_up(void **state)
{
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/perf.data", directory);
	snprintf(old_path, sizeof(old_path), "%s/perf.data.old", directory);
	fake_event_init(&first, fake_format_text);
	fake_event_init(&second, fake_format_text);
	fake_event_init(&bare, NULL);
	first.meta.config = second.meta.config = 77;
	bare.meta.config = 78;
	first.meta.nr_cpus = 6;
	bare.meta.payload_min = 24;
	strcpy(second.meta.name, "other");
	strcpy(bare.meta.name, "bare");
	return 0;
}

static int tear_down(void **state)
{
	fake_event_destroy(&first);
	fake_event_destroy(&second);
	fake_event_destroy(&bare);
	unlink(path);
	unlink(old_path);
	return rmdir(directory);
}

static int begin(void **state)
{
	message[0] = '\0';
	fake_thing_init(&thing, 1, "x");
	return perf_data__open(path, &log, &file) || perf_data__begin(file, events, 3, command);
}

static int end(void **state)
{
	perf_data__close(file);
	file = NULL;
	unlink(path);
	return 0;
}

/* ---- reading --------------------------------------------------------------------------- */

static char *bytes;
static size_t size;

static void read_file(void)
{
	struct stat st;
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	free(bytes);
	size = (size_t)st.st_size;
	bytes = malloc(size + 1);
	assert_non_null(bytes);
	assert_int_equal(read(fd, bytes, size), size);
	close(fd);
}

/* The next record of the stream, or NULL at its end; what follows tracing data is left out. */
static const struct perf_event_header *next_record(size_t *at)
{
	const struct perf_event_header *header = (const void *)(bytes + *at);

	if (*at == size)
		return NULL;
	assert_in_range(*at + sizeof(*header), 0, size);
	assert_in_range(header->size, sizeof(*header), size - *at);
	*at += header->size;
	if (header->type == PERF_RECORD_HEADER_TRACING_DATA) {
		uint32_t length;

		memcpy(&length, header + 1, sizeof(length));
		*at += length;
	}
	return header;
}

static const struct perf_event_header *find(uint32_t type, size_t *at)
{
	const struct perf_event_header *header;

	while ((header = next_record(at)) && header->type != type)
		;
	return header;
}

static unsigned int count(uint32_t type)
{
	size_t at = sizeof(struct perf_pipe_header);
	unsigned int nr = 0;

	while (find(type, &at))
		nr++;
	return nr;
}

static void check_pipe_header(void)
{
	const struct perf_pipe_header *header = (const void *)bytes;

	assert_memory_equal(bytes, "PERFILE2", 8);
	assert_int_equal(header->size, sizeof(*header));
}

/* ---- writing --------------------------------------------------------------------------- */

static void put(const struct persist_event *event, uint32_t stream)
{
	const struct persist_item item = {
		.event = event,
		.record = &thing.record,
		.stream = stream,
	};

	assert_int_equal(perf_data__put(file, &item), 0);
}

static void put_loss(const struct persist_event *event, uint32_t stream)
{
	const struct persist_item item = {
		.event = event,
		.stream = stream,
		.loss = { .lost = 5000000000, .before_ns = 1234, .cpu = 3 },
	};

	assert_int_equal(perf_data__put(file, &item), 0);
}

/* ---- the stream ------------------------------------------------------------------------ */

static void test_beginning(void **state)
{
	const struct perf_event_header *header;
	size_t at = sizeof(struct perf_pipe_header);

	read_file();
	check_pipe_header();
	/* Room for the header that a complete file has. */
	header = next_record(&at);
	assert_int_equal(header->type, PERF_RECORD_HEADER_EVENT_TYPE);
	assert_int_equal(at, sizeof(struct perf_file_header));
	for (uint64_t id = 1; id <= 3; id++) {
		const struct perf_event_attr *attr;

		header = next_record(&at);
		attr = (const void *)(header + 1);
		assert_int_equal(header->type, PERF_RECORD_HEADER_ATTR);
		assert_int_equal(header->size, 8 + 128 + 8);
		assert_int_equal(attr->type, PERF_TYPE_TRACEPOINT);
		assert_int_equal(attr->size, 128);
		assert_int_equal(attr->config, id == 3 ? 78 : 77);
		assert_int_equal(attr->sample_type, SAMPLE_TYPE);
		assert_int_equal(attr->clockid, CLOCK_BOOTTIME);
		assert_true(attr->use_clockid && attr->sample_id_all);
		assert_memory_equal((const char *)attr + 128, &id, sizeof(id));
	}
	header = next_record(&at);
	assert_int_equal(header->type, PERF_RECORD_EVENT_UPDATE);
	assert_string_equal((const char *)(header + 3), "sys:mine");
	header = next_record(&at);
	assert_string_equal((const char *)(header + 3), "sys:other");
	assert_int_equal(count(PERF_RECORD_HEADER_TRACING_DATA), 1);
	/* Everything is aligned, what follows the tracing data as well. */
	at = sizeof(struct perf_pipe_header);
	while ((header = next_record(&at)))
		assert_true(at % 8 == 0 || header->size == 12);
}

static void test_formats(void **state)
{
	static const char substitute[] = "name: thing\nID: 78\n";
	const char *found;

	read_file();
	found = memmem(bytes, size, fake_format_text, strlen(fake_format_text));
	assert_non_null(found);
	/* Two events of the same tracepoint have it once. */
	found++;
	assert_null(memmem(found, size - (size_t)(found - bytes), fake_format_text,
			   strlen(fake_format_text)));
	assert_non_null(memmem(bytes, size, substitute, strlen(substitute)));
}

static void test_sample(void **state)
{
	const struct {
		struct perf_event_header header;
		uint64_t id;
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, reserved;
		uint64_t period;
		uint32_t raw_size;
	} __attribute__((packed)) expected = {
		.header = { .type = PERF_RECORD_SAMPLE,
			    .misc = PERF_RECORD_MISC_KERNEL,
			    .size = 8 + 8 + 8 + 8 + 8 + 8 + 4 + 28 },
		.id = 2,
		.pid = thing.record.pid,
		.tid = 101,
		.time = 1234567890987,
		.cpu = 3,
		.period = 1,
		.raw_size = 28,
	};
	const uint16_t common_type = (uint16_t)second.meta.config;
	const struct perf_event_header *header;
	size_t at = sizeof(struct perf_pipe_header);
	const char *payload;

	put(&second, 7);
	read_file();
	assert_int_equal(count(PERF_RECORD_SAMPLE), 0);
	assert_int_equal(perf_data__flush(file), 0);
	read_file();
	check_pipe_header();
	header = find(PERF_RECORD_SAMPLE, &at);
	assert_memory_equal(header, &expected, sizeof(expected));
	payload = (const char *)header + sizeof(expected);
	/* Whatever the record says: by this perf looks up the event. */
	assert_memory_equal(payload, &common_type, sizeof(common_type));
	assert_memory_equal(payload + sizeof(common_type),
			    (const char *)persist_record__payload(&thing.record) +
				    sizeof(common_type),
			    thing.record.size - sizeof(common_type));
	header = next_record(&at);
	assert_int_equal(header->type, PERF_RECORD_FINISHED_ROUND);
	assert_null(next_record(&at));
	/* Nothing came: nothing is written. */
	assert_int_equal(perf_data__flush(file), 0);
	at = size;
	read_file();
	assert_int_equal(size, at);
}

static void test_comm(void **state)
{
	const struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char comm[8];
		uint32_t id_pid, id_tid;
		uint64_t time;
		uint32_t cpu, reserved;
		uint64_t id;
	} expected = {
		.header = { .type = PERF_RECORD_COMM, .size = sizeof(expected) },
		.pid = thing.record.pid,
		.tid = 101,
		.comm = "bash",
		.id_pid = thing.record.pid,
		.id_tid = 101,
		.time = 1234567890987,
		.cpu = 3,
		.id = 1,
	};
	const struct perf_event_header *header;
	size_t at = sizeof(struct perf_pipe_header);

	put(&first, 0);
	put(&first, 0);
	memcpy(thing.record.comm, "sixteen letters!", 16);
	put(&first, 0);
	thing.record.tid = thing.record.pid = 0;
	put(&first, 0);
	assert_int_equal(perf_data__flush(file), 0);
	read_file();
	header = find(PERF_RECORD_COMM, &at);
	assert_memory_equal(header, &expected, sizeof(expected));
	assert_int_equal(next_record(&at)->type, PERF_RECORD_SAMPLE);
	assert_int_equal(next_record(&at)->type, PERF_RECORD_SAMPLE);
	header = next_record(&at);
	assert_int_equal(header->type, PERF_RECORD_COMM);
	/* A kernel would have ended it with a NUL. */
	assert_string_equal((const char *)(header + 2), "sixteen letters");
	assert_null(find(PERF_RECORD_COMM, &at));
}

static void test_loss(void **state)
{
	const struct {
		struct perf_event_header header;
		uint64_t id, lost;
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, reserved;
		uint64_t identifier;
	} expected = {
		.header = { .type = PERF_RECORD_LOST, .size = sizeof(expected) },
		.id = 2,
		.lost = 5000000000,
		.pid = UINT32_MAX,
		.tid = UINT32_MAX,
		.time = 1234,
		.cpu = 3,
		.identifier = 2,
	};
	struct perf_data_counts counts;
	size_t at = sizeof(struct perf_pipe_header);

	put_loss(&second, 0);
	assert_int_equal(perf_data__flush(file), 0);
	read_file();
	assert_memory_equal(find(PERF_RECORD_LOST, &at), &expected, sizeof(expected));
	assert_int_equal(perf_data__finish(file, &counts), 0);
	assert_int_equal(counts.samples, 0);
	assert_int_equal(counts.lost, 5000000000);
}

/* The longest records, and so many that the buffer is written now and then. */
static void test_many(void **state)
{
	struct perf_data_counts counts;
	const unsigned int nr = 1000;

	thing.record.size = PERSIST_PAYLOAD_MAX;
	for (unsigned int i = 0; i < nr; i++) {
		thing.value = i;
		put(&first, i % 3);
	}
	read_file();
	check_pipe_header();
	assert_in_range(count(PERF_RECORD_SAMPLE), nr / 2, nr - 1);
	assert_in_range(count(PERF_RECORD_FINISHED_ROUND), 2, 20);
	assert_int_equal(perf_data__flush(file), 0);
	read_file();
	assert_int_equal(count(PERF_RECORD_SAMPLE), nr);
	assert_int_equal(perf_data__finish(file, &counts), 0);
	assert_int_equal(counts.samples, nr);
	read_file();
	assert_int_equal(counts.bytes, size);
}

/* An event that was removed and added again is known, one that is another is left out. */
static void test_added_again(void **state)
{
	struct persist_event again;

	fake_event_init(&again, fake_format_text);
	again.meta.config = 77;
	again.meta.instance = 99;
	put(&first, 0);
	put(&again, 200);
	assert_string_equal(message, "");
	again.meta.config = 79;
	put(&again, 201);
	assert_non_null(strstr(message, "sys:mine was added as another event"));
	put_loss(&again, 201);
	assert_int_equal(perf_data__flush(file), 0);
	read_file();
	assert_int_equal(count(PERF_RECORD_SAMPLE), 2);
	assert_int_equal(count(PERF_RECORD_LOST), 0);
	fake_event_destroy(&again);
}

/* ---- the complete file ----------------------------------------------------------------- */

static struct perf_file_section feature_section(enum perf_feature feature)
{
	const struct perf_file_header *header = (const void *)bytes;
	size_t table = header->data.offset + header->data.size;
	struct perf_file_section section;

	assert_true(header->features[0] >> feature & 1);
	/* As many sections are before it as there are lower bits. */
	table += sizeof(section) *
		 (size_t)__builtin_popcountll(header->features[0] & ((1ull << feature) - 1));
	memcpy(&section, bytes + table, sizeof(section));
	assert_in_range(section.offset + section.size, 1, size);
	return section;
}

static void check_string(enum perf_feature feature, const char *expected)
{
	struct perf_file_section section = feature_section(feature);

	assert_string_equal(bytes + section.offset + sizeof(uint32_t), expected);
}

static void check_words(enum perf_feature feature, const uint64_t *words, size_t nr)
{
	struct perf_file_section section = feature_section(feature);

	assert_int_equal(section.size, nr * sizeof(*words));
	assert_memory_equal(bytes + section.offset, words, section.size);
}

static void check_attrs(void)
{
	const struct perf_file_header *header = (const void *)bytes;

	assert_int_equal(header->attr_size, 128 + sizeof(struct perf_file_section));
	assert_int_equal(header->attrs.size, 3 * header->attr_size);
	for (uint64_t id = 1; id <= 3; id++) {
		const char *attr = bytes + header->attrs.offset + (id - 1) * header->attr_size;
		struct perf_file_section ids;

		assert_int_equal(((const struct perf_event_attr *)attr)->config, id == 3 ? 78 : 77);
		memcpy(&ids, attr + 128, sizeof(ids));
		assert_int_equal(ids.size, sizeof(id));
		assert_memory_equal(bytes + ids.offset, &id, sizeof(id));
	}
}

/* The section of the data holds records and nothing else. */
static void check_data(unsigned int nr_samples)
{
	const struct perf_file_header *header = (const void *)bytes;
	size_t at = header->data.offset, whole = size;
	const struct perf_event_header *record;
	unsigned int samples = 0;

	size = header->data.offset + header->data.size;
	while ((record = next_record(&at)))
		samples += record->type == PERF_RECORD_SAMPLE;
	size = whole;
	assert_int_equal(samples, nr_samples);
}

static void test_file(void **state)
{
	const uint64_t times[] = { 1000, 2000 };
	const uint32_t cpus = 6;
	struct perf_file_section section;
	struct perf_data_counts counts;

	thing.record.time_ns = 2000;
	put(&first, 0);
	thing.record.time_ns = 1000;
	put(&bare, 1);
	assert_int_equal(perf_data__finish(file, &counts), 0);
	assert_int_equal(counts.samples, 2);
	read_file();
	assert_int_equal(counts.bytes, size);
	assert_memory_equal(bytes, "PERFILE2", 8);
	assert_int_equal(((const struct perf_file_header *)bytes)->size, 104);
	/* Bit 0 is of no feature. */
	assert_false(((const struct perf_file_header *)bytes)->features[0] & 1);
	check_attrs();
	check_data(2);
	check_words(PERF_FEATURE_SAMPLE_TIME, times, 2);
	section = feature_section(PERF_FEATURE_TRACING_DATA);
	assert_memory_equal(bytes + section.offset, "\x17\x08\x44tracing", 10);
	section = feature_section(PERF_FEATURE_NRCPUS);
	assert_memory_equal(bytes + section.offset, &cpus, sizeof(cpus));
	section = feature_section(PERF_FEATURE_CLOCK_DATA);
	assert_int_equal(section.size, 24);
	section = feature_section(PERF_FEATURE_EVENT_DESC);
	assert_non_null(memmem(bytes + section.offset, section.size, "sys:bare", 9));
	section = feature_section(PERF_FEATURE_CMDLINE);
	assert_non_null(memmem(bytes + section.offset, section.size, "mine", 5));
	check_string(PERF_FEATURE_VERSION, "persist-reader 0.1.0");
}

/* A command line that fits into no record, and more events than do. */
static void test_large_header(void **state)
{
	enum { NR_EVENTS = 600, LENGTH = 100000 };
	static const struct persist_event *many[NR_EVENTS];
	static struct persist_event copies[NR_EVENTS];
	static char argument[LENGTH];
	const char *const long_command[] = { argument, NULL };
	const struct perf_file_header *header;
	struct perf_file_section section;
	struct perf_data_counts counts;

	memset(argument, 'x', LENGTH - 1);
	for (size_t i = 0; i < NR_EVENTS; i++) {
		copies[i] = first;
		snprintf(copies[i].meta.name, sizeof(copies[i].meta.name), "name%zu", i);
		many[i] = &copies[i];
	}
	assert_int_equal(perf_data__open(path, &log, &file), 0);
	assert_int_equal(perf_data__begin(file, many, NR_EVENTS, long_command), 0);
	put(many[NR_EVENTS - 1], 0);
	assert_int_equal(perf_data__finish(file, &counts), 0);
	read_file();
	header = (const void *)bytes;
	assert_int_equal(header->attrs.size, NR_EVENTS * header->attr_size);
	check_data(1);
	section = feature_section(PERF_FEATURE_CMDLINE);
	assert_in_range(section.size, LENGTH, LENGTH + 128);
	section = feature_section(PERF_FEATURE_EVENT_DESC);
	assert_non_null(memmem(bytes + section.offset, section.size, "sys:name599", 12));
	for (size_t i = 0; i < NR_EVENTS; i++)
		event_format__free(copies[i].format == first.format ? NULL : copies[i].format);
}

/* ---- files ----------------------------------------------------------------------------- */

static void test_old_file(void **state)
{
	struct stat st;

	/* What is empty is not worth it. */
	assert_int_equal(close(open(path, O_CREAT | O_WRONLY, 0600)), 0);
	assert_int_equal(perf_data__open(path, &log, &file), 0);
	assert_int_equal(stat(old_path, &st), -1);
	assert_int_equal(perf_data__begin(file, events, 3, command), 0);
	perf_data__close(file);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(perf_data__open(path, &log, &file), 0);
	assert_int_equal(stat(old_path, &st), 0);
	assert_true(st.st_size > 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 0);
}

static void test_full_disk(void **state)
{
	struct perf_data_counts counts;

	assert_int_equal(perf_data__open("/dev/full", &log, &file), 0);
	assert_int_equal(perf_data__begin(file, events, 3, command), -ENOSPC);
	assert_string_equal(message, "cannot write /dev/full: No space left on device");
	assert_int_equal(perf_data__finish(file, &counts), -ENOSPC);
	assert_int_equal(counts.bytes, 0);
}

static void test_closed_pipe(void **state)
{
	char pipe_path[64];
	struct perf_data_counts counts;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	snprintf(pipe_path, sizeof(pipe_path), "/proc/self/fd/%d", ends[1]);
	assert_int_equal(perf_data__open(pipe_path, &log, &file), 0);
	assert_int_equal(perf_data__begin(file, events, 3, command), 0);
	put(&first, 0);
	assert_int_equal(perf_data__check(file), 0);
	close(ends[0]);
	assert_int_equal(perf_data__check(file), -EPIPE);
	assert_non_null(strstr(message, ": nobody reads it any more"));
	assert_int_equal(perf_data__finish(file, &counts), -EPIPE);
	close(ends[1]);
}

static void test_no_file(void **state)
{
	assert_int_equal(perf_data__open("/nonexistent/perf.data", &log, &file), -ENOENT);
	assert_null(file);
	assert_string_equal(message,
			    "cannot create /nonexistent/perf.data: No such file or directory");
}

#define stream_test(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		stream_test(test_beginning),
		stream_test(test_formats),
		stream_test(test_sample),
		stream_test(test_comm),
		stream_test(test_loss),
		stream_test(test_many),
		stream_test(test_added_again),
		stream_test(test_file),
		cmocka_unit_test_teardown(test_large_header, end),
		cmocka_unit_test_teardown(test_old_file, end),
		cmocka_unit_test_teardown(test_full_disk, end),
		cmocka_unit_test_teardown(test_closed_pipe, end),
		cmocka_unit_test(test_no_file),
	};
	int failed = cmocka_run_group_tests(tests, set_up, tear_down);

	free(bytes);
	return failed;
}
