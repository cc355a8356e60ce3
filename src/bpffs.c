// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "bpffs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <bpf/bpf.h>

#ifdef PERSIST_STOP_POINTS
#include <signal.h>

/*
 * PERSIST_STOP_AT=N kills the process before its N-th change; with PERSIST_STOP_LOG every
 * change is named on standard error, which tells a test how many there are.
 */
void stop_point(const char *before)
{
	static int passed;
	const char *at = getenv("PERSIST_STOP_AT");

	passed++;
	if (getenv("PERSIST_STOP_LOG"))
		fprintf(stderr, "stop point %d: %s\n", passed, before);
	if (at && atoi(at) == passed)
		raise(SIGKILL);
}
#endif

int bpffs__is_mounted_at(const char *path)
{
	struct statfs fs;

	if (statfs(path, &fs))
		return -errno;
	return fs.f_type == BPF_FS_MAGIC;
}

int bpffs__pin(int fd, const char *path, struct pin_access access)
{
	int err;

	stop_point(path);
	if (bpf_obj_pin(fd, path))
		return -errno;
	if (access.gid != (gid_t)-1 && lchown(path, (uid_t)-1, access.gid))
		goto undo;
	if (chmod(path, access.mode))
		goto undo;
	return 0;
undo:
	err = -errno;
	unlink(path);
	return err;
}

int bpffs__mkdir(const char *path, mode_t mode)
{
	stop_point(path);
	if (mkdir(path, mode))
		return -errno;
	/* Whatever the umask is: the tree's permissions are part of its contract. */
	if (chmod(path, mode)) {
		int err = -errno;

		rmdir(path);
		return err;
	}
	return 0;
}

int bpffs__symlink(const char *target, const char *path)
{
	stop_point(path);
	return symlink(target, path) ? -errno : 0;
}

int bpffs__unlink(const char *path)
{
	stop_point(path);
	return unlink(path) ? -errno : 0;
}

int bpffs__rmdir(const char *path)
{
	stop_point(path);
	return rmdir(path) ? -errno : 0;
}

int bpffs__rename(const char *from, const char *to)
{
	stop_point(to);
	return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) ? -errno : 0;
}

int bpffs__exchange(const char *one, const char *other)
{
	stop_point(other);
	return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) ? -errno : 0;
}

int bpffs__open_map(const char *path, bool read_only)
{
	LIBBPF_OPTS(bpf_obj_get_opts, opts, .file_flags = read_only ? BPF_F_RDONLY : 0);
	int fd = bpf_obj_get_opts(path, &opts);

	return fd < 0 ? -errno : fd;
}

int bpffs__open_link(const char *path)
{
	int fd = bpf_obj_get(path);

	return fd < 0 ? -errno : fd;
}
