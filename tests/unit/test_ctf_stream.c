// SPDX-License-Identifier: GPL-2.0-only
/*
 * ctf_stream: the packets of a stream file, and that there are only whole ones wherever the writer
 * is killed and whenever there is no room. The test takes pwrite(2) and ftruncate(2) apart into
 * what the kernel does between two moments at which it can be interrupted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "export/ctf_stream.h"

#define PAGE	     4096
#define HEADER_BYTES 80
#define FILE_NAME    "stream"

static const uint8_t uuid[CTF_UUID_SIZE] = "0123456789abcde";
static char directory_name[] = "/tmp/test_ctf_stream.XXXXXX";
static int directory;

/* ---- the kernel -------------------------------------------------------------------------- */

static long steps_left = LONG_MAX; /* pages and truncations until the writer is killed */
static off_t disk_bytes = LONG_MAX;

static bool is_killed(void)
{
	return steps_left == 0;
}

static void take_step(void)
{
	if (steps_left != LONG_MAX)
		steps_left--;
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
	size_t done = 0;

	while (done < size) {
		size_t part = PAGE - (size_t)(offset + (off_t)done) % PAGE;

		if (part > size - done)
			part = size - done;
		/* Nobody sees what a call returns in which its process was killed. */
		if (is_killed()) {
			errno = EIO;
			return -1;
		}
		if (offset + (off_t)(done + part) > disk_bytes) {
			errno = ENOSPC;
			return done ? (ssize_t)done : -1;
		}
		if (syscall(SYS_pwrite64, fd, (const char *)bytes + done, part,
			    offset + (off_t)done) != (ssize_t)part)
			return -1;
		done += part;
		take_step();
	}
	return (ssize_t)done;
}

int ftruncate(int fd, off_t length)
{
	if (is_killed()) {
		errno = EIO;
		return -1;
	}
	take_step();
	return (int)syscall(SYS_ftruncate, fd, length);
}

/* ---- what is in the file ----------------------------------------------------------------- */

/* An event: its time, its number, its length, and bytes that tell which event they belong to. */
struct event_head {
	uint64_t time_ns;
	uint32_t number;
	uint32_t length;
} __attribute__((packed));

struct header {
	uint32_t magic;
	uint8_t uuid[CTF_UUID_SIZE];
	uint32_t class_id, instance;
	uint64_t begin_ns, end_ns, content_bits, size_bits, discarded, number;
	uint32_t cpu;
} __attribute__((packed));

_Static_assert(sizeof(struct header) == HEADER_BYTES, "layout");

struct found {
	uint32_t events;
	uint64_t discarded;
	uint64_t packets;
	uint64_t losses; /* packets that say that something was discarded */
	uint64_t file_bytes;
};

static uint32_t read_events(const uint8_t *at, const uint8_t *end, const struct header *header,
			    uint32_t number)
{
	uint64_t time_ns = header->begin_ns;

	while (at < end) {
		struct event_head head;

		assert_true((size_t)(end - at) >= sizeof(head));
		memcpy(&head, at, sizeof(head));
		assert_true(head.length <= (size_t)(end - at));
		assert_int_equal(head.number, number);
		assert_in_range(head.time_ns, time_ns, header->end_ns);
		for (uint32_t i = sizeof(head); i < head.length; i++)
			if (at[i] != (uint8_t)number)
				fail_msg("event %u, byte %u", number, i);
		time_ns = head.time_ns;
		at += head.length;
		number++;
	}
	return number;
}

static void read_packet(const uint8_t *at, const struct header *header, const struct header *before,
			struct found *found)
{
	assert_int_equal(header->magic, 0xc1fc1fc1u);
	assert_memory_equal(header->uuid, uuid, sizeof(uuid));
	assert_int_equal(header->class_id, 7);
	assert_int_equal(header->instance, 8);
	assert_int_equal(header->cpu, 9);
	assert_int_equal(header->content_bits % 8, 0);
	assert_int_equal(header->size_bits % 8, 0);
	assert_in_range(header->content_bits / 8, HEADER_BYTES, header->size_bits / 8);
	assert_true(header->begin_ns <= header->end_ns);
	assert_int_equal(header->number, found->packets);
	if (found->packets) {
		assert_true(header->begin_ns >= before->end_ns);
		assert_true(header->discarded >= before->discarded);
		found->losses += header->discarded > before->discarded;
	} else {
		/* With anything else, babeltrace2 would not tell how many were discarded. */
		assert_int_equal(header->discarded, 0);
	}
	found->packets++;
	found->discarded = header->discarded;
	found->events = read_events(at + HEADER_BYTES, at + header->content_bits / 8, header,
				    found->events);
}

