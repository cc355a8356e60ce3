/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the header of a perf.data file says of the machine and of the recording, its "features":
 * tools/perf/Documentation/perf.data-file-format.txt in the kernel's source.
 */
#ifndef PERF_HEADER_H
#define PERF_HEADER_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>

/* Their numbers. */
enum perf_feature {
	PERF_FEATURE_TRACING_DATA = 1,
	PERF_FEATURE_BUILD_ID = 2,
	PERF_FEATURE_HOSTNAME = 3,
	PERF_FEATURE_OSRELEASE = 4,
	PERF_FEATURE_VERSION = 5,
	PERF_FEATURE_ARCH = 6,
	PERF_FEATURE_NRCPUS = 7,
	PERF_FEATURE_CPUDESC = 8,
	PERF_FEATURE_TOTAL_MEM = 10,
	PERF_FEATURE_CMDLINE = 11,
	PERF_FEATURE_EVENT_DESC = 12,
	PERF_FEATURE_SAMPLE_TIME = 21,
	PERF_FEATURE_CLOCKID = 23,
	PERF_FEATURE_CLOCK_DATA = 29,
	NR_PERF_FEATURES,
};

/**
 * struct perf_header_event - an event of the file
 * @attr: as perf would have opened it; its size is PERF_HEADER_ATTR_SIZE
 * @id:   that its samples carry
 * @name: as perf shows it, "system:name"
 */
struct perf_header_event {
	struct perf_event_attr attr;
	uint64_t id;
	char name[136];
};

/*
 * In pipe mode some versions of perf take the attr to be as long as the one that they were built
 * with, Debian 12's for one. This is that of 5.13 to 6.2.
 */
#define PERF_HEADER_ATTR_SIZE 128

/**
 * struct perf_header_facts - what the features are made of, beside what the machine says
 * @nr_cpus:    CPUs that the machine can have
 * @command:    the command line, NULL at its end
 * @events:     the events
 * @nr_events:  how many
 * @first_time: CLOCK_BOOTTIME of the oldest sample
 * @last_time:  of the newest one
 */
struct perf_header_facts {
	uint32_t nr_cpus;
	const char *const *command;
	const struct perf_header_event *events;
	uint32_t nr_events;
	uint64_t first_time;
	uint64_t last_time;
};

/**
 * perf_header__put_feature() - write the content of one feature
 * @out:     where to; its errors are the caller's to find, with ferror(3)
 * @feature: any but PERF_FEATURE_TRACING_DATA and PERF_FEATURE_BUILD_ID, see tracing_data.h and
 *           kernel_image.h
 * @facts:   what it is about
 *
 * Nothing is written if the machine does not tell.
 */
void perf_header__put_feature(FILE *out, enum perf_feature feature,
			      const struct perf_header_facts *facts);

#endif
