/* SPDX-License-Identifier: GPL-2.0-only */
/* The loader's list and status, as text and as JSON. */
#ifndef PERSIST_STATUS_OUTPUT_H
#define PERSIST_STATUS_OUTPUT_H

#include <stdbool.h>

#include "log.h"
#include "persist_bpf.h"

/*
 * Print all events of the tree in one table, or in one JSON document; status: in full, or only
 * the event @only. 0 or -errno, with a message.
 */
int status_output__list(struct persist_tree *tree, const struct log *log, const char *root,
			bool json);
int status_output__status(struct persist_tree *tree, const struct log *log, const char *root,
			  const char *only, bool json);

#endif
