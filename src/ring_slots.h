/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * The maps of maps through which a program finds the ring of its CPU: `heads` and `tails`. Slot
 * (generation % 2) * nr_cpus + cpu has the ring of a generation, so that two of them have room.
 *
 * After each change of such a map the kernel waits until no program uses what was there before,
 * for a grace period of RCU: some 10 ms. Hence one call for all CPUs, both maps at the same time,
 * and the caller may do something else meanwhile.
 */
#ifndef PERSIST_RING_SLOTS_H
#define PERSIST_RING_SLOTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "buffers.h"

/* Makes a map for maps like @inner. Returns its descriptor or -errno. */
int ring_slots__create(const char *name, int inner, uint32_t nr_cpus);

/* One of the maps being filled, or none of them (map -1). */
struct slot_filling {
	int map;
	const int *rings;
	uint32_t nr_cpus;
	uint32_t generation;
	int err;
	bool has_thread;
	pthread_t thread;
};

struct slots_filling {
	struct slot_filling heads, tails;
};

/*
 * Begins to put the rings of @buffers into the slots of @generation in @heads and @tails (-1: there
 * is none). The descriptors are used until ring_slots__end_filling(), which has to be called.
 */
void ring_slots__begin_filling(struct slots_filling *filling, int heads, int tails,
			       const struct buffers *buffers, uint32_t generation);

/* Waits until they are in place. Returns 0 or -errno. */
int ring_slots__end_filling(struct slots_filling *filling);

/* Takes the rings of @generation out again. Returns 0 or -errno. */
int ring_slots__drop(int heads, int tails, uint32_t nr_cpus, uint32_t generation);

#endif
