/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring that perf reads and that has two sources: the kernel, whose own ring is copied as it is,
 * and persistent events. The kernel does not let anybody else write to a ring of its own.
 */
#ifndef PERF_RELAY_H
#define PERF_RELAY_H

#include "perf/perf_ring.h"

/**
 * struct perf_relay - a ring that perf has mapped
 * @ring:      the writing side of it
 * @view:      where perf has mapped it
 * @size:      bytes of the mapping, and of the kernel's
 * @kernel:    the kernel's ring; NULL: there is none
 * @next:      for a list
 */
struct perf_relay {
	struct perf_ring ring;
	void *view;
	size_t size;
	struct perf_event_mmap_page *kernel;
	struct perf_relay *next;
};

/**
 * perf_relay__new() - map a ring for perf
 * @fd:    an event of the kernel, or -1
 * @size:  bytes that perf wants to map, the control page included
 * @relay: set to the relay
 *
 * Return: 0 or -errno, with what mmap(2) returns for perf events.
 */
int perf_relay__new(int fd, size_t size, struct perf_relay **relay);

/**
 * perf_relay__take_over() - put a relay in the place of a ring of the kernel
 * @view:  where perf has mapped the kernel's ring, which is mapped elsewhere then
 * @size:  bytes of the mapping
 * @relay: set to the relay
 *
 * Return: 0 or -errno.
 */
int perf_relay__take_over(void *view, size_t size, struct perf_relay **relay);

/* Whether the kernel's ring is more than half full. */
bool perf_relay__is_pressing(const struct perf_relay *relay);

/**
 * perf_relay__copy() - copy what the kernel has written, as far as there is room
 * @relay:    the relay
 * @is_wanted: asked for each record, in order, whether to go on with it; NULL: all are wanted.
 *            Of a record that wraps around it sees a copy.
 * @context:  its argument
 */
void perf_relay__copy(struct perf_relay *relay,
		      bool (*is_wanted)(void *context, const struct perf_event_header *record),
		      void *context);

/* Unmaps all of it, also what perf has mapped. */
void perf_relay__free(struct perf_relay *relay);

#endif
