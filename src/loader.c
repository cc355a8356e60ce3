// SPDX-License-Identifier: GPL-2.0-only
/* loader: makes events persistent and exits; see persist-loader(1). */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
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

#include "config_file.h"
#include "event_spec.h"
#include "log.h"
#include "persist_bpf.h"
#include "probe.h"
#include "run_command.h"
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
	bool print;
	bool detach;
	const char **events; /* -e */
	size_t nr_events;
	const char *config;
	char **command; /* behind "--", NULL at the end */
};

static void print_log_message(void *context, enum persist_log_level level, const char *message)
{
	static const char *const prefixes[] = { "error: ", "warning: ", "", "" };

	fprintf(stderr, "loader: %s%s\n", prefixes[level], message);
}

static struct log messages = { print_log_message, NULL, PERSIST_LOG_INFO };

static const char *root_of(const struct options *options)
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
	log_error(&messages,
		  "--mode %s: expected 0600 (owner only), 0660 (and the group) or 0666 "
		  "(everybody)",
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
static bool is_closed(const struct stat *st, const struct options *options)
{
	uint32_t gid;

	if (st->st_mode & 0001)
		return false;
	return !options->group || !(st->st_mode & 0010) || find_group(options->group, &gid) ||
	       st->st_gid != gid;
}

/* Readers who may open the pins still have to get there. */
static void warn_of_closed_path(const struct options *options)
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

static struct persist_tree *new_tree(const struct options *options)
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

static int add_events(struct persist_tree *tree, const char *const *specs, size_t nr, bool optional,
		      bool accept_same)
{
	const struct persist_add_options options = {
		.size = sizeof(options),
		.optional = optional,
		.accept_same = accept_same,
		.added_fn = report_added,
	};

	return persist_tree__add(tree, specs, nr, &options);
}

/* The events of the options: those of -e, and those of a file or the default set. */
static int start_events(struct persist_tree *tree, const struct options *options,
			const struct config_file *file)
{
	static const char *const default_set[] = { "mce:mce_record", "ras:*" };
	int one, err = 0;

	if (options->nr_events)
		err = add_events(tree, options->events, options->nr_events, false, true);
	if (file)
		one = add_events(tree, (const char *const *)file->specs, file->nr, true, true);
	else
		one = options->nr_events ? 0 : add_events(tree, default_set, 2, true, true);
	return one ? one : err;
}

static enum exit_status start(struct persist_tree *tree, const struct options *options, char **args)
{
	const char *path = options->config;
	struct config_file file = {};
	int err = 0;

	if (!path && !options->nr_events && !access(DEFAULT_CONFIG, F_OK))
		path = DEFAULT_CONFIG;
	if (!specs_are_valid(options->events, options->nr_events))
		return EXIT_USAGE;
	if (path)
		err = config_file__read(&file, &messages, path);
	if (!err)
		err = start_events(tree, options, path ? &file : NULL);
	else if (err == -EINVAL)
		return EXIT_USAGE;
	if (options->group || options->mode)
		warn_of_closed_path(options);
	config_file__free(&file);
	return exit_status_of(err);
}

static size_t count(char **args)
{
	size_t nr = 0;

	while (args[nr])
		nr++;
	return nr;
}

static enum exit_status add(struct persist_tree *tree, const struct options *options, char **args)
{
	const char *const *specs = (const char *const *)args;

	if (!specs_are_valid(specs, count(args)))
		return EXIT_USAGE;
	return exit_status_of(add_events(tree, specs, count(args), false, false));
}

static enum exit_status for_each_name(struct persist_tree *tree, char **names,
				      int (*act)(struct persist_tree *tree, const char *name),
				      const char *done)
{
	int one, err = 0;

	for (; *names; names++) {
		one = act(tree, *names);
		if (one)
			err = one;
		else
			printf("%s: %s\n", *names, done);
		/* It is the same for the others. */
		if (one == -EACCES || one == -EPERM)
			break;
	}
	return exit_status_of(err);
}

static enum exit_status remove_events(struct persist_tree *tree, const struct options *options,
				      char **names)
{
	return for_each_name(tree, names, persist_tree__remove, "removed");
}

static enum exit_status clear(struct persist_tree *tree, const struct options *options,
			      char **names)
{
	return for_each_name(tree, names, persist_tree__clear, "cleared");
}

static void report_removed(void *context, const char *name)
{
	printf("%s: removed\n", name);
}

static enum exit_status stop(struct persist_tree *tree, const struct options *options, char **args)
{
	return exit_status_of(persist_tree__stop(tree, report_removed, NULL));
}

/* ---- events of a command ------------------------------------------------------------------ */

static enum exit_status run_with(const struct options *options, struct persist_attached **events,
				 size_t nr)
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
static enum exit_status
run_events(struct persist_tree *tree, const struct options *options, const char *const *texts,
	   size_t nr, struct persist_attached *(*get)(struct persist_tree *tree, const char *text))
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

static enum exit_status run(struct persist_tree *tree, const struct options *options, char **args)
{
	if (!options->nr_events || *args) {
		log_error(&messages, "usage: loader run -e SPEC... [-- COMMAND [ARG]...]; see "
				     "loader --help");
		return EXIT_USAGE;
	}
	if (!specs_are_valid(options->events, options->nr_events))
		return EXIT_USAGE;
	return run_events(tree, options, options->events, options->nr_events, persist_tree__make);
}

static enum exit_status own(struct persist_tree *tree, const struct options *options, char **args)
{
	return run_events(tree, options, (const char *const *)args, count(args),
			  persist_tree__attach);
}

/* ---- looking ------------------------------------------------------------------------------- */

static enum exit_status list(struct persist_tree *tree, const struct options *options, char **args)
{
	return exit_status_of(
		status_output__list(tree, &messages, root_of(options), options->json));
}

static enum exit_status status(struct persist_tree *tree, const struct options *options,
			       char **args)
{
	return exit_status_of(
		status_output__status(tree, &messages, root_of(options), args[0], options->json));
}

static enum exit_status probe(struct persist_tree *tree, const struct options *options, char **args)
{
	return exit_status_of(probe__print(root_of(options), options->json));
}

/* ---- command line -------------------------------------------------------------------------- */

/* Options besides those that every command has. */
enum option_set {
	TAKES_EVENTS = 1 << 0, /* -e */
	TAKES_CONFIG = 1 << 1, /* -c */
	TAKES_ACCESS = 1 << 2, /* --group, --mode */
	TAKES_JSON = 1 << 3,
	TAKES_PRINT = 1 << 4,
	TAKES_DETACH = 1 << 5,
};

struct command {
	const char *name;
	const char *usage;
	const char *help;
	unsigned int takes;
	int min_args;
	int max_args; /* -1: any number */
	enum exit_status (*run)(struct persist_tree *tree, const struct options *options,
				char **args);
};

static const struct command commands[] = {
	{ "start", "start [-c FILE] [-e SPEC]... [--group NAME] [--mode OCTAL]",
	  "Record the events of FILE and each SPEC, and exit. Without either, the events of\n"
	  "      " DEFAULT_CONFIG ", or else mce:mce_record and every ras:*.",
	  TAKES_EVENTS | TAKES_CONFIG | TAKES_ACCESS, 0, 0, start },
	{ "add", "add SPEC...", "Record these as well.", 0, 1, -1, add },
	{ "remove", "remove NAME...", "End these events and their buffers.", 0, 1, -1,
	  remove_events },
	{ "clear", "clear NAME...", "Give these events empty buffers, losing nothing that comes.",
	  0, 1, -1, clear },
	{ "stop", "stop", "End all events and remove the tree.", 0, 0, 0, stop },
	{ "list", "list [--json]", "List the events.", TAKES_JSON, 0, 0, list },
	{ "status", "status [NAME] [--json]", "Show policy, counters and memory of events.",
	  TAKES_JSON, 0, 1, status },
	{ "probe", "probe [--json]", "Say what this kernel and machine can do.", TAKES_JSON, 0, 0,
	  probe },
	{ "run",
	  "run -e SPEC... [--print] [--json] [--detach] [--group NAME] [--mode OCTAL]\n"
	  "      [-- COMMAND [ARG]...]",
	  "Record these while COMMAND runs, or until interrupted; then they are gone, or with\n"
	  "      --detach, persistent.",
	  TAKES_EVENTS | TAKES_ACCESS | TAKES_JSON | TAKES_PRINT | TAKES_DETACH, 0, -1, run },
	{ "own", "own NAME... [--print] [--json] [--detach] [-- COMMAND [ARG]...]",
	  "Take persistent events over: they belong to COMMAND now, and end with it.",
	  TAKES_JSON | TAKES_PRINT | TAKES_DETACH, 1, -1, own },
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
	fputs("\noptions:\n"
	      "  -e, --event SPEC   an event to record, see below\n"
	      "  -c, --config FILE  a file with one SPEC a line; # begins a comment\n"
	      "      --group NAME   this group may read the buffers\n"
	      "      --mode OCTAL   mode of the buffers: 0600, 0660 or 0666\n"
	      "      --print        show the records while the command runs\n"
	      "      --detach       make the events persistent at the end\n"
	      "      --json         print JSON\n"
	      "      --root DIR     directory of the tree in a BPF file system\n"
	      "                     (" PERSIST_DEFAULT_ROOT ")\n"
	      "  -v, --verbose      show what libbpf and the verifier say\n"
	      "  -h, --help         show this\n"
	      "  -V, --version      show the version\n"
	      "\nSPEC is SYSTEM:NAME or SYSTEM:NAME/OPTION=VALUE,.../; patterns match, as in "
	      "'sched:*'.\n"
	      "  keep=both|oldest|latest  what to keep when there is more than fits (both)\n"
	      "  head=SIZE                bytes per CPU for the first records (64K)\n"
	      "  tail=SIZE                bytes per CPU for the latest records (256K)\n"
	      "  ring=auto|array|ringbuf  how the latest records are stored (auto)\n"
	      "  wakeup=N                 wake readers at each N-th record, 0: they poll (0)\n"
	      "  name=NAME                name in the tree (the tracepoint's)\n"
	      "\nexit status: 0 done, 1 failed, 2 wrong usage; of run and own, that of COMMAND\n",
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
	OPTION_PRINT,
	OPTION_DETACH,
};

static const struct option long_options[] = {
	{ "root", required_argument, NULL, OPTION_ROOT },
	{ "group", required_argument, NULL, OPTION_GROUP },
	{ "mode", required_argument, NULL, OPTION_MODE },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "print", no_argument, NULL, OPTION_PRINT },
	{ "detach", no_argument, NULL, OPTION_DETACH },
	{ "event", required_argument, NULL, 'e' },
	{ "config", required_argument, NULL, 'c' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{},
};

static enum exit_status wrong_usage(const char *what, const char *which)
{
	log_error(&messages, "%s%s; see loader --help", what, which);
	return EXIT_USAGE;
}

/* The options that were given, as far as not every command takes them. */
static unsigned int given_options(const struct options *options)
{
	return (options->nr_events ? TAKES_EVENTS : 0) | (options->config ? TAKES_CONFIG : 0) |
	       (options->group || options->mode ? TAKES_ACCESS : 0) |
	       (options->json ? TAKES_JSON : 0) | (options->print ? TAKES_PRINT : 0) |
	       (options->detach ? TAKES_DETACH : 0);
}

/* Options that a command does not have are errors, not ignored. */
static enum exit_status check_options(const struct command *command, const struct options *options,
				      int nr_args)
{
	static const struct {
		enum option_set option;
		const char *message;
	} messages_for[] = {
		{ TAKES_EVENTS, "there is no option -e for " },
		{ TAKES_CONFIG, "there is no option -c for " },
		{ TAKES_ACCESS, "there are no options --group and --mode for " },
		{ TAKES_JSON, "there is no option --json for " },
		{ TAKES_PRINT, "there is no option --print for " },
		{ TAKES_DETACH, "there is no option --detach for " },
	};
	unsigned int wrong = given_options(options) & ~command->takes;

	for (size_t i = 0; i < sizeof(messages_for) / sizeof(messages_for[0]); i++)
		if (wrong & messages_for[i].option)
			return wrong_usage(messages_for[i].message, command->name);
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
		case OPTION_PRINT:
			options->print = true;
			break;
		case OPTION_DETACH:
			options->detach = true;
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
		case 'V':
			return option;
		default:
			return '?';
		}
	}
	return 0;
}

