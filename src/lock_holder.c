// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "lock_holder.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* "1: FLOCK  ADVISORY  WRITE 4711 00:1e:8765 0 EOF": the device in hexadecimal digits. */
static int holder_in(const char *line, const struct stat *file)
{
	unsigned int device_major, device_minor;
	unsigned long long inode;
	char mode[8];
	int pid;

	if (sscanf(line, "%*d: FLOCK %*s %7s %d %x:%x:%llu", mode, &pid, &device_major,
		   &device_minor, &inode) != 5 ||
	    pid <= 0)
		return 0;
	return inode == file->st_ino && makedev(device_major, device_minor) == file->st_dev ? pid
											    : 0;
}

static int find_holder(int fd)
{
	struct stat file;
	char line[256];
	FILE *locks;
	int pid = 0;

	if (fstat(fd, &file))
		return 0;
	locks = fopen("/proc/locks", "re");
	while (locks && !pid && fgets(line, sizeof(line), locks))
		pid = holder_in(line, &file);
	if (locks)
		fclose(locks);
	return pid;
}

static bool read_name(int pid, char name[32])
{
	char path[64];
	FILE *file;
	bool is_read;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	is_read = fgets(name, 32, file);
	fclose(file);
	name[is_read ? strcspn(name, "\n") : 0] = '\0';
	return is_read;
}

const char *lock_holder__describe(int fd, char *text, size_t size)
{
	int pid = find_holder(fd);
	char name[32];

	if (!pid)
		snprintf(text, size, "another process");
	else if (read_name(pid, name))
		snprintf(text, size, "process %d (%s)", pid, name);
	else
		snprintf(text, size, "process %d", pid);
	return text;
}
