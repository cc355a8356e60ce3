// SPDX-License-Identifier: GPL-2.0-only
/* `reader record`: writes what persistent events record into a file of perf. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "perf/perf_data.h"
#include "persist_bpf.h"
#include "program_path.h"
#include "reader_command.h"
#include "record_reader.h"
#include "selection.h"
#include "stop_signal.h"
#include "target_list.h"
#include "time_spec.h"
#include "workload.h"

/* How many items may pass until it is looked whether the command has ended. */
#define ITEMS_PER_CHECK 1024

/* How long a record may be on its way when the recording ends. */
#define LAST_RECORDS_NSEC (20 * NSEC_PER_MSEC)

static const char record_help[] =
	"usage: {reader} record -e EVENT [-e EVENT]... [-a] [-C LIST] [-o FILE] [-q]\n"
	"           [--no-history] [--last N] [--since T] [--until T] [--root DIR]\n"
	"           [[--] COMMAND [ARG]...]\n"
	"\n"
	"Writes a perf.data file for perf script, perf report and perf's other commands: what the\n"
	"buffers hold, and what comes until COMMAND ends or, without one, until interrupted.\n"
	"\n"
	"EVENT is persistent/NAME/, a name, or the path of an event's pins\n"
	"(/sys/fs/bpf/persistent/mce_record); several with commas between them will do,\n"
	"and patterns of names.\n"
	"\n"
	"  -e, --event EVENT  what to record\n"
	"  -o, --output FILE  the file (default perf.data; what is there becomes FILE.old); - is\n"
	"                     standard output, for perf script -i - and the like, and the default\n"
	"                     if that is a pipe\n"
	"  -a, --all-cpus     of all CPUs, as it always is without -C\n"
	"  -C LIST            the same as --cpu\n"
	"      --no-history   only what comes from now on\n"
	"  -q, --quiet        no summary at the end\n" SELECTION_HELP
	"  -h, --help         show this\n"
	"\n"
	"Exit status: that of COMMAND, 128 and its number if a signal ended it, 127 if there is no\n"
	"such command, 126 if it cannot be executed; 0 done, 1 failed, 2 wrong usage.\n";

/* ---- the command line -------------------------------------------------------------------- */

struct record_options {
	struct persist_reader_options reader;
	struct target_list events;
	const char *output;
	char **command; /* NULL at its end; without one there is only that */
	bool quiet;
};

enum {
	OPT_NO_HISTORY = 256,
};

