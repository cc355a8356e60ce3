/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes metrics as text, in one of two formats that differ more than they seem to:
 *
 * OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/): the name of a family is
 * without "_total" and "_info", a unit is declared, and "# EOF" ends it, so that what was cut off
 * is noticed.
 *
 * Prometheus text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/): the
 * name is that of the samples, there are neither units nor infos, and no end. It is what the node
 * exporter's textfile collector and promtool read.
 */
#ifndef METRICS_TEXT_H
#define METRICS_TEXT_H

#include <stdint.h>
#include <stdio.h>

enum metrics_format {
	METRICS_OPENMETRICS,
	METRICS_PROMETHEUS,
};

/* What HTTP calls it. */
const char *metrics_format__content_type(enum metrics_format format);

enum metric_type {
	METRIC_GAUGE,
	METRIC_COUNTER, /* samples are NAME_total */
	METRIC_INFO,	/* samples are NAME_info, of the value 1 */
};

/**
 * struct metric_family - what its samples have in common
 * @name: without "_total" and "_info"; ends with _UNIT if there is one
 * @unit: "seconds", "bytes", or NULL
 * @help: one sentence; the end of a line, quotes and backslashes in it are escaped
 */
struct metric_family {
	const char *name;
	enum metric_type type;
	const char *unit;
	const char *help;
};

/* Any bytes may be in @value: what is not UTF-8 is shown as \xNN, and what has to be is escaped. */
struct metric_label {
	const char *name; /* NULL ends a list of them */
	const char *value;
};

struct metrics_text {
	FILE *out;
	enum metrics_format format;
	const struct metric_family *family; /* of the samples that come */
};

/* Puts the text into @out, whose error indicator tells whether that failed. */
void metrics_text__begin(struct metrics_text *text, enum metrics_format format, FILE *out);

/* Begins a family, which must live until the next one. All its samples have to follow now. */
void metrics_text__family(struct metrics_text *text, const struct metric_family *family);

/* A sample of the family. @labels: NULL for none. */
void metrics_text__value(struct metrics_text *text, const struct metric_label *labels,
			 uint64_t value);

/* A time or an age: nanoseconds, shown as seconds, all of whose digits are right. */
void metrics_text__seconds(struct metrics_text *text, const struct metric_label *labels,
			   int64_t ns);

void metrics_text__end(struct metrics_text *text);

#endif
