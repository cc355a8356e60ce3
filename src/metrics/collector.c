// SPDX-License-Identifier: GPL-2.0-only
#include "collector.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_list.h"
#include "event_status.h"
#include "event_view.h"
#include "pin_manager.h"
#include "persist_totals.h"
#include "registry.h"
#include "time_spec.h"

/* ---- messages ---------------------------------------------------------------------------- */

/* Lets the messages of one subject through, unless it had some the last time as well. */
struct gate {
	const struct log *log;
	bool is_shut;
	bool has_spoken;
};

/* For the text is the place where errors are told: they are no reason to end. */
static void pass_message(void *ctx, enum persist_log_level level, const char *message)
{
	struct gate *gate = ctx;

	(void)level;
	gate->has_spoken = true;
	if (!gate->is_shut)
		log_warn(gate->log, "%s", message);
}

static struct log gate__open(struct gate *gate, const struct log *log, bool had_spoken)
{
	*gate = (struct gate){ .log = log, .is_shut = had_spoken };
	return (struct log){ pass_message, gate, PERSIST_LOG_WARNING };
}

/* ---- what is remembered of an event ------------------------------------------------------ */

struct event_memory {
	char name[PERSIST_NAME_SIZE];
	uint64_t instance; /* the positions are those of this attachment's rings, */
	uint32_t generation;
	uint32_t nr_cpus;
	struct ring_newest *newest; /* the heads', and behind them the tails' */
	uint64_t last_time_ns;
	int64_t last_wall_ns;
	bool has_spoken;
	bool is_there;
};

struct metrics_collector {
	const struct log *log;
	struct pin_tree tree;
	struct event_memory *memories;
	size_t nr_memories;
	bool has_spoken; /* about the tree */
};

static struct event_memory *recall(struct metrics_collector *collector, const char *name)
{
	struct event_memory *memory;

	for (size_t i = 0; i < collector->nr_memories; i++)
		if (!strcmp(collector->memories[i].name, name))
			return &collector->memories[i];
	memory = reallocarray(collector->memories, collector->nr_memories + 1, sizeof(*memory));
	if (!memory)
		return NULL;
	collector->memories = memory;
	memory += collector->nr_memories++;
	memset(memory, 0, sizeof(*memory));
	memcpy(memory->name, name, strlen(name) + 1);
	return memory;
}

/* Begins again with rings that are not those of the last time. */
static int remember_rings(struct event_memory *memory, const struct persist_meta *meta)
{
	if (memory->newest && memory->instance == meta->instance &&
	    memory->generation == meta->generation && memory->nr_cpus == meta->nr_cpus)
		return 0;
	free(memory->newest);
	memory->newest = calloc(2 * (size_t)meta->nr_cpus, sizeof(*memory->newest));
	memory->instance = meta->instance;
	memory->generation = meta->generation;
	memory->nr_cpus = meta->nr_cpus;
	return memory->newest ? 0 : -ENOMEM;
}

static void forget_removed(struct metrics_collector *collector)
{
	size_t nr = 0;

	for (size_t i = 0; i < collector->nr_memories; i++) {
		struct event_memory *memory = &collector->memories[i];

		if (!memory->is_there) {
			free(memory->newest);
			continue;
		}
		memory->is_there = false;
		collector->memories[nr++] = *memory;
	}
	collector->nr_memories = nr;
}

/* ---- rings and counters -------------------------------------------------------------------------
 */

static int find_newest(struct ring_cursor *cursor, struct event_metrics *event,
		       struct ring_metrics *rings, struct ring_newest *newest)
{
	bool is_corrupt;

	if (!cursor)
		return 0;
	ring_cursor__find_newest(cursor, newest);
	is_corrupt = cursor->nr_corrupt;
	ring_cursor__free(cursor);
	rings->written_bytes += newest->written_bytes;
	if (event->last_time_ns < newest->time_ns)
		event->last_time_ns = newest->time_ns;
	return is_corrupt ? -EBADMSG : 0;
}

/* What is wrong with one ring does not keep the others from being read. */
static int read_rings(const struct event_view *view, struct event_metrics *event,
		      struct ring_newest *newest)
{
	uint32_t nr_cpus = view->meta.nr_cpus;
	struct ring_cursor *cursor;
	int err = 0, one;

