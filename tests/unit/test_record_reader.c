// SPDX-License-Identifier: GPL-2.0-only
/* persist_reader: what needs no event to be shown. Reading itself is tested on the kernel. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "persist_bpf.h"

static char last_message[1024];

static void receive(void *ctx, enum persist_log_level level, const char *message)
{
	snprintf(last_message, sizeof(last_message), "%s", message);
}

static struct persist_reader_options options_with(const char *cpus)
{
	return (struct persist_reader_options){
		.size = sizeof(struct persist_reader_options),
		.log_fn = receive,
		.log_level = PERSIST_LOG_DEBUG,
		.root = "/tmp",
		.cpus = cpus,
	};
}

static void expect_refused(const struct persist_reader_options *options, int error)
{
	errno = 0;
	assert_null(persist_reader__new(options));
	assert_int_equal(errno, error);
}

static void test_options(void **state)
{
	struct persist_reader_options options = options_with("0-3");
	struct persist_reader *reader = persist_reader__new(NULL);

	assert_non_null(reader);
	persist_reader__free(reader);
	reader = persist_reader__new(&options);
	assert_non_null(reader);
	persist_reader__free(reader);
	options = options_with("x");
	expect_refused(&options, EINVAL);
	assert_non_null(strstr(last_message, "\"x\""));
	options = options_with(NULL);
	options.since_ns = 2;
	options.until_ns = 1;
	expect_refused(&options, EINVAL);
	persist_reader__free(NULL);
}

/* A caller of a later version: what it does not use does not matter, what it uses is refused. */
static void test_later_options(void **state)
{
	struct {
		struct persist_reader_options options;
		uint64_t later;
	} options = { .options = options_with(NULL) };
	struct persist_reader *reader;

	options.options.size = sizeof(options);
	reader = persist_reader__new(&options.options);
	assert_non_null(reader);
	persist_reader__free(reader);
	options.later = 1;
	expect_refused(&options.options, E2BIG);
}

static void expect_no_event(const char *target, int error, const char *word)
{
	struct persist_reader_options options = options_with(NULL);
	struct persist_reader *reader = persist_reader__new(&options);

	last_message[0] = '\0';
	assert_int_equal(persist_reader__add(reader, target), -error);
	if (!strstr(last_message, word))
		fail_msg("\"%s\" does not say %s", last_message, word);
	persist_reader__free(reader);
}

static void test_targets(void **state)
{
	expect_no_event("no_such_event", ENOENT, "/tmp/no_such_event");
	expect_no_event("/tmp/no_such_event/", ENOENT, "/tmp/no_such_event:");
	expect_no_event("./no_such_event", ENOENT, "./no_such_event");
	expect_no_event("persistent/no_such_event/", ENOENT, "/tmp/no_such_event:");
	expect_no_event("", ENOENT, "\"\": not the name");
	expect_no_event("/dev/null/x", ENOENT, "/dev/null/x");
	expect_no_event("/", EMEDIUMTYPE, "BPF file system");
	expect_no_event("/tmp", EMEDIUMTYPE, "mount");
}

static void test_nothing_to_read(void **state)
{
	struct persist_reader_options options = options_with(NULL);
	struct persist_reader *reader = persist_reader__new(&options);
	const struct persist_position position = { 0 };
	struct persist_item item;

	assert_int_equal(persist_reader__resume(reader, &position, 1), 0);
	assert_true(persist_reader__fd(reader) >= 0);
	assert_int_equal(persist_reader__next(reader, &item), 0);
	assert_int_equal(persist_reader__next(reader, &item), 0);
	assert_int_equal(persist_reader__add(reader, "event"), -EBUSY);
	assert_int_equal(persist_reader__resume(reader, &position, 1), -EBUSY);
	persist_reader__free(reader);

	options.follow = 1;
	options.last = 5;
	reader = persist_reader__new(&options);
	assert_int_equal(persist_reader__next(reader, &item), 0);
	assert_int_equal(persist_reader__wait(reader, 0), 0);
	persist_reader__free(reader);
}

static void test_reasons(void **state)
{
	assert_string_equal(persist_loss_reason__name(PERSIST_LOSS_OVERWRITTEN), "overwritten");
	assert_string_equal(persist_loss_reason__name(PERSIST_LOSS_CLEARED), "cleared");
	assert_string_equal(persist_loss_reason__name((enum persist_loss_reason)100), "unknown");
	assert_string_equal(persist_loss_reason__name((enum persist_loss_reason) - 1), "unknown");
}

static void test_list(void **state)
{
	struct persist_event_info *infos;

	assert_int_equal(persist_list_events("/nowhere", receive, NULL, &infos), -ENOENT);
	assert_null(infos);
	assert_non_null(strstr(last_message, "/nowhere"));
	assert_int_equal(persist_list_events("/tmp", receive, NULL, &infos), -EMEDIUMTYPE);
	assert_null(infos);
	assert_non_null(strstr(last_message, "BPF file system"));
	assert_int_equal(persist_list_events("/tmp", NULL, NULL, &infos), -EMEDIUMTYPE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options), cmocka_unit_test(test_later_options),
		cmocka_unit_test(test_targets), cmocka_unit_test(test_nothing_to_read),
		cmocka_unit_test(test_reasons), cmocka_unit_test(test_list),
	};

	return cmocka_run_group_tests_name("record_reader", tests, NULL, NULL);
}
