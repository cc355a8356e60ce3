// SPDX-License-Identifier: GPL-2.0-only
/* The command "reader": shows what persistent events have recorded. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cpu_list.h"
#include "cursor_file.h"
#include "json_output.h"
#include "line_writer.h"
#include "log.h"
#include "persist_bpf.h"
#include "text_output.h"
#include "time_spec.h"
#include "version.h"

#define EXIT_USAGE 2

/* How many items may pass until the time is looked at again. */
#define ITEMS_PER_CLOCK 1024

static const char usage_text[] =
	"usage: reader attach TARGET... [-f|--follow] [--json] [--last N] [--since T] [--until T]\n"
	"                     [--cpu LIST] [--count N] [--timeout S] [--cursor-file F]\n"
	"                     [--root DIR]\n"
	"       reader list [--json] [--root DIR]\n"
	"       reader --help | --version (-V)\n"
	"\n"
	"Shows what persistent events have recorded, oldest first; needs no privilege but to open\n"
	"their pins.\n"
	"\n"
	"TARGET is the path of an event's pins (/sys/fs/bpf/persistent/mce_record), its name, or\n"
	"persistent/NAME/.\n"
	"\n"
	"  -f, --follow       go on with what comes, until interrupted or all events are removed\n"
	"      --json         one JSON object a line\n"
	"      --last N       of what is there, only the newest N records of all events together\n"
	"      --since T      nothing older\n"
	"      --until T      nothing newer; T is now, -10s, -5m, -2h, -1d, 2026-01-02T03:04:05Z,\n"
	"                     \"2026-01-02 03:04:05\" (local time), or seconds as the output shows\n"
	"      --cpu LIST     only these CPUs, such as 0-3,8\n"
	"      --count N      end after N records\n"
	"      --timeout S    end after S seconds\n"
	"      --cursor-file F  go on behind what the last reader with this file has written\n"
	"      --root DIR     the tree of pins (default " PERSIST_DEFAULT_ROOT ")\n"
	"  -h, --help         show this\n"
	"      --version      show the version\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage.\n";

/* ---- messages ---------------------------------------------------------------------------- */

static void print_message(void *ctx, enum persist_log_level level, const char *message)
{
	static const char *const prefixes[] = { "error: ", "warning: ", "", "" };

	(void)ctx;
	fprintf(stderr, "reader: %s%s\n", prefixes[level], message);
}

static const struct log log_to_stderr = { print_message, NULL, PERSIST_LOG_WARNING };

static int usage_error(const char *what, const char *object)
{
	fprintf(stderr, "reader: error: %s%s%s; see reader --help\n", what, object ? ": " : "",
		object ? object : "");
	return EXIT_USAGE;
}

/* ---- the command line -------------------------------------------------------------------- */

struct attach_options {
	struct persist_reader_options reader;
	const char *cursor_file;
	const char *since, *until;
	char **targets;
	int nr_targets;
	uint64_t count;	     /* 0: no limit */
	uint64_t timeout_ns; /* 0: no limit */
	bool has_timeout;
	bool json;
};

enum {
	OPT_JSON = 256,
	OPT_LAST,
	OPT_SINCE,
	OPT_UNTIL,
	OPT_CPU,
	OPT_COUNT,
	OPT_TIMEOUT,
	OPT_CURSOR_FILE,
	OPT_ROOT,
	OPT_VERSION,
};

static const struct option attach_long_options[] = {
	{ "follow", no_argument, NULL, 'f' },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "last", required_argument, NULL, OPT_LAST },
	{ "since", required_argument, NULL, OPT_SINCE },
	{ "until", required_argument, NULL, OPT_UNTIL },
	{ "cpu", required_argument, NULL, OPT_CPU },
	{ "count", required_argument, NULL, OPT_COUNT },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "cursor-file", required_argument, NULL, OPT_CURSOR_FILE },
	{ "root", required_argument, NULL, OPT_ROOT },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

