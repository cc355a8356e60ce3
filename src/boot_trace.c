// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "boot_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracefs.h"

/* Ids of tracepoints have 16 bits in records. */
#define NR_IDS 65536

struct boot_trace {
	const struct log *log;
	char directory[PATH_MAX];
	char source[PERSIST_NAME_SIZE];
	char name[PERSIST_NAME_SIZE + 32];
	struct trace_page_layout layout;
	struct trace_clock clock;
	struct trace_ring **rings; /* NULL for a CPU that has none */
	uint32_t nr_cpus;
	bool is_answered;
	bool is_open;
	bool is_used[NR_IDS];
};

/* ---- opening ------------------------------------------------------------------------------ */

static bool has_instance(const char *tracefs, const char *instance)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/instances/%s", tracefs, instance);
	return !access(path, F_OK);
}

static int check_name(const struct log *log, const char *instance)
{
	if (*instance && strlen(instance) < PERSIST_NAME_SIZE && !strchr(instance, '/') &&
	    instance[0] != '.')
		return 0;
	log_error(log, "boot trace \"%.80s\": not the name of an instance", instance);
	return -EINVAL;
}

/* Where the buffer is. */
static int find_directory(struct boot_trace *trace, const char *instance)
{
	const char *tracefs = tracefs__mount_point();

	if (!tracefs) {
		log_error(trace->log, "no boot trace can be imported: %s",
			  tracefs__what_is_wrong());
		return -ENODEV;
	}
	if (!instance && has_instance(tracefs, BOOT_TRACE_INSTANCE))
		instance = BOOT_TRACE_INSTANCE;
	else if (instance && !strcmp(instance, BOOT_TRACE_TOP_LEVEL))
		instance = NULL;
	if (instance && check_name(trace->log, instance))
		return -EINVAL;
	if (instance && !has_instance(tracefs, instance)) {
		log_error(trace->log,
			  "%s/instances/%s: there is no such instance; boot with "
			  "trace_instance=%s,SYSTEM:NAME,... (Linux 6.4), or leave the name out "
			  "for what trace_event= has traced",
			  tracefs, instance, instance);
		return -ENOENT;
	}
	if (instance) {
		snprintf(trace->directory, sizeof(trace->directory), "%s/instances/%s", tracefs,
			 instance);
		snprintf(trace->source, sizeof(trace->source), "%s", instance);
		snprintf(trace->name, sizeof(trace->name), "the tracing instance %s",
			 trace->source);
	} else {
		snprintf(trace->directory, sizeof(trace->directory), "%s", tracefs);
		snprintf(trace->name, sizeof(trace->name), "the top-level tracing buffer");
	}
	return 0;
}

static int read_layout(struct boot_trace *trace)
{
	char path[PATH_MAX + 32], *text;
	size_t len;
	int err;

	snprintf(path, sizeof(path), "%s/events/header_page", trace->directory);
	err = tracefs__read_path(path, &text, &len);
	/* Before Linux 6.8 all buffers have the same. */
	if (err == -ENOENT)
		err = tracefs__read_file("events/header_page", &text, &len);
	if (!err) {
		err = trace_page__parse_layout(&trace->layout, text);
		free(text);
	}
	if (err)
		log_error(trace->log, "%s: cannot find out what its pages look like: %s", path,
			  err == -EBADMSG ? "the kernel says it in a way that is not known"
					  : strerror(-err));
	return err;
}

static void report_ring(const struct boot_trace *trace, uint32_t cpu, int err)
{
	const char *remedy = "";

	if (err == -EBUSY)
		remedy = "; somebody else reads it, through trace_pipe or trace_pipe_raw: end that";
	else if (err == -EACCES || err == -EPERM)
		remedy = "; run the loader as root";
	log_error(trace->log, "%s: cannot read the buffer of CPU %u: %s%s", trace->directory, cpu,
		  strerror(-err), remedy);
}

static int open_rings(struct boot_trace *trace)
{
	trace->rings = calloc(trace->nr_cpus, sizeof(struct trace_ring *));
	if (!trace->rings)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < trace->nr_cpus; cpu++) {
		int err =
			trace_ring__open(&trace->rings[cpu], trace->directory, cpu, &trace->layout);

		if (err && err != -ENOENT) {
			report_ring(trace, cpu, err);
			return err;
		}
	}
	return 0;
}

int boot_trace__open(struct boot_trace **result, const struct log *log, const char *instance,
		     uint32_t nr_cpus)
{
	struct boot_trace *trace = calloc(1, sizeof(*trace));
	int err;

	*result = NULL;
	if (!trace)
		return -ENOMEM;
	trace->log = log;
	trace->nr_cpus = nr_cpus;
	err = find_directory(trace, instance);
	if (!err)
		err = trace_clock__measure(&trace->clock, log, trace->directory);
	if (!err)
		err = read_layout(trace);
	if (!err)
		err = open_rings(trace);
	trace->is_open = !err;
	if (err)
		boot_trace__close(trace);
	else
		*result = trace;
	return err;
}

