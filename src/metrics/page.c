// SPDX-License-Identifier: GPL-2.0-only
#include "page.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "event_spec.h"
#include "persist_totals.h"
#include "version.h"

#define EVENT_LABEL(event)             \
	{                              \
		"event", (event)->name \
	}
#define END_LABEL          \
	{                  \
		NULL, NULL \
	}

/* Cut off where it does not fit: labels of bounded length. */
#define NUMBER_SIZE 24

/* ---- the program and the kernel ---------------------------------------------------------- */

static void put_build(struct metrics_text *text)
{
	static const struct metric_family family = {
		.name = "persist_build",
		.type = METRIC_INFO,
		.help = "The reader that tells these metrics.",
	};
	char record_format[NUMBER_SIZE];
	const struct metric_label labels[] = {
		{ "version", PERSIST_BPF_VERSION },
		{ "record_format", record_format },
		END_LABEL,
	};

	snprintf(record_format, sizeof(record_format), "%d", PERSIST_ABI_VERSION);
	metrics_text__family(text, &family);
	metrics_text__value(text, labels, 1);
}

static void put_kernel(struct metrics_text *text)
{
	static const struct metric_family family = {
		.name = "persist_kernel",
		.type = METRIC_INFO,
		.help = "The kernel that records, as uname(2) tells.",
	};
	struct utsname names;
	const struct metric_label labels[] = {
		{ "release", names.release },
		{ "version", names.version },
		{ "machine", names.machine },
		END_LABEL,
	};

	if (uname(&names))
		return;
	metrics_text__family(text, &family);
	metrics_text__value(text, labels, 1);
}

/* ---- the tree ---------------------------------------------------------------------------- */

static void put_up(struct metrics_text *text, const struct tree_metrics *tree)
{
	static const struct metric_family family = {
		.name = "persist_up",
		.type = METRIC_GAUGE,
		.help = "Whether there is a tree of persistent events that can be read.",
	};

	metrics_text__family(text, &family);
	metrics_text__value(text, NULL, !tree->error);
}

static void put_duration(struct metrics_text *text, const struct tree_metrics *tree)
{
	static const struct metric_family family = {
		.name = "persist_scrape_duration_seconds",
		.type = METRIC_GAUGE,
		.unit = "seconds",
		.help = "How long it took to read the tree this time.",
	};

	metrics_text__family(text, &family);
	metrics_text__seconds(text, NULL, (int64_t)tree->duration_ns);
}

/* ---- events ------------------------------------------------------------------------------ */

/* Begins a family, and calls @put for each event of which the counters are known. */
static void for_each_event(struct metrics_text *text, const struct tree_metrics *tree,
			   const struct metric_family *family,
			   void (*put)(struct metrics_text *text,
				       const struct event_metrics *event))
{
	metrics_text__family(text, family);
	for (size_t i = 0; i < tree->nr_events; i++)
		if (tree->events[i].has_counters)
			put(text, &tree->events[i]);
}

static void put_event_up(struct metrics_text *text, const struct tree_metrics *tree)
{
	static const struct metric_family family = {
		.name = "persist_event_up",
		.type = METRIC_GAUGE,
		.help = "Whether all of the event can be read; the reader's messages say what not.",
	};

	metrics_text__family(text, &family);
	for (size_t i = 0; i < tree->nr_events; i++) {
		const struct event_metrics *event = &tree->events[i];
		const struct metric_label labels[] = { EVENT_LABEL(event), END_LABEL };

		metrics_text__value(text, labels, !event->error);
	}
}

static void put_event_info(struct metrics_text *text, const struct event_metrics *event)
{
	const struct persist_meta *meta = &event->meta;
	char id[NUMBER_SIZE];
	const struct metric_label labels[] = {
		EVENT_LABEL(event),
		{ "system", meta->system },
		{ "tracepoint", meta->tracepoint },
		{ "id", id },
		{ "keep", event_spec__keep_name(meta->keep) },
		END_LABEL,
	};

	snprintf(id, sizeof(id), "%u", meta->event_id);
	metrics_text__value(text, labels, 1);
}

static void put_number(struct metrics_text *text, const struct event_metrics *event, uint64_t value)
{
	const struct metric_label labels[] = { EVENT_LABEL(event), END_LABEL };

	metrics_text__value(text, labels, value);
}

