/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads what there is to say about the events of a tree, again and again: each time everything is
 * opened afresh, so that nothing is kept alive that somebody removed. What is remembered is only
 * where the newest records were, and what was complained about.
 */
#ifndef METRICS_COLLECTOR_H
#define METRICS_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log.h"
#include "persist_bpf.h"

/* All rings of one kind that an event has. */
struct ring_metrics {
	uint64_t size_bytes;	/* 0: the event has none */
	uint64_t written_bytes; /* since they were made */
};

/* Machine checks of one CPU, bank and severity, whatever else told them apart. */
struct machine_check_metrics {
	int32_t cpu;
	int32_t bank;
	uint32_t severity; /* enum persist_severity */
	uint64_t errors;
};

/**
 * struct event_metrics - one event
 * @name:         of the event
 * @error:        0, or why (some of) it cannot be read
 * @has_counters: @meta and @sum are valid; else nothing of what follows is
 * @meta:         what the event is
 * @sum:          the counts of all CPUs
 * @head:         what the rings hold
 * @tail:         the same
 * @last_time_ns: CLOCK_BOOTTIME of the newest record, 0 if there is none
 * @last_wall_ns: the same as CLOCK_REALTIME, as it was when the record was first noticed: it does
 * not change when the clock is set
 * @locked_bytes: memory of its maps and programs, 0 if that cannot be told
 * @has_missed:   @missed is valid: telling takes more privileges than reading
 * @missed:       as in struct persist_status
 * @has_imported: @imported is valid
 * @imported:     records of the kernel's boot tracing, from before the event was attached
 * @has_totals:   the event reports hardware errors; else nothing of what follows is valid
 * @by_severity:  errors, by enum persist_severity
 * @unplaced:     of these, those for whose place there was no room
 * @checks:       machine checks, by CPU, bank and severity
 * @nr_checks:    how many
 */
struct event_metrics {
	char name[PERSIST_NAME_SIZE];
	int error;
	bool has_counters;
	struct persist_meta meta;
	struct persist_counters sum;
	struct ring_metrics head, tail;
	uint64_t last_time_ns;
	int64_t last_wall_ns;
	uint64_t locked_bytes;
	bool has_missed;
	uint64_t missed;
	bool has_imported;
	uint64_t imported;
	bool has_totals;
	uint64_t by_severity[PERSIST_NR_SEVERITIES];
	uint64_t unplaced;
	struct machine_check_metrics *checks;
	size_t nr_checks;
};

/**
 * struct tree_metrics - a tree, at one moment
 * @error:       0, or why there are no events to be seen
 * @events:      in the order of their names
 * @nr_events:   how many
 * @duration_ns: how long it took to find all this out
 */
struct tree_metrics {
	int error;
	struct event_metrics *events;
	size_t nr_events;
	uint64_t duration_ns;
};

struct metrics_collector;

/*
 * @root: of the tree, which need not exist; NULL for the default. @log gets a warning for what
 * cannot be read, once as long as that goes on; it must outlive the collector. NULL with errno:
 * ENOMEM, ENAMETOOLONG.
 */
struct metrics_collector *metrics_collector__new(const char *root, const struct log *log);
void metrics_collector__free(struct metrics_collector *collector);

/*
 * Reads everything. The caller frees what @tree has with tree_metrics__destroy(). Returns 0 or
 * -ENOMEM; what is wrong with the tree or an event is in @tree.
 */
int metrics_collector__read(struct metrics_collector *collector, struct tree_metrics *tree);
void tree_metrics__destroy(struct tree_metrics *tree);

#endif
