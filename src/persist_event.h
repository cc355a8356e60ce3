/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* What is known about an event whose records are read: its metadata and its format. */
#ifndef PERSIST_EVENT_H
#define PERSIST_EVENT_H

#include "event_view.h"
#include "persist_bpf.h"

struct event_format;

struct persist_event {
	struct persist_meta meta;
	const struct log *log;
	char *path;
	char *format_text;
	struct event_format *format; /* NULL: not parsed yet, or it cannot be */
	bool was_parsed;
	char label[2 * PERSIST_NAME_SIZE + 2]; /* "system:name" */
};

/* The event that @view shows. Returns 0 or -errno. */
int persist_event__new(const struct event_view *view, struct persist_event **event);
void persist_event__free(struct persist_event *event);

/* The parsed format; NULL if there is none or it is malformed, which is logged once. */
const struct event_format *persist_event__format(const struct persist_event *event);

#endif
