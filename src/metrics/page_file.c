// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "write_all.h"

/* mkostemp() makes what only the owner can read; the reader of this is somebody else. */
static int set_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	return fchmod(fd, 0666 & ~mask) ? -errno : 0;
}

static int write_and_rename(int fd, const char *temporary, const char *path, const char *page,
			    size_t size)
{
	int err = set_mode(fd);

	if (!err)
		err = write_all(fd, page, size, NULL);
	/* After a crash of the machine the name must not lead to a file that is empty. */
	if (!err && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(temporary, path))
		err = -errno;
	if (err)
		unlink(temporary);
	return err;
}

/* The name that is to be replaced: what @path leads to. */
static int find_target(const char *path, char target[PATH_MAX])
{
	struct stat st;

	if (stat(path, &st)) {
		if (errno != ENOENT)
			return -errno;
		return snprintf(target, PATH_MAX, "%s", path) < PATH_MAX ? 0 : -ENAMETOOLONG;
	}
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	return realpath(path, target) ? 0 : -errno;
}

static int replace(const char *path, const char *page, size_t size)
{
	char target[PATH_MAX], directory[PATH_MAX], name[PATH_MAX], temporary[PATH_MAX];
	int fd, err = find_target(path, target);

	if (err)
		return err;
	snprintf(directory, sizeof(directory), "%s", target);
	snprintf(name, sizeof(name), "%s", target);
	/* Of a name that the node exporter does not take for one of its own. */
	if (snprintf(temporary, sizeof(temporary), "%s/.%s.XXXXXX", dirname(directory),
		     basename(name)) >= (int)sizeof(temporary))
		return -ENAMETOOLONG;
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	return write_and_rename(fd, temporary, target, page, size);
}

int page_file__replace(const char *path, const char *page, size_t size, const struct log *log)
{
	int err = replace(path, page, size);

	if (err == -EINVAL)
		log_error(log, "%s: not a regular file, and so it cannot be replaced", path);
	else if (err)
		log_error(log, "%s: cannot write it: %s", path, strerror(-err));
	return err;
}
