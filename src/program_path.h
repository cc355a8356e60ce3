/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs that users want to be run: where they are, and what is said of those that cannot be. */
#ifndef PROGRAM_PATH_H
#define PROGRAM_PATH_H

#include <errno.h>

/**
 * program_path__find() - find the program as a shell would
 * @name: of the program, or its path
 *
 * Return: its path, which the caller frees, or NULL with errno.
 */
char *program_path__find(const char *name);

/* With what to exit if a program cannot be run, by -errno. As shells do: */
static inline int exit_status_of_exec(int err)
{
	return err == -ENOENT ? 127 /* there is none */ : 126 /* it cannot be executed */;
}

#endif
