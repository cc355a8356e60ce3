/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* From what a user names an event by to the directory of its pins. */
#ifndef PERSIST_EVENT_PATH_H
#define PERSIST_EVENT_PATH_H

#include <limits.h>

/*
 * The path of the event that is meant by @target: a path, a name in the tree at @root, or
 * "persistent/NAME/". Returns 0, -ENOENT (nothing is named), or -ENAMETOOLONG.
 */
int event_path__of_target(const char *root, const char *target, char path[PATH_MAX]);

#endif
