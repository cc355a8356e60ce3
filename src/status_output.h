/* SPDX-License-Identifier: GPL-2.0-only */
/* The loader's list and status, as text and as JSON. */
#ifndef PERSIST_STATUS_OUTPUT_H
#define PERSIST_STATUS_OUTPUT_H

#include <stdbool.h>

#include "pin_manager.h"

/*
 * Print all events of the tree in one table, or in one JSON document; @only: that event, in
 * full. 0 or -errno, with a message.
 */
int status_output__list(struct pin_tree *tree, bool json);
int status_output__status(struct pin_tree *tree, const char *only, bool json);

#endif
