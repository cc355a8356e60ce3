// SPDX-License-Identifier: GPL-2.0-only
/* loader: makes events persistent and exits; see persist-loader(1). */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "command_line.h"
#include "config_file.h"
#include "event_list.h"
#include "event_spec.h"
#include "list_output.h"
#include "loader_options.h"
#include "log.h"
#include "persist_bpf.h"
#include "probe.h"
#include "run_command.h"
#include "status_output.h"

#define DEFAULT_CONFIG "/etc/persist-bpf/events.conf"

static struct log messages = { print_log_message, NULL, PERSIST_LOG_INFO };

static const char *root_of(const struct loader_options *options)
{
	return options->root ? options->root : PERSIST_DEFAULT_ROOT;
}

/* ---- access to the buffers ---------------------------------------------------------------- */

static int parse_mode(const char *text, uint32_t *mode)
{
	unsigned long value;
	char *end;

	value = strtoul(text, &end, 8);
	if (*text && !*end && (value == 0600 || value == 0660 || value == 0666)) {
		*mode = value;
		return 0;
	}
	usage_error("--mode wants 0600 (owner only), 0660 (and the group) or 0666 (everybody), not",
		    text);
	return -EINVAL;
}

static int find_group(const char *name, uint32_t *gid)
{
	const struct group *group = getgrnam(name);
	unsigned long value;
	char *end;

	if (group) {
		*gid = group->gr_gid;
		return 0;
	}
	value = strtoul(name, &end, 10);
	if (*name && !*end && value < UINT32_MAX) {
		*gid = value;
		return 0;
	}
	log_error(&messages,
		  "--group %s: there is no such group; make it with groupadd --system %s", name,
		  name);
	return -EINVAL;
}

/* Can those for whom --group and --mode open the pins pass this directory? */
static bool is_closed(const struct stat *st, const struct loader_options *options)
{
	uint32_t gid;

	if (st->st_mode & 0001)
		return false;
	return !options->group || !(st->st_mode & 0010) || find_group(options->group, &gid) ||
	       st->st_gid != gid;
}

/* Readers who may open the pins still have to get there. */
static void warn_of_closed_path(const struct loader_options *options)
{
	const char *root = root_of(options);
	char path[PATH_MAX], *slash;
	struct stat st;

	snprintf(path, sizeof(path), "%s", root);
	while ((slash = strrchr(path, '/')) && slash != path) {
		*slash = '\0';
		if (!stat(path, &st) && is_closed(&st, options))
			log_warn(&messages,
				 "%s has mode %04o: others than its owner cannot reach "
				 "%s; chmod o+x %s, or give it the readers' group and chmod g+x, "
				 "or bind-mount the tree elsewhere",
				 path, st.st_mode & 07777, root, path);
	}
}

static struct persist_tree *new_tree(const struct loader_options *options)
{
	struct persist_tree_options tree = {
		.size = sizeof(tree),
		.log_fn = messages.fn,
		.log_level = messages.level,
		.root = options->root,
		.set_group = options->group != NULL,
	};

	if (options->group && find_group(options->group, &tree.gid))
		return NULL;
	if (options->mode && parse_mode(options->mode, &tree.mode))
		return NULL;
	return persist_tree__new(&tree);
}

/* ---- commands ------------------------------------------------------------------------------ */

static enum exit_status exit_status_of(int err)
{
	return err ? EXIT_FAILED : EXIT_DONE;
}

/* A malformed one is wrong usage, and is said before anything is changed. */
static bool specs_are_valid(const char *const *specs, size_t nr)
{
	struct event_spec ignored;

	for (size_t i = 0; i < nr; i++)
		if (event_spec__parse(&messages, specs[i], &ignored))
			return false;
	return true;
}

static void report_added(void *context, enum persist_added added, const char *system,
			 const char *tracepoint, const struct persist_meta *meta)
{
	switch (added) {
	case PERSIST_ADDED:
	case PERSIST_WAS_THERE:
		printf("%s:%s: %s %s, persistent,config=%u\n", system, tracepoint,
		       added == PERSIST_ADDED ? "recording as" : "already recorded as", meta->name,
		       meta->event_id);
		break;
	case PERSIST_SKIPPED:
		printf("%s:%s: skipped, this kernel has no such tracepoint\n", system, tracepoint);
		break;
	case PERSIST_FAILED:
		break;
	}
	fflush(stdout);
}

static int add_events(struct persist_tree *tree, const struct loader_options *given,
		      const char *const *specs, size_t nr, bool optional, bool accept_same)
{
	const struct persist_add_options options = {
		.size = sizeof(options),
		.optional = optional,
		.accept_same = accept_same,
		.added_fn = report_added,
		.import_boot_trace = given->boot_trace,
	};

	return persist_tree__add(tree, specs, nr, &options);
}

