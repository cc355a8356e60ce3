/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of a tree's events, which is the same in both programs. */
#ifndef LIST_OUTPUT_H
#define LIST_OUTPUT_H

#include <stdbool.h>

/**
 * list_output__print() - print the events of a tree, on stdout
 * @root: the tree; NULL for the default one
 * @json: one JSON object a line, in place of a table
 *
 * Return: 0 or -errno after a message; -ENOENT if there is no tree. An event that cannot be read is
 * listed as such, and an error all the same.
 */
int list_output__print(const char *root, bool json);

#endif
