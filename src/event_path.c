// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "event_path.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int event_path__of_target(const char *root, const char *target, char path[PATH_MAX])
{
	static const char pmu[] = "persistent/";
	size_t len = strlen(target);
	bool is_name = !strchr(target, '/');

	/* "persistent/NAME/", as perf has it */
	if (!strncmp(target, pmu, sizeof(pmu) - 1) && len > sizeof(pmu) &&
	    strchr(target + sizeof(pmu) - 1, '/') == target + len - 1) {
		target += sizeof(pmu) - 1;
		len -= sizeof(pmu);
		is_name = true;
	}
	while (!is_name && len > 1 && target[len - 1] == '/')
		len--;
	if (!len)
		return -ENOENT;
	if (snprintf(path, PATH_MAX, "%s%s%.*s", is_name ? root : "", is_name ? "/" : "", (int)len,
		     target) >= PATH_MAX)
		return -ENAMETOOLONG;
	return 0;
}
