/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * The life of a persistent event: made, given new buffers, taken over by a process, taken away.
 * All functions that get a tree need its lock, log what is wrong, and return 0 or -errno.
 */
#ifndef PERSIST_EVENT_MANAGER_H
#define PERSIST_EVENT_MANAGER_H

#include <stdbool.h>

#include "attached_event.h"
#include "boot_trace.h"
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
	/*
	 * What the events that are added get their history from; NULL: nothing. It is the
	 * manager's, and closed with it.
	 */
	struct boot_trace *boot_trace;
};

/* Gets ready to make events. No tree is needed yet. */
int event_manager__open(struct event_manager *manager, const struct log *log);

/*
 * Imports what events that are added from now on have in a boot trace, see boot_trace__open(). It
 * stays open, as do its records: what one event finds there the next one does, too.
 */
int event_manager__use_boot_trace(struct event_manager *manager, const char *instance);
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

/* An event on its way into a tree. */
struct event_addition {
	/* Set by the caller, all else being 0. */
	const struct event_spec *spec;
	bool accept_same;
	/* The result, after finish. @meta is not filled in if the event was skipped. */
	int err;
	int import_err; /* what is recorded is without its history */
	enum event_added added;
	struct persist_meta meta;
	/* Between begin and finish. */
	bool has_plan, is_begun;
	struct event_plan plan;
	struct event_program program;
	struct attached_event event;
};

/*
 * Makes what the addition asks for, in two steps, and makes it persistent with the second one. In
 * between, others can be begun: there is time in which nothing waits for this process. What is
 * begun has to be finished, in any order, and is not to be moved until then.
 *
 * An event of that name that is there already is -EEXIST, with a message that says what it is,
 * unless @accept_same and it is the same: then it is left alone.
 */
void event_manager__begin_adding(struct event_manager *manager, struct pin_tree *tree,
				 struct event_addition *addition);
void event_manager__finish_adding(struct event_manager *manager, struct pin_tree *tree,
				  struct event_addition *addition);

/* Descriptors that this process has open between the two steps, at most. */
static inline uint32_t event_addition__max_descriptors(uint32_t nr_cpus)
{
	return 2 * nr_cpus + 32;
}

/* Gives the event empty buffers. No event that comes meanwhile is lost. */
int event_manager__clear(struct event_manager *manager, struct pin_tree *tree, const char *name);

/* Detaches the program from the kernel and unpins all of the event. */
int event_manager__remove(struct pin_tree *tree, const char *name);

#endif
