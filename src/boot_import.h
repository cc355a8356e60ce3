/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * From a boot trace to the pin `imported` of an event.
 *
 * The boot tracing and the event's own program see the same events of a CPU in the same order.
 * What is imported is what ftrace recorded in front of the first one that the program saw; that
 * one is found by its content, not by the time of the attachment. docs/at-boot.md says more.
 */
#ifndef PERSIST_BOOT_IMPORT_H
#define PERSIST_BOOT_IMPORT_H

#include "attached_event.h"
#include "boot_trace.h"
#include "event_format.h"

/**
 * boot_import__take() - take what a boot trace has of an event
 * @trace: the buffer, which is collected anew
 * @log:   gets messages
 * @event: records already, so that nothing falls between the two; its member imported is set, or
 *         stays -1 if the buffer neither has nor traces such events
 *
 * Return: 0 or -errno, with a message; then nothing is imported.
 */
int boot_import__take(struct boot_trace *trace, const struct log *log,
		      struct attached_event *event);

/* Says what was imported, once it is published, and ends the boot tracing of the event. */
void boot_import__finish(struct boot_trace *trace, const struct log *log,
			 const struct attached_event *event);

/* The same for an event for which that was done before; a loader that was killed may be in between.
 */
void boot_import__finish_again(struct boot_trace *trace, const struct log *log,
			       const struct attached_event *event);

/* Says why an event that was cleared does not get its history. */
void boot_import__refuse_cleared(struct boot_trace *trace, const struct log *log, const char *name);

/* ---- for tests ---------------------------------------------------------------------------- */

/* What is known of the records of one CPU. */
struct boot_boundary {
	/* The event's records in the boot trace, in order, and their times as CLOCK_BOOTTIME. */
	const struct trace_record *const *traced;
	size_t nr;
	const struct trace_clock *clock;
	/* Events that the program saw: before the buffer was collected, and after. */
	uint64_t seen_before, seen_after;
	uint64_t collected_ns;		  /* when that had ended: the trace has nothing newer */
	const struct persist_record *own; /* the oldest that it still has; NULL: none */
	uint64_t attach_time_ns;
	/* The fixed fields that are the event's own. What pads them is left over from others. */
	const struct event_format_field *const *fields;
	size_t nr_fields;
	size_t tid_offset; /* of common_pid */
};

/* How many of the boot trace's records come before everything that the program saw. */
size_t boot_boundary__find(const struct boot_boundary *boundary);

#endif
