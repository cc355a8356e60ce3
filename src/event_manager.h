/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * The life of a persistent event: made, given new buffers, taken away. All functions need the
 * tree's lock, log what is wrong, and return 0 or -errno.
 */
#ifndef PERSIST_EVENT_MANAGER_H
#define PERSIST_EVENT_MANAGER_H

#include "event_program.h"
#include "event_spec.h"
#include "pin_manager.h"
#include "text_file.h"

/* What is loaded once for all the events that one command makes. */
struct event_manager {
	const struct log *log;
	struct pin_tree *tree;
	struct kernel_types types;
	struct text_files files;
	bool has_overwrite; /* this kernel has overwrite ringbufs */
	uint32_t nr_cpus;
};

/* Gets ready to make events, and completes the tree with what does not belong to one event. */
int event_manager__open(struct event_manager *manager, struct pin_tree *tree);
void event_manager__close(struct event_manager *manager);

enum event_added {
	EVENT_ADDED,
	EVENT_WAS_THERE, /* as it was asked for */
	EVENT_SKIPPED,	 /* an optional one, which this kernel does not have */
};

/*
 * Makes what @spec asks for. An event of that name that is there already is -EEXIST, with a
 * message that says what it is, unless @accept_same and it is the same: then it is left alone.
 */
int event_manager__add(struct event_manager *manager, const struct event_spec *spec,
		       bool accept_same, enum event_added *added, struct persist_meta *meta);

/* Gives the event empty buffers. No event that comes meanwhile is lost. */
int event_manager__clear(struct event_manager *manager, const char *name);

/* Detaches the event and unpins all of it. */
int event_manager__remove(struct pin_tree *tree, const char *name);

#endif