/* The events of the options: those of -e, and those of a file or the default set. */
static int start_events(struct persist_tree *tree, const struct loader_options *options,
			const struct config_file *file)
{
	static const char *const default_set[] = { "mce:mce_record", "ras:*" };
	int one, err = 0;

	if (options->nr_events)
		err = add_events(tree, options, options->events, options->nr_events, false, true);
	if (file)
		one = add_events(tree, options, (const char *const *)file->specs, file->nr, true,
				 true);
	else
		one = options->nr_events ? 0
					 : add_events(tree, options, default_set, 2, true, true);
	return one ? one : err;
}

static enum exit_status start(struct persist_tree *tree, const struct loader_options *options)
{
	const char *path = options->config;
	struct config_file file = {};
	int err = 0;

	if (!path && !options->nr_events && !access(DEFAULT_CONFIG, F_OK))
		path = DEFAULT_CONFIG;
	if (!specs_are_valid(options->events, options->nr_events))
		return EXIT_WRONG_USAGE;
	if (path)
		err = config_file__read(&file, &messages, path);
	if (!err)
		err = start_events(tree, options, path ? &file : NULL);
	else if (err == -EINVAL)
		return EXIT_WRONG_USAGE;
	if (options->group || options->mode)
		warn_of_closed_path(options);
	config_file__free(&file);
	return exit_status_of(err);
}

static enum exit_status add(struct persist_tree *tree, const struct loader_options *options)
{
	const char *const *specs = (const char *const *)options->operands;

	if (!specs_are_valid(specs, options->nr_operands))
		return EXIT_WRONG_USAGE;
	return exit_status_of(add_events(tree, options, specs, options->nr_operands, false, false));
}

/* What is done with single events. */
struct action {
	int (*act)(struct persist_tree *tree, const char *name);
	const char *done;
};

static int act_on(struct persist_tree *tree, const struct action *action, const char *name)
{
	int err = action->act(tree, name);

	if (!err)
		printf("%s: %s\n", name, action->done);
	return err;
}

static int act_on_matching(struct persist_tree *tree, const struct action *action, const char *root,
			   const char *pattern)
{
	int one, nr, err = 0;
	char **names;

	nr = event_list__matching(root, pattern, &messages, &names);
	for (int i = 0; i < nr; i++) {
		one = act_on(tree, action, names[i]);
		err = one ? one : err;
	}
	event_list__free_names(names, nr);
	return nr < 0 ? nr : err;
}

/* The operands are names, or patterns of names. */
static enum exit_status act_on_each(struct persist_tree *tree, const struct action *action,
				    const struct loader_options *options)
{
	int one, err = 0;

	for (char **name = options->operands; *name; name++) {
		one = event_list__is_pattern(*name)
			      ? act_on_matching(tree, action, root_of(options), *name)
			      : act_on(tree, action, *name);
		err = one ? one : err;
		/* It is the same for the others. */
		if (one == -EACCES || one == -EPERM)
			break;
	}
	return exit_status_of(err);
}

static enum exit_status remove_events(struct persist_tree *tree,
				      const struct loader_options *options)
{
	static const struct action remove = { persist_tree__remove, "removed" };

	return act_on_each(tree, &remove, options);
}

static enum exit_status clear(struct persist_tree *tree, const struct loader_options *options)
{
	static const struct action clear = { persist_tree__clear, "cleared" };

	return act_on_each(tree, &clear, options);
}

static void report_removed(void *context, const char *name)
{
	printf("%s: removed\n", name);
}

static enum exit_status stop(struct persist_tree *tree, const struct loader_options *options)
{
	return exit_status_of(persist_tree__stop(tree, report_removed, NULL));
}

/* ---- events of a command ------------------------------------------------------------------ */

static enum exit_status run_with(const struct loader_options *options,
				 struct persist_attached **events, size_t nr)
{
	const struct run_command run = {
		.log = &messages,
		.root = root_of(options),
		.events = events,
		.nr_events = nr,
		.print = options->print,
		.json = options->json,
		.detach = options->detach,
		.command = options->command,
	};

	return run_command(&run);
}

/*
 * Gets an event for each text, runs the command, and lets the events go. If one cannot be had,
 * those that were persistent are so again.
 */
static enum exit_status run_events(struct persist_tree *tree, const struct loader_options *options,
				   const char *const *texts, size_t nr,
				   struct persist_attached *(*get)(struct persist_tree *tree,
								   const char *text))
{
	struct persist_attached **events = calloc(nr + 1, sizeof(*events));
	enum exit_status status = EXIT_FAILED;
	size_t got = 0;

	if (!events)
		return EXIT_FAILED;
	for (; got < nr; got++) {
		events[got] = get(tree, texts[got]);
		if (!events[got])
			break;
	}
	if (got == nr)
		status = run_with(options, events, nr);
	else if (get == persist_tree__attach)
		for (size_t i = 0; i < got; i++)
			persist_attached__detach(events[i]);
	while (got--)
		persist_attached__free(events[got]);
	free(events);
	return status;
}

static enum exit_status run(struct persist_tree *tree, const struct loader_options *options)
{
	if (!specs_are_valid(options->events, options->nr_events))
		return EXIT_WRONG_USAGE;
	return run_events(tree, options, options->events, options->nr_events, persist_tree__make);
}

