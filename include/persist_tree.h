/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * persist_tree.h - making, detaching, attaching and removing events; part of persist_bpf.h, whose
 * rules hold here as well.
 *
 * An event is *attached* when it belongs to a process, and *persistent* when it is detached:
 *
 *	persist_tree__make()  ───►  attached  ──── persist_attached__detach() ───►  persistent
 *	                               │      ◄─── persist_tree__attach() ──────        │
 *	        persist_attached__free(), or the end of the process,         persist_tree__remove()
 *	                               ▼                                                ▼
 *	                             gone                                             gone
 *
 * Making events takes CAP_BPF and CAP_PERFMON, a readable tracefs, and for what is persistent the
 * right to write to the directory in the BPF file system.
 */
#ifndef PERSIST_TREE_H
#define PERSIST_TREE_H

#include "persist_bpf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The library is built with -fvisibility=hidden: what is declared here is what it exports. */
#pragma GCC visibility push(default)

/* A tree of persistent events, which need not exist. To be used by one thread at a time. */
struct persist_tree;

/*
 * An event that belongs to this process. It uses the handle of the tree for which it was made: this
 * and its events are to be used by one thread at a time.
 */
struct persist_attached;

/**
 * struct persist_tree_options - which tree, and who may read what is put into it
 * @size:      sizeof(struct persist_tree_options)
 * @log_fn:    receives messages, or NULL
 * @log_ctx:   its first argument
 * @log_level: the least important level that is passed on
 * @root:      directory in a BPF file system; NULL: PERSIST_DEFAULT_ROOT
 * @mode:      of the buffers: 0600, 0660 or 0666; 0: as the tree has it, and for a new one 0600;
 *             with @set_group 0660
 * @set_group: non-zero: the buffers, and what belongs to them, get the group @gid
 * @gid:       a group id
 *
 * With @mode or @set_group, the first change made to a tree that exists also changes the access to
 * what is in it already.
 */
struct persist_tree_options {
	size_t size;
	persist_log_fn log_fn;
	void *log_ctx;
	enum persist_log_level log_level;
	const char *root;
	uint32_t mode;
	uint32_t set_group;
	uint32_t gid;
};

/**
 * persist_tree__new() - a handle for a tree
 * @options: NULL for the defaults; strings are copied
 *
 * Nothing is opened or made yet.
 *
 * Return: the handle, which the caller frees, or NULL with errno: EINVAL (no such mode),
 * ENAMETOOLONG, E2BIG (options this library does not know), ENOMEM.
 */
struct persist_tree *persist_tree__new(const struct persist_tree_options *options);

/* Frees the handle. What is in the tree stays; so do attached events, which can be detached yet. */
void persist_tree__free(struct persist_tree *tree);

/* ---- Persistent events ------------------------------------------------------------------ */

/* What became of an event that was asked for. */
enum persist_added {
	PERSIST_ADDED = 0,
	PERSIST_WAS_THERE = 1, /* it was there, as it was asked for */
	PERSIST_SKIPPED = 2,   /* it is optional, and this kernel does not have it */
	PERSIST_FAILED = 3,    /* the log says why */
};

/**
 * struct persist_add_options - how events are added
 * @size:        sizeof(struct persist_add_options)
 * @optional:    non-zero: that this kernel does not have an event is no error
 * @accept_same: non-zero: nor is an event that is there already as it is asked for
 * @added_fn:    is told about each event, or NULL; @meta is NULL if there is none
 * @added_ctx:   its first argument
 * @import_boot_trace: import what the kernel's boot tracing has recorded of the events before they
 *               were attached: the name of an instance of ftrace, "." for
 *               the top-level buffer, or "" for the instance "boot",
 *               and if there is none, the top-level buffer. NULL: import nothing. Once imported,
 * the events are not traced there any more. The buffer stays open until the tree's handle is freed.
 */
struct persist_add_options {
	size_t size;
	uint32_t optional;
	uint32_t accept_same;
	void (*added_fn)(void *ctx, enum persist_added added, const char *system,
			 const char *tracepoint, const struct persist_meta *meta);
	void *added_ctx;
	const char *import_boot_trace;
};

/**
 * persist_tree__add() - make events persistent
 * @tree:    the tree, which is made if it does not exist
 * @specs:   what to record, as the loader's option -e takes it: "sched:sched_switch/keep=latest/";
 *           patterns are allowed
 * @nr:      how many
 * @options: or NULL
 *
 * What cannot be imported does not keep an event from being added either, but is an error.
 *
 * An event that fails does not keep the others from being added, unless its spec is malformed: then
 * nothing is added. The tree is locked meanwhile.
 *
 * Return: 0, or the error of the last event that failed: -EINVAL (malformed), -ENOENT (this
 * kernel has no such tracepoint), -EEXIST (the name is taken), -EPERM, -EACCES, -EMEDIUMTYPE (not
 * a BPF file system), -ENOMEM or what a system call returned.
 */
int persist_tree__add(struct persist_tree *tree, const char *const *specs, size_t nr,
		      const struct persist_add_options *options);

