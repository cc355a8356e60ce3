// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

const char *tracefs__mount_point(void)
{
	static const char *const usual[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	struct statfs fs;

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (!statfs(usual[i], &fs) && fs.f_type == TRACEFS_MAGIC)
			return usual[i];
	errno = ENOENT;
	return NULL;
}

const char *tracefs__what_is_wrong(void)
{
	const char *tracefs = tracefs__mount_point();
	char path[PATH_MAX];

	if (!tracefs)
		return "tracefs is not mounted; mount -t tracefs tracefs /sys/kernel/tracing";
	snprintf(path, sizeof(path), "%s/events", tracefs);
	if (!access(path, R_OK | X_OK))
		return NULL;
	if (errno == ENOENT)
		return "tracefs is empty, as under lockdown=confidentiality, which turns tracing "
		       "off; boot with lockdown=integrity or less";
	return "tracefs cannot be read by this user; run the loader as root";
}

/* Reads a whole file whose size is not known beforehand. */
int tracefs__read_path(const char *path, char **text, size_t *len)
{
	size_t size = 0, used = 0;
	char *buf = NULL, *larger;
	ssize_t got = 0;
	int err = 0, fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	do {
		used += got;
		if (size - used < 4096) {
			size = size ? 2 * size : 8192;
			larger = realloc(buf, size);
			if (!larger) {
				err = -ENOMEM;
				break;
			}
			buf = larger;
		}
		got = read(fd, buf + used, size - used - 1);
		if (got < 0)
			err = -errno;
	} while (got > 0);
	close(fd);
	if (err) {
		free(buf);
		return err;
	}
	buf[used] = '\0';
	*text = buf;
	*len = used;
	return 0;
}

int tracefs__read_file(const char *name, char **text, size_t *len)
{
	const char *tracefs = tracefs__mount_point();
	char path[PATH_MAX];

	if (!tracefs)
		return -errno;
	snprintf(path, sizeof(path), "%s/%s", tracefs, name);
	return tracefs__read_path(path, text, len);
}

int tracefs__read_tracepoint(const char *system, const char *name, uint32_t *id, char **text,
			     size_t *len)
{
	const char *tracefs = tracefs__mount_point();
	char path[PATH_MAX], *number = NULL, *end;
	unsigned long value;
	int err;

	if (!tracefs)
		return -errno;
	snprintf(path, sizeof(path), "%s/events/%s/%s/id", tracefs, system, name);
	err = tracefs__read_path(path, &number, len);
	if (err || !number)
		return err ? err : -EIO;
	errno = 0;
	value = strtoul(number, &end, 10);
	err = errno || end == number || value > UINT32_MAX ? -EINVAL : 0;
	free(number);
	if (err)
		return err;
	*id = value;
	snprintf(path, sizeof(path), "%s/events/%s/%s/format", tracefs, system, name);
	return tracefs__read_path(path, text, len);
}

static int directories_only(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && entry->d_type == DT_DIR;
}

int tracefs__match(const char *system_pattern, const char *name_pattern,
		   int (*found)(const char *system, const char *name, void *context), void *context)
{
	const char *tracefs = tracefs__mount_point();
	struct dirent **systems = NULL, **names;
	int nr_systems, nr_names, matched = 0, err = 0;
	char path[PATH_MAX];

	if (!tracefs)
		return -errno;
	snprintf(path, sizeof(path), "%s/events", tracefs);
	nr_systems = scandir(path, &systems, directories_only, alphasort);
	if (nr_systems < 0)
		return -errno;
	for (int i = 0; i < nr_systems; i++) {
		const char *system = systems[i]->d_name;

		if (err || fnmatch(system_pattern, system, 0))
			continue;
		snprintf(path, sizeof(path), "%s/events/%s", tracefs, system);
		nr_names = scandir(path, &names, directories_only, alphasort);
		for (int j = 0; j < nr_names; j++) {
			if (!err && !fnmatch(name_pattern, names[j]->d_name, 0)) {
				matched++;
				err = found(system, names[j]->d_name, context);
			}
			free(names[j]);
		}
		if (nr_names >= 0)
			free(names);
	}
	for (int i = 0; i < nr_systems; i++)
		free(systems[i]);
	free(systems);
	return err ? err : matched;
}
