// SPDX-License-Identifier: GPL-2.0-only
/* The summary as one JSON object; docs/summary.md describes it. */
#include "summary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "json_generator.h"
#include "time_spec.h"

struct output {
	const struct summary *summary;
	struct json_generator json;
};

/* What a key does not say is not there. */
static void put_if_said(struct output *output, const char *key, int32_t value)
{
	if (value >= 0)
		json_generator__number(&output->json, key, value);
}

/* "KEY_ns" of CLOCK_BOOTTIME, and "KEY" in words. */
static void put_time(struct output *output, const char *key, uint64_t ns)
{
	char name[32], text[RFC3339_SIZE];

	snprintf(name, sizeof(name), "%s_ns", key);
	json_generator__number(&output->json, name, ns);
	rfc3339__format((int64_t)ns + output->summary->wall_offset, text);
	json_generator__string(&output->json, key, text);
}

/* ---- parts ------------------------------------------------------------------------------- */

static void put_severities(struct output *output, const __u64 *by_severity)
{
	json_generator__open_map(&output->json, "by_severity");
	for (uint32_t i = 0; i < PERSIST_NR_SEVERITIES; i++)
		if (by_severity[i])
			json_generator__number(&output->json, persist_severity__name(i),
					       by_severity[i]);
	json_generator__close_map(&output->json);
}

static void put_counts(struct output *output, const struct persist_totals *totals, uint64_t errors,
		       uint64_t first_ns, uint64_t last_ns)
{
	json_generator__number(&output->json, "errors", errors);
	json_generator__decimal(
		&output->json, "errors_per_hour",
		summary__per_hour(output->summary, errors, totals->meta.attach_time_ns));
	if (!first_ns)
		return;
	put_time(output, "first", first_ns);
	put_time(output, "last", last_ns);
}

static void put_place(struct output *output, const struct persist_totals *totals,
		      const struct summary_place *place)
{
	json_generator__open_map(&output->json, NULL);
	json_generator__string(&output->json, "place", place->name);
	json_generator__number(&output->json, "events", place->events);
	put_counts(output, totals, place->errors, place->first_ns, place->last_ns);
	put_severities(output, place->by_severity);
	json_generator__close_map(&output->json);
}

static void put_places(struct output *output, const struct persist_totals *totals)
{
	struct summary_place *places;
	int nr = summary__find_places(totals, &places);

	if (nr < 0)
		output->json.error = nr;
	json_generator__open_array(&output->json, "places");
	for (int i = 0; i < nr; i++)
		put_place(output, totals, &places[i]);
	json_generator__close_array(&output->json);
	free(places);
}

static void put_total_key(struct output *output, const struct persist_totals *totals,
			  const struct persist_total_key *key)
{
	const char *kind = persist_totals__kind_name(totals, key);
	char guid[GUID_TEXT_SIZE];

	json_generator__string(&output->json, "severity", persist_severity__name(key->severity));
	if (kind)
		json_generator__string(&output->json, "kind", kind);
	else if (key->kind)
		json_generator__number(&output->json, "type", key->kind);
	put_if_said(output, "socket", key->socket);
	put_if_said(output, "cpu", key->cpu);
	put_if_said(output, "bank", key->bank);
	if (key->controller >= 0) {
		json_generator__number(&output->json, "mc", key->controller);
		json_generator__open_array(&output->json, "location");
		for (int i = 0; i < 3; i++)
			json_generator__signed(&output->json, NULL, key->layer[i]);
		json_generator__close_array(&output->json);
	}
	if (key->mpidr)
		json_generator__number(&output->json, "mpidr", key->mpidr);
	if (key->status)
		json_generator__number(&output->json, "status", key->status);
	if (key->label[0])
		json_generator__string(&output->json, "label", key->label);
	if (summary__has_section(key)) {
		summary__format_guid(key->section, guid);
		json_generator__string(&output->json, "section", guid);
	}
}

static void put_totals(struct output *output, const struct persist_totals *totals)
{
	json_generator__open_array(&output->json, "totals");
	for (size_t i = 0; i < totals->nr_entries; i++) {
		const struct persist_total *total = &totals->entries[i].total;

		json_generator__open_map(&output->json, NULL);
		put_total_key(output, totals, &totals->entries[i].key);
		json_generator__number(&output->json, "events", total->events);
		put_counts(output, totals, total->errors, total->first_ns, total->last_ns);
		json_generator__number(&output->json, "hardware_overflows", total->overflows);
		json_generator__close_map(&output->json);
	}
	json_generator__close_array(&output->json);
}