/* What was taken out of the buffer and is nobody's. */
static uint64_t count_unused(const struct boot_trace *trace)
{
	const struct trace_record *records;
	uint64_t unused = 0;

	for (uint32_t cpu = 0; trace->rings && cpu < trace->nr_cpus; cpu++) {
		size_t nr = 0;

		if (trace->rings[cpu] && trace_ring__consumes(trace->rings[cpu]))
			nr = trace_ring__records(trace->rings[cpu], &records);
		for (size_t i = 0; i < nr; i++)
			unused += !trace->is_used[records[i].id];
	}
	return unused;
}

/* What all rings have had of one kind of trouble. */
static uint64_t sum_up(const struct boot_trace *trace,
		       uint64_t (*count)(const struct trace_ring *ring))
{
	uint64_t sum = 0;

	for (uint32_t cpu = 0; trace->rings && cpu < trace->nr_cpus; cpu++)
		if (trace->rings[cpu])
			sum += count(trace->rings[cpu]);
	return sum;
}

void boot_trace__close(struct boot_trace *trace)
{
	uint64_t unused, damaged, holes;

	if (!trace)
		return;
	unused = count_unused(trace);
	damaged = sum_up(trace, trace_ring__damaged);
	holes = sum_up(trace, trace_ring__holes);
	if (trace->is_open && !trace->is_answered)
		log_warn(trace->log,
			 "%s has none of these events: nothing was imported; boot with "
			 "trace_event=SYSTEM:NAME,... or trace_instance=" BOOT_TRACE_INSTANCE
			 ",SYSTEM:NAME,...",
			 trace->name);
	if (unused)
		log_warn(
			trace->log,
			"%s: on this kernel, reading takes out what is read: %llu records of other "
			"events are gone from it",
			trace->name, (unsigned long long)unused);
	if (holes)
		log_warn(trace->log,
			 "%s: the kernel overwrote %llu of its pages while they were copied: what "
			 "was imported can have holes there, and the events in them are among the "
			 "overrun; boot with a larger trace_buf_size=",
			 trace->name, (unsigned long long)holes);
	if (damaged)
		log_warn(trace->log, "%s: %llu records could not be understood", trace->name,
			 (unsigned long long)damaged);
	for (uint32_t cpu = 0; trace->rings && cpu < trace->nr_cpus; cpu++)
		trace_ring__free(trace->rings[cpu]);
	free(trace->rings);
	free(trace);
}

/* ---- what is in it ------------------------------------------------------------------------ */

int boot_trace__collect(struct boot_trace *trace)
{
	for (uint32_t cpu = 0; cpu < trace->nr_cpus; cpu++) {
		int err = trace->rings[cpu] ? trace_ring__collect(trace->rings[cpu]) : 0;

		if (err) {
			report_ring(trace, cpu, err);
			return err;
		}
	}
	return 0;
}

size_t boot_trace__records(const struct boot_trace *trace, uint32_t cpu,
			   const struct trace_record **records)
{
	*records = NULL;
	return trace->rings[cpu] ? trace_ring__records(trace->rings[cpu], records) : 0;
}

struct trace_losses boot_trace__losses(const struct boot_trace *trace, uint32_t cpu)
{
	static const struct trace_losses none;

	return trace->rings[cpu] ? trace_ring__losses(trace->rings[cpu]) : none;
}

uint64_t boot_trace__collected(const struct boot_trace *trace, uint32_t cpu)
{
	return trace->rings[cpu] ? trace_ring__collected(trace->rings[cpu]) : 0;
}

const struct trace_clock *boot_trace__clock(const struct boot_trace *trace)
{
	return &trace->clock;
}

const char *boot_trace__source(const struct boot_trace *trace)
{
	return trace->source;
}

const char *boot_trace__name(const struct boot_trace *trace)
{
	return trace->name;
}

void boot_trace__use(struct boot_trace *trace, uint32_t id)
{
	if (id < NR_IDS)
		trace->is_used[id] = true;
}

void boot_trace__answer(struct boot_trace *trace)
{
	trace->is_answered = true;
}

/* ---- its events --------------------------------------------------------------------------- */

static void enable_path(const struct boot_trace *trace, const char *system, const char *name,
			char path[PATH_MAX + 256])
{
	snprintf(path, PATH_MAX + 256, "%s/events/%s/%s/enable", trace->directory, system, name);
}

bool boot_trace__traces(const struct boot_trace *trace, const char *system, const char *name)
{
	char path[PATH_MAX + 256], *text;
	bool is_on;
	size_t len;

	enable_path(trace, system, name, path);
	if (tracefs__read_path(path, &text, &len))
		return false;
	/* "1*": a trigger is on it as well. */
	is_on = text[0] == '1';
	free(text);
	return is_on;
}

int boot_trace__end_tracing(const struct boot_trace *trace, const char *system, const char *name)
{
	char path[PATH_MAX + 256];
	int fd, err = 0;

	enable_path(trace, system, name, path);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		err = -errno;
	if (fd >= 0)
		close(fd);
	if (err)
		log_warn(trace->log,
			 "%s: cannot be switched off: %s; the event goes on being traced there, "
			 "which costs as much as recording it",
			 path, strerror(-err));
	return err;
}
