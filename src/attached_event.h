/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * An event that is attached: it is held by descriptors of this process and by nothing else. It
 * records as long as they are open, and is gone with the process, however that ends.
 *
 * Making one is the first half of making a persistent event, pinning its descriptors the second
 * (event_pins.h); taking a persistent event over is the same the other way round.
 */
#ifndef PERSIST_ATTACHED_EVENT_H
#define PERSIST_ATTACHED_EVENT_H

#include "buffers.h"
#include "event_plan.h"
#include "event_program.h"
#include "persist_record.h"
#include "pin_manager.h"

struct attached_event {
	struct persist_meta meta; /* what is to be published; the id in the tree is chosen then */
	char *format_text;	  /* as tracefs shows it */
	char *resolved_text; /* the same with names that only BTF explains as numbers; or NULL */
	/* Descriptors; -1 for those that this event does not need. */
	int link;
	int program;
	int counters;
	int control;
	int heads;
	int tails;
	int wakeup;
	int totals; /* these three, or none of them */
	int pages;
	int sums;
	int imported; /* what the boot tracing had recorded before it; -1: nothing */
	struct buffers buffers;
	uint64_t locked_bytes;
};

/*
 * Makes the event of @plan, in two steps: between them nothing waits for the caller, who can begin
 * others meanwhile. @program, which the caller provides and does not move, is used from the one to
 * the other. Both return 0 or -errno, with a message; after an error nothing is left. With the
 * second step the event records, and has taken over the plan's format text.
 */
int attached_event__begin(struct attached_event *event, struct event_program *program,
			  const struct log *log, const struct kernel_types *types,
			  const struct event_plan *plan);
int attached_event__finish(struct attached_event *event, struct event_program *program,
			   const struct log *log, struct event_plan *plan);

/*
 * Opens all that the persistent event @name consists of; the caller has the tree's lock and is
 * about to remove the pins. Returns 0 or -errno, with a message.
 */
int attached_event__open(struct attached_event *event, struct pin_tree *tree, const char *name);

/* Closes the descriptors: what is not pinned is gone. */
void attached_event__close(struct attached_event *event);

#endif
