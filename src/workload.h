/* SPDX-License-Identifier: GPL-2.0-only */
/* A command that a recording is made of. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdbool.h>
#include <sys/types.h>

#include "log.h"

struct workload {
	pid_t pid; /* -1: there is none */
	int fd;	   /* readable when it has ended; -1 without one */
};

#define WORKLOAD_NONE               \
	{                           \
		.pid = -1, .fd = -1 \
	}

/**
 * workload__start() - start a command
 * @workload:         WORKLOAD_NONE; set to it
 * @command:          with its arguments, NULL at the end; looked for in PATH
 * @output_to_stderr: what it writes to standard output goes to standard error, for the former is
 *                    taken
 * @log:              is told why it cannot be started
 *
 * It has the signals as they were given to this program, SIGPIPE as is usual.
 *
 * Return: 0, or -errno after a message.
 */
int workload__start(struct workload *workload, char *const *command, bool output_to_stderr,
		    const struct log *log);

/* Whether it has ended; false if there is none. */
bool workload__has_ended(struct workload *workload);

/*
 * Waits for its end, after @signal if that is not 0. Returns its exit status, or 128 and the number
 * of the signal that ended it; 0 if there is none.
 */
int workload__end(struct workload *workload, int signal);

#endif
