// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many readers of one event at the same time:
 *
 *   many_readers EVENT THREADS PROCESSES RECORDS
 *
 * Each thread and each process has a reader of its own, which follows the event until it has seen
 * this many records, lost ones included. A line for each of them tells what it has seen: how many
 * records, how many lost, and a hash of every record of each CPU, header and payload, in order.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "persist_bpf.h"

#define MAX_CPUS 1024

static const char *event_name;
static uint64_t nr_wanted;

struct seen {
	uint64_t nr_records;
	uint64_t nr_lost;
	uint64_t hashes[MAX_CPUS];
};

static void print_message(void *ctx, enum persist_log_level level, const char *message)
{
	fprintf(stderr, "many_readers: %s\n", message);
}

/* FNV-1a */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3ull;
	return hash;
}

static void take_item(struct seen *seen, const struct persist_item *item)
{
	const struct persist_record *record = item->record;

	if (!record) {
		seen->nr_lost += item->loss.lost;
		return;
	}
	seen->nr_records++;
	seen->hashes[record->cpu % MAX_CPUS] = hash_bytes(
		seen->hashes[record->cpu % MAX_CPUS], record, record->header_size + record->size);
}

static int read_all(struct persist_reader *reader, struct seen *seen)
{
	struct persist_item item;
	int got = persist_reader__add(reader, event_name);

	while (got >= 0 && seen->nr_records + seen->nr_lost < nr_wanted) {
		got = persist_reader__next(reader, &item);
		if (got == 1)
			take_item(seen, &item);
		else if (got == -EAGAIN)
			got = persist_reader__wait(reader, -1);
		else
			break;
	}
	return got < 0 ? got : 0;
}

static void *run_reader(void *unused)
{
	const struct persist_reader_options options = {
		.size = sizeof(options),
		.log_fn = print_message,
		.log_level = PERSIST_LOG_WARNING,
		.follow = 1,
	};
	struct persist_reader *reader = persist_reader__new(&options);
	struct seen *seen = calloc(1, sizeof(*seen));
	int err = reader && seen ? read_all(reader, seen) : -errno;

	if (err)
		printf("failed: %s\n", strerror(-err));
	else
		printf("records %" PRIu64 " lost %" PRIu64 " hash %016" PRIx64 "\n",
		       seen->nr_records, seen->nr_lost,
		       hash_bytes(0, seen->hashes, sizeof(seen->hashes)));
	persist_reader__free(reader);
	free(seen);
	return NULL;
}

int main(int argc, char **argv)
{
	int nr_threads, nr_processes;
	pthread_t threads[64];

	if (argc != 5) {
		fprintf(stderr, "usage: many_readers EVENT THREADS PROCESSES RECORDS\n");
		return 2;
	}
	event_name = argv[1];
	nr_threads = atoi(argv[2]);
	nr_processes = atoi(argv[3]);
	nr_wanted = strtoull(argv[4], NULL, 10);
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	for (int i = 0; i < nr_processes; i++) {
		if (fork())
			continue;
		run_reader(NULL);
		return 0;
	}
	for (int i = 0; i < nr_threads && i < 64; i++)
		if (pthread_create(&threads[i], NULL, run_reader, NULL))
			return 1;
	for (int i = 0; i < nr_threads && i < 64; i++)
		pthread_join(threads[i], NULL);
	while (wait(NULL) > 0)
		;
	return 0;
}