static void put_time(struct metrics_text *text, const struct event_metrics *event, int64_t ns)
{
	const struct metric_label labels[] = { EVENT_LABEL(event), END_LABEL };

	metrics_text__seconds(text, labels, ns);
}

static void put_seen(struct metrics_text *text, const struct event_metrics *event)
{
	put_number(text, event, event->sum.seen);
}

static void put_recorded(struct metrics_text *text, const struct event_metrics *event)
{
	put_number(text, event, event->sum.recorded);
}

static void put_lost(struct metrics_text *text, const struct event_metrics *event)
{
	const struct persist_counters *sum = &event->sum;
	const struct {
		enum persist_loss_reason reason;
		uint64_t lost;
	} losses[] = {
		{ PERSIST_LOSS_RING_FULL, sum->lost_ring_full },
		{ PERSIST_LOSS_RING_BUSY, sum->lost_ring_busy },
		{ PERSIST_LOSS_NESTED, sum->lost_nested },
		{ PERSIST_LOSS_TOO_BIG, sum->lost_too_big },
		{ PERSIST_LOSS_NO_BUFFER, sum->lost_no_buffer },
	};

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		const struct metric_label labels[] = {
			EVENT_LABEL(event),
			{ "reason", persist_loss_reason__name(losses[i].reason) },
			END_LABEL,
		};

		metrics_text__value(text, labels, losses[i].lost);
	}
}

static void put_missed(struct metrics_text *text, const struct event_metrics *event)
{
	if (event->has_missed)
		put_number(text, event, event->missed);
}

static void put_imported(struct metrics_text *text, const struct event_metrics *event)
{
	if (event->has_imported)
		put_number(text, event, event->imported);
}

static void put_ring(struct metrics_text *text, const struct event_metrics *event, const char *ring,
		     uint64_t value)
{
	const struct metric_label labels[] = { EVENT_LABEL(event), { "ring", ring }, END_LABEL };

	metrics_text__value(text, labels, value);
}

static void put_sizes(struct metrics_text *text, const struct event_metrics *event)
{
	if (event->head.size_bytes)
		put_ring(text, event, "head", event->head.size_bytes);
	if (event->tail.size_bytes)
		put_ring(text, event, "tail", event->tail.size_bytes);
}

static void put_written(struct metrics_text *text, const struct event_metrics *event)
{
	if (event->head.size_bytes && !event->error)
		put_ring(text, event, "head", event->head.written_bytes);
	if (event->tail.size_bytes && !event->error)
		put_ring(text, event, "tail", event->tail.written_bytes);
}

static void put_locked(struct metrics_text *text, const struct event_metrics *event)
{
	if (event->locked_bytes)
		put_number(text, event, event->locked_bytes);
}

static void put_last_record(struct metrics_text *text, const struct event_metrics *event)
{
	if (event->last_time_ns)
		put_time(text, event, event->last_wall_ns);
}

static void put_attached(struct metrics_text *text, const struct event_metrics *event)
{
	put_time(text, event, (int64_t)event->meta.attach_wall_ns);
}

/* ---- hardware errors --------------------------------------------------------------------- */

static void put_hardware_errors(struct metrics_text *text, const struct event_metrics *event)
{
	/* All of them, also those that there were none of: what is not there cannot be seen to
	 * rise. */
	for (uint32_t severity = 0; event->has_totals && severity < PERSIST_NR_SEVERITIES;
	     severity++) {
		const struct metric_label labels[] = {
			EVENT_LABEL(event),
			{ "severity", persist_severity__name(severity) },
			END_LABEL,
		};

		metrics_text__value(text, labels, event->by_severity[severity]);
	}
}

static void put_unplaced(struct metrics_text *text, const struct event_metrics *event)
{
	if (event->has_totals)
		put_number(text, event, event->unplaced);
}

