/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* The capabilities that loading and attaching programs takes. */
#ifndef PERSIST_CAPABILITIES_H
#define PERSIST_CAPABILITIES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes the names of those that this process lacks into @missing; returns whether there are
 * any. CAP_SYS_ADMIN stands for all of them, as it does in the kernel.
 */
bool capabilities__are_missing(char *missing, size_t size);

/*
 * What to say behind the message of a bpf(2) or perf_event_open(2) that failed with @err (-errno),
 * from "; " on: which capabilities are missing, or, where none is, what else may have refused it;
 * or which limit there is if too many files are open. An empty string for other errors. Valid until
 * the next call.
 */
const char *capabilities__explain(int err);

/* The same for a perf_event_open(2), for which there is a setting of the kernel besides. */
const char *capabilities__explain_perf(int err);

#endif
