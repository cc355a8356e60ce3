/* SPDX-License-Identifier: GPL-2.0-only */
/* The loader's status, as text and as JSON. */
#ifndef PERSIST_STATUS_OUTPUT_H
#define PERSIST_STATUS_OUTPUT_H

#include <stdbool.h>

#include "log.h"
#include "persist_bpf.h"

/*
 * Prints the events of the tree in full, or only the event @only; as text, or as one JSON document.
 * 0 or -errno, with a message.
 */
int status_output__status(struct persist_tree *tree, const struct log *log, const char *root,
			  const char *only, bool json);

#endif
