// SPDX-License-Identifier: GPL-2.0-only
/* The summary as one JSON object; docs/summary.md describes it. */
#include "summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_gen.h>

#include "json_string.h"
#include "time_spec.h"

struct output {
	const struct summary *summary;
	yajl_gen gen;
	int error; /* the first one */
};

/* ---- the generator ----------------------------------------------------------------------- */

static void check(struct output *output, yajl_gen_status status)
{
	if (status != yajl_gen_status_ok && !output->error)
		output->error = -EINVAL;
}

static void put_key(struct output *output, const char *key)
{
	check(output, yajl_gen_string(output->gen, (const unsigned char *)key, strlen(key)));
}

static void put_text(struct output *output, const char *text)
{
	int err = json_string__emit(output->gen, text, strlen(text));

	if (err && !output->error)
		output->error = err;
}

static void put_string(struct output *output, const char *key, const char *text)
{
	put_key(output, key);
	put_text(output, text);
}

/* All 64 bits, exactly. */
static void put_number(struct output *output, const char *key, uint64_t value)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, value);

	put_key(output, key);
	check(output, yajl_gen_number(output->gen, digits, len));
}

static void put_rate(struct output *output, const char *key, double value)
{
	char digits[48];
	int len = snprintf(digits, sizeof(digits), "%.3f", value);

	put_key(output, key);
	check(output, yajl_gen_number(output->gen, digits, len));
}

/* What a key does not say is not there. */
static void put_if_said(struct output *output, const char *key, int32_t value)
{
	if (value >= 0)
		put_number(output, key, value);
}

static void put_bool(struct output *output, const char *key, bool value)
{
	put_key(output, key);
	check(output, yajl_gen_bool(output->gen, value));
}

static void open_map(struct output *output, const char *key)
{
	if (key)
		put_key(output, key);
	check(output, yajl_gen_map_open(output->gen));
}

static void close_map(struct output *output)
{
	check(output, yajl_gen_map_close(output->gen));
}

static void open_array(struct output *output, const char *key)
{
	put_key(output, key);
	check(output, yajl_gen_array_open(output->gen));
}

static void close_array(struct output *output)
{
	check(output, yajl_gen_array_close(output->gen));
}

/* "KEY_ns" of CLOCK_BOOTTIME, and "KEY" in words. */
static void put_time(struct output *output, const char *key, uint64_t ns)
{
	char name[32], text[RFC3339_SIZE];

	snprintf(name, sizeof(name), "%s_ns", key);
	put_number(output, name, ns);
	rfc3339__format((int64_t)ns + output->summary->wall_offset, text);
	put_string(output, key, text);
}

/* ---- parts ------------------------------------------------------------------------------- */

static void put_severities(struct output *output, const __u64 *by_severity)
{
	open_map(output, "by_severity");
	for (uint32_t i = 0; i < PERSIST_NR_SEVERITIES; i++)
		if (by_severity[i])
			put_number(output, persist_severity__name(i), by_severity[i]);
	close_map(output);
}

static void put_counts(struct output *output, const struct persist_totals *totals, uint64_t errors,
		       uint64_t first_ns, uint64_t last_ns)
{
	put_number(output, "errors", errors);
	put_rate(output, "errors_per_hour",
		 summary__per_hour(output->summary, errors, totals->meta.attach_time_ns));
	if (!first_ns)
		return;
	put_time(output, "first", first_ns);
	put_time(output, "last", last_ns);
}

static void put_place(struct output *output, const struct persist_totals *totals,
		      const struct summary_place *place)
{
	open_map(output, NULL);
	put_string(output, "place", place->name);
	put_number(output, "events", place->events);
	put_counts(output, totals, place->errors, place->first_ns, place->last_ns);
	put_severities(output, place->by_severity);
	close_map(output);
}

static void put_places(struct output *output, const struct persist_totals *totals)
{
	struct summary_place *places;
	int nr = summary__find_places(totals, &places);

	if (nr < 0)
		output->error = nr;
	open_array(output, "places");
	for (int i = 0; i < nr; i++)
		put_place(output, totals, &places[i]);
	close_array(output);
	free(places);
}

static void put_total_key(struct output *output, const struct persist_totals *totals,
			  const struct persist_total_key *key)
{
	const char *kind = persist_totals__kind_name(totals, key);
	char guid[GUID_TEXT_SIZE];

	put_string(output, "severity", persist_severity__name(key->severity));
	if (kind)
		put_string(output, "kind", kind);
	else if (key->kind)
		put_number(output, "type", key->kind);
	put_if_said(output, "socket", key->socket);
	put_if_said(output, "cpu", key->cpu);
	put_if_said(output, "bank", key->bank);
	if (key->controller >= 0) {
		put_number(output, "mc", key->controller);
		open_array(output, "location");
		for (int i = 0; i < 3; i++)
			check(output, yajl_gen_integer(output->gen, key->layer[i]));
		close_array(output);
	}
	if (key->mpidr)
		put_number(output, "mpidr", key->mpidr);
	if (key->status)
		put_number(output, "status", key->status);
	if (key->label[0])
		put_string(output, "label", key->label);
	if (summary__has_section(key)) {
		summary__format_guid(key->section, guid);
		put_string(output, "section", guid);
	}
}

