// SPDX-License-Identifier: GPL-2.0-only
/* line_writer: whole lines only, and positions of what was written only. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "line_writer.h"

static char path[] = "/tmp/test_line_writer.XXXXXX";

static const struct persist_meta meta = { .instance = 1, .event_id = 2 };

static void put_line(struct line_writer *writer, size_t len, char c, int number, uint64_t seq)
{
	char *line = line_writer__reserve(writer, len);

	assert_non_null(line);
	memset(line, c, len - 1);
	line[len - 1] = '\n';
	line_writer__commit(writer, len);
	assert_int_equal(line_writer__end_line(writer, number, seq), 0);
}

static int pipe_fds[2];

static int make_pipe(void **state)
{
	return pipe2(pipe_fds, O_NONBLOCK);
}

static int close_pipe(void **state)
{
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	unlink(path);
	return 0;
}

static void test_flush(void **state)
{
	struct line_writer writer;
	char text[100];

	assert_int_equal(line_writer__init(&writer, pipe_fds[1], NULL), 0);
	assert_int_equal(line_writer__flush(&writer), 0);
	put_line(&writer, 5, 'a', 0, 0);
	put_line(&writer, 3, 'b', 0, 0);
	assert_int_equal(read(pipe_fds[0], text, sizeof(text)), -1);
	/* The beginning of a line stays. */
	memcpy(line_writer__reserve(&writer, 2), "cc", 2);
	line_writer__commit(&writer, 2);
	assert_int_equal(line_writer__flush(&writer), 0);
	assert_int_equal(read(pipe_fds[0], text, sizeof(text)), 8);
	assert_memory_equal(text, "aaaa\nbb\n", 8);
	memcpy(line_writer__reserve(&writer, 1), "\n", 1);
	line_writer__commit(&writer, 1);
	assert_int_equal(line_writer__end_line(&writer, 0, 0), 0);
	assert_int_equal(line_writer__flush(&writer), 0);
	assert_int_equal(read(pipe_fds[0], text, sizeof(text)), 3);
	assert_memory_equal(text, "cc\n", 3);
	line_writer__destroy(&writer);
}

static void test_long_line(void **state)
{
	int fd = mkstemp(path);
	struct line_writer writer;
	struct stat st;

	assert_int_equal(line_writer__init(&writer, fd, NULL), 0);
	put_line(&writer, 3000000, 'x', 0, 0);
	put_line(&writer, 10, 'y', 0, 0);
	assert_int_equal(line_writer__flush(&writer), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 3000010);
	line_writer__destroy(&writer);
	close(fd);
}

/* Memory stays as it is however much is written. */
static void test_constant_memory(void **state)
{
	int fd = open("/dev/null", O_WRONLY);
	struct line_writer writer;
	size_t room;

	assert_int_equal(line_writer__init(&writer, fd, NULL), 0);
	room = writer.room;
	for (int i = 0; i < 100000; i++)
		put_line(&writer, 120, 'x', 0, 0);
	assert_int_equal(writer.room, room);
	line_writer__destroy(&writer);
	close(fd);
}

static uint64_t stored_seq(struct cursor_file *cursor)
{
	const struct persist_position *positions;

	assert_int_equal(cursor_file__positions(cursor, &positions), 1);
	return positions[0].seq;
}

/* What a pipe gets at once is whole lines, and no more than it takes as a whole. */
static void test_pipe_with_cursor(void **state)
{
	struct cursor_file *cursor;
	struct line_writer writer;
	char text[PIPE_BUF + 1];
	int number;

	close(mkstemp(path));
	assert_int_equal(cursor_file__open(path, pipe_fds[1], NULL, &cursor), 0);
	number = cursor_file__find(cursor, &meta, 0);
	assert_int_equal(line_writer__init(&writer, pipe_fds[1], cursor), 0);
	for (uint64_t seq = 1; seq <= 40; seq++)
		put_line(&writer, 100, 'a', number, seq);
	assert_int_equal(read(pipe_fds[0], text, sizeof(text)), -1);
	put_line(&writer, 100, 'a', number, 41);
	assert_int_equal(read(pipe_fds[0], text, sizeof(text)), 4000);
	assert_int_equal(stored_seq(cursor), 40);
	put_line(&writer, 100, 'a', number, 42);
	assert_int_equal(stored_seq(cursor), 40);
	assert_int_equal(line_writer__flush(&writer), 0);
	assert_int_equal(read(pipe_fds[0], text, sizeof(text)), 200);
	assert_int_equal(stored_seq(cursor), 42);
	line_writer__destroy(&writer);
	cursor_file__close(cursor);
}

static void test_errors(void **state)
{
	struct line_writer writer;
	int fd = open("/dev/full", O_WRONLY);

	assert_int_equal(line_writer__init(&writer, fd, NULL), 0);
	put_line(&writer, 10, 'a', 0, 0);
	assert_int_equal(line_writer__flush(&writer), -ENOSPC);
	line_writer__destroy(&writer);
	close(fd);

	signal(SIGPIPE, SIG_IGN);
	close(pipe_fds[0]);
	assert_int_equal(line_writer__init(&writer, pipe_fds[1], NULL), 0);
	put_line(&writer, 10, 'a', 0, 0);
	assert_int_equal(line_writer__flush(&writer), -EPIPE);
	line_writer__destroy(&writer);
}

static void *read_slowly(void *context)
{
	size_t *total = context;
	char text[1000];
	ssize_t got;

	while ((got = read(pipe_fds[0], text, sizeof(text))) != 0) {
		if (got < 0) {
			usleep(1000);
			continue;
		}
		*total += (size_t)got;
	}
	return NULL;
}

/* Also a descriptor that does not block gets everything. */
static void test_slow_reader(void **state)
{
	struct line_writer writer;
	pthread_t thread;
	size_t total = 0;

	assert_int_equal(line_writer__init(&writer, pipe_fds[1], NULL), 0);
	assert_int_equal(pthread_create(&thread, NULL, read_slowly, &total), 0);
	for (int i = 0; i < 5000; i++)
		put_line(&writer, 100, 'x', 0, 0);
	assert_int_equal(line_writer__flush(&writer), 0);
	close(pipe_fds[1]);
	pthread_join(thread, NULL);
	assert_int_equal(total, 500000);
	line_writer__destroy(&writer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_flush, make_pipe, close_pipe),
		cmocka_unit_test_setup_teardown(test_long_line, make_pipe, close_pipe),
		cmocka_unit_test_setup_teardown(test_constant_memory, make_pipe, close_pipe),
		cmocka_unit_test_setup_teardown(test_pipe_with_cursor, make_pipe, close_pipe),
		cmocka_unit_test_setup_teardown(test_errors, make_pipe, close_pipe),
		cmocka_unit_test_setup_teardown(test_slow_reader, make_pipe, close_pipe),
	};

	return cmocka_run_group_tests_name("line_writer", tests, NULL, NULL);
}
