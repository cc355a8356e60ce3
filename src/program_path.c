// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "program_path.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
	struct stat status;

	if (stat(path, &status) || access(path, X_OK))
		return false;
	if (S_ISREG(status.st_mode))
		return true;
	errno = EACCES;
	return false;
}

char *program_path__find(const char *name)
{
	const char *path = getenv("PATH"), *end;
	char candidate[PATH_MAX];
	int err = ENOENT;

	if (strchr(name, '/'))
		return is_program(name) ? strdup(name) : NULL;
	for (; path; path = *end ? end + 1 : NULL) {
		end = strchrnul(path, ':');
		snprintf(candidate, sizeof(candidate), "%.*s%s%s", (int)(end - path), path,
			 end == path ? "" : "/", name);
		if (is_program(candidate))
			return strdup(candidate);
		/* One that may not be executed is a better answer than that there is none. */
		if (errno == EACCES)
			err = errno;
	}
	errno = err;
	return NULL;
}
