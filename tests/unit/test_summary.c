// SPDX-License-Identifier: GPL-2.0-only
/* What the summary makes of totals: places, words, rates, and what it cannot tell. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "summary/summary.h"

#define HOUR 3600000000000ull

/* A key that says nothing. */
static struct persist_total_entry entry(uint32_t severity, uint64_t errors)
{
	return (struct persist_total_entry){
		.key = { .severity = severity,
			 .socket = -1,
			 .cpu = -1,
			 .bank = -1,
			 .controller = -1,
			 .layer = { -1, -1, -1 } },
		.total = { .events = 1, .errors = errors, .first_ns = 100, .last_ns = 200 },
	};
}

static struct persist_total_entry of_bank(uint32_t severity, int socket, int cpu, int bank,
					  uint64_t errors)
{
	struct persist_total_entry one = entry(severity, errors);

	one.key.socket = socket;
	one.key.cpu = cpu;
	one.key.bank = bank;
	one.key.kind = 12;
	return one;
}

static struct persist_total_entry of_dimm(const char *label, uint64_t hash, uint64_t errors)
{
	struct persist_total_entry one = entry(PERSIST_SEVERITY_CORRECTED, errors);

	one.key.controller = 1;
	one.key.layer[0] = 0;
	one.key.layer[1] = 2;
	one.key.label_hash = hash;
	strncpy(one.key.label, label, sizeof(one.key.label) - 1);
	return one;
}

static struct persist_totals totals_of(const char *system, const char *tracepoint,
				       const struct persist_total_entry *entries, size_t nr)
{
	struct persist_totals totals = {
		.entries = entries,
		.nr_entries = nr,
		.is_settled = 1,
		.missed_is_known = 1,
	};

	strcpy(totals.meta.name, tracepoint);
	strcpy(totals.meta.system, system);
	strcpy(totals.meta.tracepoint, tracepoint);
	totals.meta.attach_time_ns = HOUR;
	return totals;
}

static void test_places_of_banks(void **state)
{
	struct persist_total_entry entries[] = {
		of_bank(PERSIST_SEVERITY_CORRECTED, 0, 1, 7, 5),
		of_bank(PERSIST_SEVERITY_CORRECTED, 1, 9, 7, 6),
		of_bank(PERSIST_SEVERITY_FATAL, 0, 2, 7, 3),
	};
	const struct persist_totals totals = totals_of("mce", "mce_record", entries, 3);
	struct summary_place *places;

	entries[2].total.first_ns = 50;
	entries[2].total.last_ns = 900;
	assert_string_equal(summary__place_title(&totals), "BANK");
	assert_int_equal(summary__find_places(&totals, &places), 2);
	assert_string_equal(places[0].name, "socket 0 bank 7");
	assert_int_equal(places[0].errors, 8);
	assert_int_equal(places[0].events, 2);
	assert_int_equal(places[0].by_severity[PERSIST_SEVERITY_CORRECTED], 5);
	assert_int_equal(places[0].by_severity[PERSIST_SEVERITY_FATAL], 3);
	assert_int_equal(places[0].first_ns, 50);
	assert_int_equal(places[0].last_ns, 900);
	assert_string_equal(places[1].name, "socket 1 bank 7");
	free(places);
}

/* Labels that are cut to the same text are of different DIMMs all the same. */
static void test_places_of_dimms(void **state)
{
	const struct persist_total_entry entries[] = {
		of_dimm("DIMM_A1", 1, 5),
		of_dimm("DIMM_A1", 1, 4),
		of_dimm("DIMM_A1", 2, 3),
		of_dimm("", 0, 1),
	};
	const struct persist_totals totals = totals_of("ras", "mc_event", entries, 4);
	struct summary_place *places;

	assert_string_equal(summary__place_title(&totals), "DIMM");
	assert_int_equal(summary__find_places(&totals, &places), 3);
	assert_int_equal(places[0].errors, 9);
	assert_string_equal(places[1].name, "DIMM_A1");
	assert_int_equal(places[1].errors, 3);
	assert_string_equal(places[2].name, "mc 1 location 0:2:-1");
	free(places);
}

static void test_no_places(void **state)
{
	const struct persist_total_entry one = entry(PERSIST_SEVERITY_UNCORRECTED, 1);
	struct persist_totals totals = totals_of("ras", "memory_failure_event", &one, 1);
	struct summary_place *places;

	assert_null(summary__place_title(&totals));
	assert_int_equal(summary__find_places(&totals, &places), 0);
	assert_null(places);
	totals.nr_entries = 0;
	assert_null(summary__place_title(&totals));
}

static void test_words(void **state)
{
	struct persist_total_entry one = of_bank(PERSIST_SEVERITY_CORRECTED, 0, 3, 7, 1);
	struct persist_totals totals = totals_of("mce", "mce_record", &one, 1);
	char text[SUMMARY_TEXT_SIZE];

	summary__describe_key(&totals, &one.key, text);
	assert_string_equal(text, "socket 0 cpu 3 bank 7 memory_controller");
	one = of_dimm("a\nb\033", 1, 1);
	totals = totals_of("ras", "mc_event", &one, 1);
	summary__describe_key(&totals, &one.key, text);
	assert_string_equal(text, "mc 1 location 0:2:-1 a?b?");
	one = entry(PERSIST_SEVERITY_CORRECTED, 1);
	one.key.status = 0x1000;
	strcpy(one.key.label, "0000:00:1c.0");
	totals = totals_of("ras", "aer_event", &one, 1);
	summary__describe_key(&totals, &one.key, text);
	assert_string_equal(text, "status 0x1000 0000:00:1c.0");
}

