// SPDX-License-Identifier: GPL-2.0-only
/* metrics_text: both formats, what has to be escaped, and which of them a client gets. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "metrics/accepted_format.h"
#include "metrics/metrics_text.h"
#include "metrics/page.h"

static const struct metric_family counter = { "x_events", METRIC_COUNTER, NULL, "Events." };
static const struct metric_family gauge = { "x_age_seconds", METRIC_GAUGE, "seconds", "Age." };
static const struct metric_family info = { "x_build", METRIC_INFO, NULL, "Build." };

struct writing {
	struct metrics_text text;
	FILE *out;
	char *written;
	size_t size;
};

static struct metrics_text *begin(struct writing *writing, enum metrics_format format)
{
	writing->out = open_memstream(&writing->written, &writing->size);
	assert_non_null(writing->out);
	metrics_text__begin(&writing->text, format, writing->out);
	return &writing->text;
}

static void expect(struct writing *writing, const char *expected)
{
	assert_int_equal(fclose(writing->out), 0);
	assert_string_equal(writing->written, expected);
	free(writing->written);
}

static void put_one_of_each(struct metrics_text *text)
{
	const struct metric_label labels[] = { { "a", "1" }, { "b", "" }, { NULL, NULL } };

	metrics_text__family(text, &info);
	metrics_text__value(text, labels, 1);
	metrics_text__family(text, &counter);
	metrics_text__value(text, NULL, 0);
	metrics_text__value(text, labels, UINT64_MAX);
	metrics_text__family(text, &gauge);
	metrics_text__seconds(text, NULL, 1000000001);
	metrics_text__end(text);
}

static void test_openmetrics(void **state)
{
	struct writing writing;

	put_one_of_each(begin(&writing, METRICS_OPENMETRICS));
	expect(&writing, "# HELP x_build Build.\n"
			 "# TYPE x_build info\n"
			 "x_build_info{a=\"1\",b=\"\"} 1\n"
			 "# HELP x_events Events.\n"
			 "# TYPE x_events counter\n"
			 "x_events_total 0\n"
			 "x_events_total{a=\"1\",b=\"\"} 18446744073709551615\n"
			 "# HELP x_age_seconds Age.\n"
			 "# TYPE x_age_seconds gauge\n"
			 "# UNIT x_age_seconds seconds\n"
			 "x_age_seconds 1.000000001\n"
			 "# EOF\n");
}

static void test_prometheus(void **state)
{
	struct writing writing;

	put_one_of_each(begin(&writing, METRICS_PROMETHEUS));
	expect(&writing, "# HELP x_build_info Build.\n"
			 "# TYPE x_build_info gauge\n"
			 "x_build_info{a=\"1\",b=\"\"} 1\n"
			 "# HELP x_events_total Events.\n"
			 "# TYPE x_events_total counter\n"
			 "x_events_total 0\n"
			 "x_events_total{a=\"1\",b=\"\"} 18446744073709551615\n"
			 "# HELP x_age_seconds Age.\n"
			 "# TYPE x_age_seconds gauge\n"
			 "x_age_seconds 1.000000001\n");
}

static void expect_label(const char *value, const char *expected)
{
	const struct metric_label labels[] = { { "l", value }, { NULL, NULL } };
	struct writing writing;
	char line[256];

	begin(&writing, METRICS_OPENMETRICS);
	writing.text.family = &counter;
	metrics_text__value(&writing.text, labels, 5);
	snprintf(line, sizeof(line), "x_events_total{l=\"%s\"} 5\n", expected);
	expect(&writing, line);
}

static void test_labels(void **state)
{
	expect_label("plain text, {with} = signs", "plain text, {with} = signs");
	expect_label("\"", "\\\"");
	expect_label("\\", "\\\\");
	expect_label("\n", "\\n");
	expect_label("\\n\"\n", "\\\\n\\\"\\n");
	expect_label("\t\r\x01\x7f\xc2\x9b", "\\\\x09\\\\x0d\\\\x01\\\\x7f\\\\xc2\\\\x9b");
	expect_label("Gr\xc3\xbc\xc3\x9f"
		     "e \xe2\x82\xac \xf0\x9f\x98\x80",
		     "Gr\xc3\xbc\xc3\x9f"
		     "e \xe2\x82\xac \xf0\x9f\x98\x80");
	/* No server takes what is not UTF-8: cut off, too long, a surrogate, beyond the end */
	expect_label("a\xff", "a\\\\xff");
	expect_label("\xe2\x82", "\\\\xe2\\\\x82");
	expect_label("\xc0\xaf", "\\\\xc0\\\\xaf");
	expect_label("\xed\xa0\x80", "\\\\xed\\\\xa0\\\\x80");
	expect_label("\xf4\x90\x80\x80", "\\\\xf4\\\\x90\\\\x80\\\\x80");
}

static void expect_help(enum metrics_format format, const char *help, const char *expected)
{
	const struct metric_family family = { "x", METRIC_GAUGE, NULL, help };
	struct writing writing;
	char lines[256];

	metrics_text__family(begin(&writing, format), &family);
	snprintf(lines, sizeof(lines), "# HELP x %s\n# TYPE x gauge\n", expected);
	expect(&writing, lines);
}