static struct found read_file(void)
{
	int fd = openat(directory, FILE_NAME, O_RDONLY);
	struct header header, before = { 0 };
	struct found found = { 0 };
	struct stat st;
	uint8_t *bytes;
	uint64_t at = 0;

	if (fd < 0 && errno == ENOENT)
		return found;
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	found.file_bytes = (uint64_t)st.st_size;
	bytes = malloc(found.file_bytes + 1);
	assert_non_null(bytes);
	assert_int_equal(read(fd, bytes, found.file_bytes), st.st_size);
	close(fd);
	while (at < found.file_bytes) {
		assert_true(found.file_bytes - at >= HEADER_BYTES);
		memcpy(&header, bytes + at, sizeof(header));
		assert_true(header.size_bits / 8 <= found.file_bytes - at);
		read_packet(bytes + at, &header, &before, &found);
		before = header;
		at += header.size_bits / 8;
	}
	free(bytes);
	return found;
}

/* ---- writing it -------------------------------------------------------------------------- */

static void put_event(struct ctf_stream *stream, uint32_t number, uint64_t time_ns, uint32_t length)
{
	struct event_head head = { .number = number, .length = length };

	head.time_ns = ctf_stream__begin_event(stream, time_ns);
	ctf_buffer__put(&stream->buffer, &head, sizeof(head));
	ctf_buffer__fill(&stream->buffer, (uint8_t)number, length - sizeof(head));
	assert_int_equal(ctf_stream__end_event(stream), 0);
}

static struct ctf_stream new_stream(void)
{
	unlinkat(directory, FILE_NAME, 0);
	return (struct ctf_stream){ .uuid = uuid, .class_id = 7, .instance = 8, .cpu = 9 };
}

static int write_stream(struct ctf_stream *stream)
{
	return ctf_stream__write(stream, directory, FILE_NAME);
}

/* What was put when the last write succeeded, and in all. */
struct written {
	uint32_t events, events_put;
	uint64_t discarded, discarded_put;
	int err;
};

/*
 * Short and long events, losses at the beginning, in the middle, and one behind the other; written
 * after one event, after some, and after more than a packet.
 */
static struct written write_much(struct ctf_stream *stream)
{
	struct written written = { 0 };
	uint64_t time_ns = 1000;
	uint32_t length = 16;

	for (uint32_t i = 0; i < 400 && !written.err; i++) {
		if (i % 50 == 0 || i % 50 == 1 || i % 64 == 13) {
			assert_int_equal(ctf_stream__put_loss(stream, i + 1, time_ns, time_ns + 5),
					 0);
			written.discarded_put += i + 1;
		} else {
			put_event(stream, written.events_put++, time_ns, length);
			length = (length * 7 + 3) % 1500 + 16;
			if (i % 111 == 0)
				length = 70000;
		}
		time_ns += 10;
		if (i % 9 && i % 32 > 3)
			continue;
		written.err = write_stream(stream);
		if (written.err)
			break;
		written.events = written.events_put;
		written.discarded = written.discarded_put;
	}
	return written;
}

static void test_whole_file(void **state)
{
	struct ctf_stream stream = new_stream();
	struct written written = write_much(&stream);
	struct found found;

	assert_int_equal(written.err, 0);
	assert_int_equal(write_stream(&stream), 0);
	found = read_file();
	assert_int_equal(found.events, written.events_put);
	assert_int_equal(found.discarded, written.discarded_put);
	assert_int_equal(found.losses, 23);
	/* Losses and ends of packets leave no pages behind that are nearly empty. */
	assert_true(found.file_bytes < found.events * 1600 + found.packets * HEADER_BYTES + 300000);
	ctf_stream__destroy(&stream);
}

static void test_nothing(void **state)
{
	struct ctf_stream stream = new_stream();

	assert_int_equal(write_stream(&stream), 0);
	assert_int_equal(faccessat(directory, FILE_NAME, F_OK, 0), -1);
	ctf_stream__destroy(&stream);
}

