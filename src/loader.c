// SPDX-License-Identifier: GPL-2.0-only
/* loader: makes events persistent and exits; see persist-loader(1). */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <grp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "capabilities.h"
#include "event_manager.h"
#include "event_spec.h"
#include "pin_manager.h"
#include "probe.h"
#include "registry.h"
#include "status_output.h"
#include "version.h"

#define DEFAULT_CONFIG "/etc/persist-bpf/events.conf"

enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
};

struct options {
	const char *root;
	const char *group;
	const char *mode;
	bool json;
	bool verbose;
	const char **events; /* -e */
	size_t nr_events;
	const char *config;
};

static void print_message(void *context, enum persist_log_level level, const char *message)
{
	static const char *const prefixes[] = { "error: ", "warning: ", "", "" };

	fprintf(stderr, "loader: %s%s\n", prefixes[level], message);
}

static struct log messages = { print_message, NULL, PERSIST_LOG_INFO };

static int print_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	return messages.level < PERSIST_LOG_DEBUG ? 0 : vfprintf(stderr, format, args);
}

/* ---- access to the buffers ---------------------------------------------------------------- */

static int parse_mode(const char *text, mode_t *mode)
{
	unsigned long value;
	char *end;

	value = strtoul(text, &end, 8);
	/* A reader maps the buffers through a descriptor that may write, which it then may not. */
	if (*text && !*end && (value == 0600 || value == 0660 || value == 0666)) {
		*mode = value;
		return 0;
	}
	log_error(&messages,
		  "--mode %s: expected 0600 (owner only), 0660 (and the group) or 0666 "
		  "(everybody)",
		  text);
	return -EINVAL;
}

static int find_group(const char *name, gid_t *gid)
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

/* --group gives the group what --mode does not say otherwise. */
static int set_access(struct pin_tree *tree, const struct options *options)
{
	int err = 0;

	if (options->group) {
		err = find_group(options->group, &tree->gid);
		tree->mode |= 0060;
	}
	if (!err && options->mode)
		err = parse_mode(options->mode, &tree->mode);
	return err;
}

/* Readers who may open the pins still have to get there. */
static void warn_of_closed_path(const struct pin_tree *tree)
{
	char path[PATH_MAX], *slash;
	struct stat st;

	if (tree->mode == 0600)
		return;
	strcpy(path, tree->root);
	while ((slash = strrchr(path, '/')) && slash != path) {
		*slash = '\0';
		if (!stat(path, &st) && !(st.st_mode & 0001))
			log_warn(&messages,
				 "%s has mode %04o: others than its owner cannot reach "
				 "%s; chmod o+x %s, or bind-mount the tree elsewhere",
				 path, st.st_mode & 07777, tree->root, path);
	}
}

/* Said before anything is changed: what would fail otherwise fails in the middle. */
static int check_capabilities(void)
{
	char missing[64];

	if (!capabilities__are_missing(missing, sizeof(missing)))
		return 0;
	log_error(&messages,
		  "no permission to load BPF programs: this process lacks %s; run the loader as "
		  "root, or give it that",
		  missing);
	return -EPERM;
}

/* ---- commands ------------------------------------------------------------------------------ */

static void report_added(const struct event_spec *spec, enum event_added added,
			 const struct persist_meta *meta)
{
	if (added == EVENT_SKIPPED)
		printf("%s:%s: skipped, this kernel has no such tracepoint\n", spec->system,
		       spec->tracepoint);
	else
		printf("%s:%s: %s %s, persistent,config=%u\n", spec->system, spec->tracepoint,
		       added == EVENT_ADDED ? "recording as" : "already recorded as", spec->name,
		       meta->event_id);
	fflush(stdout);
}

/* Tries every event, so that one that fails does not keep the others from being recorded. */
static int add_events(struct pin_tree *tree, const struct event_spec_list *list, bool accept_same)
{
	struct event_manager manager;
	struct persist_meta meta;
	enum event_added added;
	int one, err = event_manager__open(&manager, tree->log);

	if (err)
		return err;
	for (size_t i = 0; i < list->nr; i++) {
		one = event_manager__add(&manager, tree, &list->specs[i], accept_same, &added,
					 &meta);
		if (one)
			err = one;
		else
			report_added(&list->specs[i], added, &meta);
	}
	event_manager__close(&manager);
	return err;
}

