/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * The life of a persistent event: made, given new buffers, taken over by a process, taken away.
 * All functions that get a tree need its lock, log what is wrong, and return 0 or -errno.
 */
#ifndef PERSIST_EVENT_MANAGER_H
#define PERSIST_EVENT_MANAGER_H

#include "attached_event.h"
#include "event_pins.h"
#include "event_program.h"
#include "event_spec.h"
#include "pin_manager.h"

/* What is loaded once for all the events that one command, or one process, makes. */
struct event_manager {
	const struct log *log;
	struct kernel_types types;
	struct pin_makers makers;
	uint32_t nr_cpus;
};

/* Gets ready to make events. No tree is needed yet. */
int event_manager__open(struct event_manager *manager, const struct log *log);
void event_manager__close(struct event_manager *manager);

/* Makes an event that belongs to this process. */
int event_manager__make(struct event_manager *manager, const struct event_spec *spec,
			struct attached_event *event);

/* Makes it persistent: it is in the tree, under the name in its metadata. */
int event_manager__detach(struct event_manager *manager, struct pin_tree *tree,
			  struct attached_event *event);

/* Takes a persistent event over: its pins are gone, and it ends when @event is closed. */
int event_manager__attach(struct pin_tree *tree, const char *name, struct attached_event *event);

enum event_added {
	EVENT_ADDED,
	EVENT_WAS_THERE, /* as it was asked for */
	EVENT_SKIPPED,	 /* an optional one, which this kernel does not have */
};

/*
 * Makes what @spec asks for, and makes it persistent. An event of that name that is there already
 * is -EEXIST, with a message that says what it is, unless @accept_same and it is the same: then it
 * is left alone. @meta is filled in unless it is skipped.
 */
int event_manager__add(struct event_manager *manager, struct pin_tree *tree,
		       const struct event_spec *spec, bool accept_same, enum event_added *added,
		       struct persist_meta *meta);

/* Gives the event empty buffers. No event that comes meanwhile is lost. */
int event_manager__clear(struct event_manager *manager, struct pin_tree *tree, const char *name);

/* Detaches the program from the kernel and unpins all of the event. */
int event_manager__remove(struct pin_tree *tree, const char *name);

#endif
