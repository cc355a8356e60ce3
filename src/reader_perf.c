// SPDX-License-Identifier: GPL-2.0-only
/* `reader perf`: runs perf so that it finds persistent events. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log.h"
#include "perf/perf_preload.h"
#include "perf/perf_program.h"
#include "perf/perf_view.h"
#include "persist_bpf.h"
#include "reader_command.h"
#include "selection.h"

#define LIBRARY "libpersist-perf.so"

/* What perf exits with when it does not understand its arguments. */
#define PERF_USAGE 129

static const char perf_help[] =
	"usage: reader perf [--root DIR] [--library FILE] [--] PERF ARGUMENT...\n"
	"\n"
	"Runs perf so that it finds the persistent events as persistent/NAME/, with what they have\n"
	"recorded so far, then with what comes:\n"
	"\n"
	"    reader perf -- perf list persistent\n"
	"    reader perf -- perf record -e persistent/mce_record/ sleep 10\n"
	"\n"
	"PERF is the program \"perf\" or a path of one. Other events are perf's own, as ever.\n"
	"\n"
	"      --root DIR     the tree of pins (default " PERSIST_DEFAULT_ROOT ")\n"
	"      --library FILE what perf is made to load (default: " LIBRARY ", where it\n"
	"                     was built or installed)\n"
	"  -h, --help         show this\n"
	"\n"
	"Exit status: perf's; 128 and the number of the signal that has ended it; 1 failed before,\n"
	"2 wrong usage, 127 no such program.\n";

struct perf_options {
	const char *root;
	const char *library;
	char **command; /* perf and its arguments, NULL at the end */
};

/* ---- the command line -------------------------------------------------------------------- */

enum {
	OPT_LIBRARY = 256,
};