/* Whether the operands, which are to be names, are none. */
static bool are_patterns(const struct loader_options *options)
{
	for (char **name = options->operands; *name; name++)
		if (event_list__is_pattern(*name)) {
			usage_error("NAME has to be that of one event, and not a pattern:", *name);
			return true;
		}
	return false;
}

static enum exit_status own(struct persist_tree *tree, const struct loader_options *options)
{
	if (are_patterns(options))
		return EXIT_WRONG_USAGE;
	return run_events(tree, options, (const char *const *)options->operands,
			  options->nr_operands, persist_tree__attach);
}

/* ---- looking ------------------------------------------------------------------------------- */

static enum exit_status list(struct persist_tree *tree, const struct loader_options *options)
{
	return exit_status_of(list_output__print(options->root, options->json));
}

static enum exit_status status(struct persist_tree *tree, const struct loader_options *options)
{
	if (are_patterns(options))
		return EXIT_WRONG_USAGE;
	return exit_status_of(status_output__status(tree, &messages, root_of(options),
						    options->operands[0], options->json));
}

static enum exit_status probe(struct persist_tree *tree, const struct loader_options *options)
{
	return exit_status_of(probe__print(root_of(options), options->json));
}

/* ---- command line -------------------------------------------------------------------------- */

#define START_HELP                                                                                     \
	"Record the events of FILE and each SPEC, and exit. Without either, those of\n" DEFAULT_CONFIG \
	", or else mce:mce_record and every ras:*."

static const struct loader_command commands[] = {
	{ "start",
	  "[-c FILE] [-e SPEC]... [--group NAME] [--mode OCTAL]\n[--import-boot-trace[=INSTANCE]]",
	  START_HELP, TAKES_EVENTS | TAKES_CONFIG | TAKES_ACCESS | TAKES_BOOT_TRACE, NULL, 0, 0,
	  start },
	{ "add", "SPEC... [--import-boot-trace[=INSTANCE]]", "Record these as well.",
	  TAKES_SPECS | TAKES_BOOT_TRACE, "SPEC", 1, SIZE_MAX, add },
	{ "remove", "NAME...",
	  "End these events and their buffers. Patterns match, as in 'sched_*'.", 0, "NAME", 1,
	  SIZE_MAX, remove_events },
	{ "clear", "NAME...",
	  "Give these events empty buffers, losing nothing that comes. Patterns match.", 0, "NAME",
	  1, SIZE_MAX, clear },
	{ "stop", "", "End all events and remove the tree.", 0, NULL, 0, 0, stop },
	{ "list", "[--json]",
	  "List the events, as the reader's list does: what is kept, and counters.", TAKES_JSON,
	  NULL, 0, 0, list },
	{ "status", "[NAME] [--json]", "Show policy, counters and memory of events.", TAKES_JSON,
	  "NAME", 0, 1, status },
	{ "probe", "[--json]", "Say what this kernel and machine can do.", TAKES_JSON, NULL, 0, 0,
	  probe },
	{ "run",
	  "-e SPEC... [--print] [--json] [--detach] [--group NAME] [--mode OCTAL]\n"
	  "[-- COMMAND [ARG]...]",
	  "Record these while COMMAND runs, or until interrupted; then they are gone, or with\n"
	  "--detach, persistent.",
	  TAKES_EVENTS | TAKES_ACCESS | TAKES_JSON | TAKES_PRINT | TAKES_DETACH | TAKES_COMMAND,
	  NULL, 0, 0, run },
	{ "own", "NAME... [--print] [--json] [--detach] [-- COMMAND [ARG]...]",
	  "Take persistent events over: they belong to COMMAND now, and end with it.",
	  TAKES_JSON | TAKES_PRINT | TAKES_DETACH | TAKES_COMMAND, "NAME", 1, SIZE_MAX, own },
	{ NULL },
};

static enum exit_status run_command_line(const struct loader_command *command,
					 const struct loader_options *options)
{
	struct persist_tree *tree = new_tree(options);
	enum exit_status status;

	if (!tree)
		return EXIT_WRONG_USAGE;
	status = command->run(tree, options);
	persist_tree__free(tree);
	return end_output() ? EXIT_FAILED : status;
}

int main(int argc, char **argv)
{
	const struct loader_command *command;
	struct loader_options options;
	int status;

	command_line__begin(PROGRAM_LOADER, argv[0]);
	/* A closed pipe on standard output is not to end a loader in the middle of its work. */
	signal(SIGPIPE, SIG_IGN);
	/* The library passes on what libbpf says to it; what it says to probes is no news. */
	libbpf_set_print(NULL);
	status = loader_options__parse(&options, commands, argc, argv, &command);
	if (options.verbose)
		messages.level = PERSIST_LOG_DEBUG;
	if (status < 0)
		status = run_command_line(command, &options);
	loader_options__free(&options);
	return status;
}
