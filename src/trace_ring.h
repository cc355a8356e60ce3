/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * What a tracing buffer of ftrace holds of one CPU, as records.
 *
 * From Linux 6.10 on the ring can be mapped, and is read without anything being taken out of it.
 * On older kernels, and where a ring cannot be mapped, read(2) of trace_pipe_raw is all there is:
 * what was read is gone from the buffer.
 */
#ifndef PERSIST_TRACE_RING_H
#define PERSIST_TRACE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace_page.h"

/* A record of any event. */
struct trace_record {
	uint64_t time; /* by the clock of the buffer */
	const uint8_t *data;
	uint32_t size;
	uint32_t id; /* of its tracepoint */
};

/*
 * What the ring lost of events of any kind since it was made. Those that were overwritten after
 * they had been collected, or recorded by our own program, are among them: the kernel counts no
 * other way.
 */
struct trace_losses {
	uint64_t overrun;
	uint64_t commit_overrun;
	uint64_t dropped;
};

struct trace_ring;

/**
 * trace_ring__open() - open the ring of a CPU
 * @ring:      set to the ring
 * @directory: of the buffer in tracefs
 * @cpu:       the CPU
 * @layout:    of its pages; must outlive the ring
 *
 * Return: 0; -ENOENT if the CPU has no ring; -EBUSY if it is being read by somebody else; or
 * another -errno.
 */
int trace_ring__open(struct trace_ring **ring, const char *directory, uint32_t cpu,
		     const struct trace_page_layout *layout);
void trace_ring__free(struct trace_ring *ring);

/* Whether collecting takes the records out of the buffer. */
bool trace_ring__consumes(const struct trace_ring *ring);

/*
 * Copies what is there and was not copied before. Every record that was complete before the call,
 * and that nobody has overwritten, is then among trace_ring__records(). Returns 0 or -errno.
 */
int trace_ring__collect(struct trace_ring *ring);

/*
 * All that was collected, in order. The array is valid until the next collect, the data as long as
 * the ring is.
 */
size_t trace_ring__records(const struct trace_ring *ring, const struct trace_record **records);

/* As of the end of the last collect. */
struct trace_losses trace_ring__losses(const struct trace_ring *ring);

/* When that was, CLOCK_BOOTTIME: no record that was collected is newer. 0: it never was. */
uint64_t trace_ring__collected(const struct trace_ring *ring);

/* Places inside of what was collected where a page was overwritten just before it was copied. */
uint64_t trace_ring__holes(const struct trace_ring *ring);

/* Pages that could not be understood to their end. */
uint64_t trace_ring__damaged(const struct trace_ring *ring);

#endif
