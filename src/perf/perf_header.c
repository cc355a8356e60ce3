// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "perf/perf_header.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "perf/put_binary.h"
#include "time_spec.h"
#include "version.h"

/* perf pads strings to a multiple of this. */
#define STRING_ALIGN 64

static void put_string(FILE *out, const char *string)
{
	size_t len = strlen(string);
	size_t padded = (len + STRING_ALIGN) & ~(size_t)(STRING_ALIGN - 1);

	put_u32(out, (uint32_t)padded);
	fwrite(string, len, 1, out);
	put_zeros(out, padded - len);
}

static void put_cpus(FILE *out, const struct perf_header_facts *facts)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	put_u32(out, facts->nr_cpus);
	put_u32(out, online > 0 ? (uint32_t)online : facts->nr_cpus);
}

/* The first processor's name; the line has it on x86, and on some others. */
static void put_cpu_description(FILE *out)
{
	FILE *cpuinfo = fopen("/proc/cpuinfo", "re");
	char line[256], name[256];

	while (cpuinfo && fgets(line, sizeof(line), cpuinfo))
		if (sscanf(line, "model name : %255[^\n]", name) == 1) {
			put_string(out, name);
			break;
		}
	if (cpuinfo)
		fclose(cpuinfo);
}

static void put_total_memory(FILE *out)
{
	struct sysinfo info;

	if (!sysinfo(&info))
		put_u64(out, (uint64_t)info.totalram * info.mem_unit / 1024);
}

static void put_command(FILE *out, const char *const *command)
{
	uint32_t nr = 0;

	while (command[nr])
		nr++;
	put_u32(out, nr);
	for (uint32_t i = 0; i < nr; i++)
		put_string(out, command[i]);
}

static void put_event_descriptions(FILE *out, const struct perf_header_facts *facts)
{
	put_u32(out, facts->nr_events);
	put_u32(out, PERF_HEADER_ATTR_SIZE);
	for (uint32_t i = 0; i < facts->nr_events; i++) {
		fwrite(&facts->events[i].attr, PERF_HEADER_ATTR_SIZE, 1, out);
		put_u32(out, 1);
		put_string(out, facts->events[i].name);
		put_u64(out, facts->events[i].id);
	}
}

/* The clock's resolution. */
static void put_clock_id(FILE *out)
{
	struct timespec resolution;

	if (!clock_getres(CLOCK_BOOTTIME, &resolution))
		put_u64(out,
			(uint64_t)resolution.tv_sec * NSEC_PER_SEC + (uint64_t)resolution.tv_nsec);
}

/* One moment on the samples' clock and as wall-clock time. */
static void put_clock_data(FILE *out)
{
	uint64_t now = boottime_now();

	put_u32(out, 1); /* version of this structure */
	put_u32(out, CLOCK_BOOTTIME);
	put_u64(out, now + (uint64_t)wall_clock_offset());
	put_u64(out, now);
}

void perf_header__put_feature(FILE *out, enum perf_feature feature,
			      const struct perf_header_facts *facts)
{
	struct utsname names;

	uname(&names);
	switch (feature) {
	case PERF_FEATURE_HOSTNAME:
		put_string(out, names.nodename);
		break;
	case PERF_FEATURE_OSRELEASE:
		put_string(out, names.release);
		break;
	case PERF_FEATURE_VERSION:
		put_string(out, "persist-reader " PERSIST_BPF_VERSION);
		break;
	case PERF_FEATURE_ARCH:
		put_string(out, names.machine);
		break;
	case PERF_FEATURE_NRCPUS:
		put_cpus(out, facts);
		break;
	case PERF_FEATURE_CPUDESC:
		put_cpu_description(out);
		break;
	case PERF_FEATURE_TOTAL_MEM:
		put_total_memory(out);
		break;
	case PERF_FEATURE_CMDLINE:
		put_command(out, facts->command);
		break;
	case PERF_FEATURE_EVENT_DESC:
		put_event_descriptions(out, facts);
		break;
	case PERF_FEATURE_SAMPLE_TIME:
		put_u64(out, facts->first_time);
		put_u64(out, facts->last_time);
		break;
	case PERF_FEATURE_CLOCKID:
		put_clock_id(out);
		break;
	case PERF_FEATURE_CLOCK_DATA:
		put_clock_data(out);
		break;
	default:
		break;
	}
}
