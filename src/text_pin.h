/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* Reading the text files of a tree; text_file.h makes them. */
#ifndef PERSIST_TEXT_PIN_H
#define PERSIST_TEXT_PIN_H

#include <stddef.h>

/*
 * Reads the text pinned at @path: a file, or on a kernel without iterators the map in place of
 * it. *@text is allocated and has a NUL behind it; the caller frees it. @len may be NULL.
 * Returns 0 or -errno.
 */
int text_pin__read(const char *path, char **text, size_t *len);

#endif