static void put_machine_checks(struct metrics_text *text, const struct event_metrics *event)
{
	for (size_t i = 0; i < event->nr_checks; i++) {
		const struct machine_check_metrics *check = &event->checks[i];
		char cpu[NUMBER_SIZE], bank[NUMBER_SIZE];
		const struct metric_label labels[] = {
			EVENT_LABEL(event), { "cpu", cpu },
			{ "bank", bank },   { "severity", persist_severity__name(check->severity) },
			END_LABEL,
		};

		snprintf(cpu, sizeof(cpu), "%d", check->cpu);
		snprintf(bank, sizeof(bank), "%d", check->bank);
		metrics_text__value(text, labels, check->errors);
	}
}

/* ------------------------------------------------------------------------------------------ */

static const struct {
	struct metric_family family;
	void (*put)(struct metrics_text *text, const struct event_metrics *event);
} event_families[] = {
	{ { "persist_event", METRIC_INFO, NULL, "What the event is, and which records it keeps." },
	  put_event_info },
	{ { "persist_event_seen", METRIC_COUNTER, NULL,
	    "Events that reached the recording program." },
	  put_seen },
	{ { "persist_event_recorded", METRIC_COUNTER, NULL,
	    "Of the events seen, those written into a buffer, which may have been overwritten "
	    "since." },
	  put_recorded },
	{ { "persist_event_lost", METRIC_COUNTER, NULL,
	    "Of the events seen, those that were not recorded, by reason." },
	  put_lost },
	{ { "persist_event_missed", METRIC_COUNTER, NULL,
	    "Events that the kernel did not tell the recording program about, because a BPF "
	    "program was running on that CPU. Not part of the events seen." },
	  put_missed },
	{ { "persist_event_imported_records", METRIC_GAUGE, NULL,
	    "Records of the kernel's boot tracing, from before the event was attached. Not part "
	    "of the events seen." },
	  put_imported },
	{ { "persist_event_ring_size_bytes", METRIC_GAUGE, "bytes",
	    "Room in the rings of all CPUs together: head keeps the first records, tail the "
	    "latest." },
	  put_sizes },
	{ { "persist_event_ring_written_bytes", METRIC_COUNTER, "bytes",
	    "Bytes written to the rings of all CPUs since the event was attached or cleared." },
	  put_written },
	{ { "persist_event_locked_bytes", METRIC_GAUGE, "bytes",
	    "Kernel memory of the event's maps and programs." },
	  put_locked },
	{ { "persist_event_last_record_timestamp_seconds", METRIC_GAUGE, "seconds",
	    "Time of the newest record in the buffers, since the epoch." },
	  put_last_record },
	{ { "persist_event_attached_timestamp_seconds", METRIC_GAUGE, "seconds",
	    "Since when the event is recorded, since the epoch." },
	  put_attached },
	{ { "persist_hardware_errors", METRIC_COUNTER, NULL,
	    "Hardware errors that the event reported, by severity." },
	  put_hardware_errors },
	{ { "persist_hardware_errors_unplaced", METRIC_COUNTER, NULL,
	    "Of the hardware errors, those for whose place the event's table had no room." },
	  put_unplaced },
	{ { "persist_machine_checks", METRIC_COUNTER, NULL,
	    "Machine checks, by the CPU that they are about, bank and severity." },
	  put_machine_checks },
};

/* ------------------------------------------------------------------------------------------ */

void metrics_page__write(FILE *out, enum metrics_format format, const struct tree_metrics *tree)
{
	struct metrics_text text;

	metrics_text__begin(&text, format, out);
	put_build(&text);
	put_kernel(&text);
	put_up(&text, tree);
	put_event_up(&text, tree);
	for (size_t i = 0; i < sizeof(event_families) / sizeof(event_families[0]); i++)
		for_each_event(&text, tree, &event_families[i].family, event_families[i].put);
	put_duration(&text, tree);
	metrics_text__end(&text);
}

int metrics_page__make(struct metrics_collector *collector, enum metrics_format format, char **page,
		       size_t *size)
{
	struct tree_metrics tree;
	FILE *out;
	int err;

	*page = NULL;
	out = open_memstream(page, size);
	if (!out)
		return -ENOMEM;
	err = metrics_collector__read(collector, &tree);
	if (!err)
		metrics_page__write(out, format, &tree);
	tree_metrics__destroy(&tree);
	/* Memory is all that this stream can lack. */
	if (fclose(out) || err) {
		free(*page);
		*page = NULL;
		return -ENOMEM;
	}
	return 0;
}
