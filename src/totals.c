// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/* What an event has counted, read from its maps; the public side is persist_totals.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "event_path.h"
#include "event_status.h"
#include "event_view.h"
#include "map_pin.h"
#include "page_totals.h"
#include "persist_totals.h"
#include "pin_manager.h"
#include "time_spec.h"
#include "totals_layout.h"

/* How often a snapshot is tried in which nothing was counted meanwhile. */
#define SNAPSHOT_TRIES	    8
#define SNAPSHOT_PAUSE_NSEC (500 * 1000)

#define NSEC_PER_HOUR (3600 * NSEC_PER_SEC)

/* The maps of an event, and memory for what the kernel copies out of them. */
struct totals_maps {
	const struct log *log;
	struct event_view *view;
	int totals;
	int pages;
	int sums;
	uint32_t max_entries;
	size_t nr_possible; /* CPUs: so many values a per-CPU map gives */
	struct persist_totals_sums *cpu_sums;
	struct persist_page_set *cpu_sets;
	struct persist_page *merged;
	struct persist_total_key *keys;
	struct persist_total *values;
};

/* ---- the maps ---------------------------------------------------------------------------- */

static int wrong_map(const struct totals_maps *maps, const char *pin)
{
	log_error(maps->log,
		  "%s/%s: a map of other sizes than totals have; not ours, or of another version",
		  maps->view->path, pin);
	return -EBADMSG;
}

static int open_map(const struct totals_maps *maps, const char *pin, enum bpf_map_type type,
		    uint32_t nr_entries, size_t key_size, size_t value_size,
		    struct bpf_map_info *info)
{
	int fd = map_pin__open(maps->log, maps->view->path, pin, true, type, nr_entries, info);

	if (fd < 0 || (info->key_size == key_size && info->value_size == value_size))
		return fd;
	close(fd);
	return wrong_map(maps, pin);
}

/* All three maps, or -ENODATA if there is none of them. */
static int open_maps(struct totals_maps *maps)
{
	struct bpf_map_info info;

	maps->totals = open_map(maps, PIN_TOTALS, BPF_MAP_TYPE_HASH, MAP_PIN_ANY_NUMBER,
				sizeof(struct persist_total_key), sizeof(struct persist_total),
				&info);
	if (maps->totals < 0)
		return maps->totals == -ENOENT ? -ENODATA : maps->totals;
	maps->max_entries = info.max_entries;
	maps->pages = open_map(maps, PIN_PAGES, BPF_MAP_TYPE_PERCPU_ARRAY, PERSIST_PAGE_SETS,
			       sizeof(uint32_t), sizeof(struct persist_page_set), &info);
	maps->sums = open_map(maps, PIN_SUMS, BPF_MAP_TYPE_PERCPU_ARRAY, 1, sizeof(uint32_t),
			      sizeof(struct persist_totals_sums), &info);
	if (maps->pages != -ENOENT && maps->sums != -ENOENT)
		return maps->pages < 0 ? maps->pages : maps->sums < 0 ? maps->sums : 0;
	log_error(maps->log,
		  "%s: a part of its totals is missing; the event is damaged, remove it and add it "
		  "again",
		  maps->view->path);
	return -EBADMSG;
}

static int allocate(struct totals_maps *maps)
{
	for (uint32_t cpu = 0; cpu < CPU_LIST_MAX; cpu++)
		maps->nr_possible += cpu_list__has(&maps->view->possible, cpu);
	maps->cpu_sums = calloc(maps->nr_possible, sizeof(*maps->cpu_sums));
	maps->cpu_sets = calloc(maps->nr_possible, sizeof(*maps->cpu_sets));
	maps->merged = calloc(maps->nr_possible, sizeof(*maps->merged) * PERSIST_PAGE_WAYS);
	maps->keys = calloc(maps->max_entries, sizeof(*maps->keys));
	maps->values = calloc(maps->max_entries, sizeof(*maps->values));
	return maps->cpu_sums && maps->cpu_sets && maps->merged && maps->keys && maps->values
		       ? 0
		       : -ENOMEM;
}

static void close_maps(struct totals_maps *maps)
{
	const int fds[] = { maps->totals, maps->pages, maps->sums };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(maps->cpu_sums);
	free(maps->cpu_sets);
	free(maps->merged);
	free(maps->keys);
	free(maps->values);
	event_view__put(maps->view);
}

/* ---- sums -------------------------------------------------------------------------------- */

