/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of a perf.data file that perf itself makes, which the kernel does not know:
 * tools/lib/perf/include/perf/event.h in the kernel's source.
 */
#ifndef PERF_RECORDS_H
#define PERF_RECORDS_H

#include <linux/perf_event.h>
#include <stdint.h>

enum {
	PERF_RECORD_HEADER_ATTR = 64,
	/* No longer in use, and ignored by every version of perf. */
	PERF_RECORD_HEADER_EVENT_TYPE = 65,
	PERF_RECORD_HEADER_TRACING_DATA = 66,
	PERF_RECORD_HEADER_BUILD_ID = 67,
	/* What comes is not older than what came before the last one of these: perf prints that. */
	PERF_RECORD_FINISHED_ROUND = 68,
	PERF_RECORD_EVENT_UPDATE = 78,
	PERF_RECORD_HEADER_FEATURE = 80,
};

/* The type of a PERF_RECORD_EVENT_UPDATE that gives an event its name. */
#define PERF_EVENT_UPDATE_NAME 2

struct perf_file_section {
	uint64_t offset;
	uint64_t size;
};

/* "PERFILE2" in memory, on a machine of this byte order. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PERF_FILE_MAGIC 0x32454c4946524550ull
#else
#define PERF_FILE_MAGIC 0x50455246494c4532ull
#endif

/* What a file in pipe mode begins with; its size says which mode it is. */
struct perf_pipe_header {
	uint64_t magic;
	uint64_t size;
};

struct perf_file_header {
	uint64_t magic;
	uint64_t size;
	uint64_t attr_size; /* of an attr and the section of its ids */
	struct perf_file_section attrs;
	struct perf_file_section data;
	struct perf_file_section event_types; /* no longer in use */
	uint64_t features[4];		      /* a bit for each */
};

#endif
