// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "boot_import.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "capabilities.h"
#include "event_format.h"
#include "event_view.h"
#include "grace_period.h"
#include "imported.h"
#include "time_spec.h"
#include "traced_threads.h"

/* What is to be imported of one CPU. */
struct cpu_import {
	const struct trace_record **traced;
	size_t nr;
	uint64_t bytes;
	uint64_t latest_ns; /* of our own oldest record: nothing imported can be newer */
};

struct import {
	struct boot_trace *trace;
	const struct log *log;
	struct attached_event *event;
	struct event_format *format;
	struct event_view *view;
	struct traced_threads *threads;
	size_t tid_offset;
	const struct event_format_field **fields; /* that are the event's own */
	size_t nr_fields;
	struct cpu_import *cpus;
	uint64_t records, malformed;
	uint64_t time_ns; /* of the import */
};

/* ---- choosing ----------------------------------------------------------------------------- */

static bool is_wanted(const struct import *import, const struct trace_record *record)
{
	return record->id == import->event->meta.config;
}

/* All of the event that the boot trace has of a CPU. */
static int find_traced(struct import *import, uint32_t cpu)
{
	struct cpu_import *wanted = &import->cpus[cpu];
	const struct trace_record *records;
	size_t nr = boot_trace__records(import->trace, cpu, &records);

	for (size_t i = 0; i < nr; i++)
		wanted->nr += is_wanted(import, &records[i]);
	wanted->traced = calloc(wanted->nr + 1, sizeof(*wanted->traced));
	if (!wanted->traced)
		return -ENOMEM;
	wanted->nr = 0;
	for (size_t i = 0; i < nr; i++)
		if (is_wanted(import, &records[i]))
			wanted->traced[wanted->nr++] = &records[i];
	return 0;
}

/* Most events have not happened while a machine boots: no time is to be spent on them. */
static bool has_traced(const struct import *import)
{
	for (uint32_t cpu = 0; cpu < import->event->meta.nr_cpus; cpu++)
		if (import->cpus[cpu].nr)
			return true;
	return false;
}

static const struct persist_record *older_of(const struct persist_record *one,
					     const struct persist_record *other)
{
	if (!one || !other)
		return one ? one : other;
	return one->seq < other->seq ? one : other;
}

/* Leaves of a CPU what comes before our own records. */
static int cut_at_boundary(struct import *import, uint32_t cpu, uint64_t seen_before)
{
	const struct persist_meta *meta = &import->event->meta;
	struct cpu_import *wanted = &import->cpus[cpu];
	struct boot_boundary boundary = {
		.traced = wanted->traced,
		.nr = wanted->nr,
		.clock = boot_trace__clock(import->trace),
		.seen_before = seen_before,
		.seen_after = import->view->counters[cpu].seen,
		.collected_ns = boot_trace__collected(import->trace, cpu),
		.attach_time_ns = meta->attach_time_ns,
		.fields = import->fields,
		.nr_fields = import->nr_fields,
		.tid_offset = import->tid_offset,
	};
	struct ring_cursor *head, *tail = NULL;
	int err;

	if (!wanted->nr)
		return 0;
	err = event_view__open_head(import->view, cpu, &head);

	if (!err)
		err = event_view__open_tail(import->view, cpu, &tail);
	if (!err) {
		boundary.own = older_of(head ? ring_cursor__peek(head) : NULL,
					tail ? ring_cursor__peek(tail) : NULL);
		wanted->nr = boot_boundary__find(&boundary);
		wanted->latest_ns = boundary.own ? boundary.own->time_ns : import->time_ns;
	}
	ring_cursor__free(head);
	ring_cursor__free(tail);
	return err;
}

/* The order of these steps is what makes the boundary right. */
static int choose_records(struct import *import)
{
	uint32_t nr_cpus = import->event->meta.nr_cpus;
	uint64_t *seen_before = calloc(nr_cpus, sizeof(*seen_before));
	int err = seen_before ? 0 : -ENOMEM;

	for (uint32_t cpu = 0; !err && cpu < nr_cpus; cpu++)
		seen_before[cpu] = import->view->counters[cpu].seen;
	if (!err)
		err = boot_trace__collect(import->trace);
	import->time_ns = boottime_now();
	for (uint32_t cpu = 0; !err && cpu < nr_cpus; cpu++)
		err = find_traced(import, cpu);
	if (!err && has_traced(import)) {
		/* Our program is done with every event that was collected. */
		grace_period__wait();
		err = event_view__read_counters(import->view);
	}
	for (uint32_t cpu = 0; !err && cpu < nr_cpus; cpu++)
		err = cut_at_boundary(import, cpu, seen_before[cpu]);
	free(seen_before);
	return err;
}

