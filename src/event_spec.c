// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "event_spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracefs.h"

#define DEFAULT_HEAD_BYTES (64ull << 10)
#define DEFAULT_TAIL_BYTES (256ull << 10)

/*
 * An array ring is one map value, into which the verifier allows offsets below 1 << 29
 * (BPF_MAX_VAR_OFF); a ringbuf could be larger, but nobody should have to know the difference.
 */
#define RING_BYTES_MAX (256ull << 20)

static const char *const keep_names[] = {
	[PERSIST_KEEP_BOTH] = "both",
	[PERSIST_KEEP_OLDEST] = "oldest",
	[PERSIST_KEEP_LATEST] = "latest",
};

static const char *const tail_type_names[] = {
	[PERSIST_TAIL_NONE] = "auto",
	[PERSIST_TAIL_ARRAY] = "array",
	[PERSIST_TAIL_RINGBUF] = "ringbuf",
};

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

const char *event_spec__keep_name(enum persist_keep keep)
{
	return keep < ARRAY_SIZE(keep_names) ? keep_names[keep] : "unknown";
}

const char *event_spec__tail_type_name(enum persist_tail_type type)
{
	if (type == PERSIST_TAIL_NONE)
		return "none";
	return type < ARRAY_SIZE(tail_type_names) ? tail_type_names[type] : "unknown";
}

bool event_spec__name_is_valid(const char *name)
{
	static const char *const taken[] = { "type", "format", "events", "registry", "staging" };

	if (!*name || strlen(name) >= PERSIST_NAME_SIZE)
		return false;
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-')
			return false;
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		if (!strcmp(name, taken[i]))
			return false;
	return true;
}

static int find_name(const char *const *names, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(names[i], name))
			return i;
	return -EINVAL;
}

static int parse_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMG";
	unsigned long long value;
	const char *unit;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno)
		return -EINVAL;
	if (*end) {
		unit = strchr(units, toupper((unsigned char)*end));
		if (!unit || end[1])
			return -EINVAL;
		for (const char *u = units; u <= unit; u++)
			if (__builtin_mul_overflow(value, 1024ull, &value))
				return -EINVAL;
	}
	if (!value || value > RING_BYTES_MAX)
		return -EINVAL;
	*bytes = value;
	return 0;
}

static int parse_count(const char *text, uint32_t *count)
{
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || *end || value > INT32_MAX)
		return -EINVAL;
	*count = value;
	return 0;
}

enum spec_option {
	OPTION_KEEP,
	OPTION_HEAD,
	OPTION_TAIL,
	OPTION_RING,
	OPTION_WAKEUP,
	OPTION_NAME,
};

static const char *const option_names[] = {
	[OPTION_KEEP] = "keep", [OPTION_HEAD] = "head",	    [OPTION_TAIL] = "tail",
	[OPTION_RING] = "ring", [OPTION_WAKEUP] = "wakeup", [OPTION_NAME] = "name",
};

/* Those that were given, a bit each. */
static bool is_given(unsigned int given, enum spec_option option)
{
	return given & 1u << option;
}

static int parse_value(const struct log *log, const char *text, enum spec_option option,
		       const char *value, struct event_spec *spec)
{
	const char *expected = NULL;
	int found = 0;

	switch (option) {
	case OPTION_KEEP:
		expected = "both, oldest or latest";
		found = find_name(keep_names, ARRAY_SIZE(keep_names), value);
		spec->keep = found;
		break;
	case OPTION_RING:
		expected = "auto, array or ringbuf";
		found = find_name(tail_type_names, ARRAY_SIZE(tail_type_names), value);
		spec->ring = found;
		break;
	case OPTION_HEAD:
		expected = "a size such as 64K, of at most 256M";
		found = parse_size(value, &spec->head_bytes);
		break;
	case OPTION_TAIL:
		expected = "a size such as 1M, of at most 256M";
		found = parse_size(value, &spec->tail_bytes);
		break;
	case OPTION_WAKEUP:
		expected = "a number of records, 0 for never";
		found = parse_count(value, &spec->wakeup_events);
		break;
	case OPTION_NAME:
		expected = "letters, digits, '_' and '-', at most 63, and not type, format, "
			   "events, registry or staging";
		if (event_spec__name_is_valid(value))
			strcpy(spec->name, value);
		else
			found = -EINVAL;
		break;
	}
	if (found < 0) {
		log_error(log, "event '%s': %s=%s: expected %s", text, option_names[option], value,
			  expected);
		return -EINVAL;
	}
	return 0;
}

