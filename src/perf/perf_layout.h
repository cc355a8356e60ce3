/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What stands before and behind the records in a perf.data file. The stream of pipe mode and the
 * complete file share it: the sections to which the header of a file leads are parts of the records
 * with which the stream begins, but for what is known only at the end.
 */
#ifndef PERF_LAYOUT_H
#define PERF_LAYOUT_H

#include <stdint.h>
#include <stdio.h>

#include "perf/perf_header.h"
#include "perf/perf_records.h"
#include "persist_bpf.h"

/**
 * struct perf_layout - the parts of a file
 * @facts:    what it is about; the caller's
 * @features: where which feature is; without size: nowhere yet
 */
struct perf_layout {
	struct perf_header_facts facts;
	struct perf_file_section features[NR_PERF_FEATURES];
};

/**
 * perf_layout__put_beginning() - write the beginning of the stream
 * @layout: its facts are set, but for the times
 * @out:    where to, from the first byte of the file on
 * @events: those of the facts, in the same order
 *
 * It begins with room for a struct perf_file_header. Its length is a multiple of 8 bytes, as those
 * of all records are.
 *
 * Return: 0 or -ENOMEM; errors of @out are the caller's to find.
 */
int perf_layout__put_beginning(struct perf_layout *layout, FILE *out,
			       const struct persist_event *const *events);

/**
 * perf_layout__put_end() - write what follows the records
 * @layout: with all its facts
 * @out:    where to
 * @offset: in the file, of what is written, which is where the section with the records ends
 * @header: all zero; gets everything but where the records are
 *
 * Return: as perf_layout__put_beginning().
 */
int perf_layout__put_end(struct perf_layout *layout, FILE *out, uint64_t offset,
			 struct perf_file_header *header);

#endif
