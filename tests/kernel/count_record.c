// SPDX-License-Identifier: GPL-2.0-only
/*
 * Has records of ours counted and recorded by an event that is in the default tree.
 *
 *	count_record EVENT < RECORDS
 *
 * A line of RECORDS is one record, as FIELD=VALUE with blanks between: numbers, strings for fields
 * that are strings, and bytes in hexadecimal for others. What is not named is 0 or empty.
 *
 * There is no hardware here that would make the kernel report such an error. So the event's program
 * is loaded once more, specialised for the same event, with the same maps, but of a type that can
 * be run on a context from user space, BPF_PROG_TYPE_RAW_TRACEPOINT. That takes up to 96 bytes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "event_constant_values.h"
#include "event_plan.h"
#include "log.h"
#include "persist_bpf.h"
#include "pin_manager.h"

/* Needs the types of the maps. */
#include "count_record.skel.h"

/* MAX_BPF_FUNC_ARGS words, see kernel/bpf/test_run.c */
#define RECORD_MAX 96

static void print(void *ctx, enum persist_log_level level, const char *message)
{
	(void)ctx;
	(void)level;
	fprintf(stderr, "count_record: %s\n", message);
}

static const struct log log_to_stderr = { print, NULL, PERSIST_LOG_WARNING };

/* ---- records ----------------------------------------------------------------------------- */

struct record {
	uint8_t bytes[RECORD_MAX] __attribute__((aligned(8)));
	uint32_t size;
};

static void append(struct record *record, const struct event_format_field *field, const void *data,
		   uint32_t len)
{
	uint32_t loc = len << 16 | record->size;

	if (record->size + len > RECORD_MAX)
		error(1, 0, "%s: the record would have more than %d bytes", field->name,
		      RECORD_MAX);
	memcpy(record->bytes + field->offset, &loc, sizeof(loc));
	memcpy(record->bytes + record->size, data, len);
	record->size += len;
}

static void set_number(struct record *record, const struct event_format_field *field,
		       const char *text)
{
	uint64_t value = strtoull(text, NULL, 0);

	/* The low bytes, on either kind of machine. */
	for (unsigned int i = 0; i < field->size; i++) {
		unsigned int at = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i
									    : field->size - 1 - i;

		record->bytes[field->offset + at] = value >> (8 * i);
	}
}

static void set_bytes(struct record *record, const struct event_format_field *field,
		      const char *text)
{
	unsigned int byte;

	for (unsigned int i = 0; i < field->size && sscanf(text + 2 * i, "%2x", &byte) == 1; i++)
		record->bytes[field->offset + i] = byte;
}

static void set_field(struct record *record, const struct event_format *format, char *term)
{
	char *value = strchr(term, '=');
	const struct event_format_field *field;

	if (!value)
		error(1, 0, "%s: FIELD=VALUE is wanted", term);
	*value++ = '\0';
	field = event_format__find_field(format, term);
	if (!field)
		error(1, 0, "%s: no such field", term);
	if (field->location == FIELD_DATA_LOC)
		append(record, field, value, strlen(value) + 1);
	else if (field->is_array)
		set_bytes(record, field, value);
	else
		set_number(record, field, value);
}

/* Strings that are not named are empty, as the kernel has them. */
static void fill_strings(struct record *record, const struct event_format *format)
{
	uint32_t loc;

	for (size_t i = 0; i < event_format__nr_fields(format); i++) {
		const struct event_format_field *field = event_format__field(format, i);

		memcpy(&loc, record->bytes + field->offset, sizeof(loc));
		if (field->location == FIELD_DATA_LOC && !loc)
			append(record, field, "", field->is_string);
	}
}

/* ---- the program ------------------------------------------------------------------------- */

static int open_pin(const struct pin_tree *tree, const char *event, const char *pin)
{
	char path[PATH_MAX];

	pin_tree__path(tree, path, "%s/%s", event, pin);
	return bpf_obj_get(path);
}

