/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* The tracepoints of the running kernel, as tracefs shows them. Only the loader needs tracefs. */
#ifndef PERSIST_TRACEFS_H
#define PERSIST_TRACEFS_H

#include <stddef.h>
#include <stdint.h>

#include "log.h"

/* Where tracefs is mounted; NULL with errno ENOENT if it is not. Lives as long as the process. */
const char *tracefs__mount_point(void);

/* Why no tracepoint can be found at all, and what to do; NULL if nothing is wrong with tracefs. */
const char *tracefs__what_is_wrong(void);

/*
 * Reads a file that is directly in tracefs. *@text is allocated, with a NUL behind it, and the
 * caller frees it. Returns 0 or -errno.
 */
int tracefs__read_file(const char *name, char **text, size_t *len);

/* The same of a path anywhere, such as one that begins with the mount point. */
int tracefs__read_path(const char *path, char **text, size_t *len);

/*
 * Reads the format text and the id of @system:@name. *@text is allocated, the caller frees it.
 * Returns 0, -ENOENT if there is no such tracepoint, or another -errno.
 */
int tracefs__read_tracepoint(const char *system, const char *name, uint32_t *id, char **text,
			     size_t *len);

/*
 * Calls @found for every tracepoint whose system and name match the shell patterns, in the
 * order of the names; a non-zero return of it ends the walk and is returned. Otherwise returns
 * how many there were, or -errno.
 */
int tracefs__match(const char *system_pattern, const char *name_pattern,
		   int (*found)(const char *system, const char *name, void *context),
		   void *context);

#endif