/* What a CPU has counted in an hour counts in this hour, in the one before, or not any more. */
static void add_hours(struct persist_totals_sums *sum, const struct persist_totals_sums *cpu)
{
	if (cpu->hour == sum->hour) {
		sum->errors_in_hour += cpu->errors_in_hour;
		sum->errors_in_hour_before += cpu->errors_in_hour_before;
	} else if (cpu->hour + 1 == sum->hour) {
		sum->errors_in_hour_before += cpu->errors_in_hour;
	}
}

static void add_sums(struct persist_totals_sums *sum, const struct persist_totals_sums *cpu)
{
	if (cpu->page_size)
		sum->page_size = cpu->page_size;
	if (cpu->event_id)
		sum->event_id = cpu->event_id;
	sum->nested_events += cpu->nested_events;
	if (!cpu->first_ns)
		return;
	sum->events += cpu->events;
	sum->errors += cpu->errors;
	for (size_t i = 0; i < PERSIST_SEVERITIES_MAX; i++)
		sum->by_severity[i] += cpu->by_severity[i];
	sum->no_room_events += cpu->no_room_events;
	sum->no_room_errors += cpu->no_room_errors;
	sum->busy_events += cpu->busy_events;
	sum->busy_errors += cpu->busy_errors;
	sum->overflows += cpu->overflows;
	sum->errors_in_pages += cpu->errors_in_pages;
	sum->evicted_pages += cpu->evicted_pages;
	sum->evicted_errors += cpu->evicted_errors;
	if (!sum->first_ns || cpu->first_ns < sum->first_ns)
		sum->first_ns = cpu->first_ns;
	if (cpu->last_ns > sum->last_ns)
		sum->last_ns = cpu->last_ns;
	add_hours(sum, cpu);
}

static int read_sums(const struct totals_maps *maps, uint64_t now, struct persist_totals_sums *sum)
{
	uint32_t zero = 0;

	*sum = (struct persist_totals_sums){ .hour = now / NSEC_PER_HOUR };
	if (bpf_map_lookup_elem(maps->sums, &zero, maps->cpu_sums))
		return -errno;
	for (size_t cpu = 0; cpu < maps->nr_possible; cpu++)
		add_sums(sum, &maps->cpu_sums[cpu]);
	return 0;
}

static int read_counters(const struct totals_maps *maps, struct persist_totals *totals)
{
	int err = event_view__read_counters(maps->view);

	totals->seen = 0;
	for (uint32_t cpu = 0; !err && cpu < maps->view->meta.nr_cpus; cpu++)
		totals->seen += maps->view->counters[cpu].seen;
	return err;
}

/* ---- totals and pages -------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b)
{
	const struct persist_total_entry *one = a, *other = b;

	if (one->total.errors != other->total.errors)
		return one->total.errors < other->total.errors ? 1 : -1;
	return memcmp(&one->key, &other->key, sizeof(one->key));
}

/* Nothing is ever deleted from the map, so that there is room for all in one go. */
static int read_entries(const struct totals_maps *maps, struct persist_totals *totals)
{
	struct persist_total_entry *entries = (void *)totals->entries;
	uint32_t next, nr = maps->max_entries;

	if (bpf_map_lookup_batch(maps->totals, NULL, &next, maps->keys, maps->values, &nr, NULL) &&
	    errno != ENOENT) /* which says that this was the last batch */
		return -errno;
	for (uint32_t i = 0; i < nr; i++) {
		entries[i].key = maps->keys[i];
		entries[i].key.label[PERSIST_LABEL_SIZE - 1] = '\0';
		entries[i].total = maps->values[i];
	}
	qsort(entries, nr, sizeof(*entries), compare_entries);
	totals->nr_entries = nr;
	return 0;
}

static int read_pages(const struct totals_maps *maps, struct persist_totals *totals)
{
	size_t nr, room = 0;
	struct persist_page *pages = NULL, *more;

	totals->nr_pages = 0;
	free((void *)totals->pages);
	totals->pages = NULL;
	for (uint32_t set = 0; set < PERSIST_PAGE_SETS; set++) {
		if (bpf_map_lookup_elem(maps->pages, &set, maps->cpu_sets))
			return -errno;
		nr = page_totals__merge(maps->cpu_sets, maps->nr_possible, maps->merged);
		if (totals->nr_pages + nr > room) {
			room = totals->nr_pages + nr + PERSIST_PAGE_SETS;
			more = reallocarray(pages, room, sizeof(*pages));
			if (!more)
				return -ENOMEM;
			totals->pages = pages = more;
		}
		if (nr)
			memcpy(pages + totals->nr_pages, maps->merged, nr * sizeof(*pages));
		totals->nr_pages += nr;
	}
	if (totals->nr_pages)
		page_totals__sort(pages, totals->nr_pages);
	return 0;
}

