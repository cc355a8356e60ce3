/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * persist_attr.h - persistent events opened as perf opens events: by a struct perf_event_attr,
 * which comes from a name, from text as it is in sysfs, or is filled in by hand.
 *
 *	struct perf_event_attr attr = { .size = sizeof(attr) };
 *	int fd, err = persist_attr__from_name(NULL, "mce_record", &attr);
 *
 *	if (!err)
 *		fd = persist_event_open(&attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
 *
 * Rules that hold for every function below, besides those of persist_bpf.h:
 *
 * - As in perf_event_open(2), attr->size is set by the caller and says how much of the structure
 *   there is; 0 stands for PERF_ATTR_SIZE_VER0. A size that cannot be one, and a bit that is set
 *   where this library does not know what it means, give -E2BIG. Nothing beyond that size is read
 *   or written.
 * - An attr, a name, a text or a format that is NULL gives -EFAULT.
 * - They share nothing, and can be called by any number of threads at the same time.
 * - None of them takes a privilege beyond the right to open the files and pins that it reads.
 *   Those that read text files only do not need bpf(2), except on a kernel without BTF.
 */
#ifndef PERSIST_ATTR_H
#define PERSIST_ATTR_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The library is built with -fvisibility=hidden: what is declared here is what it exports. */
#pragma GCC visibility push(default)

/*
 * The type of persistent events. The kernel gives the same number to the first PMU that asks for
 * any, so an attr with it is for persist_event_open() and not for the system call.
 */
#ifndef PERF_TYPE_PERSISTENT
#define PERF_TYPE_PERSISTENT 6
#endif

/* The persistent bit, written "attr5:23": this bit of this 64-bit word of the attr. */
#define PERSIST_ATTR_FLAGS_WORD	    5
#define PERSIST_ATTR_PERSISTENT_BIT 23

/**
 * enum persist_buffer - which of an event's buffers to open, the value of attr->config1
 * @PERSIST_BUFFER_DEFAULT: the one that gets the latest records: the tail, else the head
 * @PERSIST_BUFFER_HEAD:    the first records, kept for ever
 * @PERSIST_BUFFER_TAIL:    the latest records
 * @PERSIST_BUFFER_WAKEUP:  no records, but the doorbell on which readers wait; one for all CPUs
 */
enum persist_buffer {
	PERSIST_BUFFER_DEFAULT = 0,
	PERSIST_BUFFER_HEAD = 1,
	PERSIST_BUFFER_TAIL = 2,
	PERSIST_BUFFER_WAKEUP = 3,
};

/**
 * struct persist_attr_error - where a text is wrong
 * @offset: bytes before the place
 * @reason: what is wrong there, as a phrase such as "unknown term"; lives for ever
 */
struct persist_attr_error {
	size_t offset;
	const char *reason;
};

/**
 * persist_attr__from_name() - the attr of an event
 * @root: path of the tree, NULL for PERSIST_DEFAULT_ROOT
 * @name: name of the event in the tree
 * @attr: its size set; the rest of it is filled in
 *
 * The same as persist_attr__from_text() with what `cat <root>/events/<name>` shows.
 *
 * Return: 0, or -ENOENT (no such event, or no tree), -EINVAL (a name that no event can have, or an
 * attr too short for the event), -EBADMSG (the files in the tree are not as they should be),
 * -EACCES, -E2BIG, -ENOMEM, or what a system call returned.
 */
int persist_attr__from_name(const char *root, const char *name, struct perf_event_attr *attr);

/**
 * persist_attr__from_text() - the attr that a text in the syntax of sysfs describes
 * @root:  path of the tree, NULL for PERSIST_DEFAULT_ROOT. Any directory will do that has `type`
 *         and `format/` as those of /sys/bus/event_source/devices/ do.
 * @text:  terms with commas between them, such as "persistent,config=106": NAME=VALUE with a
 *         decimal or hexadecimal (0x) value, or NAME, which means 1. A newline may follow.
 * @attr:  its size set; the rest of it is filled in: type from <root>/type, what the terms say,
 *         and zero otherwise. Unchanged on failure.
 * @where: set if -EINVAL is returned, or NULL
 *
 * A term sets the bits that <root>/format/NAME gives it. Those of config, config1, config2 and
 * config3 are known if there is no such file: they set the whole field.
 *
 * Refused, with the place: a term that is unknown, lies beyond the attr's size, or sets bits that
 * an earlier term has set; a value that does not fit; and whatever else is not in this syntax.
 *
 * Return: 0, or -EINVAL (see @where), -ENOENT (no tree), -EBADMSG (the files in the tree are not
 * as they should be), -EACCES, -E2BIG, -ENOMEM, or what a system call returned.
 */
int persist_attr__from_text(const char *root, const char *text, struct perf_event_attr *attr,
			    struct persist_attr_error *where);

/**
 * persist_attr__to_text() - the text that persist_attr__from_text() turns into this attr
 * @root: as there
 * @attr: any; its type is not part of the text
 * @text: gets the text and a NUL, as far as there is room
 * @size: bytes of @text; 0 to learn how long it is
 *
 * There is one text for an attr: flags first, then values in decimal, both in the order of their
 * names. Where the terms of the tree cannot say all of config, config1, config2 or config3, the
 * field is said as a whole. What is 0 is left out; an attr in which nothing is set is "config=0".
 *
 * Return: bytes of the whole text without the NUL, whatever @size is; or -EINVAL (something is set
 * that no term says), -ENOENT (no tree), -EBADMSG (the files in the tree are not as they should
 * be), -EACCES, -E2BIG, -ENOMEM, or what a system call returned.
 */
int persist_attr__to_text(const char *root, const struct perf_event_attr *attr, char *text,
			  size_t size);

/**
 * persist_attr__set_field() - set the bits of an attr that a format describes
 * @attr:   its size set
 * @format: as in a file of format/: "config:0-7,32-35", "config1:63" or "attr5:23": a field of
 *          the attr, or a 64-bit word of it by number, and bits and ranges of bits. A newline may
 *          follow.
 * @value:  its lowest bit goes to the lowest of these bits, and so on
 * @where:  set if -EINVAL is returned, or NULL
 *
 * Return: 0, or -EINVAL (not a format, it lies beyond the attr's size, or is where this size is
 * stored), -ERANGE (the value does not fit into the bits), -E2BIG.
 */
int persist_attr__set_field(struct perf_event_attr *attr, const char *format, uint64_t value,
			    struct persist_attr_error *where);

/**
 * persist_attr__get_field() - the value in the bits of an attr that a format describes
 * @attr:   its size set
 * @format: as for persist_attr__set_field()
 * @value:  set to it
 * @where:  set if -EINVAL is returned, or NULL
 *
 * Return: 0, or -EINVAL (not a format, or it lies beyond the attr's size), -E2BIG.
 */
int persist_attr__get_field(const struct perf_event_attr *attr, const char *format, uint64_t *value,
			    struct persist_attr_error *where);

/**
 * persist_event_open() - open a buffer of a persistent event, as perf_event_open(2) would
 * @attr:     type PERF_TYPE_PERSISTENT, config the event's id in the tree, config1 an enum
 *            persist_buffer, the persistent bit set, and everything else zero: what is recorded,
 *            and when readers are woken, was decided when the event was made
 * @pid:      -1: events are persistent for CPUs, not for tasks
 * @cpu:      one of the CPUs that the machine can have, also one that is offline
 * @group_fd: -1: there are no groups
 * @flags:    0 or PERF_FLAG_FD_CLOEXEC, which is implied
 *
 * The descriptor is that of a frozen BPF map. It can be mapped with PROT_READ, by as many readers
 * as like, and nobody can write to it; persist_event_open(3) says what is at which offset. A map of
 * type BPF_MAP_TYPE_RINGBUF polls readable as soon as it holds a record, and stays so; a reader
 * that waits for the next one waits with an edge-triggered epoll(7) on PERSIST_BUFFER_WAKEUP, for
 * EPOLLOUT. It stays valid when the event is cleared or removed, and shows what was recorded
 * until then.
 *
 * Errors are returned, not put into errno. perf's own convention is one line away:
 *
 *	if (fd < 0)
 *		errno = -fd, fd = -1;
 *
 * Return: a descriptor, which is closed by the caller and by execve(2), or
 * -ENOENT      no event has this id, or there is no tree;
 * -EINVAL      the type, the persistent bit, a field that has to be zero, config1 names a buffer
 *              that the event does not have, a CPU that it cannot have, a group, or a flag;
 * -E2BIG       attr->size, see above;
 * -EACCES      the tree's mode does not let this user read;
 * -EPERM       bpf(2) is not allowed here, by a seccomp profile for one;
 * -EOPNOTSUPP  a task was asked for, or the event was made by a newer version (-ENOTSUP);
 * -EMEDIUMTYPE the root is not on a BPF file system;
 * -EBADMSG     the event is damaged;
 * -ESTALE      its buffers were cleared again and again meanwhile;
 * -EMFILE, -ENFILE, -ENOMEM.
 */
int persist_event_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		       unsigned long flags);

/**
 * persist_event_open_at() - the same, in the tree at @root
 * @root: path of the tree, NULL for PERSIST_DEFAULT_ROOT
 *
 * Return: as persist_event_open(), and -ENAMETOOLONG.
 */
int persist_event_open_at(const char *root, const struct perf_event_attr *attr, pid_t pid, int cpu,
			  int group_fd, unsigned long flags);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
