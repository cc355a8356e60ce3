// SPDX-License-Identifier: GPL-2.0-only
#include "metrics_text.h"

#include <stdbool.h>
#include <string.h>

#include "time_spec.h"
#include "utf8.h"

const char *metrics_format__content_type(enum metrics_format format)
{
	return format == METRICS_OPENMETRICS
		       ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
		       : "text/plain; version=0.0.4; charset=utf-8";
}

static const char *suffix(const struct metric_family *family)
{
	switch (family->type) {
	case METRIC_COUNTER:
		return "_total";
	case METRIC_INFO:
		return "_info";
	default:
		return "";
	}
}

static const char *type_name(const struct metrics_text *text)
{
	switch (text->family->type) {
	case METRIC_COUNTER:
		return "counter";
	case METRIC_INFO:
		/* Which the older format does not have. */
		return text->format == METRICS_OPENMETRICS ? "info" : "gauge";
	default:
		return "gauge";
	}
}

/* ---- strings ----------------------------------------------------------------------------- */

static void put_escaped(FILE *out, char c)
{
	putc('\\', out);
	putc(c, out);
}

static void put_character(FILE *out, const char *character, size_t length, bool escape_quotes)
{
	if (*character == '\n')
		put_escaped(out, 'n');
	else if (*character == '\\' || (*character == '"' && escape_quotes))
		put_escaped(out, *character);
	else
		fwrite(character, 1, length, out);
}

static void put_string(FILE *out, const char *string, bool escape_quotes)
{
	size_t size = strlen(string), length;

	for (; size; string += length, size -= length) {
		length = utf8__length(string, size);
		if (length && (*string == '\n' || !utf8__is_control(string, length))) {
			put_character(out, string, length, escape_quotes);
			continue;
		}
		length = length ? length : 1;
		/* A backslash is one of the text: it is escaped as all others are. */
		for (size_t i = 0; i < length; i++)
			fprintf(out, "\\\\x%02x", (uint8_t)string[i]);
	}
}

/* ---- families ---------------------------------------------------------------------------- */

void metrics_text__begin(struct metrics_text *text, enum metrics_format format, FILE *out)
{
	text->out = out;
	text->format = format;
	text->family = NULL;
}

static void begin_comment(struct metrics_text *text, const char *keyword)
{
	fprintf(text->out, "# %s %s%s ", keyword, text->family->name,
		text->format == METRICS_OPENMETRICS ? "" : suffix(text->family));
}

void metrics_text__family(struct metrics_text *text, const struct metric_family *family)
{
	text->family = family;
	begin_comment(text, "HELP");
	/* The older format leaves quotes alone here. */
	put_string(text->out, family->help, text->format == METRICS_OPENMETRICS);
	putc('\n', text->out);
	begin_comment(text, "TYPE");
	fprintf(text->out, "%s\n", type_name(text));
	if (!family->unit || text->format != METRICS_OPENMETRICS)
		return;
	begin_comment(text, "UNIT");
	fprintf(text->out, "%s\n", family->unit);
}

/* ---- samples ----------------------------------------------------------------------------- */

static void begin_sample(struct metrics_text *text, const struct metric_label *labels)
{
	char separator = '{';

	fprintf(text->out, "%s%s", text->family->name, suffix(text->family));
	for (; labels && labels->name; labels++) {
		fprintf(text->out, "%c%s=\"", separator, labels->name);
		put_string(text->out, labels->value, true);
		putc('"', text->out);
		separator = ',';
	}
	fputs(separator == ',' ? "} " : " ", text->out);
}

void metrics_text__value(struct metrics_text *text, const struct metric_label *labels,
			 uint64_t value)
{
	begin_sample(text, labels);
	fprintf(text->out, "%llu\n", (unsigned long long)value);
}

void metrics_text__seconds(struct metrics_text *text, const struct metric_label *labels, int64_t ns)
{
	uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	begin_sample(text, labels);
	fprintf(text->out, "%s%llu.%09llu\n", ns < 0 ? "-" : "",
		(unsigned long long)(size / NSEC_PER_SEC),
		(unsigned long long)(size % NSEC_PER_SEC));
}

void metrics_text__end(struct metrics_text *text)
{
	if (text->format == METRICS_OPENMETRICS)
		fputs("# EOF\n", text->out);
}
