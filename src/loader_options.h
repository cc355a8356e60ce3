/* SPDX-License-Identifier: GPL-2.0-only */
/* The loader's command line: its commands, the options that each of them takes, and the help. */
#ifndef LOADER_OPTIONS_H
#define LOADER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "command_line.h"
#include "persist_bpf.h"

enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_WRONG_USAGE = EXIT_USAGE,
};

struct loader_options {
	const char *root;  /* NULL: the default one */
	const char *group; /* NULL: not given, as all below */
	const char *mode;
	const char *config;
	const char *boot_trace; /* an instance of ftrace, "" for the usual one */
	const char **events;	/* the arguments of -e */
	size_t nr_events;
	bool json;
	bool print;
	bool detach;
	bool verbose;
	char **operands; /* what is no option, NULL at the end */
	size_t nr_operands;
	char **command; /* behind "--", NULL at the end; empty where there is none */
};

/* What a command takes besides what each of them does. */
enum loader_takes {
	TAKES_EVENTS = 1 << 0, /* -e */
	TAKES_CONFIG = 1 << 1, /* -c */
	TAKES_ACCESS = 1 << 2, /* --group, --mode */
	TAKES_JSON = 1 << 3,
	TAKES_PRINT = 1 << 4,
	TAKES_DETACH = 1 << 5,
	TAKES_COMMAND = 1 << 6, /* -- COMMAND */
	TAKES_SPECS = 1 << 7,	/* as operands; said in the help */
	TAKES_BOOT_TRACE = 1 << 8,
};

/**
 * struct loader_command - one of the loader's commands
 * @name:         the word behind "loader"
 * @usage:        what may stand behind that; a line break where it is long
 * @help:         what it does, in sentences; line breaks as above
 * @takes:        enum loader_takes
 * @operand:      what its operands are called; NULL: it has none
 * @min_operands: how many there are at least
 * @max_operands: and at most
 * @run:          carries it out
 */
struct loader_command {
	const char *name;
	const char *usage;
	const char *help;
	unsigned int takes;
	const char *operand;
	size_t min_operands;
	size_t max_operands;
	enum exit_status (*run)(struct persist_tree *tree, const struct loader_options *options);
};

/**
 * loader_options__parse() - take a command line apart; shows help and version, too
 * @options:  set; free it with loader_options__free() whatever is returned
 * @commands: those there are; the last one has no name
 * @argc:     as main() has it
 * @argv:     as main() has it; reordered
 * @command:  set to the one that was given
 *
 * Return: -1, or the status with which to exit.
 */
int loader_options__parse(struct loader_options *options, const struct loader_command *commands,
			  int argc, char **argv, const struct loader_command **command);

void loader_options__free(struct loader_options *options);

#endif
