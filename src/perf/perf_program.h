/* SPDX-License-Identifier: GPL-2.0-only */
/* The perf that a user wants to run: whether it can be made to load a library. */
#ifndef PERF_PROGRAM_H
#define PERF_PROGRAM_H

#include <stdbool.h>

#include "log.h"

/**
 * perf_program__check() - whether it will load our library
 * @path:      of the program
 * @is_script: set to whether it is a script, which starts another program
 * @log:       gets what is wrong
 *
 * Return: 0, or -ENOEXEC (statically linked, or of another architecture), -EPERM (it runs with
 * privileges that its user does not have, and then loads nothing), which was logged.
 */
int perf_program__check(const char *path, bool *is_script, const struct log *log);

#endif