/* A follower that brings one event at a time makes no packet for each. */
static void test_grows_in_place(void **state)
{
	struct ctf_stream stream = new_stream();
	struct found found;

	for (uint32_t i = 0; i < 1000; i++) {
		put_event(&stream, i, i, 100);
		assert_int_equal(write_stream(&stream), 0);
		if (i % 100)
			continue;
		found = read_file();
		assert_int_equal(found.events, i + 1);
	}
	found = read_file();
	assert_int_equal(found.events, 1000);
	assert_int_equal(found.packets, 2);
	assert_true(found.file_bytes <= 1000 * 100 + 2 * HEADER_BYTES + PAGE);
	ctf_stream__destroy(&stream);
}

/* A record that comes late has the time of the one before it; hostile ones do not overflow. */
static void test_times(void **state)
{
	struct ctf_stream stream = new_stream();

	assert_int_equal(ctf_stream__begin_event(&stream, 50), 50);
	assert_int_equal(ctf_stream__begin_event(&stream, 40), 50);
	assert_int_equal(ctf_stream__put_loss(&stream, 1, 10, 30), 0);
	assert_int_equal(stream.current.begin_ns, 50);
	assert_int_equal(stream.current.end_ns, 50);
	assert_int_equal(ctf_stream__put_loss(&stream, 1, UINT64_MAX, 60), 0);
	assert_int_equal(stream.current.begin_ns, 60);
	assert_int_equal(ctf_stream__begin_event(&stream, UINT64_MAX), UINT64_C(1) << 62);
	ctf_stream__destroy(&stream);
}

/* Killed after each single page that the kernel has written. */
static void test_killed_anywhere(void **state)
{
	long steps;

	for (steps = 0;; steps++) {
		struct ctf_stream stream = new_stream();
		struct written written;
		struct found found;

		steps_left = steps;
		written = write_much(&stream);
		ctf_stream__destroy(&stream);
		steps_left = LONG_MAX;
		found = read_file();
		if (!written.err)
			break;
		assert_in_range(found.events, written.events, written.events_put);
		assert_in_range(found.discarded, written.discarded, written.discarded_put);
	}
	assert_true(steps > 200);
}

/* Full after each number of bytes; a page of which there is only a part is taken back. */
static void test_full_disk(void **state)
{
	for (disk_bytes = 0; disk_bytes < 350000; disk_bytes += disk_bytes < 9000 ? 1024 : 10000) {
		struct ctf_stream stream = new_stream();
		struct written written = write_much(&stream);
		struct found found = read_file();

		ctf_stream__destroy(&stream);
		assert_int_equal(written.err, -ENOSPC);
		assert_in_range(found.events, written.events, written.events_put);
		assert_in_range(found.discarded, written.discarded, written.discarded_put);
		assert_true(found.file_bytes <= (uint64_t)disk_bytes);
	}
	disk_bytes = LONG_MAX;
}

/* Two events may have one name, one behind the other. */
static void test_name_is_taken(void **state)
{
	struct ctf_stream stream = new_stream(), other = new_stream();

	put_event(&stream, 0, 0, 100);
	assert_int_equal(write_stream(&stream), 0);
	put_event(&other, 0, 0, 100);
	assert_int_equal(write_stream(&other), 0);
	put_event(&other, 1, 0, 100);
	assert_int_equal(write_stream(&other), 0);
	assert_string_equal(stream.file_name, FILE_NAME);
	assert_string_equal(other.file_name, FILE_NAME "-8");
	assert_int_equal(read_file().events, 1);
	assert_int_equal(unlinkat(directory, FILE_NAME "-8", 0), 0);
	ctf_stream__destroy(&stream);
	ctf_stream__destroy(&other);
}

static int set_up(void **state)
{
	if (!mkdtemp(directory_name))
		return -1;
	directory = open(directory_name, O_RDONLY | O_DIRECTORY);
	return directory < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	unlinkat(directory, FILE_NAME, 0);
	close(directory);
	return rmdir(directory_name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_file),	cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_grows_in_place),	cmocka_unit_test(test_times),
		cmocka_unit_test(test_killed_anywhere), cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_name_is_taken),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
