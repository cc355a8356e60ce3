// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "persist_event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_format.h"
#include "kernel_symbols.h"

int persist_event__new(const struct event_view *view, struct persist_event **result)
{
	struct persist_event *event = calloc(1, sizeof(*event));
	int err;

	*result = NULL;
	if (!event)
		return -ENOMEM;
	event->meta = view->meta;
	event->log = view->log;
	event->path = strdup(view->path);
	if (!event->path) {
		persist_event__free(event);
		return -ENOMEM;
	}
	snprintf(event->label, sizeof(event->label), "%s:%s", event->meta.system, event->meta.name);
	err = event_view__read_format(view, &event->format_text);
	if (err)
		log_warn(view->log, "%s: no format text (%s); payloads are shown as bytes",
			 event->path, strerror(-err));
	*result = event;
	return 0;
}

void persist_event__free(struct persist_event *event)
{
	if (!event)
		return;
	event_format__free(event->format);
	free(event->format_text);
	free(event->path);
	free(event);
}

const struct event_format *persist_event__format(const struct persist_event *event)
{
	/* Parsed when it is first needed: a reader that only counts records never does. */
	struct persist_event *mutable = (struct persist_event *)event;
	int err;

	if (event->was_parsed)
		return event->format;
	mutable->was_parsed = true;
	if (!event->format_text)
		return NULL;
	err = event_format__parse(event->format_text, strlen(event->format_text), &mutable->format);
	if (err)
		log_warn(event->log,
			 "%s: the format text is malformed; payloads are shown as bytes",
			 event->path);
	else
		event_format__use_symbols(mutable->format, kernel_symbols__find);
	return event->format;
}

const struct persist_meta *persist_event__meta(const struct persist_event *event)
{
	return &event->meta;
}

const char *persist_event__format_text(const struct persist_event *event)
{
	return event->format_text ? event->format_text : "";
}

const char *persist_event__path(const struct persist_event *event)
{
	return event->path;
}