static void put_page(struct output *output, const struct persist_totals *totals,
		     const struct persist_page *page)
{
	const struct persist_total_entry *total = persist_totals__total_of_page(totals, page);

	json_generator__open_map(&output->json, NULL);
	json_generator__number(&output->json, "address", page->address);
	put_counts(output, totals, page->errors, page->first_ns, page->last_ns);
	json_generator__number(&output->json, "uncorrected", page->uncorrected);
	json_generator__number(&output->json, "missed_at_most", page->missed);
	if (total)
		json_generator__string(&output->json, "label", total->key.label);
	json_generator__close_map(&output->json);
}

static void put_pages(struct output *output, const struct persist_totals *totals)
{
	json_generator__number(&output->json, "page_size", totals->sums.page_size);
	json_generator__number(&output->json, "errors_in_pages", totals->sums.errors_in_pages);
	json_generator__number(&output->json, "evicted_pages", totals->sums.evicted_pages);
	json_generator__number(&output->json, "evicted_errors", totals->sums.evicted_errors);
	json_generator__open_array(&output->json, "pages");
	for (size_t i = 0; i < totals->nr_pages; i++)
		put_page(output, totals, &totals->pages[i]);
	json_generator__close_array(&output->json);
}

/* What was seen and is not in "totals". */
static void put_losses(struct output *output, const struct persist_totals *totals)
{
	const struct persist_totals_sums *sums = &totals->sums;

	json_generator__number(&output->json, "seen", totals->seen);
	json_generator__number(&output->json, "nested_events", sums->nested_events);
	json_generator__number(&output->json, "no_room_events", sums->no_room_events);
	json_generator__number(&output->json, "no_room_errors", sums->no_room_errors);
	json_generator__number(&output->json, "busy_events", sums->busy_events);
	json_generator__number(&output->json, "busy_errors", sums->busy_errors);
	json_generator__number(&output->json, "hardware_overflows", sums->overflows);
	if (totals->missed_is_known)
		json_generator__number(&output->json, "missed_events", totals->missed);
	json_generator__bool(&output->json, "settled", totals->is_settled);
}

static void put_event(struct output *output, const struct summary_event *event)
{
	const struct persist_meta *meta = &event->info.meta;
	const struct persist_totals *totals = event->totals;

	json_generator__open_map(&output->json, NULL);
	json_generator__string(&output->json, "event", meta->name);
	json_generator__string(&output->json, "system", meta->system);
	json_generator__string(&output->json, "tracepoint", meta->tracepoint);
	json_generator__number(&output->json, "id", meta->event_id);
	put_time(output, "since", meta->attach_time_ns);
	json_generator__bool(&output->json, "has_totals", totals);
	if (totals) {
		json_generator__number(&output->json, "events", totals->sums.events);
		put_counts(output, totals, totals->sums.errors, totals->sums.first_ns,
			   totals->sums.last_ns);
		json_generator__number(&output->json, "errors_in_hour",
				       totals->sums.errors_in_hour);
		json_generator__number(&output->json, "errors_in_hour_before",
				       totals->sums.errors_in_hour_before);
		put_severities(output, totals->sums.by_severity);
		put_losses(output, totals);
		put_places(output, totals);
		json_generator__number(&output->json, "max_totals", totals->max_entries);
		put_totals(output, totals);
		put_pages(output, totals);
	} else {
		json_generator__number(&output->json, "seen", event->info.seen);
		json_generator__number(&output->json, "recorded", event->info.recorded);
	}
	json_generator__close_map(&output->json);
}

static void put_limits(struct output *output)
{
	struct summary_limits limits;
	int err = summary__find_limits(output->summary, &limits);

	if (err)
		output->json.error = err;
	json_generator__open_array(&output->json, "cannot_tell");
	for (size_t i = 0; i < limits.nr; i++)
		json_generator__string(&output->json, NULL, limits.sentences[i]);
	json_generator__close_array(&output->json);
	summary_limits__free(&limits);
}

static void put_summary(struct output *output)
{
	json_generator__open_map(&output->json, NULL);
	json_generator__string(&output->json, "root", output->summary->root);
	put_time(output, "time", output->summary->now_ns);
	put_time(output, "boot", 0);
	json_generator__open_array(&output->json, "events");
	for (size_t i = 0; i < output->summary->nr_events; i++)
		put_event(output, &output->summary->events[i]);
	json_generator__close_array(&output->json);
	put_limits(output);
	json_generator__close_map(&output->json);
}

int summary__print_json(const struct summary *summary)
{
	struct output output = { .summary = summary };
	const unsigned char *text;
	size_t len;
	int err = json_generator__init(&output.json);

	if (err)
		return err;
	put_summary(&output);
	err = json_generator__end(&output.json, &text, &len);
	if (!err && (fwrite(text, 1, len, stdout) != len || putchar('\n') == EOF || fflush(stdout)))
		err = errno ? -errno : -EIO;
	json_generator__destroy(&output.json);
	return err;
}
