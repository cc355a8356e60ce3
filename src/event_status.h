/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* What can be said about an event of the tree: its policy, its counters, its memory. */
#ifndef PERSIST_EVENT_STATUS_H
#define PERSIST_EVENT_STATUS_H

#include "pin_manager.h"

struct event_status {
	struct persist_meta meta;
	struct persist_counters *cpus; /* by CPU number */
	uint32_t nr_cpus;
	struct persist_counters sum; /* only the counts */
	uint64_t locked_bytes;	     /* of all its maps, the rings included */
	uint64_t ring_bytes;	     /* of these, the rings */
	/*
	 * Events that the kernel did not give to the program, because one was running on that CPU
	 * already. It counts them for all CPUs together, and not on every kernel.
	 */
	uint64_t missed;
};

/* Reads it all; event_status__free() frees what it holds. 0 or -errno, nothing is logged. */
int event_status__read(const struct pin_tree *tree, const char *name, struct event_status *status);
void event_status__free(struct event_status *status);

/* All that was lost on a CPU, or in all. */
uint64_t event_status__lost(const struct persist_counters *counters);

#endif
