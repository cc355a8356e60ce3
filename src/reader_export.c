// SPDX-License-Identifier: GPL-2.0-only
/* `reader export`: turns what persistent events have recorded into a format of other tools. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/export_format.h"
#include "log.h"
#include "persist_bpf.h"
#include "reader_command.h"
#include "record_reader.h"
#include "selection.h"
#include "stop_signal.h"
#include "time_spec.h"

/* While there is always something to read, what was put becomes visible this often. */
#define FLUSH_NSEC NSEC_PER_SEC

/* How many items may pass until the time is looked at again. */
#define ITEMS_PER_CLOCK 1024

static const char export_help[] =
	"usage: {reader} export --to FORMAT [-o OUTPUT] [-f|--follow] [--last N] [--since T]\n"
	"           [--until T] [--cpu LIST] [--root DIR] TARGET...\n"
	"\n"
	"Writes what persistent events have recorded in a format that other tools read.\n"
	"\n" TARGET_HELP "\n"
	"      --to FORMAT    one of those below\n"
	"  -o, --output PATH  where to; without it, or with -, standard output, if the format can be\n"
	"                     written there\n"
	"  -f, --follow       go on with what comes, until interrupted or all events are removed\n" SELECTION_HELP
	"  -h, --help         show this\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage.\n";

/* ---- the command line -------------------------------------------------------------------- */

struct export_options {
	struct persist_reader_options reader;
	const struct export_format *format;
	const char *output; /* NULL: standard output */
	char **targets;
	int nr_targets;
};

enum {
	OPT_TO = 256,
};

