// SPDX-License-Identifier: GPL-2.0-only
/* cursor_file: positions survive any end of the reader, and nothing else is taken for one. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cursor_file.h"

static char directory[] = "/tmp/test_cursor_file.XXXXXX";
static char path[64], output_path[64];
static char last_message[512];

static void receive(void *ctx, enum persist_log_level level, const char *message)
{
	snprintf(last_message, sizeof(last_message), "%s", message);
}

static const struct log log_for_test = { receive, NULL, PERSIST_LOG_DEBUG };

static int make_directory(void **state)
{
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/cursor", directory);
	snprintf(output_path, sizeof(output_path), "%s/output", directory);
	return 0;
}

static int remove_directory(void **state)
{
	return rmdir(directory);
}

static int remove_files(void **state)
{
	unlink(path);
	unlink(output_path);
	last_message[0] = '\0';
	return 0;
}

static struct cursor_file *open_cursor(int output_fd)
{
	struct cursor_file *file;

	assert_int_equal(cursor_file__open(path, output_fd, &log_for_test, &file), 0);
	return file;
}

static const struct persist_meta meta = { .instance = 0x123456789abcdef0, .event_id = 42 };

static uint64_t position_of(struct cursor_file *file, uint32_t cpu)
{
	const struct persist_position *positions;
	size_t nr = cursor_file__positions(file, &positions);

	for (size_t i = 0; i < nr; i++)
		if (positions[i].instance == meta.instance && positions[i].event_id == 42 &&
		    positions[i].cpu == cpu)
			return positions[i].seq;
	return 0;
}

static void set(struct cursor_file *file, uint32_t cpu, uint64_t seq)
{
	int number = cursor_file__find(file, &meta, cpu);

	assert_true(number >= 0);
	cursor_file__set(file, number, seq);
}

static void test_new(void **state)
{
	const struct persist_position *positions;
	struct cursor_file *file = open_cursor(-1);

	assert_int_equal(cursor_file__positions(file, &positions), 0);
	cursor_file__close(file);
	file = open_cursor(-1);
	assert_int_equal(cursor_file__positions(file, &positions), 0);
	cursor_file__close(file);
}

static void test_positions(void **state)
{
	struct cursor_file *file = open_cursor(-1);

	for (int round = 1; round <= 5; round++) {
		for (uint32_t cpu = 0; cpu < 100; cpu++) {
			set(file, cpu, 1);
			set(file, cpu, round * 1000ull + cpu);
		}
		cursor_file__begin_write(file, 10);
		cursor_file__end_write(file);
		set(file, 7, round * 1000000ull);
		cursor_file__begin_write(file, 10);
		cursor_file__end_write(file);
		/* Not written */
		set(file, 8, 5);
		cursor_file__close(file);
		file = open_cursor(-1);
		for (uint32_t cpu = 0; cpu < 100; cpu++)
			assert_int_equal(position_of(file, cpu),
					 cpu == 7 ? round * 1000000 : round * 1000 + (int)cpu);
	}
	cursor_file__close(file);
}

/* Other events keep their positions. */
static void test_other_events(void **state)
{
	const struct persist_meta other = { .instance = 5, .event_id = 42 };
	const struct persist_position *positions;
	struct cursor_file *file = open_cursor(-1);
	int number = cursor_file__find(file, &other, 0);

	cursor_file__set(file, number, 77);
	cursor_file__end_write(file);
	cursor_file__close(file);
	file = open_cursor(-1);
	set(file, 0, 1);
	cursor_file__end_write(file);
	cursor_file__close(file);
	file = open_cursor(-1);
	assert_int_equal(cursor_file__positions(file, &positions), 2);
	assert_int_equal(positions[0].instance, 5);
	assert_int_equal(positions[0].seq, 77);
	assert_int_equal(position_of(file, 0), 1);
	cursor_file__close(file);
}

static void test_no_room(void **state)
{
	struct cursor_file *file = open_cursor(-1);
	int number = 0;

	for (uint32_t cpu = 0; number >= 0; cpu++)
		number = cursor_file__find(file, &meta, cpu);
	assert_int_equal(number, -ENOSPC);
	assert_non_null(strstr(last_message, path));
	cursor_file__close(file);
}

static void test_lock(void **state)
{
	struct cursor_file *file = open_cursor(-1), *second;

	assert_int_equal(cursor_file__open(path, -1, &log_for_test, &second), -EBUSY);
	assert_null(second);
	assert_non_null(strstr(last_message, path));
	assert_non_null(strstr(last_message, "another reader"));
	cursor_file__close(file);
}

/* Somebody cuts the file off, or empties it as logs are: the reader goes on, and so does the next
 * one. */
