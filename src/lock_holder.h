/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* Who has the lock for which one waits: flock(2) itself does not tell. */
#ifndef PERSIST_LOCK_HOLDER_H
#define PERSIST_LOCK_HOLDER_H

#include <stddef.h>

/*
 * Writes "process 123 (name)" of one that holds a flock(2) on the file behind @fd, as /proc/locks
 * says; "another process" if that does not tell, as of one in another PID namespace. Returns @text.
 */
const char *lock_holder__describe(int fd, char *text, size_t size);

#endif
