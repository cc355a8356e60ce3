// SPDX-License-Identifier: GPL-2.0-only
/* `reader attach`: shows what persistent events have recorded, and record. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cursor_file.h"
#include "json_output.h"
#include "line_writer.h"
#include "log.h"
#include "mce/mce_output.h"
#include "persist_bpf.h"
#include "reader_command.h"
#include "record_reader.h"
#include "selection.h"
#include "stop_signal.h"
#include "text_output.h"
#include "time_spec.h"

/* How many items may pass until the time is looked at again. */
#define ITEMS_PER_CLOCK 1024

static const char attach_help[] =
	"usage: {reader} attach TARGET... [-f|--follow] [--json] [--raw] [--last N] [--since T]\n"
	"           [--until T] [--cpu LIST] [--count N] [--timeout S]\n"
	"           [--cursor-file F] [--mark-imported] [--root DIR]\n"
	"\n"
	"Shows what persistent events have recorded, oldest first; needs no privilege but to open\n"
	"their pins.\n"
	"\n" TARGET_HELP "\n"
	"  -f, --follow       go on with what comes, until interrupted or all events are removed\n"
	"      --json         one JSON object a line\n"
	"      --raw          records as they are, without what machine checks mean\n" SELECTION_HELP
	"      --count N      end after N records\n"
	"      --timeout S    end after S seconds\n"
	"      --cursor-file F  go on behind what the last reader with this file has written\n"
	"      --mark-imported  write (imported) behind records of the kernel's boot tracing\n"
	"  -h, --help         show this\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage.\n";

/* ---- the command line -------------------------------------------------------------------- */

struct attach_options {
	struct persist_reader_options reader;
	const char *cursor_file;
	char **targets;
	int nr_targets;
	uint64_t count;	     /* 0: no limit */
	uint64_t timeout_ns; /* 0: no limit */
	bool has_timeout;
	bool json;
	bool raw;
	bool mark_imported;
};

enum {
	OPT_JSON = 256,
	OPT_RAW,
	OPT_COUNT,
	OPT_TIMEOUT,
	OPT_CURSOR_FILE,
	OPT_MARK_IMPORTED,
};

static const struct option long_options[] = {
	SELECTION_LONG_OPTIONS,
	{ "follow", no_argument, NULL, 'f' },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "raw", no_argument, NULL, OPT_RAW },
	{ "count", required_argument, NULL, OPT_COUNT },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "cursor-file", required_argument, NULL, OPT_CURSOR_FILE },
	{ "mark-imported", no_argument, NULL, OPT_MARK_IMPORTED },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/*
 * Returns -1 to go on, or the status with which to exit. Options may stand before, between and
 * behind the targets.
 */
static int parse_options(int argc, char **argv, struct attach_options *options)
{
	int option, status;

	while ((option = next_option(argc, argv, "fh", long_options, NULL)) != -1) {
		switch (option) {
		case 'f':
			options->reader.follow = 1;
			break;
		case OPT_JSON:
			options->json = true;
			break;
		case OPT_RAW:
			options->raw = true;
			break;
		case OPT_COUNT:
			status = take_count("--count", optarg, &options->count);
			if (status >= 0)
				return status;
			break;
		case OPT_TIMEOUT:
			if (!parse_seconds(optarg, &options->timeout_ns))
				return usage_error("--timeout wants seconds, not", optarg);
			options->has_timeout = true;
			break;
		case OPT_CURSOR_FILE:
			options->cursor_file = optarg;
			break;
		case OPT_MARK_IMPORTED:
			options->mark_imported = true;
			break;
		case 'h':
			return print_help();
		default:
			status = selection__parse(&options->reader, option, optarg);
			if (status >= 0)
				return status;
		}
	}
	options->targets = argv + optind;
	options->nr_targets = argc - optind;
	if (!options->nr_targets)
		return missing_argument("TARGET");
	return selection__check(&options->reader);
}

