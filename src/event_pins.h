/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * From descriptors to pins: an attached event becomes persistent. The tree's lock is needed;
 * errors are logged and returned as -errno, and leave the tree as it was.
 */
#ifndef PERSIST_EVENT_PINS_H
#define PERSIST_EVENT_PINS_H

#include "attached_event.h"
#include "pin_manager.h"
#include "text_file.h"
#include "typed_maps.h"

/* What makes the parts of a tree that are not an event's own descriptors. */
struct pin_makers {
	struct text_files files;
	struct typed_maps maps;
};

/* Publishes @event, which gets its id in the tree now. */
int event_pins__publish(struct pin_tree *tree, const struct pin_makers *makers,
			struct attached_event *event);

/*
 * Puts @event in the place of the live event of the same name, of which it is the next
 * generation. @before_exchange is called when all is staged and nothing is live.
 */
int event_pins__replace(struct pin_tree *tree, const struct pin_makers *makers,
			const struct attached_event *event,
			int (*before_exchange)(struct pin_tree *tree,
					       const struct attached_event *event));

#endif
