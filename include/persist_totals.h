/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * persist_totals.h - how many hardware errors there were, and where; part of persist_bpf.h, whose
 * rules hold here as well.
 *
 *	struct persist_totals *totals = persist_totals__read(NULL, "mce_record", NULL, NULL);
 *
 *	for (size_t i = 0; totals && i < totals->nr_entries; i++)
 *		printf("bank %d: %llu errors\n", totals->entries[i].key.bank,
 *		       (unsigned long long)totals->entries[i].total.errors);
 *	persist_totals__free(totals);
 *
 * Totals are counted from the moment the event is attached, whatever becomes of its records: they
 * go on when a ring is full or overwritten, and when the event is cleared. They end with the event,
 * and with the running kernel. docs/summary.md says what is in a key for which event.
 *
 * These functions share nothing, and can be called by any number of threads at the same time. They
 * take the right to read the event's pins, and no privilege.
 */
#ifndef PERSIST_TOTALS_H
#define PERSIST_TOTALS_H

#include "persist_bpf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The library is built with -fvisibility=hidden: what is declared here is what it exports. */
#pragma GCC visibility push(default)

/* Errors that are counted together: the same place, kind and severity. */
struct persist_total_entry {
	struct persist_total_key key;
	struct persist_total total;
};

/**
 * struct persist_totals - what an event has counted since it was attached
 * @meta:          what the event is; attach_time_ns is where counting began
 * @read_ns:       CLOCK_BOOTTIME of this snapshot
 * @sums:          of all CPUs together: counts are added up, first_ns is the earliest, last_ns the
 *                 latest; hour is that of @read_ns
 * @entries:       the totals: most errors first, then by key
 * @nr_entries:    how many
 * @max_entries:   how many there is room for
 * @pages:         the pages of memory: most errors first, then by address
 * @nr_pages:      how many
 * @max_pages:     how many each CPU has room for
 * @seen:          events that reached the program
 * @missed:        events of which the program was not told, because another BPF program was running
 *                 on that CPU; 0 on kernels that do not count them
 * @missed_is_known: @missed could be asked for, which takes the right to open the program's pin
 * @is_settled:    nothing was counted while it was read: the sums in persist_record.h hold exactly.
 *                 If not, they can be off by the events of that moment.
 *
 * A page that was counted on several CPUs is one element, with the sum. Its @missed is an upper
 * bound over all CPUs: there were at least @errors and at most @errors + @missed errors in it.
 */
struct persist_totals {
	struct persist_meta meta;
	uint64_t read_ns;
	struct persist_totals_sums sums;
	const struct persist_total_entry *entries;
	size_t nr_entries;
	size_t max_entries;
	const struct persist_page *pages;
	size_t nr_pages;
	size_t max_pages;
	uint64_t seen;
	uint64_t missed;
	uint32_t missed_is_known;
	uint32_t is_settled;
};

/**
 * persist_totals__read() - a snapshot of an event's totals
 * @root:    tree in which a name is looked up; NULL: PERSIST_DEFAULT_ROOT
 * @target:  an event's path, its name, or "persistent/NAME/"
 * @log_fn:  receives messages, or NULL
 * @log_ctx: its first argument
 *
 * Counting goes on meanwhile. A snapshot during which events came is tried again a few times; see
 * @is_settled.
 *
 * Return: the snapshot, which the caller frees with persist_totals__free(), or NULL with errno:
 * ENODATA (the event has no totals: it reports no hardware errors, or an older version made it),
 * ENOENT (no such event), EINVAL (not the name or path of an event), EMEDIUMTYPE (not an event),
 * ENOTSUP (made by a newer version), EBADMSG (the event, or a map of its totals, is damaged or not
 * ours), ENAMETOOLONG, EACCES, EPERM (bpf(2) is not allowed here), ENOMEM. All but ENODATA and
 * ENOENT were logged.
 */
struct persist_totals *persist_totals__read(const char *root, const char *target,
					    persist_log_fn log_fn, void *log_ctx);
void persist_totals__free(struct persist_totals *totals);

/**
 * persist_totals__total_of_page() - the total that the last error in a page was counted in
 * @totals: the snapshot
 * @page:   one of its pages
 *
 * Return: an entry of @totals with the label of that error; the one with the most errors, if there
 * are several. NULL if the event has no labels, or there was no room for the total.
 */
const struct persist_total_entry *persist_totals__total_of_page(const struct persist_totals *totals,
								const struct persist_page *page);

/**
 * persist_totals__kind_name() - the kind of error in a key, as a word
 * @totals: the snapshot that @key is from
 * @key:    the key
 *
 * Return: a word such as "memory_controller" that lives for ever; NULL if the event's keys have no
 * kind, "unknown" if it is none that is known.
 */
const char *persist_totals__kind_name(const struct persist_totals *totals,
				      const struct persist_total_key *key);

/**
 * persist_severity__name() - a severity as a word, such as "corrected"
 * @severity: any value
 *
 * Return: a string that lives for ever; "unknown" for a value that is none.
 */
const char *persist_severity__name(uint32_t severity);

/**
 * persist_event__has_totals() - are events of this tracepoint counted?
 * @system:     such as "mce"
 * @tracepoint: such as "mce_record"
 *
 * Return: 1 if an event of it that is added by this version has totals, where the kernel's
 * tracepoint has the fields for it, else 0.
 */
int persist_event__has_totals(const char *system, const char *tracepoint);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