static const struct option long_options[] = {
	SELECTION_LONG_OPTIONS,
	{ "to", required_argument, NULL, OPT_TO },
	{ "output", required_argument, NULL, 'o' },
	{ "follow", no_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int print_export_help(void)
{
	int status = print_help();

	puts("\nFormats:");
	for (size_t i = 0; i < nr_export_formats; i++)
		printf("  %-18s %s\n", export_formats[i]->name, export_formats[i]->summary);
	return fflush(stdout) ? EXIT_FAILURE : status;
}

static const struct export_format *find_format(const char *name)
{
	for (size_t i = 0; i < nr_export_formats; i++)
		if (!strcmp(export_formats[i]->name, name))
			return export_formats[i];
	return NULL;
}

/* What the format makes of the arguments. Returns as parse_options(). */
static int take_arguments(int argc, char **argv, struct export_options *options)
{
	const struct export_format *format = options->format;

	if (!format)
		return missing_argument("--to FORMAT");
	if (format->takes_file) {
		/* Or it is behind -o, as with the others. */
		if (!options->output && optind == argc)
			return missing_argument("the file to write, before the events,");
		if (!options->output)
			options->output = argv[optind++];
	}
	options->targets = argv + optind;
	options->nr_targets = argc - optind;
	if (!options->nr_targets && !format->is_wanted)
		return missing_argument("TARGET");
	return selection__check(&options->reader);
}

/*
 * Returns -1 to go on, or the status with which to exit. Options may stand before, between and
 * behind the targets.
 */
static int parse_options(int argc, char **argv, struct export_options *options)
{
	int option, status;

	while ((option = next_option(argc, argv, "fho:", long_options, NULL)) != -1) {
		switch (option) {
		case OPT_TO:
			options->format = find_format(optarg);
			if (!options->format)
				return usage_error("--to: there is no format", optarg);
			break;
		case 'o':
			options->output = optarg;
			break;
		case 'f':
			options->reader.follow = 1;
			break;
		case 'h':
			return print_export_help();
		default:
			status = selection__parse(&options->reader, option, optarg);
			if (status >= 0)
				return status;
		}
	}
	return take_arguments(argc, argv, options);
}

/* ---- export ------------------------------------------------------------------------------ */

struct export
{
	const struct export_options *options;
	const struct export_format *format;
	struct persist_reader *reader;
	void *writer; /* NULL: not open */
	uint64_t next_flush_ns;
};

/* The events that the format is made for. Returns 0 or -errno after a message. */
static int add_wanted(struct export *export)
{
	const char *root = export->options->reader.root;
	struct persist_event_info *infos;
	int nr, nr_added = 0, err = 0;
	char start[PROGRAM_COMMAND_SIZE];

	nr = persist_list_events(root, print_log_message, NULL, &infos);
	if (nr < 0)
		return nr;
	for (int i = 0; i < nr && !err; i++) {
		if (infos[i].error || !export->format->is_wanted(&infos[i].meta))
			continue;
		err = persist_reader__add(export->reader, infos[i].meta.name);
		nr_added++;
	}
	free(infos);
	if (err || nr_added)
		return err;
	log_error(&log_to_stderr,
		  "%s: there is no event for the format %s; name others behind the file, or record "
		  "some: %s",
		  root ? root : PERSIST_DEFAULT_ROOT, export->format->name,
		  program_name__command(start, PROGRAM_LOADER, "start", root));
	return -ENOENT;
}

static int add_targets(struct export *export)
{
	const struct export_options *options = export->options;
	int err;

	if (!options->nr_targets)
		return add_wanted(export);
	for (int i = 0; i < options->nr_targets; i++) {
		err = persist_reader__add(export->reader, options->targets[i]);
		/* Named twice is no harm. */
		if (err && err != -EEXIST)
			return err; /* and a message was printed */
	}
	return 0;
}

/* Goes on behind what the output has already. */
static int resume(struct export *export)
{
	struct persist_position *positions = NULL;
	int nr, err;

	if (!export->format->positions)
		return 0;
	nr = export->format->positions(export->writer, &positions);
	if (nr < 0)
		return nr;
	err = persist_reader__resume(export->reader, positions, (size_t)nr);
	free(positions);
	if (err)
		log_error(&log_to_stderr, "cannot start: %s", strerror(-err));
	return err;
}

/* The output is opened last: a wrong name of an event shall not leave an empty file. */
static int open_export(struct export *export)
{
	const char *output = export->options->output;
	int err;

	export->reader = persist_reader__new(&export->options->reader);
	if (!export->reader) {
		err = -errno;
		log_error(&log_to_stderr, "cannot start: %s", strerror(-err));
		return err;
	}
	err = add_targets(export);
	if (err)
		return err;
	err = stop_signal__catch();
	if (err) {
		log_error(&log_to_stderr, "cannot start: %s", strerror(-err));
		return err;
	}
	err = export->format->open(output && strcmp(output, "-") ? output : NULL, &log_to_stderr,
				   &export->writer);
	return err ? err : resume(export);
}

static int flush(struct export *export)
{
	export->next_flush_ns = boottime_now() + FLUSH_NSEC;
	return export->format->flush(export->writer, export->reader);
}

/* Waits for records, a signal, or that nobody reads the output any more. */
static int wait_for_items(struct export *export)
{
	struct pollfd fds[] = {
		{ .fd = persist_reader__fd(export->reader), .events = POLLIN },
		{ .fd = stop_signal__fd(), .events = POLLIN },
		{ .fd = -1 },
	};
	int ret;

	if (export->format->output_fd)
		fds[2].fd = export->format->output_fd(export->writer);
	ret = record_reader__poll(export->reader, fds, 3, -1);
	if (ret < 0 && ret != -EINTR) {
		log_error(&log_to_stderr, "cannot wait for records: %s", strerror(-ret));
		return ret;
	}
	if (!(fds[2].revents & (POLLERR | POLLHUP)))
		return 0;
	log_error(&log_to_stderr, "nobody reads the output any more");
	return -EPIPE;
}

static int put_items(struct export *export)
{
	struct persist_item item;
	unsigned int items = 0;
	int ret = 0;

	while (!ret && !stop_signal__has_come()) {
		ret = persist_reader__next(export->reader, &item);
		if (!ret)
			return 0;
		if (ret < 0 && ret != -EAGAIN) {
			log_error(&log_to_stderr, "cannot read on: %s", strerror(-ret));
			return ret;
		}
		if (ret == 1) {
			ret = export->format->put(export->writer, &item);
			if (!ret && ++items % ITEMS_PER_CLOCK == 0 &&
			    boottime_now() >= export->next_flush_ns)
				ret = flush(export);
			continue;
		}
		ret = flush(export);
		if (!ret)
			ret = wait_for_items(export);
	}
	return ret;
}

static int close_export(struct export *export)
{
	int err = 0;

	if (export->writer)
		err = export->format->close(export->writer);
	persist_reader__free(export->reader);
	return err;
}

static int run(int argc, char **argv)
{
	struct export_options options = { 0 };
	struct export export = { .options = &options };
	int err, close_err, status;

	selection__init(&options.reader);
	status = parse_options(argc, argv, &options);
	if (status >= 0)
		return status;
	export.format = options.format;
	/* A pipe that is closed, or a file that may not get larger, is an error with a message. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	err = open_export(&export);
	if (!err)
		err = put_items(&export);
	if (!err)
		err = flush(&export);
	close_err = close_export(&export);
	return err || close_err ? EXIT_FAILURE : EXIT_SUCCESS;
}

const struct reader_command export_command = {
	.name = "export",
	.summary = "write what events have recorded for other tools",
	.help = export_help,
	.run = run,
};
