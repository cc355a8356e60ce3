/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records as events of the trace-event format of Chrome's tracing, which the Perfetto UI loads as
 * well. Of the format's two forms this is the array, which need not be ended. Source: "Trace Event
 * Format", the document to which chrome://tracing refers.
 *
 * The events of a CPU are instants on a track of its own: a thread, of one process for all CPUs.
 * Their args have what `reader attach --json` shows; integers beyond 2^53 are strings of their
 * digits, for viewers keep numbers as doubles.
 */
#ifndef CHROME_EVENT_H
#define CHROME_EVENT_H

#include "persist_bpf.h"
#include "text_out.h"

/*
 * These have the same form so that whoever calls them can repeat that with more room: @what is
 * NULL, a uint32_t that is the CPU, a struct persist_item, NULL. Each text but the first begins
 * with the comma behind the one before and a newline, or is the end; no other newlines are in it.
 */
void chrome_event__print_head(struct text_out *out, const void *what);
void chrome_event__print_track(struct text_out *out, const void *what);
void chrome_event__print_item(struct text_out *out, const void *what);
void chrome_event__print_end(struct text_out *out, const void *what);

#endif