static int collect_specs(const struct options *options, struct event_spec_list *list)
{
	int err = 0;

	for (size_t i = 0; i < options->nr_events && !err; i++)
		err = event_spec_list__add(list, &messages, options->events[i], false);
	if (!err && options->config)
		err = event_spec_list__add_file(list, &messages, options->config);
	if (err || options->nr_events || options->config)
		return err;
	if (!access(DEFAULT_CONFIG, F_OK))
		return event_spec_list__add_file(list, &messages, DEFAULT_CONFIG);
	return event_spec_list__add_default(list, &messages);
}

static enum exit_status exit_status_of(int err)
{
	return err ? EXIT_FAILED : EXIT_DONE;
}

static enum exit_status start(struct pin_tree *tree, const struct options *options, char **args)
{
	struct event_spec_list list = {};
	enum exit_status status = EXIT_FAILED;
	struct pin_tree asked = *tree;
	int err;

	if (set_access(&asked, options))
		return EXIT_USAGE;
	err = collect_specs(options, &list);
	if (err == -EINVAL)
		status = EXIT_USAGE;
	if (!err)
		err = check_capabilities();
	if (!err)
		err = pin_tree__lock(tree, true);
	if (err)
		goto out;
	pin_tree__adopt_access(tree);
	if (options->group)
		tree->gid = asked.gid;
	if (options->group || options->mode)
		tree->mode = asked.mode;
	if (options->group || options->mode)
		err = pin_tree__apply_access(tree);
	if (!err)
		err = add_events(tree, &list, true);
	warn_of_closed_path(tree);
	pin_tree__unlock(tree);
	status = exit_status_of(err);
out:
	event_spec_list__free(&list);
	return status;
}

static enum exit_status add(struct pin_tree *tree, const struct options *options, char **args)
{
	struct event_spec_list list = {};
	int err = 0;

	for (; *args && !err; args++)
		err = event_spec_list__add(&list, &messages, *args, false);
	if (err) {
		event_spec_list__free(&list);
		return err == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	}
	err = check_capabilities();
	if (!err)
		err = pin_tree__lock(tree, true);
	if (!err) {
		pin_tree__adopt_access(tree);
		err = add_events(tree, &list, false);
		pin_tree__unlock(tree);
	}
	event_spec_list__free(&list);
	return exit_status_of(err);
}

/* For commands that have nothing to do without a tree. */
static int lock_existing(struct pin_tree *tree)
{
	int err = pin_tree__lock(tree, false);

	if (err == -ENOENT)
		log_error(&messages, "%s: there are no persistent events; begin with loader start",
			  tree->root);
	return err;
}

static enum exit_status remove_events(struct pin_tree *tree, const struct options *options,
				      char **names)
{
	int one, err = lock_existing(tree);

	if (err)
		return EXIT_FAILED;
	for (; *names; names++) {
		one = event_manager__remove(tree, *names);
		if (one)
			err = one;
		else
			printf("%s: removed\n", *names);
	}
	pin_tree__unlock(tree);
	return exit_status_of(err);
}

static enum exit_status clear(struct pin_tree *tree, const struct options *options, char **names)
{
	struct event_manager manager;
	int one, err = lock_existing(tree);

	if (err)
		return EXIT_FAILED;
	pin_tree__adopt_access(tree);
	err = event_manager__open(&manager, tree->log);
	if (!err) {
		for (; *names; names++) {
			one = event_manager__clear(&manager, tree, *names);
			if (one)
				err = one;
			else
				printf("%s: cleared\n", *names);
		}
		event_manager__close(&manager);
	}
	pin_tree__unlock(tree);
	return exit_status_of(err);
}

/* What keeps the root from being removed. */
struct left_over {
	uint32_t events;
	int err;
};

