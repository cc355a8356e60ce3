/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the command lines of both programs have in common: finding options, and saying what is
 * wrong with them, which is always one line on stderr:
 *
 *	PROGRAM COMMAND: unknown option '--frob'; PROGRAM COMMAND --help lists the options
 */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "log.h"
#include "program_name.h"

/* Exit status of wrong usage. */
#define EXIT_USAGE 2

/*
 * Which program this is, and its argv[0]. Called first: standard input, output and error that are
 * closed are descriptors from then on, which no file that is opened later can become.
 */
void command_line__begin(enum program program, const char *argv0);

/* Where messages go: stderr, "PROGRAM: error: ...". */
void print_log_message(void *ctx, enum persist_log_level level, const char *message);

/* Messages and help are about this command from now on; NULL, the start: about none. */
void command_line__set_command(const char *name);

/**
 * next_option() - getopt_long(), but with our messages
 * @argc:    as there
 * @argv:    as there
 * @letters: as there; a colon at the beginning would be of no use
 * @options: as there
 * @index:   as there; may be NULL
 *
 * Return: as getopt_long(); '?' after a message.
 */
int next_option(int argc, char **argv, const char *letters, const struct option *options,
		int *index);

/**
 * usage_error() - say what is wrong with the command line, and where help is
 * @what:   "no such format"
 * @object: the word that is wrong, put behind that in quotes; NULL: none
 *
 * Return: EXIT_USAGE.
 */
int usage_error(const char *what, const char *object);

/* What no command takes: a word behind the options. Returns EXIT_USAGE. */
int unexpected_argument(const char *argument);

/* What a command cannot do without: "SPEC", or "-e SPEC". Returns EXIT_USAGE. */
int missing_argument(const char *name);

/**
 * take_number() - the argument of an option that wants a whole number, decimal
 * @option: its name with "--", for the message
 * @text:   the argument
 * @min:    the least it may be
 * @max:    the most
 * @number: set
 *
 * Return: -1, or EXIT_USAGE after a message that names the range.
 */
int take_number(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *number);

/* What --version shows, on stdout. */
void print_version(void);

/**
 * end_output() - flush stdout, into which stdio has been written
 *
 * Return: 0 or -errno after a message; -EPIPE, when nobody reads any further, without one.
 */
int end_output(void);

/**
 * print_help_text() - print a help text in which the programs have their present names
 * @out:  where to
 * @text: "{loader}" and "{reader}" in it are replaced
 */
void print_help_text(FILE *out, const char *text);

#endif
