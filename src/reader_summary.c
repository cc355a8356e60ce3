// SPDX-License-Identifier: GPL-2.0-only
/* `reader summary`: how many hardware errors there were, and where. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_list.h"
#include "event_path.h"
#include "log.h"
#include "persist_totals.h"
#include "reader_command.h"
#include "selection.h"
#include "summary/summary.h"
#include "time_spec.h"

/* Rows of a table, unless asked for all or for another number. */
#define DEFAULT_TOP 10

static const char summary_help[] =
	"usage: {reader} summary [TARGET...] [--json] [--top N | --all] [--root DIR]\n"
	"\n"
	"Shows how many hardware errors there were since the loader attached to their events, by\n"
	"DIMM, bank or device, by severity and kind, and the worst pages of memory; and what these\n"
	"numbers cannot tell. The kernel counts exactly, whatever became of the records. Without\n"
	"TARGET, of all events in the tree that report hardware errors.\n"
	"\n" TARGET_HELP "\n"
	"      --json         one JSON object, with everything\n"
	"      --top N        at most N rows of each table (default 10)\n"
	"      --all          all rows\n"
	"      --root DIR     the tree of pins (default " PERSIST_DEFAULT_ROOT ")\n"
	"  -h, --help         show this\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage.\n";

enum {
	OPT_JSON = 256,
	OPT_TOP,
	OPT_ALL,
};

static const struct option long_options[] = {
	ROOT_LONG_OPTION,
	{ "json", no_argument, NULL, OPT_JSON },
	{ "top", required_argument, NULL, OPT_TOP },
	{ "all", no_argument, NULL, OPT_ALL },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

struct summary_options {
	const char *root;
	bool json;
	uint64_t top;
	char **targets;
	int nr_targets;
};

/* Returns -1 to go on, or the status with which to exit. */
static int parse_options(int argc, char **argv, struct summary_options *options)
{
	int option, status;

	while ((option = next_option(argc, argv, "h", long_options, NULL)) != -1) {
		switch (option) {
		case OPT_JSON:
			options->json = true;
			break;
		case OPT_TOP:
			status = take_count("--top", optarg, &options->top);
			if (status >= 0)
				return status;
			break;
		case OPT_ALL:
			options->top = SIZE_MAX;
			break;
		case OPT_ROOT:
			options->root = optarg;
			break;
		case 'h':
			return print_help();
		default:
			return EXIT_USAGE; /* and a message was printed */
		}
	}
	options->targets = argv + optind;
	options->nr_targets = argc - optind;
	return -1;
}

/* ---- collecting -------------------------------------------------------------------------- */

/* Those that report hardware errors, also if nothing is known of how to count them. */
static bool is_wanted(const struct persist_meta *meta)
{
	static const char *const systems[] = { "mce", "ras", "cxl", "memory_failure" };

	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++)
		if (!strcmp(meta->system, systems[i]))
			return true;
	return persist_event__has_totals(meta->system, meta->tracepoint);
}

/* The event's directory lies below the root: a name that is a path there would be ambiguous. */
static int read_event(const char *root, struct summary_event *event)
{
	event->totals = persist_totals__read(root, event->info.meta.name, print_log_message, NULL);
	if (!event->totals)
		event->error = -errno;
	else
		/* It may be another one by now. */
		event->info.meta = event->totals->meta;
	return event->error;
}

/*
 * Every event of the tree. Returns 0 or the error of the last event that could not be read, which
 * is one only in part.
 */
static int collect_tree(struct summary *summary)
{
	struct persist_event_info *infos;
	int nr = persist_list_events(summary->root, print_log_message, NULL, &infos), err = 0;

	if (nr < 0)
		return nr;
	summary->is_whole_tree = true;
	summary->events = calloc(nr + 1, sizeof(*summary->events));
	for (int i = 0; summary->events && i < nr; i++) {
		struct summary_event *event = &summary->events[summary->nr_events];
		int its_err;

		if (infos[i].error) {
			err = infos[i].error; /* and a message was printed */
			continue;
		}
		if (!is_wanted(&infos[i].meta))
			continue;
		event->info = infos[i];
		its_err = read_event(summary->root, event);
		/* Removed just now: it is not there. */
		if (its_err == -ENOENT)
			continue;
		if (its_err && its_err != -ENODATA)
			err = its_err;
		summary->nr_events++;
	}
	free(infos);
	return summary->events ? err : -ENOMEM;
}

static void explain(const char *root, const char *target, int err)
{
	char path[PATH_MAX];

	if (err == -ENOENT && !event_path__of_target(root, target, path))
		event_list__log_unknown(&log_to_stderr, path);
	else if (err == -ENODATA)
		log_error(
			&log_to_stderr,
			"%s: has no totals: it reports no hardware errors, or an older loader made "
			"it; then %s remove and add make one that has",
			target, program_name__loader());
}

/* Only the events that are named. Returns 0 or the error of the last one that has no totals. */
static int collect_targets(struct summary *summary, const struct summary_options *options)
{
	int err = 0;

	summary->events = calloc(options->nr_targets, sizeof(*summary->events));
	if (!summary->events)
		return -ENOMEM;
	for (int i = 0; i < options->nr_targets; i++) {
		struct summary_event *event = &summary->events[summary->nr_events];

		event->totals = persist_totals__read(summary->root, options->targets[i],
						     print_log_message, NULL);
		if (!event->totals) {
			err = -errno;
			explain(summary->root, options->targets[i], err);
			continue;
		}
		event->info.meta = event->totals->meta;
		summary->nr_events++;
	}
	return err;
}

static void free_events(struct summary *summary)
{
	for (size_t i = 0; i < summary->nr_events; i++)
		persist_totals__free(summary->events[i].totals);
	free(summary->events);
}

/* ------------------------------------------------------------------------------------------ */

static int run(int argc, char **argv)
{
	struct summary_options options = { .root = PERSIST_DEFAULT_ROOT, .top = DEFAULT_TOP };
	struct summary summary = {};
	int status = parse_options(argc, argv, &options), err, print_err = 0;

	if (status >= 0)
		return status;
	summary.root = options.root;
	err = options.nr_targets ? collect_targets(&summary, &options) : collect_tree(&summary);
	summary.now_ns = boottime_now();
	summary.wall_offset = wall_clock_offset();
	/* What can be read is shown, also if something else cannot. */
	if (summary.nr_events || !err)
		print_err = options.json ? summary__print_json(&summary)
					 : summary__print_text(&summary, options.top);
	if (print_err && print_err != -EPIPE)
		log_error(&log_to_stderr, "standard output: %s", strerror(-print_err));
	free_events(&summary);
	return err || print_err ? EXIT_FAILURE : EXIT_SUCCESS;
}

const struct reader_command summary_command = {
	.name = "summary",
	.summary = "count hardware errors: where, how many, how bad",
	.help = summary_help,
	.run = run,
};