	/* Until the event itself has recorded something, what was imported is the newest. */
	if (view->imported.header) {
		event->has_imported = true;
		event->imported = view->imported.header->records;
		event->last_time_ns = view->imported.header->last_time_ns;
	}
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		one = event_view__open_head(view, cpu, &cursor);
		if (!one)
			one = find_newest(cursor, event, &event->head, &newest[cpu]);
		if (one)
			err = one;
		one = event_view__open_tail(view, cpu, &cursor);
		if (!one)
			one = find_newest(cursor, event, &event->tail, &newest[nr_cpus + cpu]);
		if (one)
			err = one;
	}
	return err;
}

static void take_counters(const struct event_view *view, struct event_metrics *event)
{
	uint32_t nr_cpus = view->meta.nr_cpus;

	event->has_counters = true;
	event->meta = view->meta;
	event->head.size_bytes = nr_cpus * view->meta.head_bytes;
	event->tail.size_bytes = nr_cpus * view->meta.tail_bytes;
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
		persist_counters__add(&event->sum, &view->counters[cpu]);
}

static void read_status(const struct pin_tree *tree, struct event_metrics *event)
{
	struct persist_registry_entry entry;
	char path[PATH_MAX];

	if (!registry__get(tree, event->meta.event_id, &entry))
		event->locked_bytes = entry.locked_bytes;
	if (pin_tree__path(tree, path, "%s/%s", event->name, PIN_PROGRAM))
		event->has_missed = !event_status__missed(path, &event->missed);
}

/* ---- hardware errors --------------------------------------------------------------------- */

static int compare_checks(const void *a, const void *b)
{
	const struct machine_check_metrics *one = a, *other = b;

	if (one->cpu != other->cpu)
		return one->cpu < other->cpu ? -1 : 1;
	if (one->bank != other->bank)
		return one->bank < other->bank ? -1 : 1;
	return one->severity < other->severity ? -1 : one->severity > other->severity;
}

/* Of a total there may be several that differ in what is not shown: the kind of error, a label. */
static size_t merge_checks(struct machine_check_metrics *checks, size_t nr)
{
	size_t merged = 0;

	qsort(checks, nr, sizeof(*checks), compare_checks);
	for (size_t i = 0; i < nr; i++)
		if (merged && !compare_checks(&checks[merged - 1], &checks[i]))
			checks[merged - 1].errors += checks[i].errors;
		else
			checks[merged++] = checks[i];
	return merged;
}

static int take_checks(const struct persist_totals *totals, struct event_metrics *event)
{
	struct machine_check_metrics *checks = calloc(totals->nr_entries + 1, sizeof(*checks));
	size_t nr = 0;

	if (!checks)
		return -ENOMEM;
	for (size_t i = 0; i < totals->nr_entries; i++) {
		const struct persist_total_entry *entry = &totals->entries[i];

		if (entry->key.bank < 0)
			continue; /* another kind of error */
		checks[nr++] = (struct machine_check_metrics){
			.cpu = entry->key.cpu,
			.bank = entry->key.bank,
			.severity = entry->key.severity,
			.errors = entry->total.errors,
		};
	}
	event->checks = checks;
	event->nr_checks = merge_checks(checks, nr);
	return 0;
}

static int read_totals(const char *path, const struct log *log, struct event_metrics *event)
{
	struct persist_totals *totals = persist_totals__read(NULL, path, log->fn, log->ctx);
	int err;

	if (!totals)
		return errno == ENODATA || errno == ENOENT ? 0 : -errno;
	err = take_checks(totals, event);
	event->has_totals = !err;
	for (size_t i = 0; i < PERSIST_NR_SEVERITIES; i++)
		event->by_severity[i] = totals->sums.by_severity[i];
	event->unplaced = totals->sums.no_room_errors + totals->sums.busy_errors;
	persist_totals__free(totals);
	return err;
}

/* ---- all of an event --------------------------------------------------------------------- */

