// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "target_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "reader_command.h"

/* Returns 0 or -ENOMEM. */
static int add_one(struct target_list *list, const char *text, size_t size)
{
	char **targets = reallocarray(list->targets, list->nr + 1, sizeof(*targets));

	if (!targets)
		return -ENOMEM;
	list->targets = targets;
	targets[list->nr] = strndup(text, size);
	if (!targets[list->nr])
		return -ENOMEM;
	list->nr++;
	return 0;
}

int target_list__add(struct target_list *list, const char *text)
{
	const char *separators = *text == '/' ? "" : ",";
	const char *target = text;

	for (;;) {
		size_t size = strcspn(target, separators);

		if (!size)
			return usage_error("not a list of events:", text);
		if (add_one(list, target, size)) {
			log_error(&log_to_stderr, "cannot start: %s", strerror(ENOMEM));
			return EXIT_FAILURE;
		}
		target += size;
		if (!*target)
			return -1;
		target++;
	}
}

void target_list__free(struct target_list *list)
{
	for (unsigned int i = 0; i < list->nr; i++)
		free(list->targets[i]);
	free(list->targets);
	*list = (struct target_list){ 0 };
}
