/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* The names of the events of a tree, for who reads the events in its own way. */
#ifndef PERSIST_EVENT_LIST_H
#define PERSIST_EVENT_LIST_H

#include "log.h"

/*
 * The names of the directories in @root that have metadata, in their order; whether that is ours,
 * and sound, is not known yet. Returns how many or -errno as persist_list_events() does, with a
 * message. The caller frees *@names.
 */
int event_list__names(const char *root, const struct log *log, char ***names);
void event_list__free_names(char **names, int nr);

#endif
