/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * A tracing buffer that the kernel's command line had filled before anybody could attach an event:
 * the top-level one (trace_event=) or an instance (trace_instance=). It is opened once for all the
 * events that one command makes, and collected again for each.
 */
#ifndef PERSIST_BOOT_TRACE_H
#define PERSIST_BOOT_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "log.h"
#include "trace_clock.h"
#include "trace_ring.h"

/* The instance that is taken if none is named, and the kernel has it. */
#define BOOT_TRACE_INSTANCE "boot"

/* And this stands for the top-level buffer, whether there is such an instance or not. */
#define BOOT_TRACE_TOP_LEVEL "."

struct boot_trace;

/**
 * boot_trace__open() - open a buffer
 * @trace:    set to the buffer
 * @log:      must outlive it
 * @instance: its name, or BOOT_TRACE_TOP_LEVEL; NULL: BOOT_TRACE_INSTANCE if there is one, else the
 *            top-level buffer
 * @nr_cpus:  CPUs there can be
 *
 * Return: 0; -ENOENT if there is no such instance; -EOPNOTSUPP if its clock cannot be converted;
 * -EBUSY if somebody else reads it; or another -errno, with a message.
 */
int boot_trace__open(struct boot_trace **trace, const struct log *log, const char *instance,
		     uint32_t nr_cpus);

/*
 * Says if the buffer had none of the events, what was overwritten while it was copied, and what was
 * taken out of it without having been asked for with boot_trace__use(); then frees it.
 */
void boot_trace__close(struct boot_trace *trace);

/* Copies what is new on all CPUs; see trace_ring__collect(). Returns 0 or -errno, with a message.
 */
int boot_trace__collect(struct boot_trace *trace);

/* All that was collected of one CPU, as of trace_ring__records(). */
size_t boot_trace__records(const struct boot_trace *trace, uint32_t cpu,
			   const struct trace_record **records);
struct trace_losses boot_trace__losses(const struct boot_trace *trace, uint32_t cpu);

/* CLOCK_BOOTTIME: nothing that was collected of the CPU happened later; see trace_ring__collect().
 */
uint64_t boot_trace__collected(const struct boot_trace *trace, uint32_t cpu);

const struct trace_clock *boot_trace__clock(const struct boot_trace *trace);

/* Its instance, "" for the top-level one; and in words, for messages. */
const char *boot_trace__source(const struct boot_trace *trace);
const char *boot_trace__name(const struct boot_trace *trace);

/* The records of the tracepoint @id are somebody's. */
void boot_trace__use(struct boot_trace *trace, uint32_t id);

/*
 * What came of one event is said elsewhere: that it was imported, if only that there was none, or
 * why not. boot_trace__close() does not say then that the buffer has nothing.
 */
void boot_trace__answer(struct boot_trace *trace);

/* Is this event being traced into the buffer? */
bool boot_trace__traces(const struct boot_trace *trace, const char *system, const char *name);

/* Ends that. Returns 0 or -errno, with a message. */
int boot_trace__end_tracing(const struct boot_trace *trace, const char *system, const char *name);

#endif