static void put_totals(struct output *output, const struct persist_totals *totals)
{
	open_array(output, "totals");
	for (size_t i = 0; i < totals->nr_entries; i++) {
		const struct persist_total *total = &totals->entries[i].total;

		open_map(output, NULL);
		put_total_key(output, totals, &totals->entries[i].key);
		put_number(output, "events", total->events);
		put_counts(output, totals, total->errors, total->first_ns, total->last_ns);
		put_number(output, "hardware_overflows", total->overflows);
		close_map(output);
	}
	close_array(output);
}

static void put_page(struct output *output, const struct persist_totals *totals,
		     const struct persist_page *page)
{
	const struct persist_total_entry *total = persist_totals__total_of_page(totals, page);

	open_map(output, NULL);
	put_number(output, "address", page->address);
	put_counts(output, totals, page->errors, page->first_ns, page->last_ns);
	put_number(output, "uncorrected", page->uncorrected);
	put_number(output, "missed_at_most", page->missed);
	if (total)
		put_string(output, "label", total->key.label);
	close_map(output);
}

static void put_pages(struct output *output, const struct persist_totals *totals)
{
	put_number(output, "page_size", totals->sums.page_size);
	put_number(output, "errors_in_pages", totals->sums.errors_in_pages);
	put_number(output, "evicted_pages", totals->sums.evicted_pages);
	put_number(output, "evicted_errors", totals->sums.evicted_errors);
	open_array(output, "pages");
	for (size_t i = 0; i < totals->nr_pages; i++)
		put_page(output, totals, &totals->pages[i]);
	close_array(output);
}

/* What was seen and is not in "totals". */
static void put_losses(struct output *output, const struct persist_totals *totals)
{
	const struct persist_totals_sums *sums = &totals->sums;

	put_number(output, "seen", totals->seen);
	put_number(output, "nested_events", sums->nested_events);
	put_number(output, "no_room_events", sums->no_room_events);
	put_number(output, "no_room_errors", sums->no_room_errors);
	put_number(output, "busy_events", sums->busy_events);
	put_number(output, "busy_errors", sums->busy_errors);
	put_number(output, "hardware_overflows", sums->overflows);
	if (totals->missed_is_known)
		put_number(output, "missed_events", totals->missed);
	put_bool(output, "settled", totals->is_settled);
}

static void put_event(struct output *output, const struct summary_event *event)
{
	const struct persist_meta *meta = &event->info.meta;
	const struct persist_totals *totals = event->totals;

	open_map(output, NULL);
	put_string(output, "event", meta->name);
	put_string(output, "system", meta->system);
	put_string(output, "tracepoint", meta->tracepoint);
	put_number(output, "id", meta->event_id);
	put_time(output, "since", meta->attach_time_ns);
	put_bool(output, "has_totals", totals);
	if (totals) {
		put_number(output, "events", totals->sums.events);
		put_counts(output, totals, totals->sums.errors, totals->sums.first_ns,
			   totals->sums.last_ns);
		put_number(output, "errors_in_hour", totals->sums.errors_in_hour);
		put_number(output, "errors_in_hour_before", totals->sums.errors_in_hour_before);
		put_severities(output, totals->sums.by_severity);
		put_losses(output, totals);
		put_places(output, totals);
		put_number(output, "max_totals", totals->max_entries);
		put_totals(output, totals);
		put_pages(output, totals);
	} else {
		put_number(output, "seen", event->info.seen);
		put_number(output, "recorded", event->info.recorded);
	}
	close_map(output);
}

static void put_limits(struct output *output)
{
	struct summary_limits limits;
	int err = summary__find_limits(output->summary, &limits);

	if (err)
		output->error = err;
	open_array(output, "cannot_tell");
	for (size_t i = 0; i < limits.nr; i++)
		put_text(output, limits.sentences[i]);
	close_array(output);
	summary_limits__free(&limits);
}

static void put_summary(struct output *output)
{
	open_map(output, NULL);
	put_string(output, "root", output->summary->root);
	put_time(output, "time", output->summary->now_ns);
	put_time(output, "boot", 0);
	open_array(output, "events");
	for (size_t i = 0; i < output->summary->nr_events; i++)
		put_event(output, &output->summary->events[i]);
	close_array(output);
	put_limits(output);
	close_map(output);
}

int summary__print_json(const struct summary *summary)
{
	struct output output = { .summary = summary, .gen = yajl_gen_alloc(NULL) };
	const unsigned char *text;
	size_t len;

	if (!output.gen)
		return -ENOMEM;
	put_summary(&output);
	check(&output, yajl_gen_get_buf(output.gen, &text, &len));
	if (!output.error &&
	    (fwrite(text, 1, len, stdout) != len || putchar('\n') == EOF || fflush(stdout)))
		output.error = errno ? -errno : -EIO;
	yajl_gen_free(output.gen);
	return output.error;
}