static int parse_option(const struct log *log, const char *text, const char *name,
			const char *value, struct event_spec *spec, unsigned int *given)
{
	int option = find_name(option_names, ARRAY_SIZE(option_names), name);

	if (option < 0) {
		log_error(log,
			  "event '%s': there is no option '%s'; the options are keep, head, "
			  "tail, ring, wakeup and name",
			  text, name);
		return -EINVAL;
	}
	if (is_given(*given, option)) {
		log_error(log, "event '%s': %s= is given twice", text, name);
		return -EINVAL;
	}
	*given |= 1u << option;
	return parse_value(log, text, option, value, spec);
}

/* What would have no effect was meant otherwise. */
static int check_together(const struct log *log, const char *text, const struct event_spec *spec,
			  unsigned int given)
{
	enum spec_option useless;

	if (spec->keep == PERSIST_KEEP_LATEST && is_given(given, OPTION_HEAD))
		useless = OPTION_HEAD;
	else if (spec->keep == PERSIST_KEEP_OLDEST && is_given(given, OPTION_TAIL))
		useless = OPTION_TAIL;
	else if (spec->keep == PERSIST_KEEP_OLDEST && is_given(given, OPTION_RING))
		useless = OPTION_RING; /* it is the tail's */
	else
		return 0;
	log_error(log,
		  "event '%s': keep=%s has no %s, so that %s= says nothing; leave one of the two "
		  "out",
		  text, keep_names[spec->keep], useless == OPTION_HEAD ? "head" : "tail",
		  option_names[useless]);
	return -EINVAL;
}

static int parse_options(const struct log *log, const char *text, char *options,
			 struct event_spec *spec)
{
	char *option, *value;
	unsigned int given = 0;
	int err;

	while ((option = strsep(&options, ","))) {
		value = strchr(option, '=');
		if (!value) {
			log_error(log, "event '%s': '%s' is not of the form option=value", text,
				  option);
			return -EINVAL;
		}
		*value++ = '\0';
		err = parse_option(log, text, option, value, spec, &given);
		if (err)
			return err;
	}
	return check_together(log, text, spec, given);
}

static bool is_tracepoint_pattern(const char *text)
{
	return *text && strlen(text) < PERSIST_NAME_SIZE && text[0] != '.' &&
	       !strpbrk(text, "/:, \t\n");
}

static bool is_pattern(const struct event_spec *spec)
{
	return strpbrk(spec->system, "*?[") || strpbrk(spec->tracepoint, "*?[");
}

