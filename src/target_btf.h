/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * The types against which the capture programs are relocated (CO-RE).
 *
 * libbpf would read the whole of the kernel's BTF for each program, which takes longer than
 * everything else about adding an event. So the few offsets that programs need are looked up
 * once, and each program gets a small BTF of its own with just these. The same BTF also has what
 * differs from event to event: the constants of bpf/event_constants.h, as an enumeration, and as
 * struct event_context, where in a tracepoint's record things are.
 */
#ifndef PERSIST_TARGET_BTF_H
#define PERSIST_TARGET_BTF_H

#include <stdbool.h>
#include <stdint.h>

#include "totals_layout.h"

struct btf;

/* Where the kernel's struct task_struct has what a record needs. */
struct task_layout {
	bool known; /* false without the kernel's BTF: programs then use helpers */
	uint32_t tgid;
	uint32_t pid;
	uint32_t comm;
};

#define CONTEXT_DYNAMIC_MAX  8
#define CONTEXT_RELATIVE_MAX 2

/* What a tracepoint's program loads from its context besides whole 8 bytes; see event_context. */
struct context_layout {
	uint32_t copy_size; /* bytes of the fixed part that the context has */
	uint32_t nr_dynamic;
	uint32_t dynamic[CONTEXT_DYNAMIC_MAX]; /* offsets of the __data_loc words */
	uint32_t nr_relative;
	uint32_t relative[CONTEXT_RELATIVE_MAX]; /* offsets of the __rel_loc words */
	uint32_t syscall_nr; /* where it is, if not where the format says; else 0 */
	struct totals_layout totals;
};

void target_btf__find_task_layout(const struct btf *kernel, struct task_layout *task);

struct event_constants;

struct target_btf {
	const struct task_layout *task;
	const struct context_layout *context;
	const struct event_constants *constants;
	const struct btf *mce_types; /* the kernel's, if mce_record's types are needed; else NULL */
};

/*
 * Makes the BTF and puts its path, to be opened by libbpf, into @path (of PATH_MAX bytes).
 * Returns a descriptor that keeps the path valid, or -errno.
 */
int target_btf__make(const struct target_btf *parts, char *path);

#endif
