/* SPDX-License-Identifier: GPL-2.0-only */
/* The events that options -e name, each of which may be a list with commas. */
#ifndef TARGET_LIST_H
#define TARGET_LIST_H

#include <stddef.h>

/**
 * struct target_list - targets as persist_reader__add() takes them; starts as { 0 }
 * @targets: @nr of them, each in memory of its own
 */
struct target_list {
	char **targets;
	unsigned int nr;
};

/**
 * target_list__add() - take the argument of an option -e
 * @list: the targets go behind those that are in it
 * @text: one target, or several with commas between them; a path (/...) stands alone, for it may
 *        have commas of its own
 *
 * Return: -1, or the exit status after a message.
 */
int target_list__add(struct target_list *list, const char *text);

void target_list__free(struct target_list *list);

#endif
