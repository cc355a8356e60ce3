/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What perf looks at in place of /sys: a directory of links to what is there, with a PMU more,
 * "persistent". Where perf cannot read tracefs, also a directory in place of that, with the formats
 * that the tree of pins has.
 *
 * In the tree itself the PMU is described as the original has it: type 6, persistent by attr5:23.
 * perf knows neither, so that its view says: type 2 (perf then treats the event as the tracepoint
 * that it is, and reads its format), config the tracepoint's id, persistent by config2:63, and
 * config1 the event's id in the tree, since two events can have the same tracepoint.
 *
 * Some commands of perf cannot do with a tracepoint that comes by way of a PMU: perf up to 6.13 has
 * no format for it before it reads its own file, and `perf top` crashes. For these the events are
 * tracepoints of a system "persistent", with ids that no tracepoint of the kernel has
 * (PERF_SESSION_FIRST_TRACEPOINT).
 *
 * Who uses a view holds a shared flock(2) on its directory: who made it, and perf. One that nobody
 * holds was left by a program that was killed; whoever makes the next one removes it.
 */
#ifndef PERF_VIEW_H
#define PERF_VIEW_H

#include <stdbool.h>

#include "log.h"
#include "persist_bpf.h"

/**
 * perf_view__make() - make the directory
 * @root:  the tree
 * @infos: its events
 * @nr:    how many
 * @as_tracepoints: make them tracepoints, and no PMU
 * @log:   gets what is wrong
 * @view:  set to the path of a new directory, which only this user can read; the caller frees it
 *         and has it removed with perf_view__remove()
 *
 * Return: 0 or -errno, which was logged.
 */
int perf_view__make(const char *root, const struct persist_event_info *infos, int nr,
		    bool as_tracepoints, const struct log *log, char **view);

/* Makes an empty file of this name in the view. */
void perf_view__mark(const char *view, const char *name);

/* Whether there is a file of this name in the view. */
bool perf_view__has(const char *view, const char *name);

/* Removes the directory and all that is in it, and its lock ends with this process. NULL is
 * accepted. */
void perf_view__remove(const char *view);

#endif
