/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* The rings of one generation of an event: created, frozen, and handed over as descriptors. */
#ifndef PERSIST_BUFFERS_H
#define PERSIST_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

#include "log.h"
#include "persist_record.h"

struct buffers {
	uint32_t nr_cpus;
	int *heads; /* a descriptor for each possible CPU; NULL if there is no head */
	int *tails;
};

struct buffer_sizes {
	uint32_t nr_cpus;
	uint64_t head_bytes; /* 0: no head */
	uint64_t tail_bytes;
	enum persist_tail_type tail_type;
	uint32_t payload_max; /* bytes of the longest payload */
};

/* Has this kernel ringbufs that overwrite (BPF_F_RB_OVERWRITE, from Linux 6.19 on)? */
bool buffers__kernel_has_overwrite(void);

/*
 * Creates and freezes a ring of each kind for each CPU. Frozen means that user space, root
 * included, cannot write to them: not by an update, not by a writable mapping.
 * Returns 0 or -errno, with a message.
 */
int buffers__create(struct buffers *buffers, const struct log *log, const char *name,
		    const struct buffer_sizes *sizes);

uint64_t buffers__locked_bytes(const struct buffers *buffers);

/* Closes the descriptors: what is neither pinned nor in a map of maps is gone. */
void buffers__close(struct buffers *buffers);

#endif