/* The first of UEFI's own: CPER's section for platform memory. */
static void test_guid(void **state)
{
	static const uint8_t guid[16] = { 0x14, 0x11, 0xbc, 0xa5, 0x64, 0x6f, 0xde, 0x4e,
					  0xb8, 0x63, 0x3e, 0x83, 0xed, 0x7c, 0x83, 0xb1 };
	char text[GUID_TEXT_SIZE];

	summary__format_guid(guid, text);
	assert_string_equal(text, "a5bc1114-6f64-4ede-b863-3e83ed7c83b1");
}

static void test_rate(void **state)
{
	const struct summary summary = { .now_ns = 3 * HOUR };

	assert_true(summary__per_hour(&summary, 10, HOUR) == 5.0);
	/* Never infinite. */
	assert_true(summary__per_hour(&summary, 10, 3 * HOUR) == 0);
	assert_true(summary__per_hour(&summary, 10, 4 * HOUR) == 0);
}

/* ---- what it cannot tell ------------------------------------------------------------------ */

/* How many of the sentences have these words in them. */
static int count_sentences(const struct summary *summary, const char *words)
{
	struct summary_limits limits;
	int nr = 0;

	assert_int_equal(summary__find_limits(summary, &limits), 0);
	for (size_t i = 0; i < limits.nr; i++)
		nr += strstr(limits.sentences[i], words) != NULL;
	summary_limits__free(&limits);
	return nr;
}

static void test_limits(void **state)
{
	const struct persist_total_entry one = of_bank(PERSIST_SEVERITY_CORRECTED, 0, 0, 0, 1);
	struct persist_totals totals = totals_of("mce", "mce_record", &one, 1);
	struct summary_event event = { .totals = &totals };
	struct summary summary = { .root = "/", .events = &event, .nr_events = 1 };

	event.info.meta = totals.meta;
	/* These three always. */
	assert_int_equal(count_sentences(&summary, ""), 3);
	assert_int_equal(count_sentences(&summary, "(3600.000 s after boot) were not seen"), 1);
	assert_int_equal(count_sentences(&summary, "wiped all"), 1);
	assert_int_equal(count_sentences(&summary, "firmware"), 1);
	summary.is_whole_tree = true;
	assert_int_equal(count_sentences(&summary, "not recorded in this tree"), 1);
	assert_int_equal(count_sentences(&summary, "aer_event"), 1);
	summary.is_whole_tree = false;

	totals.sums.overflows = 5;
	assert_int_equal(count_sentences(&summary, "5 of its events said"), 1);
	totals.missed = 6;
	assert_int_equal(count_sentences(&summary, "there were 6 that the program was not told"),
			 1);
	totals.missed_is_known = 0;
	assert_int_equal(count_sentences(&summary, "only the owner of the tree can see"), 1);
	totals.sums.nested_events = 7;
	assert_int_equal(count_sentences(&summary, "7 of its events interrupted"), 1);
	totals.sums.no_room_events = 8;
	totals.sums.busy_events = 1;
	assert_int_equal(count_sentences(&summary, "9 of its events are counted by severity only"),
			 1);
	totals.sums.evicted_errors = 10;
	assert_int_equal(count_sentences(&summary, "10 of its errors were in these"), 1);
	totals.is_settled = 0;
	assert_int_equal(count_sentences(&summary, "while this was read"), 1);
	assert_int_equal(count_sentences(&summary, ""), 10);
}

/* One sentence for all events: each says above since when it counts. */
static void test_beginnings(void **state)
{
	struct persist_totals first = totals_of("mce", "mce_record", NULL, 0);
	struct persist_totals last = totals_of("ras", "mc_event", NULL, 0);
	struct summary_event events[] = { { .totals = &last }, { .totals = &first } };
	const struct summary summary = { .root = "/", .events = events, .nr_events = 2 };

	first.meta.attach_time_ns = 1500000000;
	last.meta.attach_time_ns = 2000000000;
	events[0].info.meta = last.meta;
	events[1].info.meta = first.meta;
	assert_int_equal(count_sentences(&summary, "were not seen"), 1);
	assert_int_equal(
		count_sentences(&summary,
				"from 1.500 s after boot, mce_record, to 2.000 s, mc_event"),
		1);
}

static void test_limits_without_totals(void **state)
{
	struct summary_event event = { .error = -ENODATA };
	struct summary summary = { .root = "/", .events = &event, .nr_events = 1 };

	strcpy(event.info.meta.name, "errors");
	strcpy(event.info.meta.system, "ras");
	strcpy(event.info.meta.tracepoint, "mc_event");
	event.info.seen = 12;
	assert_int_equal(count_sentences(&summary, "an older loader made it"), 1);
	assert_int_equal(count_sentences(&summary, "seen 12 times"), 1);
	strcpy(event.info.meta.tracepoint, "new_event");
	assert_int_equal(count_sentences(&summary, "no totals of this kind of event"), 1);
	event.error = -EACCES;
	assert_int_equal(count_sentences(&summary, "cannot be read: Permission denied"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places_of_banks),
		cmocka_unit_test(test_places_of_dimms),
		cmocka_unit_test(test_no_places),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_guid),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_beginnings),
		cmocka_unit_test(test_limits_without_totals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