/*
 * Everything behind "--" is a command to run. It is cut off before the options are parsed, so
 * that getopt can go on finding options behind arguments.
 */
static char **cut_command(int *argc, char **argv)
{
	for (int i = 1; i < *argc; i++)
		if (!strcmp(argv[i], "--")) {
			argv[i] = NULL;
			*argc = i;
			return argv + i + 1;
		}
	return argv + *argc;
}

static enum exit_status run_command_line(int argc, char **argv, const struct options *options)
{
	const struct command *command;
	struct persist_tree *tree;
	enum exit_status status;

	if (optind == argc) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	command = find_command(argv[optind]);
	if (!command)
		return wrong_usage("there is no command ", argv[optind]);
	if (*options->command && !(command->takes & TAKES_DETACH))
		return wrong_usage("no command can be given to ", command->name);
	status = check_options(command, options, argc - optind - 1);
	if (status != EXIT_DONE)
		return status;
	tree = new_tree(options);
	if (!tree)
		return EXIT_USAGE;
	status = command->run(tree, options, argv + optind + 1);
	persist_tree__free(tree);
	return status;
}

int main(int argc, char **argv)
{
	enum exit_status status = EXIT_DONE;
	struct options options = {};

	/* A closed pipe on standard output is not to end a loader in the middle of its work. */
	signal(SIGPIPE, SIG_IGN);
	/* The library passes on what libbpf says to it; what it says to probes is no news. */
	libbpf_set_print(NULL);
	options.command = cut_command(&argc, argv);
	switch (parse_options(argc, argv, &options)) {
	case 0:
		status = run_command_line(argc, argv, &options);
		break;
	case 'h':
		print_help(stdout);
		break;
	case 'V':
		printf("persist-bpf %s\n", PERSIST_BPF_VERSION);
		break;
	default:
		fputs("see loader --help\n", stderr);
		status = EXIT_USAGE;
	}
	if (fflush(stdout) || ferror(stdout)) {
		log_error(&messages, "standard output: %s", strerror(errno));
		status = EXIT_FAILED;
	}
	free(options.events);
	return status;
}
