// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chrome's trace events: valid JSON whatever was recorded, numbers that doubles keep, and a file
 * that can be loaded wherever its writer is killed, and when there is no more room.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <yajl/yajl_parse.h>

#include "export/export_format.h"
#include "fake_event.h"
#include "log.h"

#define PAGE 4096

static struct persist_event event;
static struct fake_thing thing;
static char path[64];
static char message[512]; /* the last one logged */
static void *writer;
static char *bytes; /* of the file, and a NUL */
static size_t size;

static void keep_message(void *ctx, enum persist_log_level level, const char *text)
{
	snprintf(message, sizeof(message), "%s", text);
}

static const struct log test_log = { keep_message, NULL, PERSIST_LOG_WARNING };

static int set_up(void **state)
{
	int fd;

	strcpy(path, "/tmp/test_chrome.XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	close(fd);
	message[0] = '\0';
	fake_event_init(&event, fake_format_text);
	fake_thing_init(&thing, 1, "x");
	return chrome_format.open(path, &test_log, &writer);
}

static int tear_down(void **state)
{
	fake_event_destroy(&event);
	free(bytes);
	bytes = NULL;
	return unlink(path);
}

/* ---- the file ---------------------------------------------------------------------------- */

static void read_file(void)
{
	int fd = open(path, O_RDONLY);
	struct stat st;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	size = (size_t)st.st_size;
	free(bytes);
	bytes = malloc(size + 1);
	assert_non_null(bytes);
	assert_int_equal(read(fd, bytes, size), st.st_size);
	bytes[size] = '\0';
	close(fd);
}

/* One JSON value, and nothing behind it. */
static bool is_valid(const char *text, size_t len)
{
	yajl_handle parser = yajl_alloc(NULL, NULL, NULL);
	bool is_ok = yajl_parse(parser, (const unsigned char *)text, len) == yajl_status_ok &&
		     yajl_complete_parse(parser) == yajl_status_ok;

	yajl_free(parser);
	return is_ok;
}

/* What chrome://tracing does with a file that was cut off: the end is all that may be missing. */
static bool is_valid_once_ended(const char *text, size_t len)
{
	char *copy = malloc(len + 1);
	bool is_ok;

	assert_non_null(copy);
	while (len && strchr(" \n", text[len - 1]))
		len--;
	if (len && text[len - 1] == ',')
		len--;
	memcpy(copy, text, len);
	copy[len] = ']';
	is_ok = is_valid(copy, len + 1);
	free(copy);
	return is_ok;
}

static void put(void)
{
	const struct persist_item item = { .event = &event, .record = &thing.record };

	assert_int_equal(chrome_format.put(writer, &item), 0);
}

static const char *end(void)
{
	assert_int_equal(chrome_format.flush(writer, NULL), 0);
	assert_int_equal(chrome_format.close(writer), 0);
	read_file();
	assert_true(is_valid(bytes, size));
	return bytes;
}

/* ------------------------------------------------------------------------------------------ */

static void test_record(void **state)
{
	put();
	assert_string_equal(
		end(),
		"[\n"
		"{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"CPUs\"}},\n"
		"{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":3,"
		"\"args\":{\"name\":\"CPU 3\"}},\n"
		"{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":3,"
		"\"args\":{\"sort_index\":3}},\n"
		"{\"name\":\"mine\",\"cat\":\"sys\",\"ph\":\"i\",\"s\":\"t\",\"ts\":1234567890.987,"
		"\"pid\":1,\"tid\":3,\"args\":{\"pid\":4000000000,\"tid\":101,\"comm\":\"bash\","
		"\"seq\":12,\"fields\":{\"value\":1,\"name\":\"x\"}}}\n"
		"]\n");
}

/* Microseconds with three digits behind the point, always. */
static void test_times(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} times[] = {
		{ 0, "\"ts\":0.000," },		 { 1, "\"ts\":0.001," },
		{ 999, "\"ts\":0.999," },	 { 1000, "\"ts\":1.000," },
		{ 1234050, "\"ts\":1234.050," }, { UINT64_MAX, "\"ts\":18446744073709551.615," },
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		thing.record.time_ns = times[i].ns;
		put();
	}
	end();
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		assert_non_null(strstr(bytes, times[i].text));
}

/* 2^53 is the last one before which a double has every integer. */
static void test_numbers_of_doubles(void **state)
{
	static const uint64_t values[] = { 9007199254740992, 9007199254740993, UINT64_MAX };

	for (size_t i = 0; i < 3; i++) {
		fake_thing_init(&thing, values[i], "x");
		thing.record.seq = values[i];
		put();
	}
	end();
	assert_non_null(strstr(bytes, "\"seq\":9007199254740992,\"fields\":{\"value\":"
				      "9007199254740992,"));
	assert_non_null(strstr(bytes, "\"seq\":\"9007199254740993\",\"fields\":{\"value\":"
				      "\"9007199254740993\","));
	assert_non_null(strstr(bytes, "\"value\":\"18446744073709551615\""));
}