/* ---- a snapshot -------------------------------------------------------------------------- */

/* One try: it is settled if nothing has begun, and nothing has ended, between its two ends. */
static int try_snapshot(const struct totals_maps *maps, struct persist_totals *totals)
{
	struct persist_totals_sums before;
	int err;

	totals->read_ns = boottime_now();
	err = read_sums(maps, totals->read_ns, &before);
	if (!err)
		err = read_entries(maps, totals);
	if (!err)
		err = read_pages(maps, totals);
	if (!err)
		err = read_sums(maps, totals->read_ns, &totals->sums);
	if (!err)
		err = read_counters(maps, totals);
	totals->is_settled = !err && before.events == totals->sums.events &&
			     totals->seen == totals->sums.events + totals->sums.nested_events;
	return err;
}

static int take_snapshot(const struct totals_maps *maps, struct persist_totals *totals)
{
	const struct timespec pause = { .tv_nsec = SNAPSHOT_PAUSE_NSEC };
	int err = try_snapshot(maps, totals);

	for (int try = 1; !err && !totals->is_settled && try < SNAPSHOT_TRIES; try++) {
		nanosleep(&pause, NULL);
		err = try_snapshot(maps, totals);
	}
	if (err)
		log_error(maps->log, "%s: cannot read its totals: %s", maps->view->path,
			  strerror(-err));
	return err;
}

static void find_missed(const char *path, struct persist_totals *totals)
{
	char program[PATH_MAX];

	if (snprintf(program, sizeof(program), "%s/" PIN_PROGRAM, path) < (int)sizeof(program))
		totals->missed_is_known = !event_status__missed(program, &totals->missed);
}

static int read_totals(const char *root, const char *target, const struct log *log,
		       struct persist_totals *totals)
{
	struct totals_maps maps = { .log = log, .totals = -1, .pages = -1, .sums = -1 };
	char path[PATH_MAX];
	int err = event_path__of_target(root ?: PERSIST_DEFAULT_ROOT, target, path);

	if (err) {
		log_error(log, "\"%s\": not the name or path of an event", target);
		return err == -ENOENT ? -EINVAL : err;
	}
	err = event_view__open(path, EVENT_VIEW_NO_CPUS, NULL, log, &maps.view);
	if (err)
		return err;
	totals->meta = maps.view->meta;
	err = open_maps(&maps);
	if (!err)
		err = allocate(&maps);
	if (err)
		goto out;
	totals->max_entries = maps.max_entries;
	totals->max_pages = PERSIST_PAGE_SETS * PERSIST_PAGE_WAYS;
	totals->entries = calloc(maps.max_entries, sizeof(*totals->entries));
	err = totals->entries ? take_snapshot(&maps, totals) : -ENOMEM;
	if (!err)
		find_missed(path, totals);
out:
	close_maps(&maps);
	return err;
}

struct persist_totals *persist_totals__read(const char *root, const char *target,
					    persist_log_fn log_fn, void *log_ctx)
{
	const struct log log = { log_fn, log_ctx, PERSIST_LOG_WARNING };
	struct persist_totals *totals = calloc(1, sizeof(*totals));
	int err = totals ? read_totals(root, target, &log, totals) : -ENOMEM;

	if (!err)
		return totals;
	persist_totals__free(totals);
	errno = -err;
	return NULL;
}

void persist_totals__free(struct persist_totals *totals)
{
	if (!totals)
		return;
	free((void *)totals->entries);
	free((void *)totals->pages);
	free(totals);
}

const struct persist_total_entry *persist_totals__total_of_page(const struct persist_totals *totals,
								const struct persist_page *page)
{
	if (!page->label_hash)
		return NULL;
	for (size_t i = 0; i < totals->nr_entries; i++)
		if (totals->entries[i].key.label_hash == page->label_hash)
			return &totals->entries[i];
	return NULL;
}

const char *persist_totals__kind_name(const struct persist_totals *totals,
				      const struct persist_total_key *key)
{
	return totals_layout__kind_name(totals->meta.system, totals->meta.tracepoint, key->kind);
}
