// SPDX-License-Identifier: GPL-2.0-only
/* log: what is passed on, and that errno survives. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "log.h"

struct received {
	int nr;
	enum persist_log_level level;
	char message[LOG_ESCAPED_SIZE];
};

static void receive(void *ctx, enum persist_log_level level, const char *message)
{
	struct received *received = ctx;

	received->nr++;
	received->level = level;
	snprintf(received->message, sizeof(received->message), "%s", message);
	errno = EIO;
}

static void test_levels(void **state)
{
	struct received received = { 0 };
	struct log log = { receive, &received, PERSIST_LOG_WARNING };

	log_error(&log, "%s: %d", "object", 7);
	assert_int_equal(received.nr, 1);
	assert_int_equal(received.level, PERSIST_LOG_ERROR);
	assert_string_equal(received.message, "object: 7");
	log_warn(&log, "w");
	assert_int_equal(received.nr, 2);
	log_info(&log, "i");
	log_debug(&log, "d");
	assert_int_equal(received.nr, 2);
}

/* What comes from outside neither breaks the line nor controls a terminal, wherever a message is
 * cut. */
static void test_controls(void **state)
{
	struct received received = { 0 };
	struct log log = { receive, &received, PERSIST_LOG_DEBUG };
	char longest[2000];

	(void)state;
	log_error(&log, "%s", "a\tb\nc\x1b[2J\x7f \xff\xc2\x9b \xc3\xa4\xe2\x82\xac");
	assert_string_equal(received.message, "a\\x09b\\x0ac\\x1b[2J\\x7f \\xff\\xc2\\x9b "
					      "\xc3\xa4\xe2\x82\xac");
	memset(longest, 'x', sizeof(longest));
	memcpy(longest + LOG_MESSAGE_MAX - 3, "\xe2\x82\xac", 3);
	longest[sizeof(longest) - 1] = '\0';
	log_error(&log, "%s", longest);
	assert_int_equal(strlen(received.message), LOG_MESSAGE_MAX - 3 + 2 * strlen("\\xe2"));
	assert_string_equal(received.message + LOG_MESSAGE_MAX - 3, "\\xe2\\x82");
	memset(longest, '\x1b', sizeof(longest) - 1);
	log_error(&log, "%s", longest);
	assert_int_equal(strlen(received.message), 4 * (LOG_MESSAGE_MAX - 1));
}

static void test_errno_is_kept(void **state)
{
	struct received received = { 0 };
	struct log log = { receive, &received, PERSIST_LOG_DEBUG };

	errno = ENOENT;
	log_error(&log, "message");
	assert_int_equal(errno, ENOENT);
}

static void test_no_receiver(void **state)
{
	struct log log = { NULL, NULL, PERSIST_LOG_DEBUG };

	errno = ENOENT;
	log_error(&log, "dropped");
	log_error(NULL, "dropped");
	assert_int_equal(errno, ENOENT);
}

static void test_long_message(void **state)
{
	struct received received = { 0 };
	struct log log = { receive, &received, PERSIST_LOG_DEBUG };
	char text[3000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	log_error(&log, "%s", text);
	assert_in_range(strlen(received.message), 500, sizeof(text) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),	      cmocka_unit_test(test_controls),
		cmocka_unit_test(test_errno_is_kept), cmocka_unit_test(test_no_receiver),
		cmocka_unit_test(test_long_message),
	};

	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
