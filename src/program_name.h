/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * What the two programs are called in messages: a remedy that names one has to work when it is
 * pasted, whether that is ./loader of a source tree, persist-loader of the package or /bin/loader
 * of a container. Where nothing was set, as in programs that only use the library, it is what is
 * installed: persist-loader and persist-reader.
 *
 * Not for several threads: a program sets its name before it does anything else.
 */
#ifndef PERSIST_PROGRAM_NAME_H
#define PERSIST_PROGRAM_NAME_H

enum program {
	PROGRAM_LOADER,
	PROGRAM_READER,
};

/**
 * program_name__set() - say which of the programs this is, and what it was called by
 * @program: which
 * @argv0:   argv[0]; NULL, or what cannot be pasted, leaves the installed names. If it ends in the
 *           program's own name, as in ./reader or persist-reader, the other one is called by the
 *           same place and prefix (./loader, persist-loader), unless the place is named and does
 *           not have it
 */
void program_name__set(enum program program, const char *argv0);

/* What to type to run it; quoted for a shell if it needs that. */
const char *program_name__loader(void);
const char *program_name__reader(void);

/* Longer than a message. */
#define PROGRAM_COMMAND_SIZE 1024

/**
 * program_name__command() - a command of one of the programs, to be typed
 * @text:    set
 * @program: which
 * @command: "start"
 * @root:    the tree that it is about: with --root, unless it is the default one or NULL
 *
 * Return: @text.
 */
const char *program_name__command(char text[PROGRAM_COMMAND_SIZE], enum program program,
				  const char *command, const char *root);

/* Which was set; where none was, the reader, which needs no privilege. */
enum program program_name__self(void);

/* The last part of the name that was set: what this program's own messages begin with. */
const char *program_name__short(void);

#endif
