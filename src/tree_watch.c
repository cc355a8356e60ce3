// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "tree_watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "time_spec.h"

/*
 * Times of files are those of the last tick of the clock, 10 ms at the longest: another change in
 * the same tick leaves no trace. So a change counts for longer than that.
 */
#define LASTING_NSEC (25 * NSEC_PER_MSEC)

/* A loader that takes longer than this was stopped or killed. */
#define LONGEST_STAGING_NSEC (5 * NSEC_PER_SEC)

int tree_watch__init(struct tree_watch *watch, const char *root)
{
	*watch = (struct tree_watch){ 0 };
	return asprintf(&watch->staging, "%s/staging", root) < 0 ? -ENOMEM : 0;
}

void tree_watch__destroy(struct tree_watch *watch)
{
	free(watch->staging);
	watch->staging = NULL;
}

static bool is_as_before(const struct tree_watch *watch, const struct stat *st)
{
	return watch->exists && watch->device == st->st_dev && watch->inode == st->st_ino &&
	       watch->modified.tv_sec == st->st_mtim.tv_sec &&
	       watch->modified.tv_nsec == st->st_mtim.tv_nsec;
}

enum tree_state tree_watch__look(struct tree_watch *watch, uint64_t now_ns)
{
	struct stat st;

	if (stat(watch->staging, &st)) {
		watch->exists = watch->holds_something = false;
		return TREE_UNKNOWN;
	}
	if (!is_as_before(watch, &st)) {
		watch->exists = true;
		watch->device = st.st_dev;
		watch->inode = st.st_ino;
		watch->modified = st.st_mtim;
		watch->changed_ns = now_ns;
	}
	/* Each directory in it is one more link: its "..". */
	watch->holds_something = st.st_nlink > 2;
	if (now_ns - watch->changed_ns < LASTING_NSEC)
		return TREE_CHANGING;
	if (!watch->holds_something)
		return TREE_QUIET;
	return tree_watch__is_staging(watch, now_ns) ? TREE_CHANGING : TREE_UNKNOWN;
}

bool tree_watch__is_staging(const struct tree_watch *watch, uint64_t now_ns)
{
	return watch->holds_something && now_ns - watch->changed_ns < LONGEST_STAGING_NSEC;
}
