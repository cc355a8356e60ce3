// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/*
 * find EVENT [FIELD]...: prints what an event has recorded, as ftrace would, or only these fields.
 * EVENT is a name in the default tree, or the path of a directory in any tree.
 *
 *	cc find.c -o find $(pkg-config --cflags --libs persist-bpf)
 *	./find sched_process_exec filename pid
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <persist_bpf.h>

static void print_message(void *ctx, enum persist_log_level level, const char *message)
{
	fprintf((FILE *)ctx, "find: %s%s\n", level == PERSIST_LOG_ERROR ? "error: " : "", message);
}

static void print_field(const struct persist_event *event, const struct persist_record *record,
			const char *name)
{
	const struct persist_field *field = persist_event__find_field(event, name);
	const char *string;
	size_t length;
	uint64_t number;
	int64_t signed_number;

	if (!field)
		printf(" %s: %s", name, strerror(errno));
	else if (!persist_field__get_string(field, record, &string, &length))
		printf(" %s=\"%.*s\"", name, (int)length, string);
	else if (!persist_field__get_s64(field, record, &signed_number))
		printf(" %s=%" PRId64, name, signed_number);
	else if (!persist_field__get_u64(field, record, &number))
		printf(" %s=%" PRIu64, name, number);
	else
		printf(" %s is an array of type %s", name, persist_field__type_text(field));
}

static void print_item(const struct persist_item *item, char **fields)
{
	const struct persist_record *record = item->record;
	static char text[65536];

	if (!record) {
		printf("lost %" PRIu64 " on cpu %u: %s\n", item->loss.lost, item->loss.cpu,
		       persist_loss_reason__name(item->loss.reason));
		return;
	}
	printf("%" PRIu64 ".%09" PRIu64 " cpu %u %.*s:", (uint64_t)record->time_ns / 1000000000,
	       (uint64_t)record->time_ns % 1000000000, record->cpu, PERSIST_COMM_SIZE,
	       record->comm);
	if (!*fields && persist_event__print(item->event, record, text, sizeof(text)) >= 0)
		printf(" %s", text);
	for (; *fields; fields++)
		print_field(item->event, record, *fields);
	putchar('\n');
}

int main(int argc, char **argv)
{
	const struct persist_reader_options options = {
		.size = sizeof(options),
		.log_fn = print_message,
		.log_ctx = stderr,
		.log_level = PERSIST_LOG_WARNING,
	};
	struct persist_reader *reader;
	struct persist_item item;
	int ret;

	if (argc < 2) {
		fprintf(stderr, "usage: find EVENT [FIELD]...\n");
		return 2;
	}
	reader = persist_reader__new(&options);
	ret = reader ? persist_reader__add(reader, argv[1]) : -errno;
	while (ret >= 0 && (ret = persist_reader__next(reader, &item)) == 1)
		print_item(&item, argv + 2);
	persist_reader__free(reader);
	return ret ? 1 : 0;
}
