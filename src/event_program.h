/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * The BPF program of one event: chosen, specialised, loaded, given its rings, and attached.
 * Everything it consists of is held by descriptors; pinning them is the caller's business.
 */
#ifndef PERSIST_EVENT_PROGRAM_H
#define PERSIST_EVENT_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "buffers.h"
#include "event_format.h"
#include "log.h"
#include "persist_record.h"
#include "ring_slots.h"
#include "target_btf.h"
#include "totals_layout.h"

struct bpf_object;

/* What is the same for all events: looked up once, for as many programs as there are. */
struct kernel_types {
	struct btf *btf; /* NULL: this kernel has none */
	struct task_layout task;
	uint32_t syscall_nr; /* where a system call's context has its number; 0: not known */
};

void kernel_types__load(struct kernel_types *types);
void kernel_types__free(struct kernel_types *types);

struct event_program {
	struct bpf_object *object;
	enum persist_capture capture;
	uint32_t payload_max;
	/* Descriptors, owned by the object; -1 for those that this event does not need. */
	int program;
	int counters;
	int control;
	int heads;
	int tails;
	int wakeup;
	int scratch;
	int totals;
	int pages;
	int sums;
	int totals_scratch;
	/* Owned by this structure. */
	int link;
	struct slots_filling filling; /* between load and attach; the structure stays where it is */
};

struct event_request {
	const char *name;
	const char *system;
	const char *tracepoint;
	uint32_t record_id; /* what the records carry as event_id */
	uint32_t tracepoint_id;
	const struct event_format *format;
	enum persist_keep keep;
	enum persist_tail_type tail_type;
	uint32_t wakeup_events;
	uint32_t nr_cpus;
	uint64_t tail_bytes;
	uint32_t page_shift;
	struct totals_layout totals;
};

/* How this event would be captured, and how long its payload can get; no kernel is asked. */
enum persist_capture event_program__plan(const struct kernel_types *types,
					 const struct event_request *request,
					 uint32_t *payload_max);

/*
 * Describes what the program of this event is relocated against, its constants included, in a BTF
 * at @btf_path (of PATH_MAX bytes). @program has its capture and payload_max. Returns a descriptor
 * that keeps the path valid, or -errno.
 */
struct event_constants;
int event_program__describe(const struct event_program *program, const struct kernel_types *types,
			    const struct event_request *request, struct event_constants *event,
			    char *btf_path);

/*
 * Loads the program for rings like those in @buffers, begins to put these in place as generation 1
 * and sets the counters up. Returns 0 or -errno, with a message.
 */
int event_program__load(struct event_program *program, const struct log *log,
			const struct kernel_types *types, const struct event_request *request,
			const struct buffers *buffers);

/*
 * Waits until the rings are in place and attaches it: from now on events are recorded. Returns 0 or
 * -errno, with a message.
 */
int event_program__attach(struct event_program *program, const struct log *log,
			  const struct event_request *request);

/* Memory of the program and its maps, without the rings. */
uint64_t event_program__locked_bytes(const struct event_program *program);

/* Closes everything; what is not pinned is gone. */
void event_program__close(struct event_program *program);

#endif
