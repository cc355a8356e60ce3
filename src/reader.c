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

const struct log log_to_stderr = { print_log_message, NULL, PERSIST_LOG_WARNING };

/* ---- help -------------------------------------------------------------------------------- */

static void put_overview(FILE *out)
{
	print_help_text(
		out, "usage: {reader} COMMAND [OPTION|ARGUMENT]...\n"
		     "       {reader} COMMAND --help\n"
		     "       {reader} --help | --version (-V)\n"
		     "\n"
		     "Shows what persistent events have recorded. Needs no privilege but to open "
		     "their pins.\n"
		     "\n");
	for (size_t i = 0; i < NR_COMMANDS; i++)
		fprintf(out, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\nExit status: 0 done, 1 failed, 2 wrong usage.\n", out);
}

static int print_overview(void)
{
	put_overview(stdout);
	return end_output() ? EXIT_FAILURE : EXIT_SUCCESS;
}

int print_help(void)
{
	print_help_text(stdout, current->help);
	return end_output() ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* ---- arguments --------------------------------------------------------------------------- */

int take_count(const char *option, const char *text, uint64_t *number)
{
	return take_number(option, text, 1, UINT64_MAX, number);
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

static int run_command(int argc, char **argv)
{
	current = find_command(argv[0]);
	if (!current)
		return usage_error("no such command", argv[0]);
	command_line__set_command(current->name);
	return current->run(argc, argv);
}

/* `help COMMAND` is `COMMAND --help`. */
static int help(int argc, char **argv)
{
	static char option[] = "--help";

	if (argc < 2)
		return print_overview();
	if (argc > 2)
		return unexpected_argument(argv[2]);
	return run_command(2, (char *[]){ argv[1], option, NULL });
}

static int run(int argc, char **argv)
{
	static const char letters[] = "+hV";
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};

	switch (next_option(argc, argv, letters, options, NULL)) {
	case 'h':
		return print_overview();
	case 'V':
		print_version();
		return end_output() ? EXIT_FAILURE : EXIT_SUCCESS;
	case '?':
		return EXIT_USAGE;
	}
	if (optind == argc) {
		put_overview(stderr);
		return EXIT_USAGE;
	}
	argc -= optind;
	argv += optind;
	optind = 0; /* The command begins with its own options. */
	if (!strcmp(argv[0], "help"))
		return help(argc, argv);
	return run_command(argc, argv);
}

int main(int argc, char **argv)
{
	command_line__begin(PROGRAM_READER, argv[0]);
	return run(argc, argv);
}
