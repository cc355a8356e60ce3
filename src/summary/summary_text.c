// SPDX-License-Identifier: GPL-2.0-only
/* The summary as tables for people, 80 columns wide. */
#include "summary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "summary_time.h"

#define COLUMNS	    80
#define PLACE_WIDTH 24
/* Where what stands behind a word such as "severity" begins. */
#define HEAD_INDENT   12
#define NUMBER(value) ((unsigned long long)(value))

/* Minutes do in a table; JSON has nanoseconds. */
static void format_minutes(const struct summary *summary, uint64_t ns, char text[SUMMARY_TIME_SIZE])
{
	summary_time__format(summary, ns, text);
	text[strlen("2026-12-01 09:10")] = '\0';
}

static void format_rate(const struct summary *summary, const struct persist_totals *totals,
			uint64_t errors, char text[16])
{
	double rate = summary__per_hour(summary, errors, totals->meta.attach_time_ns);

	snprintf(text, 16, rate < 99999.95 ? "%.1f" : "%.2g", rate);
}

/* Prints @text from column @indent on, wrapped between words, and ends the line. */
static void print_wrapped(const char *text, int column, int indent)
{
	while (*text) {
		size_t len = strcspn(text, " ");

		if (column > indent && column + 1 + (int)len > COLUMNS) {
			printf("\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			putchar(' ');
			column++;
		}
		printf("%.*s", (int)len, text);
		column += (int)len;
		text += len;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void print_more(size_t nr, size_t shown)
{
	if (nr > shown)
		printf("  ... and %zu more, which --all shows\n", nr - shown);
}

/* ---- the head of an event ---------------------------------------------------------------- */

static void print_duration(uint64_t ns)
{
	unsigned long long seconds = ns / 1000000000;

	if (seconds >= 86400)
		printf("%llu d ", seconds / 86400);
	printf("%llu:%02llu:%02llu", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
}

static void print_severities(const struct persist_totals *totals)
{
	char text[64 * PERSIST_SEVERITIES_MAX] = "";
	size_t len = 0;

	for (uint32_t i = 0; i < PERSIST_SEVERITIES_MAX; i++)
		if (totals->sums.by_severity[i])
			len += snprintf(text + len, sizeof(text) - len, "%s%llu %s",
					len ? ", " : "", NUMBER(totals->sums.by_severity[i]),
					persist_severity__name(i));
	printf("  severity  ");
	print_wrapped(text, HEAD_INDENT, HEAD_INDENT);
}

static const char *plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

static void print_head(const struct summary *summary, const struct persist_totals *totals)
{
	const struct persist_meta *meta = &totals->meta;
	const struct persist_totals_sums *sums = &totals->sums;
	char since[SUMMARY_TIME_SIZE], first[SUMMARY_TIME_SIZE], last[SUMMARY_TIME_SIZE], rate[16];

	printf("%s (%s:%s): %llu error%s in %llu event%s\n", meta->name, meta->system,
	       meta->tracepoint, NUMBER(sums->errors), plural(sums->errors), NUMBER(sums->events),
	       plural(sums->events));
	summary_time__format(summary, meta->attach_time_ns, since);
	printf("  since     %s, %.3f s after boot\n", since, (double)meta->attach_time_ns / 1e9);
	if (!sums->events)
		return;
	summary_time__format(summary, sums->first_ns, first);
	summary_time__format(summary, sums->last_ns, last);
	format_rate(summary, totals, sums->errors, rate);
	printf("  first     %s\n  last      %s\n  rate      %s an hour, over ", first, last, rate);
	print_duration(summary->now_ns - meta->attach_time_ns);
	printf("\n  lately    %llu in this hour of uptime, %llu in the one before\n",
	       NUMBER(sums->errors_in_hour), NUMBER(sums->errors_in_hour_before));
	print_severities(totals);
}

/* ---- tables ------------------------------------------------------------------------------ */

/* A name that is too long for its column has a line for itself. */
static void print_name(const char *name)
{
	if (strlen(name) > PLACE_WIDTH)
		printf("  %s\n  %-*s", name, PLACE_WIDTH, "");
	else
		printf("  %-*s", PLACE_WIDTH, name);
}

static void print_counts(const struct summary *summary, const struct persist_totals *totals,
			 uint64_t errors, uint64_t first_ns, uint64_t last_ns)
{
	char first[SUMMARY_TIME_SIZE], last[SUMMARY_TIME_SIZE], rate[16];

	format_minutes(summary, first_ns, first);
	format_minutes(summary, last_ns, last);
	format_rate(summary, totals, errors, rate);
	printf(" %10llu %8s %-16s %s\n", NUMBER(errors), rate, first, last);
}

static int print_places(const struct summary *summary, const struct persist_totals *totals,
			size_t top)
{
	struct summary_place *places;
	int nr = summary__find_places(totals, &places);

	if (nr <= 0)
		return nr;
	printf("\n  %-*s %10s %8s %-16s %s\n", PLACE_WIDTH, summary__place_title(totals), "ERRORS",
	       "PER HOUR", "FIRST", "LAST");
	for (int i = 0; i < nr && (size_t)i < top; i++) {
		print_name(places[i].name);
		print_counts(summary, totals, places[i].errors, places[i].first_ns,
			     places[i].last_ns);
	}
	print_more(nr, top);
	free(places);
	return 0;
}

static void print_totals(const struct summary *summary, const struct persist_totals *totals,
			 size_t top)
{
	char last[SUMMARY_TIME_SIZE], text[SUMMARY_TEXT_SIZE];

	printf("\n  %10s %-11s %-16s %s\n", "ERRORS", "SEVERITY", "LAST", "WHERE");
	for (size_t i = 0; i < totals->nr_entries && i < top; i++) {
		const struct persist_total_entry *entry = &totals->entries[i];

		format_minutes(summary, entry->total.last_ns, last);
		summary__describe_key(totals, &entry->key, text);
		printf("  %10llu %-11s %-16s ", NUMBER(entry->total.errors),
		       persist_severity__name(entry->key.severity), last);
		print_wrapped(text, 42, 42);
	}
	print_more(totals->nr_entries, top);
}

static void print_page(const struct summary *summary, const struct persist_totals *totals,
		       const struct persist_page *page)
{
	const struct persist_total_entry *total = persist_totals__total_of_page(totals, page);
	char first[SUMMARY_TIME_SIZE], last[SUMMARY_TIME_SIZE], label[PERSIST_LABEL_SIZE];

	format_minutes(summary, page->first_ns, first);
	format_minutes(summary, page->last_ns, last);
	printf("  0x%-16llx %10llu %7llu %6llu %-16s %s\n", NUMBER(page->address),
	       NUMBER(page->errors), NUMBER(page->uncorrected), NUMBER(page->missed), first, last);
	if (total) {
		summary__clean_label(&total->key, label);
		printf("    on %s\n", label);
	}
}

static void print_pages(const struct summary *summary, const struct persist_totals *totals,
			size_t top)
{
	if (!totals->nr_pages)
		return;
	printf("\n  %-18s %10s %7s %6s %-16s %s\n", "WORST PAGES", "ERRORS", "UNCORR.", "MISSED",
	       "FIRST", "LAST");
	for (size_t i = 0; i < totals->nr_pages && i < top; i++)
		print_page(summary, totals, &totals->pages[i]);
	print_more(totals->nr_pages, top);
}

static int print_event(const struct summary *summary, const struct summary_event *event, size_t top)
{
	const struct persist_totals *totals = event->totals;
	int err;

	if (!totals) {
		printf("%s (%s:%s): no totals, see below\n", event->info.meta.name,
		       event->info.meta.system, event->info.meta.tracepoint);
		return 0;
	}
	print_head(summary, totals);
	if (!totals->sums.events)
		return 0;
	err = print_places(summary, totals, top);
	if (err)
		return err;
	print_totals(summary, totals, top);
	print_pages(summary, totals, top);
	return 0;
}

/* ---- all of it --------------------------------------------------------------------------- */

static int print_limits(const struct summary *summary)
{
	struct summary_limits limits;
	int err = summary__find_limits(summary, &limits);

	if (!err)
		printf("What this cannot tell\n");
	for (size_t i = 0; i < limits.nr && !err; i++) {
		printf("  - ");
		print_wrapped(limits.sentences[i], 4, 4);
	}
	summary_limits__free(&limits);
	return err;
}

int summary__print_text(const struct summary *summary, size_t top)
{
	char root[LOG_ESCAPED_SIZE];
	int err = 0;

	for (size_t i = 0; i < summary->nr_events && !err; i++) {
		err = print_event(summary, &summary->events[i], top);
		putchar('\n');
	}
	if (!summary->nr_events)
		printf("%s: no event that reports hardware errors\n\n",
		       log_escape(summary->root, root));
	if (!err)
		err = print_limits(summary);
	if (!err && fflush(stdout))
		err = -errno;
	return err;
}
