// SPDX-License-Identifier: GPL-2.0-only
#include "accepted_format.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Weights are numbers from 0 to 1 with at most three digits behind the point: in thousandths. */
#define FULL_WEIGHT 1000

/* A part of the header, without the blanks around it. */
struct part {
	const char *start;
	size_t len;
};

/* Takes off what comes before @separator. False at the end. */
static bool next_part(const char **rest, char separator, const char *end, struct part *part)
{
	const char *start = *rest, *stop;

	if (start >= end)
		return false;
	stop = memchr(start, separator, (size_t)(end - start));
	if (!stop)
		stop = end;
	*rest = stop + 1;
	while (start < stop && (*start == ' ' || *start == '\t'))
		start++;
	while (start < stop && (stop[-1] == ' ' || stop[-1] == '\t'))
		stop--;
	part->start = start;
	part->len = (size_t)(stop - start);
	return true;
}

static bool part_is(const struct part *part, const char *text)
{
	return part->len == strlen(text) && !strncasecmp(part->start, text, part->len);
}

/* "q=0.5"; what is none counts as no weight at all, -1. */
static int weight_of(const struct part *part)
{
	int weight = 0, unit = FULL_WEIGHT;

	if (part->len < 3 || strncasecmp(part->start, "q=", 2))
		return -1;
	for (size_t i = 2; i < part->len; i++) {
		char c = part->start[i];

		if (c == '.' && i == 3)
			continue;
		if (c < '0' || c > '9' || unit == 0)
			return -1;
		weight += (c - '0') * unit;
		unit /= 10;
	}
	return weight > FULL_WEIGHT ? -1 : weight;
}

/* One media range with its parameters. */
struct range {
	struct part type;
	struct part version; /* an empty one is any */
	int weight;
};

static struct range parse_range(const struct part *part)
{
	struct range range = { .weight = FULL_WEIGHT, .version = { "", 0 } };
	const char *rest = part->start, *end = part->start + part->len;
	struct part parameter;

	if (!next_part(&rest, ';', end, &range.type))
		range.type = *part;
	while (next_part(&rest, ';', end, &parameter)) {
		int weight = weight_of(&parameter);

		if (weight >= 0)
			range.weight = weight;
		else if (parameter.len > 8 && !strncasecmp(parameter.start, "version=", 8))
			range.version = (struct part){ parameter.start + 8, parameter.len - 8 };
	}
	return range;
}

static bool has_version(const struct range *range, const char *version)
{
	return !range->version.len || part_is(&range->version, version);
}

enum metrics_format accepted_format(const char *accept)
{
	int openmetrics = 0, prometheus = 0;
	const char *end;
	struct part part;

	if (!accept)
		return METRICS_PROMETHEUS;
	end = accept + strlen(accept);
	while (next_part(&accept, ',', end, &part)) {
		struct range range = parse_range(&part);

		if (part_is(&range.type, "application/openmetrics-text") &&
		    has_version(&range, "1.0.0") && range.weight > openmetrics)
			openmetrics = range.weight;
		if (((part_is(&range.type, "text/plain") && has_version(&range, "0.0.4")) ||
		     part_is(&range.type, "text/*") || part_is(&range.type, "*/*")) &&
		    range.weight > prometheus)
			prometheus = range.weight;
	}
	return openmetrics > prometheus ? METRICS_OPENMETRICS : METRICS_PROMETHEUS;
}
