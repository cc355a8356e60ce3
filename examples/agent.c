// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/*
 * Follows every event of a tree, as any user who may open its pins, and prints JSON. Started again,
 * it goes on behind what it had printed; if it was killed, the last lines come twice.
 *	cc agent.c -o agent $(pkg-config --cflags --libs persist-bpf)
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <persist_bpf.h>

static void print_message(void *ctx, enum persist_log_level level, const char *message)
{
	fprintf((FILE *)ctx, "agent: %s%s\n", level == PERSIST_LOG_ERROR ? "error: " : "", message);
}

static void print_item(const struct persist_item *item)
{
	const struct persist_record *record = item->record;
	const struct persist_loss *loss = &item->loss;
	static char fields[65536];

	printf("{\"event\":\"%s\",", persist_event__meta(item->event)->name);
	if (!record) {
		printf("\"cpu\":%u,\"lost\":%" PRIu64 ",\"reason\":\"%s\"}\n", loss->cpu,
		       loss->lost, persist_loss_reason__name(loss->reason));
		return;
	}
	if (persist_event__print_json(item->event, record, fields, sizeof(fields)) < 0)
		strcpy(fields, "{}");
	printf("\"cpu\":%u,\"seq\":%" PRIu64 ",\"time_ns\":%" PRIu64 ",\"pid\":%u,\"fields\":%s}\n",
	       record->cpu, (uint64_t)record->seq, (uint64_t)record->time_ns, record->pid, fields);
}

static int load(struct persist_reader *reader, const char *path)
{
	static struct persist_position positions[65536];
	FILE *file = fopen(path, "r");
	size_t nr;

	if (!file)
		return errno == ENOENT ? 0 : -errno;
	nr = fread(positions, sizeof(*positions), sizeof(positions) / sizeof(*positions), file);
	fclose(file);
	return persist_reader__resume(reader, positions, nr);
}

/* Replaces the file in one step, once everything that was printed is written. */
static int save(const struct persist_reader *reader, const char *path)
{
	struct persist_position *positions;
	int nr = persist_reader__positions(reader, &positions);
	char new_path[4096];
	FILE *file;

	snprintf(new_path, sizeof(new_path), "%s.new", path);
	if (nr < 0 || fflush(stdout) || !(file = fopen(new_path, "w")))
		return -EIO;
	fwrite(positions, sizeof(*positions), (size_t)nr, file);
	free(positions);
	return fclose(file) || rename(new_path, path) ? -errno : 0;
}

int main(int argc, char **argv)
{
	const struct persist_reader_options options = {
		.size = sizeof(options),
		.log_fn = print_message,
		.log_ctx = stderr,
		.log_level = PERSIST_LOG_WARNING,
		.root = argc > 2 ? argv[2] : NULL,
		.follow = 1,
	};
	struct persist_reader *reader;
	struct persist_item item;
	int is_saved = 1, ret;

	if (argc < 2)
		errx(2, "usage: agent CURSOR-FILE [ROOT]");
	reader = persist_reader__new(&options);
	ret = reader ? load(reader, argv[1]) : -errno;
	if (!ret)
		ret = persist_reader__add_all(reader);
	while (ret >= 0) {
		ret = persist_reader__next(reader, &item);
		if (ret == 1)
			print_item(&item);
		if (ret == -EAGAIN) {
			ret = is_saved ? 0 : save(reader, argv[1]);
			persist_reader__wait(reader, -1);
		}
		is_saved = ret == 0;
	}
	persist_reader__free(reader);
	errx(1, "%s", strerror(-ret));
}
