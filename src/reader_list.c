// SPDX-License-Identifier: GPL-2.0-only
/* `reader list`: the events of a tree. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_output.h"
#include "line_writer.h"
#include "log.h"
#include "persist_bpf.h"
#include "reader_command.h"
#include "selection.h"
#include "time_spec.h"

static const char list_help[] =
	"usage: {reader} list [--json] [--root DIR]\n"
	"\n"
	"Lists the events of a tree, with their counters.\n"
	"\n"
	"      --json         one JSON object a line\n"
	"      --root DIR     the tree of pins (default " PERSIST_DEFAULT_ROOT ")\n"
	"  -h, --help         show this\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage.\n";

enum {
	OPT_JSON = 256,
};

static const struct option long_options[] = {
	ROOT_LONG_OPTION,
	{ "json", no_argument, NULL, OPT_JSON },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static void print_info(const struct persist_event_info *info)
{
	static const char *const keeps[] = { "both", "oldest", "latest" };
	const struct persist_meta *meta = &info->meta;
	char since[RFC3339_SIZE], tracepoint[2 * PERSIST_NAME_SIZE + 2], name[LOG_ESCAPED_SIZE];

	if (info->error) {
		/* That of a directory, which anybody has made. */
		printf("%-24s cannot be read: %s\n", log_escape(meta->name, name),
		       strerror(-info->error));
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

static int run(int argc, char **argv)
{
	struct persist_event_info *infos;
	const char *root = NULL;
	bool json = false;
	int option, nr, err;

	while ((option = next_option(argc, argv, "h", long_options, NULL)) != -1) {
		switch (option) {
		case OPT_JSON:
			json = true;
			break;
		case OPT_ROOT:
			root = optarg;
			break;
		case 'h':
			return print_help();
		default:
			return EXIT_USAGE; /* and a message was printed */
		}
	}
	if (optind < argc)
		return unexpected_argument(argv[optind]);
	nr = persist_list_events(root, print_log_message, NULL, &infos);
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

const struct reader_command list_command = {
	.name = "list",
	.summary = "list the events of a tree",
	.help = list_help,
	.run = run,
};
