/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* What can be said about an event of the tree: its policy, its counters, its memory. */
#ifndef PERSIST_EVENT_STATUS_H
#define PERSIST_EVENT_STATUS_H

#include "persist_bpf.h"
#include "pin_manager.h"

/*
 * Reads it all; what it holds is freed by persist_status__free(), also after an error.
 * Returns 0 or -errno, nothing is logged.
 */
int event_status__read(const struct pin_tree *tree, const char *name,
		       struct persist_status *status);

/*
 * Events of which the program pinned at @path was not told; see struct persist_status. Returns 0 or
 * -errno.
 */
int event_status__missed(const char *path, uint64_t *missed);

/* Adds the counts; what else is in there is left alone. */
void persist_counters__add(struct persist_counters *sum, const struct persist_counters *counters);

#endif