static void test_loss(void **state)
{
	const struct persist_item item = {
		.event = &event,
		.loss = {
			.lost = 12,
			.from_seq = 13,
			.to_seq = 24,
			.after_ns = 1000,
			.before_ns = 2345,
			.cpu = 5,
			.reason = PERSIST_LOSS_RING_FULL,
		},
	};

	assert_int_equal(chrome_format.put(writer, &item), 0);
	end();
	assert_non_null(strstr(bytes, "\"args\":{\"name\":\"CPU 5\"}"));
	assert_non_null(
		strstr(bytes, "\n{\"name\":\"LOST mine\",\"cat\":\"lost\",\"ph\":\"i\",\"s\":\"t\","
			      "\"ts\":2.345,\"pid\":1,\"tid\":5,\"cname\":\"terrible\",\"args\":{"
			      "\"event\":\"mine\",\"lost\":12,\"reason\":\"ring_full\","
			      "\"from_seq\":13,\"to_seq\":24,\"after_ns\":1000,"
			      "\"before_ns\":2345}}\n]\n"));
}

/* The track of a CPU is named once; a hostile CPU gets none. */
static void test_tracks(void **state)
{
	const char *name;

	put();
	put();
	thing.record.cpu = UINT32_MAX;
	put();
	end();
	name = strstr(bytes, "\"name\":\"thread_name\"");
	assert_non_null(name);
	assert_null(strstr(name + 1, "\"name\":\"thread_name\""));
	assert_non_null(strstr(bytes, "\"tid\":4294967295,"));
}

static void test_any_bytes(void **state)
{
	char name[3] = "";

	for (int first = 1; first < 256; first++)
		for (int second = 0; second < 256; second += first % 7 + 1) {
			name[0] = (char)first;
			name[1] = (char)second;
			fake_thing_init(&thing, 1, name);
			memcpy(thing.record.comm, name, sizeof(name));
			memcpy(event.meta.name, name, sizeof(name));
			memcpy(event.meta.system, name, sizeof(name));
			put();
		}
	end();
}

static void test_no_format(void **state)
{
	fake_event_destroy(&event);
	fake_event_init(&event, NULL);
	thing.record.size = 4;
	thing.record.flags = PERSIST_RECORD_INCOMPLETE;
	memcpy(&thing.common, "\x00\x01\xff\x20", 4);
	put();
	assert_non_null(strstr(end(), "\"seq\":12,\"payload\":\"0001ff20\",\"incomplete\":true}}"));
}

static void put_many(unsigned int nr)
{
	static char name[3700];

	for (unsigned int i = 0; i < nr; i++) {
		size_t len = i * 37 % (i % 10 ? 300 : sizeof(name));

		memset(name, 'a' + (int)(i % 26), len);
		name[len] = '\0';
		fake_thing_init(&thing, i, name);
		put();
	}
}

/* A process is killed between the pages that it writes: after each of them the file is whole. */
static void test_cut_off(void **state)
{
	put_many(3000);
	end();
	assert_true(size > 500000);
	for (size_t at = PAGE; at < size; at += PAGE)
		assert_true(is_valid_once_ended(bytes, at));
	/* The price is some white space. */
	assert_non_null(strstr(bytes, "}}   "));
}

static void test_long_event(void **state)
{
	static char name[8000];

	memset(name, 0xff, sizeof(name) - 1);
	for (int i = 0; i < 10; i++) {
		fake_thing_init(&thing, 1, name);
		put();
	}
	end();
}

static void test_flush(void **state)
{
	for (int i = 0; i < 10; i++) {
		put();
		assert_int_equal(chrome_format.flush(writer, NULL), 0);
		read_file();
		assert_true(is_valid_once_ended(bytes, size));
	}
	end();
}

/* A file that must not get larger than this is as a disk that is full. */
static void limit_file(rlim_t limit)
{
	const struct rlimit rlimit = { limit, RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &rlimit), 0);
}

/* The file then ends with a whole event, and nearly always even with the end of the array. */
static void test_no_room(void **state)
{
	const struct persist_item item = { .event = &event, .record = &thing.record };
	int ended = 0, nr = 0, err;

	chrome_format.close(writer);
	for (rlim_t limit = 1; limit < 200000; limit += 997, nr++) {
		assert_int_equal(chrome_format.open(path, &test_log, &writer), 0);
		limit_file(limit);
		for (int i = 0; i < 3000; i++) {
			fake_thing_init(&thing, (uint64_t)i, "some name");
			err = chrome_format.put(writer, &item);
			if (err)
				break;
		}
		assert_int_equal(err, -EFBIG);
		assert_int_equal(chrome_format.close(writer), 0);
		limit_file(RLIM_INFINITY);
		assert_non_null(strstr(message, path));
		read_file();
		assert_true(size <= limit);
		assert_true(!size || is_valid_once_ended(bytes, size) || is_valid(bytes, size));
		ended += is_valid(bytes, size);
		assert_true(size + 2000 > limit);
	}
	assert_true(ended > nr * 9 / 10);
	assert_int_equal(chrome_format.open(path, &test_log, &writer), 0);
	end();
}

static void test_bad_output(void **state)
{
	void *other;

	end();
	assert_int_equal(chrome_format.open("/nonexistent/x", &test_log, &other), -ENOENT);
	assert_non_null(strstr(message, "/nonexistent/x"));
	assert_int_equal(chrome_format.open("/dev/full", &test_log, &other), 0);
	assert_int_equal(chrome_format.flush(other, NULL), -ENOSPC);
	assert_non_null(strstr(message, "/dev/full: No space left on device"));
	assert_int_equal(chrome_format.close(other), 0);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_record),    TEST(test_times),	  TEST(test_numbers_of_doubles),
		TEST(test_loss),      TEST(test_tracks),  TEST(test_any_bytes),
		TEST(test_no_format), TEST(test_cut_off), TEST(test_long_event),
		TEST(test_flush),     TEST(test_no_room), TEST(test_bad_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
