/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands of the program "reader": one file each, reader_NAME.c, and what they share in
 * dealing with their command lines.
 */
#ifndef READER_COMMAND_H
#define READER_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "log.h"

#define EXIT_USAGE 2

/**
 * struct reader_command - one of the reader's commands
 * @name:    the word behind "reader"
 * @summary: what it does, in half a line
 * @help:    what `reader NAME --help` prints, from "usage: " on
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

/* Messages of the program and of the library, on stderr: "reader: error: ...". */
extern const struct log log_to_stderr;
void print_log_message(void *ctx, enum persist_log_level level, const char *message);

/*
 * Says on stderr what is wrong with the command line ("WHAT: OBJECT", or WHAT alone if @object is
 * NULL), and where help is. Returns EXIT_USAGE.
 */
int usage_error(const char *what, const char *object);

/* Prints the help of the command that runs, on stdout. Returns the exit status. */
int print_help(void);

/* A positive whole number. */
bool parse_number(const char *text, uint64_t *number);

/* Seconds, with a fraction if wanted. */
bool parse_seconds(const char *text, uint64_t *ns);

#endif
