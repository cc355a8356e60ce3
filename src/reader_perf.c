// SPDX-License-Identifier: GPL-2.0-only
/* `reader perf`: runs perf so that it finds persistent events. */
#define _GNU_SOURCE
#include <errno.h>
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
#include "program_path.h"
#include "reader_command.h"
#include "selection.h"

#define LIBRARY "libpersist-perf.so"

/* What perf exits with when it does not understand its arguments. */
#define PERF_USAGE 129

static const char perf_help[] =
	"usage: {reader} perf [--root DIR] [--library FILE] [--] PERF ARGUMENT...\n"
	"\n"
	"Runs perf so that it finds the persistent events as persistent/NAME/, with what they have\n"
	"recorded so far, then with what comes:\n"
	"\n"
	"    {reader} perf -- perf list persistent\n"
	"    {reader} perf -- perf record -e persistent/mce_record/ sleep 10\n"
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
	while ((option = next_option(argc, argv, "+h", long_options, NULL)) != -1) {
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
			return EXIT_USAGE; /* and a message was printed */
		}
	}
	options->command = argv + optind;
	if (optind == argc)
		return missing_argument("PERF");
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
			log_error(&log_to_stderr, "%s: cannot be loaded into perf: %s", named,
				  strerror(errno));
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

/*
 * The dynamic linker takes a list apart at spaces and colons, whatever stands before them, and puts
 * something in for "$". The directory of the view has a path that we choose.
 */
static int make_loadable(struct perf_run *run)
{
	static const char separators[] = " :$";
	char *link;

	if (!strpbrk(run->library, separators))
		return 0;
	if (strpbrk(run->view, separators)) {
		log_error(&log_to_stderr,
			  "%s, %s: perf cannot be made to load a library by a path with a space, a "
			  "colon or a dollar sign; TMPDIR names another place for temporary files",
			  run->library, run->view);
		return -EINVAL;
	}
	if (asprintf(&link, "%s/" LIBRARY, run->view) < 0)
		return -ENOMEM;
	if (symlink(run->library, link)) {
		log_error(&log_to_stderr, "%s: cannot make it: %s", link, strerror(errno));
		free(link);
		return -EIO;
	}
	free(run->library);
	run->library = link;
	return 0;
}

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
	      setenv(PERF_PRELOAD_READER, program_invocation_name, 1) ||
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
	perf_view__mark(run->view, PERF_VIEW_NOT_RUN);
	_exit(exit_status_of_exec(err));
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

/*
 * What stands between "persistent/" and the next "/" in an argument of perf, from *@at on, and its
 * length; NULL behind the last one. *@at goes on behind it. A path, as in the arguments of a
 * command that perf runs, is something else.
 */
static const char *next_terms(const char *argument, const char **at, size_t *len)
{
	const char *found;

	while ((found = strstr(*at, pmu))) {
		const char *terms = found + sizeof(pmu) - 1;

		*at = terms;
		*len = strcspn(terms, "/");
		if (found == argument || found[-1] != '/')
			return terms;
	}
	return NULL;
}

/* Whether "persistent/NAME" followed by "/" or "," is in one of perf's arguments. */
static bool is_named(const struct perf_options *options, const char *name)
{
	size_t name_len = strlen(name), len;
	const char *terms;

	for (char **argument = options->command; *argument; argument++)
		for (const char *at = *argument; (terms = next_terms(*argument, &at, &len));)
			if (!strncmp(terms, name, name_len) && terms[name_len] &&
			    strchr("/,", terms[name_len]))
				return true;
	return false;
}

/* Whether one of these terms is @term, with "=" behind it if it ends so. */
static bool has_term(const char *terms, size_t len, const char *term)
{
	size_t term_len = strlen(term);

	for (const char *end = terms + len; terms < end; terms++) {
		size_t rest = (size_t)(end - terms);
		const char *comma = memchr(terms, ',', rest);
		size_t size = comma ? (size_t)(comma - terms) : rest;

		if (size >= term_len && !memcmp(terms, term, term_len) &&
		    (size == term_len || term[term_len - 1] == '='))
			return true;
		terms += size;
	}
	return false;
}

/* perf does what it is asked for, and it may be something else than what was meant. */
static void warn_of_plain_tracepoints(const struct perf_options *options)
{
	const char *terms;
	size_t len;

	for (char **argument = options->command; *argument; argument++)
		for (const char *at = *argument; (terms = next_terms(*argument, &at, &len));)
			if (has_term(terms, len, "config=") && !has_term(terms, len, "persistent"))
				log_warn(&log_to_stderr,
					 "persistent/%.*s/: this is the kernel's own tracepoint "
					 "with that id; the persistent event is "
					 "persistent/persistent,%.*s/",
					 (int)len, terms, (int)len, terms);
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
	char list[PROGRAM_COMMAND_SIZE];
	const char *name;
	size_t len;

	for (char **argument = options->command; *argument; argument++)
		for (const char *at = *argument; (name = next_terms(*argument, &at, &len));) {
			/* By number, perf asks the kernel, and the library says what is missing. */
			if (has_term(name, len, "config="))
				continue;
			len = strcspn(name, "/,=");
			if (!has_event(run, name, len))
				log_error(
					&log_to_stderr,
					"%s: there is no persistent event \"%.*s\"; %s shows those "
					"there are",
					options->root, (int)len, name,
					program_name__command(list, PROGRAM_READER, "list",
							      options->root));
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
				"(%s add %s:%s/name=.../)",
				run->named[i].meta.name, program_name__loader(),
				run->named[i].meta.system, run->named[i].meta.tracepoint);
}

/* Returns the exit status. */
static int conclude(const struct perf_options *options, const struct perf_run *run, int status)
{
	if (status < 0) {
		log_error(&log_to_stderr, "cannot run %s: %s", run->program, strerror(-status));
		return EXIT_FAILURE;
	}
	if (!perf_view__has(run->view, PERF_VIEW_LOADED)) {
		if (perf_view__has(run->view, PERF_VIEW_NOT_RUN))
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

	run->nr_infos = persist_list_events(options->root, print_log_message, NULL, &run->infos);
	if (run->nr_infos < 0)
		return EXIT_FAILURE;
	run->program = program_path__find(options->command[0]);
	if (!run->program) {
		err = errno;
		log_error(&log_to_stderr,
			  err == ENOENT ? "%s: %s; perf comes with the package linux-perf or perf, "
					  "and its whole command line stands behind --: %s perf "
					  "-- perf record ..."
					: "%s: %s",
			  options->command[0], strerror(err), program_name__reader());
		return exit_status_of_exec(-err);
	}
	if (perf_program__check(run->program, &run->is_script, &log_to_stderr))
		return EXIT_FAILURE;
	run->library = find_library(options);
	if (!run->library || choose_named(options, run) ||
	    perf_view__make(options->root, run->named, run->nr_named, needs_tracepoints(options),
			    &log_to_stderr, &run->view) ||
	    make_loadable(run))
		return EXIT_FAILURE;
	warn_of_plain_tracepoints(options);
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
