/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* write(2) that goes on until everything is written. */
#ifndef PERSIST_WRITE_ALL_H
#define PERSIST_WRITE_ALL_H

#include <stddef.h>

/**
 * write_all() - write everything, also to a descriptor that does not block
 * @fd:      the descriptor
 * @bytes:   what
 * @size:    how many
 * @written: set to how many were written, also on failure; may be NULL
 *
 * What was begun is ended: a signal that shall end the program may come in between.
 *
 * Return: 0 or -errno.
 */
int write_all(int fd, const void *bytes, size_t size, size_t *written);

#endif
