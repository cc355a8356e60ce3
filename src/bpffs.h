/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Changes of a BPF file system, one call each. Every function that changes something passes a
 * numbered stop point, at which a test build can be killed (tests/kernel/killed-loader.t).
 *
 * All functions return 0 (or a descriptor) or -errno and log nothing: the caller knows what
 * the object is. They are as thread-safe as the system calls behind them.
 */
#ifndef PERSIST_BPFFS_H
#define PERSIST_BPFFS_H

#include <stdbool.h>
#include <sys/types.h>

/* Who may open a pin: permission bits and group; gid (gid_t)-1 leaves the group alone. */
struct pin_access {
	mode_t mode;
	gid_t gid;
};

/* Is @path on a BPF file system? 1 yes, 0 no, or -errno. */
int bpffs__is_mounted_at(const char *path);

/* Pins the object behind @fd (a map, program or link) at @path with @access. */
int bpffs__pin(int fd, const char *path, struct pin_access access);

int bpffs__mkdir(const char *path, mode_t mode);
int bpffs__symlink(const char *target, const char *path);
int bpffs__unlink(const char *path);
int bpffs__rmdir(const char *path);
/* @to must not exist. */
int bpffs__rename(const char *from, const char *to);
/* @one and @other, both directories, change places. */
int bpffs__exchange(const char *one, const char *other);

/* What is pinned somewhere. */
enum bpffs_kind {
	BPFFS_OTHER,
	BPFFS_MAP,
	BPFFS_PROGRAM,
	BPFFS_LINK,
};

/* What the descriptor of a BPF object stands for; BPFFS_OTHER also if it cannot be told. */
enum bpffs_kind bpffs__kind_of(int fd);

/*
 * Opens the map pinned at @path; with @read_only the descriptor allows look-ups only (and no
 * mmap: the kernel maps a map only through a writable descriptor). -EMEDIUMTYPE: not a map.
 */
int bpffs__open_map(const char *path, bool read_only);
/* Opens whatever is pinned at @path. */
int bpffs__open_any(const char *path);

#ifdef PERSIST_STOP_POINTS
void stop_point(const char *before);
#else
static inline void stop_point(const char *before)
{
	(void)before;
}
#endif

#endif
