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
 * @name:       behind --to
 * @summary:    what it is, in half a line, for the help
 * @takes_file: without --output the first argument is the output
 * @is_wanted:  which events are exported if no TARGET is named; NULL: they have to be named
 * @open:       begin. @output is NULL for standard output; a format that has none refuses it with
 *              -EINVAL. @log must outlive the writer. Sets *@writer.
 * @positions:  where this output ends, so that its reader goes on from there; a malloc()ed array,
 *              and returns its length, as persist_reader__positions(). NULL: always begin at the
 *              oldest.
 * @put:        one item, a record or a loss
 * @flush:      what was put until now is to be found by a reader of the output. @reader tells
 *              positions to formats that keep them. Called when there is nothing to read, once a
 *              second, and at the end.
 * @output_fd:  a descriptor that tells poll(2) when nobody reads the output any more; NULL: the
 *              output has none
 * @close:      finish and free, also after an error; what was put since the last @flush may be
 *              lost then
 *
 * Those that return int return 0 or -errno. Where they fail they have said why, on the log: they
 * know which of their files it was.
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
	int (*output_fd)(const void *writer);
	int (*close)(void *writer);
};

/* In the order of their names; a format is a file of its own and one line in export_formats.c. */
extern const struct export_format *const export_formats[];
extern const size_t nr_export_formats;

extern const struct export_format chrome_format;
extern const struct export_format ctf_format;
extern const struct export_format rasdaemon_format;

#endif
