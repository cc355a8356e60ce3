// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "bpffs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	/*
	 * The tree's permissions are part of its contract, and there must be no moment at which a
	 * loader could be killed and leave others. The umask is the process's: another thread that
	 * makes a file just now gets this one.
	 */
	mode_t before = umask(0);
	int err;

	stop_point(path);
	err = mkdir(path, mode) ? -errno : 0;
	umask(before);
	return err;
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

enum bpffs_kind bpffs__kind_of(int fd)
{
	char path[64], name[64];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	len = readlink(path, name, sizeof(name) - 1);
	if (len < 0)
		return BPFFS_OTHER;
	name[len] = '\0';
	/* Some kernels write these with '-', some with '_'. */
	if (!strncmp(name, "anon_inode:bpf-map", 18))
		return BPFFS_MAP;
	if (!strncmp(name, "anon_inode:bpf-prog", 19))
		return BPFFS_PROGRAM;
	if (!strncmp(name, "anon_inode:bpf-link", 19) || !strncmp(name, "anon_inode:bpf_link", 19))
		return BPFFS_LINK;
	return BPFFS_OTHER;
}

/* Without /proc there is nothing to be told by; what follows fails on what is not a map. */
static bool may_be_map(int fd)
{
	return bpffs__kind_of(fd) == BPFFS_MAP || access("/proc/self/fd", F_OK);
}

int bpffs__open_map(const char *path, bool read_only)
{
	LIBBPF_OPTS(bpf_obj_get_opts, opts, .file_flags = read_only ? BPF_F_RDONLY : 0);
	int fd = bpf_obj_get_opts(path, &opts);

	if (fd < 0)
		/* Links and programs cannot be opened with flags. */
		return errno == EINVAL || errno == ELOOP ? -EMEDIUMTYPE : -errno;
	if (may_be_map(fd))
		return fd;
	close(fd);
	return -EMEDIUMTYPE;
}

int bpffs__open_any(const char *path)
{
	int fd = bpf_obj_get(path);

	return fd < 0 ? -errno : fd;
}