static void test_truncated_in_use(void **state)
{
	static const off_t sizes[] = { 0, 1, 4096, 600000 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct cursor_file *file = open_cursor(-1);

		for (uint32_t cpu = 0; cpu < 300; cpu++)
			set(file, cpu, i * 1000 + cpu);
		assert_int_equal(cursor_file__end_write(file), 0);
		assert_int_equal(truncate(path, sizes[i]), 0);
		for (uint32_t seq = 1; seq <= 3; seq++) {
			set(file, 7, i * 1000 + 500 + seq);
			assert_int_equal(cursor_file__end_write(file), 0);
		}
		assert_non_null(strstr(last_message, "written anew"));
		assert_non_null(strstr(last_message, path));
		cursor_file__close(file);
		file = open_cursor(-1);
		for (uint32_t cpu = 0; cpu < 300; cpu++)
			assert_int_equal(position_of(file, cpu), i * 1000 + (cpu == 7 ? 503 : cpu));
		cursor_file__close(file);
		last_message[0] = '\0';
	}
}

/* What cannot be stored is an error, and what was stored before stays. */
static void test_cannot_be_written(void **state)
{
	const struct rlimit none = { .rlim_cur = 4096, .rlim_max = RLIM_INFINITY };
	const struct rlimit all = { .rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY };
	struct cursor_file *file = open_cursor(-1);

	(void)state;
	set(file, 0, 1);
	assert_int_equal(cursor_file__end_write(file), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	set(file, 0, 2);
	assert_int_equal(cursor_file__end_write(file), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
	assert_non_null(strstr(last_message, path));
	cursor_file__close(file);
	file = open_cursor(-1);
	assert_int_equal(position_of(file, 0), 1);
	cursor_file__close(file);
}

/* ---- what is no cursor file -------------------------------------------------------------- */

static void expect_refused(int err)
{
	struct cursor_file *file;
	struct stat before, after;

	assert_int_equal(stat(path, &before), 0);
	assert_int_equal(cursor_file__open(path, -1, &log_for_test, &file), err);
	assert_null(file);
	assert_non_null(strstr(last_message, path));
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_size, after.st_size);
}

static void test_foreign_file(void **state)
{
	char text[20] = "";
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	assert_int_equal(write(fd, "precious", 8), 8);
	expect_refused(-EBADMSG);
	assert_int_equal(pread(fd, text, sizeof(text), 0), 8);
	assert_string_equal(text, "precious");
	close(fd);
}

static void test_directory(void **state)
{
	struct cursor_file *file;

	assert_int_equal(cursor_file__open(directory, -1, &log_for_test, &file), -EISDIR);
	assert_int_equal(cursor_file__open("/dev/null", -1, &log_for_test, &file), -EBADMSG);
	assert_int_equal(cursor_file__open("/nowhere/cursor", -1, &log_for_test, &file), -ENOENT);
	assert_non_null(strstr(last_message, "/nowhere/cursor"));
}

static void flip(off_t offset, uint8_t bits)
{
	int fd = open(path, O_RDWR);
	uint8_t byte;

	assert_int_equal(pread(fd, &byte, 1, offset), 1);
	byte ^= bits;
	assert_int_equal(pwrite(fd, &byte, 1, offset), 1);
	close(fd);
}

static off_t size_of_file(void)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

/* One slot is corrupt: the other one counts. Both are: the file is refused. */
static void test_corrupt(void **state)
{
	struct cursor_file *file = open_cursor(-1);
	off_t slots, slot_size;

	set(file, 0, 100);
	cursor_file__end_write(file);
	set(file, 0, 200);
	cursor_file__end_write(file);
	cursor_file__close(file);
	slots = 4096;
	slot_size = (size_of_file() - slots) / 2;
	/* In the middle of the first position */
	for (int slot = 0; slot < 2; slot++) {
		uint64_t seq;

		flip(slots + slot * slot_size + 56 + 16, 1);
		file = open_cursor(-1);
		seq = position_of(file, 0);
		assert_true(seq == 100 || seq == 200);
		cursor_file__close(file);
		flip(slots + slot * slot_size + 56 + 16, 1);
	}
	flip(slots + 56 + 16, 1);
	flip(slots + slot_size + 56 + 16, 1);
	expect_refused(-EBADMSG);
	flip(slots + 56 + 16, 1);
	file = open_cursor(-1);
	cursor_file__close(file);
	/* The magic, and the version */
	flip(0, 0x80);
	expect_refused(-EBADMSG);
	flip(0, 0x80);
	flip(8, 0x80);
	expect_refused(-EBADMSG);
	flip(8, 0x80);
	assert_int_equal(truncate(path, size_of_file() - 1), 0);
	expect_refused(-EBADMSG);
}

/* ---- output to a file -------------------------------------------------------------------- */

static off_t output_size(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_size;
}

/* A reader is killed before, in, or after a write of ten bytes. */
static void check_announced(int flags, size_t written, uint64_t expected_seq, off_t expected_size)
{
	int fd = open(output_path, O_RDWR | O_CREAT | flags, 0600);
	struct cursor_file *file = open_cursor(fd);

	set(file, 0, 1);
	cursor_file__begin_write(file, 10);
	assert_int_equal(write(fd, "0123456789", 10), 10);
	cursor_file__end_write(file);
	set(file, 0, 2);
	cursor_file__begin_write(file, 10);
	assert_int_equal(write(fd, "0123456789", written), (ssize_t)written);
	/* Here it is killed: no end_write. */
	cursor_file__close(file);
	for (int i = 0; i < 3; i++) {
		file = open_cursor(fd);
		assert_int_equal(position_of(file, 0), expected_seq);
		assert_int_equal(output_size(fd), expected_size);
		cursor_file__close(file);
	}
	/* And goes on as if nothing had happened. */
	file = open_cursor(fd);
	set(file, 0, expected_seq + 1);
	lseek(fd, 0, SEEK_END);
	cursor_file__begin_write(file, 10);
	assert_int_equal(write(fd, "0123456789", 10), 10);
	cursor_file__end_write(file);
	cursor_file__close(file);
	file = open_cursor(fd);
	assert_int_equal(position_of(file, 0), expected_seq + 1);
	cursor_file__close(file);
	close(fd);
	remove_files(NULL);
}

static void test_killed_in_write(void **state)
{
	check_announced(0, 0, 1, 10);
	check_announced(0, 5, 1, 10);
	check_announced(0, 10, 2, 20);
	check_announced(O_APPEND, 0, 1, 10);
	check_announced(O_APPEND, 9, 1, 10);
	check_announced(O_APPEND, 10, 2, 20);
}

/* The next reader writes to another file: it cannot tell, repeats, and says so. */
static void test_killed_in_write_to_other_file(void **state)
{
	int fd = open(output_path, O_RDWR | O_CREAT, 0600);
	struct cursor_file *file = open_cursor(fd);

	set(file, 0, 1);
	cursor_file__begin_write(file, 10);
	assert_int_equal(write(fd, "0123456789", 10), 10);
	cursor_file__end_write(file);
	set(file, 0, 2);
	cursor_file__begin_write(file, 10);
	cursor_file__close(file);
	file = open_cursor(-1);
	assert_int_equal(position_of(file, 0), 1);
	assert_non_null(strstr(last_message, "twice"));
	assert_int_equal(output_size(fd), 10);
	cursor_file__close(file);
	close(fd);
}

/* ---- killed at any moment ---------------------------------------------------------------- */

#define LINE_SIZE 16

/* Writes line after line, with the position of each, until it is killed. */
static void write_for_ever(uint64_t seed)
{
	int fd = open(output_path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	struct cursor_file *file;
	uint64_t seq, nr;
	char lines[64 * LINE_SIZE + 1];

	if (fd < 0 || cursor_file__open(path, fd, &log_for_test, &file))
		_exit(1);
	seq = position_of(file, 3);
	for (;;) {
		nr = 1 + (seed = seed * 6364136223846793005ull + 1442695040888963407ull) % 64;
		for (uint64_t i = 0; i < nr; i++)
			snprintf(lines + i * LINE_SIZE, LINE_SIZE + 1, "%15llu\n",
				 (unsigned long long)(seq + i + 1));
		seq += nr;
		cursor_file__set(file, cursor_file__find(file, &meta, 3), seq);
		cursor_file__begin_write(file, nr * LINE_SIZE);
		if (write(fd, lines, nr * LINE_SIZE) != (ssize_t)(nr * LINE_SIZE))
			_exit(1);
		cursor_file__end_write(file);
	}
}

static void test_killed_at_any_moment(void **state)
{
	unsigned long long seq, expected = 0;
	FILE *output;
	int status;

	for (int round = 0; round < 100; round++) {
		const struct timespec pause = { .tv_nsec = 500000 + round * 201347 };
		pid_t child = fork();

		if (!child)
			write_for_ever((uint64_t)round + 1);
		nanosleep(&pause, NULL);
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
	}
	/* Brings the output into order after the last one. */
	status = open(output_path, O_RDWR);
	cursor_file__close(open_cursor(status));
	close(status);
	output = fopen(output_path, "r");
	assert_non_null(output);
	while (fscanf(output, "%llu\n", &seq) == 1)
		assert_int_equal(seq, ++expected);
	assert_true(feof(output));
	assert_true(expected > 1000);
	fclose(output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_new, remove_files),
		cmocka_unit_test_teardown(test_positions, remove_files),
		cmocka_unit_test_teardown(test_other_events, remove_files),
		cmocka_unit_test_teardown(test_no_room, remove_files),
		cmocka_unit_test_teardown(test_lock, remove_files),
		cmocka_unit_test_teardown(test_truncated_in_use, remove_files),
		cmocka_unit_test_teardown(test_cannot_be_written, remove_files),
		cmocka_unit_test_teardown(test_foreign_file, remove_files),
		cmocka_unit_test_teardown(test_directory, remove_files),
		cmocka_unit_test_teardown(test_corrupt, remove_files),
		cmocka_unit_test_teardown(test_killed_in_write, remove_files),
		cmocka_unit_test_teardown(test_killed_in_write_to_other_file, remove_files),
		cmocka_unit_test_teardown(test_killed_at_any_moment, remove_files),
	};

	return cmocka_run_group_tests_name("cursor_file", tests, make_directory, remove_directory);
}