/* ---- records ------------------------------------------------------------------------------ */

static uint32_t payload_size(const struct import *import, const struct trace_record *record)
{
	uint32_t max = import->event->meta.payload_max;

	/* The ring pads records to whole words. */
	return record->size < max ? record->size : max;
}

static uint64_t units_of(uint32_t payload)
{
	return (sizeof(struct persist_record) + payload + PERSIST_UNIT_SIZE - 1) /
	       PERSIST_UNIT_SIZE;
}

/* One that is too short is none of this event; the room for the others is added up. */
static void measure_records(struct import *import, struct cpu_import *cpu)
{
	size_t nr = 0;

	for (size_t i = 0; i < cpu->nr; i++) {
		uint32_t size = payload_size(import, cpu->traced[i]);

		if (size < import->event->meta.payload_min ||
		    size < import->tid_offset + sizeof(uint32_t)) {
			import->malformed++;
			continue;
		}
		cpu->traced[nr++] = cpu->traced[i];
		cpu->bytes += units_of(size) * PERSIST_UNIT_SIZE;
	}
	cpu->nr = nr;
	import->records += nr;
}

static void name_thread(struct import *import, struct persist_record *record)
{
	struct traced_thread thread;

	if (!record->tid) {
		/* As the kernel calls it; there are no more CPUs than that (CPU_LIST_MAX). */
		snprintf(record->comm, sizeof(record->comm), "swapper/%u", record->cpu % 100000);
		return;
	}
	traced_threads__find(import->threads, record->tid, record->time_ns, &thread);
	memcpy(record->comm, thread.comm, sizeof(record->comm));
	/* Most threads are the first of their process. */
	record->pid = thread.tgid ? thread.tgid : record->tid;
}

static void write_record(struct import *import, const struct cpu_import *from, uint32_t cpu,
			 size_t i, struct persist_record *record)
{
	const struct trace_record *traced = from->traced[i];
	uint64_t time = trace_clock__to_boottime(boot_trace__clock(import->trace), traced->time);

	*record = (struct persist_record){
		.magic = PERSIST_RECORD_MAGIC,
		.version = PERSIST_RECORD_VERSION,
		.header_size = sizeof(*record),
		.flags = PERSIST_RECORD_IMPORTED,
		.size = payload_size(import, traced),
		.event_id = import->event->meta.record_id,
		.seq = i + 1,
		.time_ns = time < from->latest_ns ? time : from->latest_ns,
		.cpu = cpu,
	};
	memcpy(&record->tid, traced->data + import->tid_offset, sizeof(record->tid));
	name_thread(import, record);
	memcpy(record + 1, traced->data, record->size);
}

static void write_cpu(struct import *import, uint32_t cpu, struct persist_imported *header,
		      struct persist_imported_cpu *description)
{
	const struct cpu_import *from = &import->cpus[cpu];
	char *at = (char *)header + description->offset;

	for (size_t i = 0; i < from->nr; i++) {
		struct persist_record *record = (struct persist_record *)(void *)at;

		write_record(import, from, cpu, i, record);
		at += units_of(record->size) * PERSIST_UNIT_SIZE;
		if (!header->first_time_ns || record->time_ns < header->first_time_ns)
			header->first_time_ns = record->time_ns;
		if (record->time_ns > header->last_time_ns)
			header->last_time_ns = record->time_ns;
	}
}

/* ---- the map ------------------------------------------------------------------------------ */

static uint64_t first_offset(const struct import *import)
{
	uint64_t end = sizeof(struct persist_imported) +
		       (uint64_t)import->event->meta.nr_cpus * sizeof(struct persist_imported_cpu);

	return (end + PERSIST_UNIT_SIZE - 1) / PERSIST_UNIT_SIZE * PERSIST_UNIT_SIZE;
}