/* The maps of the event in the tree in the places of those that would be made. */
static void use_maps(struct bpf_object *object, const struct pin_tree *tree, const char *event)
{
	static const char *const maps[][2] = {
		{ "counters", PIN_COUNTERS }, { ".data.control", PIN_CONTROL },
		{ "heads", PIN_HEADS },	      { "tails", PIN_TAILS },
		{ "wakeup", PIN_WAKEUP },     { "totals", PIN_TOTALS },
		{ "pages", PIN_PAGES },	      { "sums", PIN_SUMS },
	};

	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(object, maps[i][0]);
		int fd = open_pin(tree, event, maps[i][1]);

		if (fd < 0)
			bpf_map__set_autocreate(map, false);
		else if (bpf_map__reuse_fd(map, fd))
			error(1, errno, "%s", maps[i][1]);
	}
}

static int load(const struct event_plan *plan, const struct kernel_types *types,
		const struct pin_tree *tree)
{
	struct event_program program = { .capture = plan->capture,
					 .payload_max = plan->payload_max };
	struct event_constants constants;
	char btf_path[PATH_MAX];
	int btf = event_program__describe(&program, types, &plan->request, &constants, btf_path);
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path);
	struct count_record_bpf *skeleton;

	if (btf < 0)
		error(1, -btf, "cannot describe the event");
	skeleton = count_record_bpf__open_opts(&opts);
	if (!skeleton)
		error(1, errno, "cannot open the program");
	use_maps(skeleton->obj, tree, plan->spec.name);
	bpf_program__set_autoload(skeleton->progs.percpu_event, false);
	bpf_program__set_autoload(skeleton->progs.plain_event, false);
	bpf_program__set_autoload(skeleton->progs.counted_event, false);
	if (count_record_bpf__load(skeleton))
		error(1, errno, "cannot load the program");
	/* The skeleton lives as long as the process does. */
	return bpf_program__fd(skeleton->progs.count_record);
}

static void run(int program, struct record *record)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = record->bytes, .ctx_size_in = RECORD_MAX);

	if (bpf_prog_test_run_opts(program, &opts))
		error(1, errno, "cannot run the program");
}

/* An event as it is in the tree: its name is the tracepoint's. */
static void make_plan(const char *event, const struct kernel_types *types, struct event_plan *plan)
{
	struct persist_event_info *infos;
	int nr = persist_list_events(NULL, print, NULL, &infos);
	struct event_spec spec;
	char text[320];

	for (int i = 0; i < nr; i++) {
		const struct persist_meta *meta = &infos[i].meta;

		if (strcmp(meta->name, event))
			continue;
		snprintf(text, sizeof(text), "%s:%s/name=%s/", meta->system, meta->tracepoint,
			 event);
		if (event_spec__parse(&log_to_stderr, text, &spec) ||
		    event_plan__make(plan, &log_to_stderr, types, &spec, meta->nr_cpus))
			break;
		free(infos);
		return;
	}
	error(1, 0, "%s: cannot be found in the tree", event);
}

int main(int argc, char **argv)
{
	struct kernel_types types;
	struct event_plan plan;
	struct pin_tree tree;
	char line[1024];
	int program;

	if (argc != 2)
		error(2, 0, "usage: count_record EVENT < RECORDS");
	kernel_types__load(&types);
	pin_tree__init(&tree, &log_to_stderr, NULL);
	make_plan(argv[1], &types, &plan);
	program = load(&plan, &types, &tree);
	while (fgets(line, sizeof(line), stdin)) {
		struct record record = { .size = event_format__fixed_size(plan.format) };

		for (char *term = strtok(line, " \n"); term; term = strtok(NULL, " \n"))
			set_field(&record, plan.format, term);
		fill_strings(&record, plan.format);
		run(program, &record);
	}
	event_plan__free(&plan);
	kernel_types__free(&types);
	return 0;
}
