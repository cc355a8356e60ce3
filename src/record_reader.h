/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* What the programs may ask a reader besides what persist_bpf.h offers to all. */
#ifndef PERSIST_RECORD_READER_H
#define PERSIST_RECORD_READER_H

#include <poll.h>

#include "persist_bpf.h"

/*
 * One of the events that are read at the moment, also before anything of it was given out; NULL
 * beyond the last. It is valid until the next call of persist_reader__next().
 */
const struct persist_event *record_reader__event(const struct persist_reader *reader,
						 uint32_t index);

/* Returns 0, or what ends the calls and is passed on. */
typedef int (*record_reader_position_fn)(void *ctx, const struct persist_event *event, uint32_t cpu,
					 uint64_t seq);

/*
 * Tells, for each event and CPU, up to which position everything was given out, or left out as too
 * old by the reader's options. Nothing of those where that is nothing.
 */
int record_reader__for_each_position(const struct persist_reader *reader,
				     record_reader_position_fn fn, void *ctx);

/*
 * Waits after -EAGAIN as poll(2) does, for less: one system call, where waiting by the descriptor
 * alone takes a timer as well. @fds: the first is persist_reader__fd() for POLLIN; after the first
 * call, that one no longer becomes readable because of the time. Returns how many are ready; 0
 * also when persist_reader__next() should be called; -errno.
 */
int record_reader__poll(struct persist_reader *reader, struct pollfd *fds, nfds_t nr,
			int timeout_ms);

#endif