static void write_value(struct import *import, struct persist_imported *header)
{
	const struct trace_clock *clock = boot_trace__clock(import->trace);
	uint64_t offset = first_offset(import);

	*header = (struct persist_imported){
		.magic = PERSIST_IMPORTED_MAGIC,
		.version = PERSIST_ABI_VERSION,
		.header_size = sizeof(*header),
		.cpu_size = sizeof(struct persist_imported_cpu),
		.nr_cpus = import->event->meta.nr_cpus,
		.event_id = import->event->meta.record_id,
		.records = import->records,
		.import_time_ns = import->time_ns,
	};
	snprintf(header->source, sizeof(header->source), "%s", boot_trace__source(import->trace));
	snprintf(header->clock, sizeof(header->clock), "%s", clock->name);
	for (uint32_t cpu = 0; cpu < header->nr_cpus; cpu++) {
		const struct trace_losses losses = boot_trace__losses(import->trace, cpu);

		header->cpus[cpu] = (struct persist_imported_cpu){
			.offset = offset,
			.bytes = import->cpus[cpu].bytes,
			.records = import->cpus[cpu].nr,
			.overrun = losses.overrun,
			.commit_overrun = losses.commit_overrun,
			.dropped = losses.dropped,
		};
		write_cpu(import, cpu, header, &header->cpus[cpu]);
		offset += import->cpus[cpu].bytes;
	}
	if (header->records)
		header->time_error_ns = trace_clock__error(clock, header->first_time_ns);
}

static uint64_t value_size(const struct import *import)
{
	uint64_t size = first_offset(import);

	for (uint32_t cpu = 0; cpu < import->event->meta.nr_cpus; cpu++)
		size += import->cpus[cpu].bytes;
	return size;
}

/* The kernel lets nobody map a map for writing to which no program may write. */
static int fill_map(struct import *import, int fd, uint64_t size)
{
	void *value = calloc(1, (size + 7) / 8 * 8);
	uint32_t zero = 0;
	int err = 0;

	if (!value)
		return -ENOMEM;
	write_value(import, value);
	if (bpf_map_update_elem(fd, &zero, value, BPF_ANY) || bpf_map_freeze(fd))
		err = -errno;
	free(value);
	return err;
}

static int make_map(struct import *import)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE | BPF_F_RDONLY_PROG);
	uint64_t size = value_size(import);
	int fd, err;

	if (size > INT_MAX)
		return -E2BIG;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "persist_import", sizeof(uint32_t), (uint32_t)size,
			    1, &opts);
	if (fd < 0)
		return -errno;
	err = fill_map(import, fd, size);
	if (err) {
		close(fd);
		return err;
	}
	import->event->imported = fd;
	return 0;
}

static int explain_map(const struct import *import, int err)
{
	log_error(import->log, "event %s: cannot keep %llu events of %s (%llu bytes): %s%s",
		  import->event->meta.name, (unsigned long long)import->records,
		  boot_trace__name(import->trace), (unsigned long long)value_size(import),
		  strerror(-err),
		  err == -E2BIG || err == -ENOMEM ? "; boot with a smaller trace_buf_size="
						  : capabilities__explain(err));
	return err;
}

/* ---- one event ---------------------------------------------------------------------------- */

static int list_fields(struct import *import)
{
	size_t nr = event_format__nr_fields(import->format);

	import->fields = calloc(nr + 1, sizeof(*import->fields));
	if (!import->fields)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct event_format_field *field = event_format__field(import->format, i);

		if (!field->is_common)
			import->fields[import->nr_fields++] = field;
	}
	return 0;
}

static int read_format(struct import *import)
{
	const struct attached_event *event = import->event;
	const char *text = event->resolved_text ? event->resolved_text : event->format_text;
	const struct event_format_field *tid = NULL;
	int err = event_format__parse(text, strlen(text), &import->format);

	if (!err)
		tid = event_format__find_field(import->format, "common_pid");
	if (tid && tid->size == sizeof(uint32_t)) {
		import->tid_offset = tid->offset;
		return list_fields(import);
	}
	if (err == -ENOMEM)
		return err;
	log_error(import->log,
		  "event %s: its format has no common_pid of 4 bytes, by which the threads of a "
		  "boot trace are known: nothing is imported",
		  event->meta.name);
	return -EOPNOTSUPP;
}