/* Goes on after an error: what can be stopped is. */
static int stop_event(struct pin_tree *tree, const char *name, const struct persist_meta *meta,
		      void *context)
{
	struct left_over *left = context;
	int err = -ENOTSUP;

	if (meta)
		err = event_manager__remove(tree, name);
	else
		log_error(&messages, "%s/%s: %s", tree->root, name, pin_tree__meta_error(err));
	if (err) {
		left->events++;
		left->err = err;
	} else {
		printf("%s: removed\n", name);
	}
	return 0;
}

static enum exit_status stop(struct pin_tree *tree, const struct options *options, char **args)
{
	struct left_over left = {};
	int err = pin_tree__lock(tree, false);

	if (err == -ENOENT)
		return EXIT_DONE; /* stopped already */
	if (err)
		return EXIT_FAILED;
	err = pin_tree__for_each_event(tree, stop_event, &left);
	if (!err && !left.events)
		err = pin_tree__remove_root(tree);
	pin_tree__unlock(tree);
	return exit_status_of(err ? err : left.err);
}

static enum exit_status list(struct pin_tree *tree, const struct options *options, char **args)
{
	return exit_status_of(status_output__list(tree, options->json));
}

static enum exit_status status(struct pin_tree *tree, const struct options *options, char **args)
{
	return exit_status_of(status_output__status(tree, args[0], options->json));
}

static enum exit_status probe(struct pin_tree *tree, const struct options *options, char **args)
{
	return exit_status_of(probe__print(tree->root, options->json));
}

/* ---- command line -------------------------------------------------------------------------- */

struct command {
	const char *name;
	const char *usage;
	const char *help;
	int min_args;
	int max_args; /* -1: any number */
	enum exit_status (*run)(struct pin_tree *tree, const struct options *options, char **args);
};

