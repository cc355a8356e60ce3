/* SPDX-License-Identifier: GPL-2.0-only */
/* The formats of `reader export`: one file each, all with these functions. */
#ifndef EXPORT_FORMAT_H
#define EXPORT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "persist_bpf.h"

struct log;

/**
 * struct export_format - a format to which records can be exported
 * @name:         behind --to
 * @summary:      what it is, in half a line, for the help
 * @takes_file:   the first argument is the output; otherwise --output names it
 * @is_wanted:    which events are exported if no TARGET is named; NULL: they have to be named
 * @open:         begin. @output is NULL for standard output; a format that has none refuses.
 *                Sets *@writer, or returns -errno after a message.
 * @positions:    where this output ends, so that its reader goes on from there; a malloc()ed array
 *                and its length as of persist_reader__positions(). NULL: always begin at the
 * oldest.
 * @put:          one item, a record or a loss. Returns 0 or -errno; the message comes from @flush's
 *                caller unless it was given already (-ECANCELED).
 * @flush:        what was put until now is to be found by a reader of the output. @reader tells
 *                positions to formats that keep them.
 * @close:        flush, finish and free, also after an error. Returns 0 or -errno.
 */
struct export_format {
	const char *name;
	const char *summary;
	bool takes_file;
	bool (*is_wanted)(const struct persist_meta *meta);
	int (*open)(const char *output, const struct log *log, void **writer);
	int (*positions)(void *writer, struct persist_position **positions);
	int (*put)(void *writer, const struct persist_item *item);
	int (*flush)(void *writer, const struct persist_reader *reader);
	int (*close)(void *writer);
};

extern const struct export_format ctf_format;
extern const struct export_format chrome_format;
extern const struct export_format rasdaemon_format;

#endif