static int take_records(struct import *import)
{
	const struct persist_meta *meta = &import->event->meta;
	bool is_traced = boot_trace__traces(import->trace, meta->system, meta->tracepoint);
	int err = choose_records(import);

	if (err)
		return err;
	boot_trace__use(import->trace, (uint32_t)meta->config);
	for (uint32_t cpu = 0; cpu < meta->nr_cpus; cpu++)
		measure_records(import, &import->cpus[cpu]);
	if (import->malformed)
		log_warn(import->log,
			 "event %s: %llu events of %s are shorter than its format says", meta->name,
			 (unsigned long long)import->malformed, boot_trace__name(import->trace));
	/* That there was nothing is worth knowing, if there could have been something. */
	if (!import->records && !is_traced)
		return 0;
	err = make_map(import);
	if (err)
		return explain_map(import, err);
	boot_trace__answer(import->trace);
	return 0;
}

static void end_import(struct import *import)
{
	for (uint32_t cpu = 0; import->cpus && cpu < import->event->meta.nr_cpus; cpu++)
		free(import->cpus[cpu].traced);
	free(import->cpus);
	free(import->fields);
	traced_threads__free(import->threads);
	event_view__put(import->view);
	event_format__free(import->format);
}

int boot_import__take(struct boot_trace *trace, const struct log *log, struct attached_event *event)
{
	struct import import = { .trace = trace, .log = log, .event = event };
	int err = read_format(&import);

	if (!err)
		err = event_view__of_attached(event, log, &import.view);
	if (!err) {
		import.threads = traced_threads__new();
		import.cpus = calloc(event->meta.nr_cpus, sizeof(*import.cpus));
		err = import.threads && import.cpus ? take_records(&import) : -ENOMEM;
	}
	if (err == -ENOMEM)
		log_error(log, "event %s: no memory to import %s", event->meta.name,
			  boot_trace__name(trace));
	/* Why not was said, and that the buffer has nothing may not be true. */
	if (err)
		boot_trace__answer(trace);
	end_import(&import);
	return err;
}

/* ---- what is said of it ------------------------------------------------------------------- */

static void report(const struct boot_trace *trace, const struct log *log,
		   const struct persist_meta *meta, const struct persist_imported *header)
{
	const struct persist_imported_cpu sum = imported__sum(header);
	uint64_t lost = sum.overrun + sum.commit_overrun + sum.dropped;

	log_info(log, "event %s: %llu %s imported from %s", meta->name,
		 (unsigned long long)header->records,
		 header->records == 1 ? "earlier event" : "earlier events",
		 boot_trace__name(trace));
	if (lost)
		log_warn(log,
			 "event %s: %s had lost %llu events of whatever kind (overrun %llu, commit "
			 "overrun %llu, dropped %llu); boot with a larger trace_buf_size=",
			 meta->name, boot_trace__name(trace), (unsigned long long)lost,
			 (unsigned long long)sum.overrun, (unsigned long long)sum.commit_overrun,
			 (unsigned long long)sum.dropped);
}

static void end_tracing(const struct boot_trace *trace, const struct persist_meta *meta)
{
	if (boot_trace__traces(trace, meta->system, meta->tracepoint))
		boot_trace__end_tracing(trace, meta->system, meta->tracepoint);
}

void boot_import__finish(struct boot_trace *trace, const struct log *log,
			 const struct attached_event *event)
{
	const struct persist_meta *meta = &event->meta;
	struct imported imported;

	if (event->imported < 0)
		return;
	if (!imported__open(&imported, log, meta->name, event->imported, meta)) {
		report(trace, log, meta, imported.header);
		imported__close(&imported);
	}
	end_tracing(trace, meta);
}

void boot_import__finish_again(struct boot_trace *trace, const struct log *log,
			       const struct attached_event *event)
{
	log_info(log, "event %s: its history had been imported already", event->meta.name);
	boot_trace__answer(trace);
	end_tracing(trace, &event->meta);
}

void boot_import__refuse_cleared(struct boot_trace *trace, const struct log *log, const char *name)
{
	log_warn(log,
		 "event %s: was cleared; what came before that is not brought back: nothing was "
		 "imported; remove the event and add it again for that",
		 name);
	boot_trace__answer(trace);
}
