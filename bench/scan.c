// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads all records of an event through the library and does nothing with them: what a reader can
 * reach at most. Prints how many records there were, and nanoseconds of CPU time for each, once
 * for each repetition.
 */
#include <error.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "persist_bpf.h"

static void print_message(void *ctx, enum persist_log_level level, const char *message)
{
	fprintf(stderr, "%s\n", message);
}

static uint64_t cpu_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void scan(const char *target)
{
	const struct persist_reader_options options = {
		.size = sizeof(options),
		.log_fn = print_message,
	};
	struct persist_reader *reader = persist_reader__new(&options);
	struct persist_item item;
	uint64_t records = 0, before;
	int err;

	if (!reader)
		error(1, errno, "reader");
	err = persist_reader__add(reader, target);
	if (err)
		error(1, -err, "%s", target);
	before = cpu_time();
	while ((err = persist_reader__next(reader, &item)) == 1)
		records += item.record != NULL;
	if (err)
		error(1, -err, "%s", target);
	printf("%llu %.2f\n", (unsigned long long)records,
	       records ? (double)(cpu_time() - before) / (double)records : 0);
	persist_reader__free(reader);
}

int main(int argc, char **argv)
{
	unsigned long repeat = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;

	if (!repeat) {
		fprintf(stderr, "usage: scan PIN-PATH REPETITIONS\n");
		return 2;
	}
	while (repeat--)
		scan(argv[1]);
	return 0;
}
