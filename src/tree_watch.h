/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Notices that a loader is changing a tree of pins, or has changed it: one system call for all of
 * the tree's events.
 *
 * Whatever a loader changes passes through the directory staging/ of the tree: before programs are
 * switched to new buffers these are staged there, as is a new event before it is attached, and an
 * event that is removed goes there first (docs/design.md). So a staging/ that is empty and as it
 * was says that all is as it was.
 */
#ifndef PERSIST_TREE_WATCH_H
#define PERSIST_TREE_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* The later ones prevail where there are several trees. */
enum tree_state {
	TREE_QUIET,    /* since the last look nothing has changed, nor begun to */
	TREE_UNKNOWN,  /* cannot be told: only an event itself is mounted here, or a loader was
			  killed */
	TREE_CHANGING, /* a change is under way, or has just been made */
};

struct tree_watch {
	char *staging; /* path */
	/* Of that directory, at the last look. */
	bool exists;
	dev_t device;
	ino_t inode;
	struct timespec modified;
	bool holds_something;
	uint64_t changed_ns; /* when it was first seen as it is */
};

/* Begins to watch the tree in the directory @root. Returns 0 or -ENOMEM. */
int tree_watch__init(struct tree_watch *watch, const char *root);
void tree_watch__destroy(struct tree_watch *watch);

/*
 * Looks. @now_ns: CLOCK_BOOTTIME. TREE_QUIET speaks for everything that happened until then; the
 * first look never says it.
 */
enum tree_state tree_watch__look(struct tree_watch *watch, uint64_t now_ns);

/* Whether, at the last look, a loader was about to make an event or to exchange its buffers. */
bool tree_watch__is_staging(const struct tree_watch *watch, uint64_t now_ns);

#endif