/* ---- attach ------------------------------------------------------------------------------ */

struct attachment {
	const struct attach_options *options;
	struct persist_reader *reader;
	struct cursor_file *cursor;
	struct line_writer writer;
	struct json_output *json; /* NULL: text */
	int *cursor_numbers;	  /* of each stream; -1: not known yet */
	uint32_t nr_cursor_numbers;
	bool has_written; /* an item */
	uint64_t nr_records;
	uint64_t deadline_ns; /* CLOCK_BOOTTIME */
	bool output_is_closed;
	bool output_failed;
};

/* The number of the item's stream in the cursor file. */
static int cursor_number(struct attachment *attachment, const struct persist_item *item,
			 uint32_t cpu)
{
	uint32_t nr = attachment->nr_cursor_numbers;
	int *numbers = attachment->cursor_numbers;

	if (item->stream >= nr) {
		numbers = reallocarray(numbers, item->stream + 64, sizeof(*numbers));
		if (!numbers)
			return -ENOMEM;
		for (; nr < item->stream + 64; nr++)
			numbers[nr] = -1;
		attachment->cursor_numbers = numbers;
		attachment->nr_cursor_numbers = nr;
	}
	if (numbers[item->stream] < 0)
		numbers[item->stream] = cursor_file__find(attachment->cursor,
							  persist_event__meta(item->event), cpu);
	return numbers[item->stream];
}

static int set_position(void *ctx, const struct persist_event *event, uint32_t cpu, uint64_t seq)
{
	struct cursor_file *cursor = ctx;
	int number = cursor_file__find(cursor, persist_event__meta(event), cpu);

	if (number < 0)
		return number;
	cursor_file__set(cursor, number, seq);
	return 0;
}

/*
 * What --last and --since have left out is all older than the first item that is written: from then
 * on the cursor file is to be behind it, also of CPUs of which there is nothing else.
 */
static int pass_over_what_is_left_out(struct attachment *attachment)
{
	if (attachment->has_written)
		return 0;
	attachment->has_written = true;
	return record_reader__for_each_position(attachment->reader, set_position,
						attachment->cursor);
}

static int write_item(struct attachment *attachment, const struct persist_item *item)
{
	uint64_t seq = persist_item__position(item);
	int number = 0, err;

	if (attachment->cursor) {
		err = pass_over_what_is_left_out(attachment);
		if (err)
			return err;
		number = cursor_number(attachment, item,
				       item->record ? item->record->cpu : item->loss.cpu);
		if (number < 0)
			return number;
	}
	if (attachment->json)
		err = json_output__put(attachment->json, item);
	else if (attachment->options->mark_imported)
		err = text_output__put_marked(&attachment->writer, item);
	else
		err = text_output__put(&attachment->writer, item);
	if (!err && !attachment->json && !attachment->options->raw)
		err = mce_output__put_text(&attachment->writer, item);
	if (err)
		return err;
	attachment->nr_records += item->record != NULL;
	return line_writer__end_line(&attachment->writer, number, seq);
}

/* Milliseconds to the deadline, -1 without one. */
static int time_left(const struct attachment *attachment)
{
	uint64_t now = boottime_now();

	if (attachment->deadline_ns == UINT64_MAX)
		return -1;
	if (now >= attachment->deadline_ns)
		return 0;
	now = (attachment->deadline_ns - now) / NSEC_PER_MSEC + 1;
	return now > 1000000 ? 1000000 : (int)now;
}

static bool is_over(const struct attachment *attachment)
{
	return stop_signal__has_come() || attachment->output_is_closed ||
	       (attachment->options->count && attachment->nr_records >= attachment->options->count);
}

