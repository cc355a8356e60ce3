/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf.data: the file that `perf record` writes and perf's other commands read.
 *
 * Until it is complete, the file is what perf writes into a pipe: a stream that says all by itself,
 * and can be read as far as it goes, wherever it was cut off. Its first record keeps room for the
 * header of a file. At the end the sections to which that header leads are appended, and then the
 * header is written, so that there is no moment at which the file is neither of the two:
 *
 *	pipe header │ room │ attrs, features, tracing data │ samples ...
 *	file header ───────┤       ▲                       │ samples │ features │ attrs
 *	                           └─────────────────────────────────────┘
 */
#ifndef PERF_DATA_H
#define PERF_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log.h"
#include "persist_bpf.h"

struct perf_data;

/**
 * perf_data__open() - create a file
 * @path: of the file, or "-" for standard output
 * @log:  receives what goes wrong with this file, now and later
 * @file: set to it; the caller closes it
 *
 * A regular file that has something in it is renamed to "<path>.old" before, as perf does. What is
 * no regular file (a pipe, a device) gets the stream only.
 *
 * Return: 0 or -errno.
 */
int perf_data__open(const char *path, const struct log *log, struct perf_data **file);

/*
 * Takes back what perf_data__open() has done: a regular file is removed, and what was there before
 * has its name again. The file is still to be closed.
 */
void perf_data__discard(struct perf_data *file);

/**
 * perf_data__begin() - write what comes before the first record
 * @file:    the file
 * @events:  of all the records that will come; they need not live longer than this call
 * @nr:      how many
 * @command: the command line that the header shows, NULL at its end; has to live on
 *
 * Return: 0 or -errno.
 */
int perf_data__begin(struct perf_data *file, const struct persist_event *const *events, size_t nr,
		     const char *const *command);

/**
 * perf_data__put() - write a record or a loss
 * @file: the file
 * @item: what persist_reader__next() gave
 *
 * It is in the file after perf_data__flush() at the latest. Nothing is allocated, unless it is the
 * first one of its stream. An item of an event that perf_data__begin() was not told about is
 * left out, with a message.
 *
 * Return: 0 or -errno. After a failure the file, if it is a regular one, ends with the last record
 * that was written as a whole, and takes no more.
 */
int perf_data__put(struct perf_data *file, const struct persist_item *item);

/* What was put until now is to be seen by who reads. Returns 0 or -errno as perf_data__put(). */
int perf_data__flush(struct perf_data *file);

/* The descriptor that is written to; it stays the file's. */
int perf_data__fd(const struct perf_data *file);

/* Returns -EPIPE, after a message, if it is a pipe that nobody reads any more; else 0. */
int perf_data__check(struct perf_data *file);

/**
 * struct perf_data_counts - what was written
 * @samples: records
 * @lost:    records that were reported as lost
 * @bytes:   of the file
 */
struct perf_data_counts {
	uint64_t samples;
	uint64_t lost;
	uint64_t bytes;
};

/**
 * perf_data__finish() - complete the file
 * @file:   the file; nothing can be put any more
 * @counts: set, also on failure
 *
 * Return: 0 or -errno, also that of an earlier failure.
 */
int perf_data__finish(struct perf_data *file, struct perf_data_counts *counts);

/* Without perf_data__finish() the file stays as it is, to be read as what came through a pipe. */
void perf_data__close(struct perf_data *file);

#endif