static const struct option list_long_options[] = {
	{ "json", no_argument, NULL, OPT_JSON },
	{ "root", required_argument, NULL, OPT_ROOT },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

static int print_help(void)
{
	fputs(usage_text, stdout);
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int print_version(void)
{
	printf("persist-reader %s (record format %d)\n", PERSIST_BPF_VERSION, PERSIST_ABI_VERSION);
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* A positive whole number. */
static bool parse_number(const char *text, uint64_t *number)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && !*end && *number;
}

/* Seconds, with a fraction. Those of a record's time have the same form. */
static bool parse_timeout(const char *text, uint64_t *ns)
{
	return *text >= '0' && *text <= '9' && !time_spec__parse(text, 0, 0, ns) &&
	       !strchr(text, '-');
}

static bool parse_time(const char *text, uint64_t *ns)
{
	return !time_spec__parse(text, boottime_now(), wall_clock_offset(), ns);
}

/*
 * Returns -1 to go on, or the status with which to exit. Options may stand before, between and
 * behind the targets.
 */
static int parse_attach_options(int argc, char **argv, struct attach_options *options)
{
	int option;

	while ((option = getopt_long(argc, argv, "fh", attach_long_options, NULL)) != -1) {
		switch (option) {
		case 'f':
			options->reader.follow = 1;
			break;
		case OPT_JSON:
			options->json = true;
			break;
		case OPT_LAST:
			if (!parse_number(optarg, &options->reader.last))
				return usage_error("--last wants a positive number", optarg);
			break;
		case OPT_SINCE:
			options->since = optarg;
			if (!parse_time(optarg, &options->reader.since_ns))
				return usage_error("--since: not a time", optarg);
			break;
		case OPT_UNTIL:
			options->until = optarg;
			if (!parse_time(optarg, &options->reader.until_ns))
				return usage_error("--until: not a time", optarg);
			/* A time before the machine was booted: 0 would be no limit. */
			if (!options->reader.until_ns)
				options->reader.until_ns = 1;
			break;
		case OPT_CPU:
			options->reader.cpus = optarg;
			break;
		case OPT_COUNT:
			if (!parse_number(optarg, &options->count))
				return usage_error("--count wants a positive number", optarg);
			break;
		case OPT_TIMEOUT:
			if (!parse_timeout(optarg, &options->timeout_ns))
				return usage_error("--timeout wants seconds", optarg);
			options->has_timeout = true;
			break;
		case OPT_CURSOR_FILE:
			options->cursor_file = optarg;
			break;
		case OPT_ROOT:
			options->reader.root = optarg;
			break;
		case 'h':
			return print_help();
		case OPT_VERSION:
			return print_version();
		default:
			return usage_error("wrong usage", NULL);
		}
	}
	options->targets = argv + optind;
	options->nr_targets = argc - optind;
	return -1;
}

static int check_attach_options(const struct attach_options *options)
{
	struct cpu_list cpus;

	if (!options->nr_targets)
		return usage_error("attach: name at least one event", NULL);
	if (options->reader.cpus && cpu_list__parse(&cpus, options->reader.cpus))
		return usage_error("--cpu: not a list of CPUs such as 0-3,8", options->reader.cpus);
	if (options->until && options->reader.since_ns > options->reader.until_ns)
		return usage_error("--since is after --until", NULL);
	return -1;
}

/* ---- signals ----------------------------------------------------------------------------- */

static volatile sig_atomic_t is_stopped;
static int stop_pipe[2] = { -1, -1 };

static void stop(int signal)
{
	int saved_errno = errno;

	(void)signal;
	is_stopped = 1;
	/* Wakes the poll, also one that is about to begin. */
	if (write(stop_pipe[1], "", 1) < 0)
		errno = saved_errno;
	errno = saved_errno;
}

/*
 * The first of these signals ends the reader once it has written what it has; the second one at
 * once, should the output not take it.
 */
static int catch_signals(void)
{
	struct sigaction action = { .sa_handler = stop, .sa_flags = (int)SA_RESETHAND };

	if (pipe2(stop_pipe, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	if (sigaction(SIGINT, &action, NULL) || sigaction(SIGTERM, &action, NULL))
		return -errno;
	return 0;
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
	uint64_t nr_records;
	uint64_t deadline_ns; /* CLOCK_BOOTTIME */
	bool output_is_closed;
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

static int write_item(struct attachment *attachment, const struct persist_item *item)
{
	uint64_t seq = item->record ? item->record->seq : item->loss.to_seq;
	int number = 0, err;

	if (attachment->cursor) {
		number = cursor_number(attachment, item,
				       item->record ? item->record->cpu : item->loss.cpu);
		if (number < 0)
			return number;
	}
	if (attachment->json)
		err = json_output__put(attachment->json, item);
	else
		err = text_output__put(&attachment->writer, item);
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
	return is_stopped || attachment->output_is_closed ||
	       (attachment->options->count && attachment->nr_records >= attachment->options->count);
}

/* Waits for records, a signal, the deadline, or that nobody reads the output any more. */
static int wait_for_items(struct attachment *attachment)
{
	struct pollfd fds[] = {
		{ .fd = persist_reader__fd(attachment->reader), .events = POLLIN },
		{ .fd = stop_pipe[0], .events = POLLIN },
		{ .fd = attachment->writer.fd, .events = 0 },
	};

	if (poll(fds, 3, time_left(attachment)) < 0 && errno != EINTR)
		return -errno;
	if (fds[2].revents & (POLLERR | POLLHUP))
		attachment->output_is_closed = true;
	return 0;
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
		} else if (ret == -EAGAIN) {
			ret = line_writer__flush(&attachment->writer);
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
	}
	if (!err)
		err = catch_signals();
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

static int attach(int argc, char **argv)
{
	struct attach_options options = {
		.reader = {
			.size = sizeof(options.reader),
			.log_fn = print_message,
			.log_level = PERSIST_LOG_WARNING,
		},
	};
	struct attachment attachment = { .options = &options, .deadline_ns = UINT64_MAX };
	int err, status;

	status = parse_attach_options(argc, argv, &options);
	if (status < 0)
		status = check_attach_options(&options);
	if (status >= 0)
		return status;
	if (options.has_timeout)
		attachment.deadline_ns = boottime_now() + options.timeout_ns;
	err = open_attachment(&attachment);
	if (!err) {
		err = write_items(&attachment);
		if (!err)
			err = line_writer__flush(&attachment.writer);
		/* Who reads no further knows that: no message. */
		if (err && err != -EPIPE)
			log_error(&log_to_stderr, "cannot go on: %s", strerror(-err));
	}
	close_attachment(&attachment);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* ---- list -------------------------------------------------------------------------------- */

static void print_info(const struct persist_event_info *info)
{
	static const char *const keeps[] = { "both", "oldest", "latest" };
	const struct persist_meta *meta = &info->meta;
	char since[RFC3339_SIZE], tracepoint[2 * PERSIST_NAME_SIZE + 2];

	if (info->error) {
		printf("%-24s cannot be read: %s\n", meta->name, strerror(-info->error));
		return;
	}
	rfc3339__format((int64_t)meta->attach_wall_ns, since);
	/* Whole seconds will do here. */
	memcpy(since + 19, "Z", 2);
	snprintf(tracepoint, sizeof(tracepoint), "%s:%s", meta->system, meta->tracepoint);
	printf("%-24s %6u %-32s %-6s %12llu %12llu %12llu %12llu %s\n", meta->name, meta->event_id,
	       tracepoint, keeps[meta->keep],
	       (unsigned long long)(meta->nr_cpus * (meta->head_bytes + meta->tail_bytes)),
	       (unsigned long long)info->seen, (unsigned long long)info->recorded,
	       (unsigned long long)info->lost, since);
}

static int print_infos(const struct persist_event_info *infos, int nr)
{
	printf("%-24s %6s %-32s %-6s %12s %12s %12s %12s %s\n", "NAME", "ID", "TRACEPOINT", "KEEP",
	       "BYTES", "SEEN", "RECORDED", "LOST", "ATTACHED SINCE");
	for (int i = 0; i < nr; i++)
		print_info(&infos[i]);
	return fflush(stdout) ? -errno : 0;
}

static int print_infos_as_json(const struct persist_event_info *infos, int nr)
{
	struct json_output *json;
	struct line_writer writer;
	int err = line_writer__init(&writer, STDOUT_FILENO, NULL);

	if (err)
		return err;
	json = json_output__new(&writer);
	err = json ? 0 : -ENOMEM;
	for (int i = 0; i < nr && !err; i++) {
		err = json_output__put_info(json, &infos[i]);
		if (!err)
			err = line_writer__end_line(&writer, 0, 0);
	}
	if (!err)
		err = line_writer__flush(&writer);
	json_output__free(json);
	line_writer__destroy(&writer);
	return err;
}

/* What cannot be read is shown, but is a failure all the same. */
static bool has_error(const struct persist_event_info *infos, int nr)
{
	for (int i = 0; i < nr; i++)
		if (infos[i].error)
			return true;
	return false;
}

static int list(int argc, char **argv)
{
	struct persist_event_info *infos;
	const char *root = NULL;
	bool json = false;
	int option, nr, err;

	while ((option = getopt_long(argc, argv, "h", list_long_options, NULL)) != -1) {
		switch (option) {
		case OPT_JSON:
			json = true;
			break;
		case OPT_ROOT:
			root = optarg;
			break;
		case 'h':
			return print_help();
		case OPT_VERSION:
			return print_version();
		default:
			return usage_error("wrong usage", NULL);
		}
	}
	if (optind < argc)
		return usage_error("list: takes no arguments", argv[optind]);
	nr = persist_list_events(root, print_message, NULL, &infos);
	if (nr < 0)
		return EXIT_FAILURE;
	err = json ? print_infos_as_json(infos, nr) : print_infos(infos, nr);
	if (err && err != -EPIPE)
		log_error(&log_to_stderr, "standard output: %s", strerror(-err));
	if (has_error(infos, nr))
		err = -EIO;
	free(infos);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* ------------------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "attach", attach },
	{ "list", list },
};

int main(int argc, char **argv)
{
	if (argc < 2)
		return usage_error("no command", NULL);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return print_help();
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V") || !strcmp(argv[1], "version"))
		return print_version();
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	return usage_error("no such command", argv[1]);
}