int event_spec__parse(const struct log *log, const char *text, struct event_spec *spec)
{
	char buf[1024], *name, *options, *end;
	int err = 0;

	*spec = (struct event_spec){
		.head_bytes = DEFAULT_HEAD_BYTES,
		.tail_bytes = DEFAULT_TAIL_BYTES,
	};
	if (strlen(text) >= sizeof(buf)) {
		log_error(log, "event specification of %zu characters: too long", strlen(text));
		return -EINVAL;
	}
	strcpy(buf, text);
	name = strchr(buf, ':');
	if (!name) {
		log_error(log,
			  "event '%s': expected SYSTEM:NAME, as perf list prints it, such as "
			  "sched:sched_switch",
			  text);
		return -EINVAL;
	}
	*name++ = '\0';
	options = strchr(name, '/');
	if (options) {
		*options++ = '\0';
		end = strchr(options, '/');
		if (!*options) {
			log_error(
				log,
				"event '%s': there are no options behind the '/'; leave it out, or "
				"give some, as in sched:sched_switch/keep=latest/",
				text);
			return -EINVAL;
		}
		if (!end || end[1]) {
			log_error(log,
				  "event '%s': the options have to end with one '/', as in "
				  "sched:sched_switch/keep=latest/",
				  text);
			return -EINVAL;
		}
		*end = '\0';
	}
	if (!is_tracepoint_pattern(buf) || !is_tracepoint_pattern(name)) {
		log_error(log, "event '%s': '%s:%s' is not the name of a tracepoint", text, buf,
			  name);
		return -EINVAL;
	}
	strcpy(spec->system, buf);
	strcpy(spec->tracepoint, name);
	if (options && *options)
		err = parse_options(log, text, options, spec);
	if (!err && *spec->name && is_pattern(spec)) {
		log_error(log,
			  "event '%s': name= cannot be given to a pattern, which may match "
			  "several tracepoints",
			  text);
		err = -EINVAL;
	}
	return err;
}

static int append(struct event_spec_list *list, const struct event_spec *spec)
{
	struct event_spec *larger;

	larger = reallocarray(list->specs, list->nr + 1, sizeof(*list->specs));
	if (!larger)
		return -ENOMEM;
	list->specs = larger;
	list->specs[list->nr++] = *spec;
	return 0;
}

struct match_context {
	struct event_spec_list *list;
	const struct event_spec *spec;
};

static int append_match(const char *system, const char *tracepoint, void *context)
{
	const struct match_context *match = context;
	struct event_spec spec = *match->spec;

	if (strlen(system) >= sizeof(spec.system) || strlen(tracepoint) >= sizeof(spec.tracepoint))
		return -ENAMETOOLONG;
	strcpy(spec.system, system);
	strcpy(spec.tracepoint, tracepoint);
	if (!*spec.name)
		strcpy(spec.name, tracepoint);
	return append(match->list, &spec);
}

int event_spec_list__add(struct event_spec_list *list, const struct log *log, const char *text,
			 bool optional)
{
	struct event_spec spec;
	struct match_context match = { list, &spec };
	int found, err = event_spec__parse(log, text, &spec);

	if (err)
		return err;
	spec.optional = optional;
	if (!is_pattern(&spec)) {
		if (!*spec.name)
			strcpy(spec.name, spec.tracepoint);
		return append(list, &spec);
	}
	found = tracefs__match(spec.system, spec.tracepoint, append_match, &match);
	if (found < 0) {
		log_error(log, "event '%s': cannot read the list of tracepoints: %s", text,
			  tracefs__what_is_wrong() ?: strerror(-found));
		return found;
	}
	if (found)
		return 0;
	if (optional) {
		log_warn(log, "skipped %s:%s: this kernel has no such tracepoint", spec.system,
			 spec.tracepoint);
		return 0;
	}
	log_error(log, "event '%s': no tracepoint of this kernel matches it", text);
	return -ENOENT;
}

void event_spec_list__free(struct event_spec_list *list)
{
	free(list->specs);
	*list = (struct event_spec_list){};
}

static uint64_t round_up_to_ring(uint64_t bytes, uint64_t at_least)
{
	uint64_t ring = sysconf(_SC_PAGESIZE);

	while (ring < bytes || ring < at_least)
		ring *= 2;
	return ring;
}

void event_spec__round_sizes(struct event_spec *spec, size_t payload_max)
{
	spec->head_bytes =
		spec->keep == PERSIST_KEEP_LATEST ? 0 : round_up_to_ring(spec->head_bytes, 0);
	spec->tail_bytes = spec->keep == PERSIST_KEEP_OLDEST
				   ? 0
				   : round_up_to_ring(spec->tail_bytes,
						      sizeof(struct persist_record) + payload_max);
}