/**
 * persist_tree__remove() - end a persistent event
 * @tree: the tree
 * @name: of the event
 *
 * Its pins go at once. Readers that have its buffers mapped keep what they see.
 *
 * Return: 0, or -ENOENT (no such event, or no tree), -ENOTSUP (made by a newer version), -EBADMSG
 * (not ours, or damaged), -EACCES, -EPERM.
 */
int persist_tree__remove(struct persist_tree *tree, const char *name);

/**
 * persist_tree__clear() - give an event empty buffers
 * @tree: the tree
 * @name: of the event
 *
 * Events that come meanwhile are recorded, into the old buffers or into the new ones. Sequence
 * numbers go on. Readers that follow the event read the old buffers to their end.
 *
 * Return: as persist_tree__remove(), or -ENOMEM.
 */
int persist_tree__clear(struct persist_tree *tree, const char *name);

/**
 * persist_tree__stop() - remove all events, and the tree
 * @tree:       the tree; it is no error if it does not exist
 * @removed_fn: is told about each event, or NULL
 * @ctx:        its first argument
 *
 * Files that are not ours stay, with the directories that they are in; the log names them.
 *
 * Return: 0, or the error of the last event that could not be removed.
 */
int persist_tree__stop(struct persist_tree *tree, void (*removed_fn)(void *ctx, const char *name),
		       void *ctx);

/**
 * struct persist_status - all that is known about an event
 * @meta:         what the event is
 * @sum:          the counts of all CPUs; its other members are 0
 * @cpus:         of each CPU, by its number
 * @nr_cpus:      how many
 * @locked_bytes: memory of its maps and programs
 * @ring_bytes:   of that, the rings
 * @missed:       events of which the program was not told, because another BPF program was running
 *                on that CPU; 0 on kernels that do not count them
 * @imported:     what was imported of the time before the event was attached, without the records;
 *                NULL: nothing
 */
struct persist_status {
	struct persist_meta meta;
	struct persist_counters sum;
	const struct persist_counters *cpus;
	uint32_t nr_cpus;
	uint64_t locked_bytes;
	uint64_t ring_bytes;
	uint64_t missed;
	const struct persist_imported *imported;
};

/**
 * persist_tree__status() - what is known about an event
 * @tree: the tree
 * @name: of the event
 *
 * Return: the status, which the caller frees with persist_status__free(), or NULL with errno:
 * ENOENT, ENOTSUP (made by a newer version), EBADMSG (not ours, or damaged), EACCES, ENOMEM.
 */
struct persist_status *persist_tree__status(struct persist_tree *tree, const char *name);
void persist_status__free(struct persist_status *status);

/* All that was lost, whatever the reason. */
uint64_t persist_counters__lost(const struct persist_counters *counters);

/* ---- Attached events -------------------------------------------------------------------- */

/**
 * persist_tree__make() - make an event that belongs to this process
 * @tree: where it will be when it is detached; not touched now
 * @spec: as of persist_tree__add(), but of one tracepoint
 *
 * It records from now on. Nothing is pinned: the event is gone with the process, however that
 * ends, or with persist_attached__free(). Its descriptors are closed by execve(2); a child that
 * goes on without that owns the event, too.
 *
 * Return: the event, or NULL with errno as of persist_tree__add().
 */
struct persist_attached *persist_tree__make(struct persist_tree *tree, const char *spec);

/**
 * persist_tree__attach() - take a persistent event over
 * @tree: the tree
 * @name: of the event
 *
 * Its pins go, and it belongs to this process. If two try at once, one gets the event and the
 * other ENOENT.
 *
 * Return: the event, or NULL with errno as of persist_tree__remove().
 */
struct persist_attached *persist_tree__attach(struct persist_tree *tree, const char *name);

/**
 * persist_attached__detach() - make an attached event persistent
 * @event: the event
 *
 * When this returns 0 the event is in the tree, with everything that it has recorded so far, and
 * no longer belongs to this process: of @event there is only the metadata left, and freeing it does
 * not end the event. When it fails the event stays attached.
 *
 * Return: 0, or -EEXIST (the name is taken), -EALREADY (it was detached), or as of
 * persist_tree__add().
 */
int persist_attached__detach(struct persist_attached *event);

/* Ends the event, unless it was detached. Readers that have its buffers mapped keep them. */
void persist_attached__free(struct persist_attached *event);

/* What the event is. The id in @meta is that of the tree only once it was detached. */
const struct persist_meta *persist_attached__meta(const struct persist_attached *event);

/**
 * persist_reader__add_attached() - read an event that belongs to this process
 * @reader: before the first call of persist_reader__next()
 * @event:  may be freed or detached while it is read. The reader goes on with the buffers that it
 *          has then, and does not notice what happens to the event later.
 *
 * Return: 0, or -EINVAL (it was detached: read it by its name), or as persist_reader__add().
 */
int persist_reader__add_attached(struct persist_reader *reader,
				 const struct persist_attached *event);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
