/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Items as lines of text. A record has the shape that perf script gives it, and begins with a
 * space; what is missing has a line that begins with "LOST":
 *
 *	            bash    1234 [001]  4711.000815: sched:sched_process_exec: filename=...
 *	LOST 12 events of sched:sched_switch on cpu 0: overwritten (seq 13..24)
 */
#ifndef PERSIST_TEXT_OUTPUT_H
#define PERSIST_TEXT_OUTPUT_H

#include "line_writer.h"
#include "persist_bpf.h"

/* Puts the line of @item, with its newline, into @writer. Returns 0 or -ENOMEM. */
int text_output__put(struct line_writer *writer, const struct persist_item *item);

/* The same, with " (imported)" at the end of the lines of imported records. */
int text_output__put_marked(struct line_writer *writer, const struct persist_item *item);

#endif