/* Waits for records, a signal, the deadline, or that nobody reads the output any more. */
static int wait_for_items(struct attachment *attachment)
{
	struct pollfd fds[] = {
		{ .fd = persist_reader__fd(attachment->reader), .events = POLLIN },
		{ .fd = stop_signal__fd(), .events = POLLIN },
		{ .fd = attachment->writer.fd, .events = 0 },
	};

	int ret = record_reader__poll(attachment->reader, fds, 3, time_left(attachment));

	if (ret < 0 && ret != -EINTR)
		return ret;
	if (fds[2].revents & (POLLERR | POLLHUP))
		attachment->output_is_closed = true;
	return 0;
}

static int write_out(struct attachment *attachment)
{
	int err = line_writer__flush(&attachment->writer);

	attachment->output_failed = err;
	return err;
}

static int write_items(struct attachment *attachment)
{
	struct persist_item item;
	unsigned int items = 0;
	int ret;

	while (!is_over(attachment)) {
		if (items++ % ITEMS_PER_CLOCK == 0 && !time_left(attachment))
			return 0;
		ret = persist_reader__next(attachment->reader, &item);
		if (ret == 1) {
			ret = write_item(attachment, &item);
			attachment->output_failed = ret;
		} else if (ret == -EAGAIN) {
			ret = write_out(attachment);
			if (!ret)
				ret = wait_for_items(attachment);
			items = 0;
		} else {
			return ret;
		}
		if (ret)
			return ret;
	}
	return 0;
}

static int open_attachment(struct attachment *attachment)
{
	const struct attach_options *options = attachment->options;
	const struct persist_position *positions;
	size_t nr_positions;
	int err;

	attachment->reader = persist_reader__new(&options->reader);
	if (!attachment->reader) {
		err = -errno;
		log_error(&log_to_stderr, "cannot start: %s", strerror(-err));
		return err;
	}
	for (int i = 0; i < options->nr_targets; i++) {
		err = persist_reader__add(attachment->reader, options->targets[i]);
		/* Named twice is no harm. */
		if (err && err != -EEXIST)
			return err; /* and a message was printed */
	}
	if (options->cursor_file) {
		err = cursor_file__open(options->cursor_file, STDOUT_FILENO, &log_to_stderr,
					&attachment->cursor);
		if (err)
			return err;
		nr_positions = cursor_file__positions(attachment->cursor, &positions);
		persist_reader__resume(attachment->reader, positions, nr_positions);
	}
	err = line_writer__init(&attachment->writer, STDOUT_FILENO, attachment->cursor);
	if (!err && options->json) {
		attachment->json = json_output__new(&attachment->writer);
		if (!attachment->json)
			err = -ENOMEM;
		else if (!options->raw)
			json_output__set_member(attachment->json, mce_output__generate);
	}
	if (!err)
		err = stop_signal__catch();
	if (err)
		log_error(&log_to_stderr, "cannot start: %s", strerror(-err));
	return err;
}

static void close_attachment(struct attachment *attachment)
{
	json_output__free(attachment->json);
	line_writer__destroy(&attachment->writer);
	cursor_file__close(attachment->cursor);
	persist_reader__free(attachment->reader);
	free(attachment->cursor_numbers);
}

static int run(int argc, char **argv)
{
	struct attach_options options = { 0 };
	struct attachment attachment = { .options = &options, .deadline_ns = UINT64_MAX };
	int err, status;

	selection__init(&options.reader);
	status = parse_options(argc, argv, &options);
	if (status >= 0)
		return status;
	if (options.has_timeout)
		attachment.deadline_ns = boottime_now() + options.timeout_ns;
	err = open_attachment(&attachment);
	if (!err) {
		err = write_items(&attachment);
		if (!err)
			err = write_out(&attachment);
		/* Who reads no further knows that: no message. */
		if (err && err != -EPIPE)
			log_error(&log_to_stderr, "%s: %s",
				  attachment.output_failed ? "standard output" : "cannot read on",
				  strerror(-err));
	}
	close_attachment(&attachment);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}

const struct reader_command attach_command = {
	.name = "attach",
	.summary = "show what events have recorded, and follow them",
	.help = attach_help,
	.run = run,
};
