/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that belong to a command: they exist while it runs. */
#ifndef PERSIST_RUN_COMMAND_H
#define PERSIST_RUN_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "log.h"
#include "persist_bpf.h"

struct run_command {
	const struct log *log;
	const char *root;
	struct persist_attached **events;
	size_t nr_events;
	bool print;	/* show the records as they come */
	bool json;	/* as JSON */
	bool detach;	/* at the end, make the events persistent */
	char **command; /* with its arguments, NULL at the end; empty: run until interrupted */
};

/*
 * Runs the command and sees to its events. Returns the exit status: the command's, or 128 and the
 * number of the signal that ended it, or 1 if something failed, which is logged.
 */
int run_command(const struct run_command *run);

#endif