static void test_help(void **state)
{
	expect_help(METRICS_OPENMETRICS, "a \"b\" \\ c\nd", "a \\\"b\\\" \\\\ c\\nd");
	expect_help(METRICS_PROMETHEUS, "a \"b\" \\ c\nd", "a \"b\" \\\\ c\\nd");
}

static void expect_seconds(int64_t ns, const char *expected)
{
	struct writing writing;
	char line[64];

	begin(&writing, METRICS_PROMETHEUS);
	writing.text.family = &gauge;
	metrics_text__seconds(&writing.text, NULL, ns);
	snprintf(line, sizeof(line), "x_age_seconds %s\n", expected);
	expect(&writing, line);
}

static void test_seconds(void **state)
{
	expect_seconds(0, "0.000000000");
	expect_seconds(1, "0.000000001");
	expect_seconds(-1, "-0.000000001");
	expect_seconds(1796124467707636543, "1796124467.707636543");
	expect_seconds(INT64_MAX, "9223372036.854775807");
	expect_seconds(INT64_MIN, "-9223372036.854775808");
}

static void test_accept(void **state)
{
	static const char *const openmetrics[] = {
		"application/openmetrics-text",
		"application/openmetrics-text; version=1.0.0",
		"application/openmetrics-text;version=1.0.0;q=0.8, text/plain;version=0.0.4;q=0.7",
		"APPLICATION/OPENMETRICS-TEXT",
		" text/plain;q=0.001 ,application/openmetrics-text;q=0.002",
		/* Prometheus 2.42 */
		"application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
		"version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		/* Prometheus 3 */
		"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
		"application/openmetrics-text;version=0.0.1;q=0.5,"
		"text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
		"text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
	};
	static const char *const prometheus[] = {
		NULL,
		"",
		"*/*",
		"text/plain",
		"text/*",
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
		"application/openmetrics-text;version=0.0.1",
		"application/openmetrics-text;version=2.0.0,text/plain;q=0.1",
		"application/openmetrics-text;q=0.5,text/plain;version=0.0.4",
		"application/openmetrics-text;q=0",
		"application/openmetrics-text2",
		"application/openmetrics-tex",
		",,;;q=,=,;q=1;version=",
		"application/json",
	};

	for (size_t i = 0; i < sizeof(openmetrics) / sizeof(openmetrics[0]); i++)
		assert_int_equal(accepted_format(openmetrics[i]), METRICS_OPENMETRICS);
	for (size_t i = 0; i < sizeof(prometheus) / sizeof(prometheus[0]); i++)
		assert_int_equal(accepted_format(prometheus[i]), METRICS_PROMETHEUS);
}

/* The page of a tree with a sound event and one that cannot be read. */
static void test_page(void **state)
{
	struct event_metrics events[] = {
		{ .name = "bad\xff", .error = -EBADMSG },
		{
			.name = "good",
			.has_counters = true,
			.meta = { .system = "sys",
				  .tracepoint = "tp",
				  .event_id = 7,
				  .attach_wall_ns = 5000000000 },
			.sum = { .seen = 10, .recorded = 7, .lost_nested = 1, .lost_too_big = 2 },
			.head = { .size_bytes = 4096, .written_bytes = 100 },
			.last_time_ns = 1,
			.last_wall_ns = 6500000000,
		},
	};
	const struct tree_metrics tree = { .events = events, .nr_events = 2, .duration_ns = 1 };
	static const char *const lines[] = {
		"\npersist_up 1\n",
		"\npersist_event_up{event=\"bad\\\\xff\"} 0\n",
		"\npersist_event_up{event=\"good\"} 1\n",
		"\npersist_event_seen_total{event=\"good\"} 10\n",
		"\npersist_event_recorded_total{event=\"good\"} 7\n",
		"\npersist_event_lost_total{event=\"good\",reason=\"nested\"} 1\n",
		"\npersist_event_lost_total{event=\"good\",reason=\"too_big\"} 2\n",
		"\npersist_event_lost_total{event=\"good\",reason=\"ring_full\"} 0\n",
		"\npersist_event_ring_size_bytes{event=\"good\",ring=\"head\"} 4096\n",
		"\npersist_event_ring_written_bytes_total{event=\"good\",ring=\"head\"} 100\n",
		"\npersist_event_last_record_timestamp_seconds{event=\"good\"} 6.500000000\n",
		"\npersist_event_attached_timestamp_seconds{event=\"good\"} 5.000000000\n",
		"\npersist_event_info{event=\"good\",system=\"sys\",tracepoint=\"tp\",id=\"7\","
		"keep=\"both\"} 1\n",
	};
	static const char *const absent[] = {
		"seen_total{event=\"bad", /* of which nothing is known */
		"ring=\"tail\"",	  /* which it does not have */
		"persist_event_missed_total{",
		"persist_event_locked_bytes{",
	};
	char *page;
	size_t size;
	FILE *out = open_memstream(&page, &size);

	metrics_page__write(out, METRICS_OPENMETRICS, &tree);
	fclose(out);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strstr(page, lines[i]))
			fail_msg("%s is missing in\n%s", lines[i], page);
	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
		if (strstr(page, absent[i]))
			fail_msg("%s is in\n%s", absent[i], page);
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_openmetrics), cmocka_unit_test(test_prometheus),
		cmocka_unit_test(test_labels),	    cmocka_unit_test(test_help),
		cmocka_unit_test(test_seconds),	    cmocka_unit_test(test_accept),
		cmocka_unit_test(test_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
