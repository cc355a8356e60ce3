// SPDX-License-Identifier: GPL-2.0-only
/* The program "reader": finds its command, see reader_command.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "persist_bpf.h"
#include "reader_command.h"
#include "time_spec.h"
#include "version.h"

static const struct reader_command *const commands[] = {
	/* clang-format off */
	&attach_command,
	&decode_command,
	&export_command,
	&list_command,
	&metrics_command,
	&perf_command,
	&record_command,
	&summary_command,
	&top_command,
	/* clang-format on */
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* The one that runs; NULL: none. */
static const struct reader_command *current;

/* ---- messages ---------------------------------------------------------------------------- */

void print_log_message(void *ctx, enum persist_log_level level, const char *message)
{
	static const char *const prefixes[] = { "error: ", "warning: ", "", "" };

	(void)ctx;
	fprintf(stderr, "reader: %s%s\n", prefixes[level], message);
}

const struct log log_to_stderr = { print_log_message, NULL, PERSIST_LOG_WARNING };

int usage_error(const char *what, const char *object)
{
	log_error(&log_to_stderr, "%s%s%s; see reader %s%s--help", what, object ? ": " : "",
		  object ? object : "", current ? current->name : "", current ? " " : "");
	return EXIT_USAGE;
}

/* ---- help -------------------------------------------------------------------------------- */

static int print_overview(void)
{
	fputs("usage: reader COMMAND [OPTION|ARGUMENT]...\n"
	      "       reader COMMAND --help\n"
	      "       reader --help | --version (-V)\n"
	      "\n"
	      "Shows what persistent events have recorded. Needs no privilege but to open their "
	      "pins.\n"
	      "\n",
	      stdout);
	for (size_t i = 0; i < NR_COMMANDS; i++)
		printf("  %-9s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\nExit status: 0 done, 1 failed, 2 wrong usage.\n", stdout);
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}

int print_help(void)
{
	fputs(current->help, stdout);
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int print_version(void)
{
	printf("persist-reader %s (record format %d)\n", PERSIST_BPF_VERSION, PERSIST_ABI_VERSION);
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* ---- arguments --------------------------------------------------------------------------- */

bool parse_number(const char *text, uint64_t *number)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && !*end && *number;
}

/* Those of a record's time have the same form. */
bool parse_seconds(const char *text, uint64_t *ns)
{
	return *text >= '0' && *text <= '9' && !time_spec__parse(text, 0, 0, ns) &&
	       !strchr(text, '-');
}

/* ------------------------------------------------------------------------------------------ */

static const struct reader_command *find_command(const char *name)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(name, commands[i]->name))
			return commands[i];
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return usage_error("no command", NULL);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return print_overview();
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V") || !strcmp(argv[1], "version"))
		return print_version();
	current = find_command(argv[1]);
	if (!current)
		return usage_error("no such command", argv[1]);
	return current->run(argc - 1, argv + 1);
}