/* Its counters are worth having even if its rings cannot be read. */
static int open_view(const char *path, const struct log *log, struct event_view **view)
{
	int err = event_view__open(path, EVENT_VIEW_USED_CPUS, NULL, log, view);

	if (err && err != -ENOENT && err != -EMEDIUMTYPE)
		event_view__open(path, EVENT_VIEW_NO_CPUS, NULL, NULL, view);
	return err;
}

/* Converted once: the clocks' difference is never measured as the same twice. */
static void tell_wall_time(struct event_memory *memory, struct event_metrics *event)
{
	if (memory->last_time_ns != event->last_time_ns) {
		memory->last_time_ns = event->last_time_ns;
		memory->last_wall_ns = (int64_t)event->last_time_ns + wall_clock_offset();
	}
	event->last_wall_ns = memory->last_wall_ns;
}

static void read_event(struct metrics_collector *collector, const char *path,
		       struct event_memory *memory, struct event_metrics *event)
{
	struct event_view *view = NULL;
	struct gate gate;
	const struct log log = gate__open(&gate, collector->log, memory->has_spoken);

	int err;

	memory->is_there = true;
	event->error = open_view(path, &log, &view);
	if (view) {
		take_counters(view, event);
		if (!event->error)
			event->error = remember_rings(memory, &view->meta);
		if (!event->error)
			event->error = read_rings(view, event, memory->newest);
		event_view__put(view);
		tell_wall_time(memory, event);
		read_status(&collector->tree, event);
		err = read_totals(path, &log, event);
		if (err)
			event->error = err;
	}
	memory->has_spoken = gate.has_spoken;
}

/* ---- the tree ---------------------------------------------------------------------------- */

static void forget_event(struct event_metrics *event)
{
	free(event->checks);
	memset(event, 0, sizeof(*event));
}

static int read_events(struct metrics_collector *collector, struct tree_metrics *tree, char **names,
		       int nr)
{
	char path[PATH_MAX];

	tree->events = calloc((size_t)nr + 1, sizeof(*tree->events));
	if (!tree->events)
		return -ENOMEM;
	for (int i = 0; i < nr; i++) {
		struct event_metrics *event = &tree->events[tree->nr_events];
		struct event_memory *memory;

		/* No event of ours has such a name. */
		if (strlen(names[i]) >= sizeof(event->name) ||
		    !pin_tree__path(&collector->tree, path, "%s", names[i]))
			continue;
		memcpy(event->name, names[i], strlen(names[i]) + 1);
		memory = recall(collector, names[i]);
		if (!memory)
			return -ENOMEM;
		read_event(collector, path, memory, event);
		/* Removed meanwhile, or something else's. */
		if (event->error == -ENOENT || event->error == -EMEDIUMTYPE)
			forget_event(event);
		else
			tree->nr_events++;
	}
	return 0;
}

int metrics_collector__read(struct metrics_collector *collector, struct tree_metrics *tree)
{
	uint64_t start = boottime_now();
	struct gate gate;
	const struct log log = gate__open(&gate, collector->log, collector->has_spoken);
	char **names;
	int nr, err = 0;

	memset(tree, 0, sizeof(*tree));
	nr = event_list__names(collector->tree.root, &log, &names);
	if (nr >= 0) {
		err = read_events(collector, tree, names, nr);
		event_list__free_names(names, nr);
	} else {
		tree->error = nr;
	}
	collector->has_spoken = gate.has_spoken;
	forget_removed(collector);
	tree->duration_ns = boottime_now() - start;
	return err;
}

void tree_metrics__destroy(struct tree_metrics *tree)
{
	for (size_t i = 0; i < tree->nr_events; i++)
		forget_event(&tree->events[i]);
	free(tree->events);
	memset(tree, 0, sizeof(*tree));
}

struct metrics_collector *metrics_collector__new(const char *root, const struct log *log)
{
	struct metrics_collector *collector = calloc(1, sizeof(*collector));
	int err;

	if (!collector)
		return NULL;
	collector->log = log;
	err = pin_tree__init(&collector->tree, log, root);
	if (!err)
		return collector;
	free(collector);
	errno = -err;
	return NULL;
}

void metrics_collector__free(struct metrics_collector *collector)
{
	if (!collector)
		return;
	for (size_t i = 0; i < collector->nr_memories; i++)
		free(collector->memories[i].newest);
	free(collector->memories);
	free(collector);
}
