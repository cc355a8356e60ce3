// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "map_pin.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "bpffs.h"
#include "capabilities.h"
#include "pin_access.h"

/* Says why the pin at @path could not be opened, and what helps. */
static void explain_open_error(const struct log *log, const char *path, bool read_only, int err)
{
	switch (err) {
	case -EPERM:
	case -ENOSYS:
		log_error(
			log,
			"%s: the bpf(2) system call is not allowed here (%s); in a container, use "
			"a seccomp profile that allows bpf(2)",
			path, strerror(-err));
		break;
	case -EMEDIUMTYPE:
		log_error(log, "%s: not a BPF map; something else has been put there", path);
		break;
	case -EACCES:
		if (faccessat(AT_FDCWD, path, read_only ? R_OK : R_OK | W_OK, AT_EACCESS) == 0)
			log_error(log, "%s: not a BPF map; something else has been put there",
				  path);
		else
			pin_access__log_denied(log, path, "");
		break;
	default:
		log_error(log, "%s: cannot open the map: %s%s", path, strerror(-err),
			  capabilities__explain(err));
	}
}

int map_pin__check(const struct log *log, const char *directory, const char *pin, int fd,
		   enum bpf_map_type type, uint32_t nr_entries, struct bpf_map_info *info)
{
	__u32 info_len = sizeof(*info);
	int err;

	memset(info, 0, sizeof(*info));
	if (bpf_obj_get_info_by_fd(fd, info, &info_len)) {
		err = -errno;
		log_error(log, "%s/%s: cannot ask the kernel about the map: %s", directory, pin,
			  strerror(-err));
		return err;
	}
	if (info->type == (__u32)type && (!nr_entries || info->max_entries == nr_entries))
		return 0;
	log_error(log, "%s/%s: a map of another kind than expected (type %u, %u entries)",
		  directory, pin, info->type, info->max_entries);
	return -EBADMSG;
}

int map_pin__open(const struct log *log, const char *directory, const char *pin, bool read_only,
		  enum bpf_map_type type, uint32_t nr_entries, struct bpf_map_info *info)
{
	char path[PATH_MAX];
	int fd, err;

	if (snprintf(path, sizeof(path), "%s/%s", directory, pin) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = bpffs__open_map(path, read_only);
	if (fd < 0) {
		if (fd != -ENOENT)
			explain_open_error(log, path, read_only, fd);
		return fd;
	}
	err = map_pin__check(log, directory, pin, fd, type, nr_entries, info);
	if (!err)
		return fd;
	close(fd);
	return err;
}