static const struct command commands[] = {
	{ "start", "start [-c FILE] [-e SPEC]... [--group NAME] [--mode OCTAL]",
	  "Record the events of FILE and each SPEC, and exit. Without either, the events of\n"
	  "      " DEFAULT_CONFIG ", or else mce:mce_record and every ras:*.",
	  0, 0, start },
	{ "add", "add SPEC...", "Record these as well.", 1, -1, add },
	{ "remove", "remove NAME...", "End these events and their buffers.", 1, -1, remove_events },
	{ "clear", "clear NAME...", "Give these events empty buffers, losing nothing that comes.",
	  1, -1, clear },
	{ "stop", "stop", "End all events and remove the tree.", 0, 0, stop },
	{ "list", "list [--json]", "List the events.", 0, 0, list },
	{ "status", "status [NAME] [--json]", "Show policy, counters and memory of events.", 0, 1,
	  status },
	{ "probe", "probe [--json]", "Say what this kernel and machine can do.", 0, 0, probe },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *out)
{
	fputs("usage: loader COMMAND [OPTION]...\n\n"
	      "Makes kernel events persistent: recorded into buffers pinned in bpffs, with no "
	      "process.\n\ncommands:\n",
	      out);
	for (size_t i = 0; i < NR_COMMANDS; i++)
		fprintf(out, "  %s\n      %s\n", commands[i].usage, commands[i].help);
	fputs("\noptions of every command:\n"
	      "  --root DIR     directory of the tree in a BPF file system\n"
	      "                 (" PIN_TREE_DEFAULT_ROOT ")\n"
	      "  -v, --verbose  show what libbpf and the verifier say\n"
	      "  -h, --help     show this\n"
	      "  -V, --version  show the version\n"
	      "\nSPEC is SYSTEM:NAME or SYSTEM:NAME/OPTION=VALUE,.../; patterns match, as in "
	      "'sched:*'.\n"
	      "  keep=both|oldest|latest  what to keep when there is more than fits (both)\n"
	      "  head=SIZE                bytes per CPU for the first records (64K)\n"
	      "  tail=SIZE                bytes per CPU for the latest records (256K)\n"
	      "  ring=auto|array|ringbuf  how the latest records are stored (auto)\n"
	      "  wakeup=N                 wake readers at each N-th record, 0: they poll (0)\n"
	      "  name=NAME                name in the tree (the tracepoint's)\n"
	      "\nexit status: 0 done, 1 failed, 2 wrong usage\n",
	      out);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

enum long_option {
	OPTION_ROOT = 256,
	OPTION_GROUP,
	OPTION_MODE,
	OPTION_JSON,
};

static const struct option long_options[] = {
	{ "root", required_argument, NULL, OPTION_ROOT },
	{ "group", required_argument, NULL, OPTION_GROUP },
	{ "mode", required_argument, NULL, OPTION_MODE },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "event", required_argument, NULL, 'e' },
	{ "config", required_argument, NULL, 'c' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{},
};

static bool is_json_command(const struct command *command)
{
	return strstr(command->usage, "--json");
}

static enum exit_status wrong_usage(const char *what, const char *which)
{
	log_error(&messages, "%s%s; see loader --help", what, which);
	return EXIT_USAGE;
}

/* Options that a command does not have are errors, not ignored. */
static enum exit_status check_options(const struct command *command, const struct options *options,
				      int nr_args)
{
	bool is_start = command->run == start;

	if (!is_start && (options->nr_events || options->config))
		return wrong_usage("-e and -c belong to start, not to ", command->name);
	if (!is_start && (options->group || options->mode))
		return wrong_usage("--group and --mode belong to start, not to ", command->name);
	if (options->json && !is_json_command(command))
		return wrong_usage("there is no --json for ", command->name);
	if (nr_args < command->min_args)
		return wrong_usage("usage: loader ", command->usage);
	if (command->max_args >= 0 && nr_args > command->max_args)
		return wrong_usage("too many arguments; usage: loader ", command->usage);
	return EXIT_DONE;
}

static int parse_options(int argc, char **argv, struct options *options)
{
	int option;

	options->events = calloc(argc, sizeof(*options->events));
	if (!options->events)
		return -1;
	while ((option = getopt_long(argc, argv, "c:e:vhV", long_options, NULL)) != -1) {
		switch (option) {
		case OPTION_ROOT:
			options->root = optarg;
			break;
		case OPTION_GROUP:
			options->group = optarg;
			break;
		case OPTION_MODE:
			options->mode = optarg;
			break;
		case OPTION_JSON:
			options->json = true;
			break;
		case 'e':
			options->events[options->nr_events++] = optarg;
			break;
		case 'c':
			options->config = optarg;
			break;
		case 'v':
			messages.level = PERSIST_LOG_DEBUG;
			break;
		case 'h':
			return 'h';
		case 'V':
			return 'V';
		default:
			return '?';
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct command *command;
	struct options options = {};
	enum exit_status status;
	struct pin_tree tree;

	switch (parse_options(argc, argv, &options)) {
	case 0:
		break;
	case 'h':
		print_help(stdout);
		status = EXIT_DONE;
		goto out;
	case 'V':
		printf("persist-bpf %s\n", PERSIST_BPF_VERSION);
		status = EXIT_DONE;
		goto out;
	default:
		fputs("see loader --help\n", stderr);
		status = EXIT_USAGE;
		goto out;
	}
	if (optind == argc) {
		print_help(stderr);
		status = EXIT_USAGE;
		goto out;
	}
	command = find_command(argv[optind]);
	if (!command) {
		status = wrong_usage("there is no command ", argv[optind]);
		goto out;
	}
	status = check_options(command, &options, argc - optind - 1);
	if (status != EXIT_DONE)
		goto out;
	libbpf_set_print(print_libbpf);
	/* A closed pipe on standard output is not to end a loader in the middle of its work. */
	signal(SIGPIPE, SIG_IGN);
	if (pin_tree__init(&tree, &messages, options.root)) {
		status = EXIT_USAGE;
		goto out;
	}
	status = command->run(&tree, &options, argv + optind + 1);
	if (fflush(stdout) || ferror(stdout)) {
		log_error(&messages, "standard output: %s", strerror(errno));
		status = EXIT_FAILED;
	}
out:
	free(options.events);
	return status;
}
