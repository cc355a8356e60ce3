// SPDX-License-Identifier: GPL-2.0-only
/* The options by which the reader's commands choose what is read. */
#include <stdbool.h>
#include <stddef.h>

#include "cpu_list.h"
#include "log.h"
#include "reader_command.h"
#include "selection.h"
#include "time_spec.h"

/* The forms that time_spec.h describes. */
#define TIME_FORMS                                                                            \
	"(now, -10s, -5m, -2h, -1d, 2026-01-02T03:04:05Z, \"2026-01-02 03:04:05\" for local " \
	"time, or seconds as the output shows)"

static bool parse_time(const char *text, uint64_t *ns)
{
	return !time_spec__parse(text, boottime_now(), wall_clock_offset(), ns);
}

void selection__init(struct persist_reader_options *options)
{
	*options = (struct persist_reader_options){
		.size = sizeof(*options),
		.log_fn = print_log_message,
		.log_level = PERSIST_LOG_WARNING,
	};
}

int selection__parse(struct persist_reader_options *options, int option, const char *argument)
{
	switch (option) {
	case OPT_LAST:
		return take_count("--last", argument, &options->last);
	case OPT_SINCE:
		if (!parse_time(argument, &options->since_ns))
			return usage_error("--since wants a time " TIME_FORMS ", not", argument);
		if (options->since_ns > boottime_now())
			log_warn(&log_to_stderr,
				 "--since %s: in the future; what was recorded until now is older",
				 argument);
		return -1;
	case OPT_UNTIL:
		if (!parse_time(argument, &options->until_ns))
			return usage_error("--until wants a time " TIME_FORMS ", not", argument);
		/* A time before the machine was booted: 0 would be no limit. */
		if (!options->until_ns)
			options->until_ns = 1;
		return -1;
	case OPT_CPU:
		options->cpus = argument;
		return -1;
	case OPT_ROOT:
		options->root = argument;
		return -1;
	default:
		return EXIT_USAGE; /* and a message was printed */
	}
}

int selection__check(const struct persist_reader_options *options)
{
	struct cpu_list cpus;

	if (options->cpus && cpu_list__parse(&cpus, options->cpus))
		return usage_error("--cpu wants a list of CPUs such as 0-3,8, not", options->cpus);
	if (options->until_ns && options->since_ns > options->until_ns)
		return usage_error("--since is after --until", NULL);
	return -1;
}