static const struct option long_options[] = {
	SELECTION_LONG_OPTIONS,
	{ "event", required_argument, NULL, 'e' },
	{ "output", required_argument, NULL, 'o' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "no-history", no_argument, NULL, OPT_NO_HISTORY },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* Takes one option; returns -1, or the status with which to exit. */
static int take_option(struct record_options *options, int option)
{
	switch (option) {
	case 'e':
		return target_list__add(&options->events, optarg);
	case 'o':
		options->output = optarg;
		return -1;
	case 'a':
		return -1;
	case 'C':
		return selection__parse(&options->reader, OPT_CPU, optarg);
	case OPT_NO_HISTORY:
		options->reader.since_ns = boottime_now();
		return -1;
	case 'q':
		options->quiet = true;
		return -1;
	case 'h':
		return print_help();
	default:
		return selection__parse(&options->reader, option, optarg);
	}
}

/* As perf does: what is not said to go elsewhere goes into a pipe if there is one. */
static const char *default_output(void)
{
	struct stat st;

	return !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

/* Returns -1 to go on, or the status with which to exit. The options end where COMMAND begins. */
static int parse_options(int argc, char **argv, struct record_options *options)
{
	int option, status;

	while ((option = next_option(argc, argv, "+e:o:aC:qh", long_options, NULL)) != -1) {
		status = take_option(options, option);
		if (status >= 0)
			return status;
	}
	if (!options->events.nr)
		return missing_argument("-e EVENT");
	options->command = argv + optind;
	if (!options->output)
		options->output = default_output();
	return selection__check(&options->reader);
}

/* ---- the recording ----------------------------------------------------------------------- */

struct recording {
	const struct record_options *options;
	struct persist_reader *reader;
	struct perf_data *file;
	struct workload workload;
	uint64_t end_ns; /* CLOCK_BOOTTIME; 0: it goes on */
};

static int open_reader(struct recording *recording)
{
	const struct record_options *options = recording->options;
	int err;

	recording->reader = persist_reader__new(&options->reader);
	if (!recording->reader) {
		err = -errno;
		log_error(&log_to_stderr, "cannot start: %s", strerror(-err));
		return err;
	}
	for (unsigned int i = 0; i < options->events.nr; i++) {
		err = persist_reader__add(recording->reader, options->events.targets[i]);
		/* Named twice is no harm. */
		if (err && err != -EEXIST)
			return err; /* and a message was printed */
	}
	return 0;
}

/* The command line as it was given, for the file's header; the caller frees it. */
static const char **whole_command_line(int argc, char **argv)
{
	const char **command = calloc((size_t)argc + 2, sizeof(*command));

	if (!command)
		return NULL;
	command[0] = program_invocation_name;
	for (int i = 0; i < argc; i++)
		command[i + 1] = argv[i];
	return command;
}

static int begin_file(struct recording *recording, const char *const *command_line)
{
	const struct persist_event **events, *event;
	uint32_t nr = 0;
	int err;

	while (record_reader__event(recording->reader, nr))
		nr++;
	events = calloc(nr + 1, sizeof(*events));
	if (!events) {
		log_error(&log_to_stderr, "cannot start: %s", strerror(ENOMEM));
		return -ENOMEM;
	}
	for (nr = 0; (event = record_reader__event(recording->reader, nr)); nr++)
		events[nr] = event;
	err = perf_data__begin(recording->file, events, nr, command_line);
	free(events);
	return err;
}

/* Before anything is done for it. Returns -1 to go on, or the status with which to exit. */
static int look_for_command(const struct record_options *options)
{
	char *path;
	int err;

	if (!*options->command)
		return -1;
	path = program_path__find(*options->command);
	if (!path) {
		err = -errno;
		log_error(&log_to_stderr, "cannot run %s: %s", *options->command, strerror(-err));
		return exit_status_of_exec(err);
	}
	free(path);
	return -1;
}

/* Returns -1 to go on, or the status with which to exit. */
static int start_command(struct recording *recording)
{
	const struct record_options *options = recording->options;
	int err;

	if (!*options->command)
		return -1;
	err = workload__start(&recording->workload, options->command, !strcmp(options->output, "-"),
			      &log_to_stderr);
	if (!err)
		return -1;
	/* It is there, but the kernel does not take it. */
	perf_data__discard(recording->file);
	return exit_status_of_exec(err);
}

static void look_for_end(struct recording *recording)
{
	if (!recording->end_ns &&
	    (stop_signal__has_come() || workload__has_ended(&recording->workload)))
		recording->end_ns = boottime_now();
}

/* Milliseconds until what was recorded by the end is there; -1: the end is not known. */
static int time_left(const struct recording *recording)
{
	uint64_t now = boottime_now(), last = recording->end_ns + LAST_RECORDS_NSEC;

	if (!recording->end_ns)
		return -1;
	return now < last ? (int)((last - now) / NSEC_PER_MSEC) + 1 : 0;
}

/* Waits for records, for the end, or that nobody reads the output any more. */
static int wait_for_items(struct recording *recording)
{
	bool ends = recording->end_ns != 0;
	struct pollfd fds[] = {
		{ .fd = persist_reader__fd(recording->reader), .events = POLLIN },
		{ .fd = perf_data__fd(recording->file), .events = 0 },
		{ .fd = ends ? -1 : stop_signal__fd(), .events = POLLIN },
		{ .fd = ends ? -1 : recording->workload.fd, .events = POLLIN },
	};

	int ret = record_reader__poll(recording->reader, fds, sizeof(fds) / sizeof(fds[0]),
				      time_left(recording));

	if (ret < 0 && ret != -EINTR) {
		log_error(&log_to_stderr, "cannot wait for records: %s", strerror(-ret));
		return ret;
	}
	return perf_data__check(recording->file);
}

static bool is_behind_end(const struct recording *recording, const struct persist_item *item)
{
	return recording->end_ns && item->record && item->record->time_ns > recording->end_ns;
}

/* Returns 0 at the end, or -errno after a message. */
static int record_items(struct recording *recording)
{
	struct persist_item item;
	unsigned int items = 0;
	int ret;

	for (;;) {
		if (items++ % ITEMS_PER_CHECK == 0)
			look_for_end(recording);
		ret = persist_reader__next(recording->reader, &item);
		if (ret == 1) {
			if (is_behind_end(recording, &item))
				return 0;
			ret = perf_data__put(recording->file, &item);
		} else if (ret == -EAGAIN) {
			if (!time_left(recording))
				return 0;
			ret = perf_data__flush(recording->file);
			if (!ret)
				ret = wait_for_items(recording);
			items = 0;
		} else {
			if (ret)
				log_error(&log_to_stderr, "cannot go on reading: %s",
					  strerror(-ret));
			return ret;
		}
		if (ret)
			return ret;
	}
}

static void print_summary(const struct recording *recording, const struct perf_data_counts *counts)
{
	char lost[64] = "", output[LOG_ESCAPED_SIZE];

	if (recording->options->quiet)
		return;
	if (counts->lost)
		snprintf(lost, sizeof(lost), ", %llu lost", (unsigned long long)counts->lost);
	fprintf(stderr, "[ reader record: Captured and wrote %.3f MB %s (%llu samples%s) ]\n",
		(double)counts->bytes / 1e6, log_escape(recording->options->output, output),
		(unsigned long long)counts->samples, lost);
}

/* Returns the status with which to exit. */
static int record(struct recording *recording)
{
	struct perf_data_counts counts;
	int status, err = record_items(recording);

	/* What there is can be read, and so it is made a file also if something went wrong. */
	if (perf_data__finish(recording->file, &counts) && !err)
		err = -EIO;
	if (!err)
		print_summary(recording, &counts);
	/* The command does not end because it cannot be recorded any more. */
	status = workload__end(&recording->workload, stop_signal__has_come() ? SIGTERM : 0);
	return err ? EXIT_FAILURE : status;
}

/* Returns -1 to go on, or the status with which to exit. */
static int start_recording(struct recording *recording, const char *const *command_line)
{
	int status, err = open_reader(recording);

	if (err)
		return EXIT_FAILURE;
	status = look_for_command(recording->options);
	if (status >= 0)
		return status;
	err = perf_data__open(recording->options->output, &log_to_stderr, &recording->file);
	if (!err)
		err = begin_file(recording, command_line);
	if (err)
		return EXIT_FAILURE;
	/* A pipe that nobody reads is an error of write(2), with a message. */
	signal(SIGPIPE, SIG_IGN);
	err = stop_signal__catch();
	if (err) {
		log_error(&log_to_stderr, "cannot start: %s", strerror(-err));
		return EXIT_FAILURE;
	}
	return start_command(recording);
}

static int run(int argc, char **argv)
{
	struct record_options options = { 0 };
	struct recording recording = { .options = &options, .workload = WORKLOAD_NONE };
	const char **command_line = NULL;
	int status;

	selection__init(&options.reader);
	options.reader.follow = 1;
	status = parse_options(argc, argv, &options);
	if (status < 0) {
		command_line = whole_command_line(argc, argv);
		status = command_line ? start_recording(&recording, command_line) : EXIT_FAILURE;
		if (status < 0)
			status = record(&recording);
	}
	perf_data__close(recording.file);
	persist_reader__free(recording.reader);
	free(command_line);
	target_list__free(&options.events);
	return status;
}

const struct reader_command record_command = {
	.name = "record",
	.summary = "write what events have recorded, and record, into a perf.data file",
	.help = record_help,
	.run = run,
};