static const struct option long_options[] = {
	ROOT_LONG_OPTION,
	{ "library", required_argument, NULL, OPT_LIBRARY },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* Returns -1 to go on, or the status with which to exit. */
static int parse_options(int argc, char **argv, struct perf_options *options)
{
	int option;

	/* What stands behind "perf" is perf's. */
	while ((option = getopt_long(argc, argv, "+h", long_options, NULL)) != -1) {
		switch (option) {
		case OPT_ROOT:
			options->root = optarg;
			break;
		case OPT_LIBRARY:
			options->library = optarg;
			break;
		case 'h':
			return print_help();
		default:
			return usage_error("wrong usage", NULL);
		}
	}
	options->command = argv + optind;
	if (optind == argc)
		return usage_error("perf: name the perf to be run", NULL);
	return -1;
}

/* ---- commands of perf -------------------------------------------------------------------- */

/* perf's command: what its first argument is that is no option. */
static const char *command_of_perf(const struct perf_options *options)
{
	for (char **argument = options->command + 1; *argument; argument++)
		if (**argument != '-')
			return *argument;
	return "";
}

/* Whether perf shows what happens at present. */
static bool is_live(const struct perf_options *options)
{
	return !strcmp(command_of_perf(options), "top");
}

/* Whether this command of perf needs tracepoints, see perf_view.h. */
static bool needs_tracepoints(const struct perf_options *options)
{
	return is_live(options) || !strcmp(command_of_perf(options), "trace");
}

static const char pmu[] = "persistent/";

/* "persistent/NAME/" anywhere in a list of events becomes "persistent:NAME". */
static int name_as_tracepoints(char **events)
{
	char *text = strdup(*events), *at = text;

	if (!text)
		return -ENOMEM;
	while ((at = strstr(at, pmu))) {
		char *end = at + sizeof(pmu) - 1;

		end += strcspn(end, "/");
		if (!*end || memchr(at, ',', (size_t)(end - at)) ||
		    memchr(at, '=', (size_t)(end - at))) {
			log_error(&log_to_stderr,
				  "%s: this command of perf takes persistent/NAME/ without terms",
				  *events);
			free(text);
			return -EINVAL;
		}
		at[sizeof(pmu) - 2] = ':';
		/* Modifiers stand behind a colon. */
		if (end[1] && !strchr(",}", end[1]))
			*end = ':';
		else
			memmove(end, end + 1, strlen(end));
	}
	*events = text;
	return 0;
}

/* Events are what stands behind -e and --event, in the same argument or in the next one. */
static int name_all_as_tracepoints(struct perf_options *options)
{
	int err = 0;

	for (char **argument = options->command + 1; *argument && !err; argument++) {
		bool is_option = !strcmp(*argument, "-e") || !strcmp(*argument, "--event");

		if (is_option && argument[1])
			err = name_as_tracepoints(++argument);
		else if (!strncmp(*argument, "-e", 2) || !strncmp(*argument, "--event=", 8))
			err = name_as_tracepoints(argument);
	}
	return err;
}

/* ---- the library ------------------------------------------------------------------------- */

/* Where it is from the directory of this program: built, built and copied, installed. */
static const char *const library_places[] = {
	LIBRARY,
	"build/" LIBRARY,
	"../libexec/persist-bpf/" LIBRARY,
};

static char *find_library_beside(const char *program)
{
	const char *name = strrchr(program, '/');
	char *path;

	for (size_t i = 0; i < sizeof(library_places) / sizeof(library_places[0]); i++) {
		if (asprintf(&path, "%.*s/%s", (int)(name - program), program, library_places[i]) <
		    0)
			return NULL;
		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}

static char *find_library(const struct perf_options *options)
{
	const char *named = options->library ? options->library : getenv("PERSIST_PERF_LIBRARY");
	char program[PATH_MAX], *path;
	ssize_t len;

	if (named) {
		path = realpath(named, NULL);
		if (!path)
			log_error(&log_to_stderr, "%s: %s", named, strerror(errno));
		return path;
	}
	len = readlink("/proc/self/exe", program, sizeof(program) - 1);
	program[len > 0 ? len : 0] = '\0';
	path = len > 0 ? find_library_beside(program) : NULL;
	if (!path)
		log_error(&log_to_stderr,
			  "%s: not found beside %s, nor where it is installed; --library or "
			  "PERSIST_PERF_LIBRARY tell where it is",
			  LIBRARY, program);
	return path;
}

/* ---- running perf ------------------------------------------------------------------------ */

struct perf_run {
	struct persist_event_info *infos;
	int nr_infos;
	struct persist_event_info *named; /* of these, what perf gets to see */
	int nr_named;
	char *program;
	bool is_script;
	char *library;
	char *view;
	int signals; /* descriptor */
};

static int set_environment(const struct perf_options *options, const struct perf_run *run)
{
	const char *before = getenv("LD_PRELOAD");
	char *preload, root[PATH_MAX];
	int err;

	if (!realpath(options->root, root))
		return -errno;
	if (asprintf(&preload, "%s%s%s", run->library, before ? ":" : "", before ? before : "") < 0)
		return -ENOMEM;
	err = setenv(PERF_PRELOAD_VIEW, run->view, 1) || setenv(PERF_PRELOAD_ROOT, root, 1) ||
	      (before && setenv(PERF_PRELOAD_BEFORE, before, 1)) ||
	      (is_live(options) && setenv(PERF_PRELOAD_LIVE, "1", 1)) ||
	      (run->is_script && setenv(PERF_PRELOAD_BY_SCRIPT, "1", 1)) ||
	      setenv("LD_PRELOAD", preload, 1);
	free(preload);
	return err ? -ENOMEM : 0;
}

static pid_t start_perf(const struct perf_options *options, const struct perf_run *run,
			const sigset_t *signals)
{
	pid_t pid = fork();
	int err;

	if (pid)
		return pid;
	sigprocmask(SIG_SETMASK, signals, NULL);
	err = set_environment(options, run);
	if (!err) {
		execv(run->program, options->command);
		err = -errno;
	}
	log_error(&log_to_stderr, "%s: %s", run->program, strerror(-err));
	/* As shells do: 127 for what is not found, 126 for what cannot be executed. */
	_exit(err == -ENOENT ? 127 : 126);
}

/* perf gets what a terminal sends to all of us by itself. */
static void pass_signal(pid_t pid, const struct signalfd_siginfo *info)
{
	if (info->ssi_code != SI_KERNEL)
		kill(pid, (int)info->ssi_signo);
}

/* Waits for the end of perf, and returns what waitpid(2) says of it, or -errno. */
static int wait_for_perf(const struct perf_run *run, pid_t pid)
{
	struct signalfd_siginfo info;
	int status;

	for (;;) {
		if (read(run->signals, &info, sizeof(info)) != sizeof(info))
			return -errno;
		if (info.ssi_signo != SIGCHLD)
			pass_signal(pid, &info);
		else if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
	}
}

/* Signals are taken from a descriptor, so that the view is removed whatever comes. */
static int run_perf(const struct perf_options *options, struct perf_run *run)
{
	static const int taken[] = { SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };
	sigset_t mask, before;
	pid_t pid;
	int status;

	sigemptyset(&mask);
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		sigaddset(&mask, taken[i]);
	sigprocmask(SIG_BLOCK, &mask, &before);
	run->signals = signalfd(-1, &mask, SFD_CLOEXEC);
	if (run->signals < 0)
		return -errno;
	pid = start_perf(options, run, &before);
	status = pid < 0 ? -errno : wait_for_perf(run, pid);
	close(run->signals);
	return status;
}

/* ---- what may have gone wrong ------------------------------------------------------------ */

static bool has_event(const struct perf_run *run, const char *name, size_t len)
{
	for (int i = 0; i < run->nr_infos; i++)
		if (strlen(run->infos[i].meta.name) == len &&
		    !memcmp(run->infos[i].meta.name, name, len))
			return true;
	return false;
}

/* Whether "persistent/NAME" followed by "/" or "," is in one of perf's arguments. */
static bool is_named(const struct perf_options *options, const char *name)
{
	size_t len = strlen(name);

	for (char **argument = options->command; *argument; argument++)
		for (const char *at = *argument; (at = strstr(at, pmu));) {
			at += sizeof(pmu) - 1;
			if (!strncmp(at, name, len) && at[len] && strchr("/,", at[len]))
				return true;
		}
	return false;
}

/*
 * perf up to 6.3 takes the name of an event of any PMU for nothing else any more, also where it is
 * the name of a tracepoint ("-e sched:sched_switch"). So it sees those that are asked for; all of
 * them are for `perf list`.
 */
static int choose_named(const struct perf_options *options, struct perf_run *run)
{
	run->named = calloc((size_t)run->nr_infos + 1, sizeof(*run->named));
	if (!run->named)
		return -ENOMEM;
	for (int i = 0; i < run->nr_infos; i++)
		if (is_named(options, run->infos[i].meta.name))
			run->named[run->nr_named++] = run->infos[i];
	if (!run->nr_named && !strcmp(command_of_perf(options), "list")) {
		memcpy(run->named, run->infos, (size_t)run->nr_infos * sizeof(*run->named));
		run->nr_named = run->nr_infos;
	}
	return 0;
}

/* Whether ":NAME" is in one of perf's arguments, as in "sched:sched_switch". */
static bool is_named_as_tracepoint(const struct perf_options *options, const char *name)
{
	size_t len = strlen(name);

	for (char **argument = options->command; *argument; argument++)
		for (const char *at = *argument; (at = strchr(at, ':'));) {
			at++;
			if (!strncmp(at, name, len) && (!at[len] || strchr(",}:/", at[len])))
				return true;
		}
	return false;
}

/* perf has failed: say so if it was asked for an event that is not there. */
static void explain_unknown_events(const struct perf_options *options, const struct perf_run *run)
{
	for (char **argument = options->command; *argument; argument++) {
		const char *name = strstr(*argument, pmu);
		size_t len;

		if (!name)
			continue;
		name += sizeof(pmu) - 1;
		len = strcspn(name, "/,=");
		if (name[len] != '=' && !has_event(run, name, len))
			log_error(&log_to_stderr,
				  "%s: there is no persistent event \"%.*s\"; reader list shows "
				  "those there are",
				  options->root, (int)len, name);
	}
}

static void explain_failure(const struct perf_options *options, const struct perf_run *run)
{
	explain_unknown_events(options, run);
	for (int i = 0; i < run->nr_named; i++)
		if (is_named_as_tracepoint(options, run->named[i].meta.name))
			log_error(
				&log_to_stderr,
				"%s: perf up to 6.3 does not take this as the name of a persistent "
				"event and of a tracepoint at once; record it under another name "
				"(loader add %s:%s/name=.../)",
				run->named[i].meta.name, run->named[i].meta.system,
				run->named[i].meta.tracepoint);
	if (!perf_view__has(run->view, PERF_VIEW_ASKED))
		log_error(&log_to_stderr,
			  "%s has not looked for sysfs where SYSFS_PATH says; if it is persistent "
			  "events that it misses, use a newer one",
			  run->program);
}

/* Returns the exit status. */
static int conclude(const struct perf_options *options, const struct perf_run *run, int status)
{
	if (status < 0) {
		log_error(&log_to_stderr, "cannot run %s: %s", run->program, strerror(-status));
		return EXIT_FAILURE;
	}
	if (!perf_view__has(run->view, PERF_VIEW_LOADED)) {
		if (WIFEXITED(status) && WEXITSTATUS(status) >= 126)
			return WEXITSTATUS(status);
		log_error(&log_to_stderr,
			  "%s has not loaded %s, so that what it has shown or recorded is not from "
			  "persistent events",
			  run->program, run->library);
		return EXIT_FAILURE;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == PERF_USAGE)
		explain_failure(options, run);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Finds all that is needed. Returns -1 to go on, or the exit status after a message. */
static int prepare(struct perf_options *options, struct perf_run *run)
{
	int err;

	run->nr_infos = persist_list_events(options->root, print_message, NULL, &run->infos);
	if (run->nr_infos < 0)
		return EXIT_FAILURE;
	run->program = perf_program__find(options->command[0]);
	if (!run->program) {
		err = errno;
		log_error(&log_to_stderr,
			  err == ENOENT ? "%s: %s; perf comes with the package linux-perf or perf, "
					  "and its whole command line stands behind --: reader "
					  "perf -- perf record ..."
					: "%s: %s",
			  options->command[0], strerror(err));
		return err == ENOENT ? 127 : 126;
	}
	if (perf_program__check(run->program, &run->is_script, &log_to_stderr))
		return EXIT_FAILURE;
	run->library = find_library(options);
	if (!run->library || choose_named(options, run) ||
	    perf_view__make(options->root, run->named, run->nr_named, needs_tracepoints(options),
			    &log_to_stderr, &run->view))
		return EXIT_FAILURE;
	if (needs_tracepoints(options) && name_all_as_tracepoints(options))
		return EXIT_FAILURE;
	return -1;
}

static int run(int argc, char **argv)
{
	struct perf_options options = { .root = PERSIST_DEFAULT_ROOT, .command = argv };
	struct perf_run run = { 0 };
	int status;

	status = parse_options(argc, argv, &options);
	if (status >= 0)
		return status;
	status = prepare(&options, &run);
	if (status < 0)
		status = conclude(&options, &run, run_perf(&options, &run));
	perf_view__remove(run.view);
	free(run.view);
	free(run.library);
	free(run.program);
	free(run.named);
	free(run.infos);
	return status;
}

const struct reader_command perf_command = {
	.name = "perf",
	.summary = "run perf with persistent events",
	.help = perf_help,
	.run = run,
};
