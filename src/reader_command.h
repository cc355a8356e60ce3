/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands of the program "reader": one file each, reader_NAME.c, and what they share in
 * dealing with their command lines.
 */
#ifndef READER_COMMAND_H
#define READER_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "command_line.h"
#include "log.h"

/**
 * struct reader_command - one of the reader's commands
 * @name:    the word behind "reader"
 * @summary: what it does, in half a line
 * @help:    what `reader NAME --help` prints, from "usage: " on; see print_help_text()
 * @run:     carries it out; argv[0] is the command's name. Returns the exit status.
 */
struct reader_command {
	const char *name;
	const char *summary;
	const char *help;
	int (*run)(int argc, char **argv);
};

extern const struct reader_command attach_command;
extern const struct reader_command decode_command;
extern const struct reader_command export_command;
extern const struct reader_command list_command;
extern const struct reader_command metrics_command;
extern const struct reader_command perf_command;
extern const struct reader_command record_command;
extern const struct reader_command summary_command;
extern const struct reader_command top_command;

/* Messages of the program and of the library, from warnings on. */
extern const struct log log_to_stderr;

/* Prints the help of the command that runs, on stdout. Returns the exit status. */
int print_help(void);

/* take_number() for a count, of which there is at least one. */
int take_count(const char *option, const char *text, uint64_t *number);

/* Seconds, with a fraction if wanted. */
bool parse_seconds(const char *text, uint64_t *ns);

#endif
