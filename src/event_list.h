/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* The names of the events of a tree, for who reads the events in its own way. */
#ifndef PERSIST_EVENT_LIST_H
#define PERSIST_EVENT_LIST_H

#include <stdbool.h>

#include "log.h"

/*
 * The names of the directories in @root that have metadata, in their order; whether that is ours,
 * and sound, is not known yet. Returns how many or -errno as persist_list_events() does, with a
 * message. The caller frees *@names.
 */
int event_list__names(const char *root, const struct log *log, char ***names);
void event_list__free_names(char **names, int nr);

/* Says, as an error, that there is no event at @path, and which of the tree may have been meant. */
void event_list__log_unknown(const struct log *log, const char *path);

/* Whether this is a shell pattern, which no name of an event is. */
bool event_list__is_pattern(const char *name);

/*
 * Those of event_list__names() that match a shell pattern. Returns how many, -ENOENT if there is
 * none, or as above; with a message.
 */
int event_list__matching(const char *root, const char *pattern, const struct log *log,
			 char ***names);

#endif
