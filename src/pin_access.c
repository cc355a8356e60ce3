// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "pin_access.h"

#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program_name.h"

static void name_group(gid_t gid, char *name, size_t size)
{
	const struct group *group = getgrgid(gid);

	if (group)
		snprintf(name, size, "%s", group->gr_name);
	else
		snprintf(name, size, "%u", gid);
}

/* The first directory of @path that this process may not pass, in @directory. */
static bool find_closed_directory(const char *path, char directory[PATH_MAX], struct stat *st)
{
	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		if (slash - path >= PATH_MAX)
			return false;
		snprintf(directory, PATH_MAX, "%.*s", (int)(slash - path), path);
		if (faccessat(AT_FDCWD, directory, X_OK, AT_EACCESS))
			return !stat(directory, st);
	}
	return false;
}

static void log_group(const struct log *log, const char *path, const char *others, const char *what,
		      gid_t gid)
{
	char group[128];

	name_group(gid, group, sizeof(group));
	log_error(
		log,
		"%s: permission denied%s: only the owner and the group %s may %s; as root, usermod "
		"--append --groups %s USER makes USER a member",
		path, others, group, what, group);
}

void pin_access__log_denied(const struct log *log, const char *path, const char *others)
{
	char directory[PATH_MAX], what[PATH_MAX + 8];
	struct stat st;

	if (find_closed_directory(path, directory, &st)) {
		snprintf(what, sizeof(what), "pass %s", directory);
		if (st.st_mode & 0010)
			log_group(log, path, others, what, st.st_gid);
		else
			log_error(
				log,
				"%s: permission denied%s: only the owner may pass %s; as root, chmod "
				"o+x lets others, or the tree can be bind-mounted elsewhere",
				path, others, directory);
	} else if (!stat(path, &st) && st.st_mode & 0040) {
		log_group(log, path, others, "read it", st.st_gid);
	} else {
		log_error(
			log,
			"%s: permission denied%s: only the owner may read it; as root, %s start "
			"-c /dev/null --group NAME (or --mode 0666) lets others, and adds no event",
			path, others, program_name__loader());
	}
}
