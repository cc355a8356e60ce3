// SPDX-License-Identifier: GPL-2.0-only
#include "list_output.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command_line.h"
#include "event_spec.h"
#include "imported.h"
#include "json_output.h"
#include "line_writer.h"
#include "log.h"
#include "persist_bpf.h"
#include "time_spec.h"

/* Of columns that are as wide as what is in them. */
struct widths {
	int name;
	int source;
};

static void widen(int *width, size_t len)
{
	if ((int)len > *width)
		*width = (int)len;
}

static struct widths measure(const struct persist_event_info *infos, int nr)
{
	struct widths widths = { sizeof("NAME") - 1, sizeof("EVENT") - 1 };

	for (int i = 0; i < nr; i++) {
		const struct persist_meta *meta = &infos[i].meta;

		widen(&widths.name, strlen(meta->name));
		widen(&widths.source, strlen(meta->system) + 1 + strlen(meta->tracepoint));
	}
	return widths;
}

static const struct log messages = { print_log_message, NULL, PERSIST_LOG_WARNING };

/* Empty if nothing was, or the event cannot be read. What is wrong is logged. */
static void open_imported(struct imported *imported, const char *root,
			  const struct persist_event_info *info)
{
	char directory[PATH_MAX];

	*imported = (struct imported){ 0 };
	if (!info->error &&
	    snprintf(directory, sizeof(directory), "%s/%s", root ? root : PERSIST_DEFAULT_ROOT,
		     info->meta.name) < (int)sizeof(directory))
		imported__open(imported, &messages, directory, -1, &info->meta);
}

static void print_info(const struct persist_event_info *info, const char *root,
		       const struct widths *widths)
{
	const struct persist_meta *meta = &info->meta;
	char since[LOCAL_TIME_SIZE], source[2 * PERSIST_NAME_SIZE + 2], name[LOG_ESCAPED_SIZE];
	struct imported imported;

	if (info->error) {
		/* The name is that of a directory, which anybody has made. */
		printf("%-*s cannot be read: %s\n", widths->name, log_escape(meta->name, name),
		       strerror(-info->error));
		return;
	}
	local_time__format((int64_t)meta->attach_wall_ns, since);
	snprintf(source, sizeof(source), "%s:%s", meta->system, meta->tracepoint);
	printf("%-*s %6u %-*s %-6s %10llu %12llu %12llu %10llu  %s", widths->name, meta->name,
	       meta->event_id, widths->source, source, event_spec__keep_name(meta->keep),
	       (unsigned long long)(meta->nr_cpus * (meta->head_bytes + meta->tail_bytes)),
	       (unsigned long long)info->seen, (unsigned long long)info->recorded,
	       (unsigned long long)info->lost, since);
	open_imported(&imported, root, info);
	if (imported.header)
		printf(" (%llu imported)", (unsigned long long)imported.header->records);
	imported__close(&imported);
	printf("\n");
}

static int print_table(const struct persist_event_info *infos, int nr, const char *root)
{
	struct widths widths = measure(infos, nr);

	printf("%-*s %6s %-*s %-6s %10s %12s %12s %10s  %s\n", widths.name, "NAME", "ID",
	       widths.source, "EVENT", "KEEP", "BYTES", "SEEN", "RECORDED", "LOST", "SINCE");
	for (int i = 0; i < nr; i++)
		print_info(&infos[i], root, &widths);
	return end_output();
}

static int put_lines(const struct persist_event_info *infos, int nr, const char *root,
		     struct line_writer *writer)
{
	struct imported imported;
	struct json_output *json = json_output__new(writer);
	int err = json ? 0 : -ENOMEM;

	for (int i = 0; i < nr && !err; i++) {
		open_imported(&imported, root, &infos[i]);
		err = json_output__put_info(json, &infos[i], imported.header);
		imported__close(&imported);
		if (!err)
			err = line_writer__end_line(writer, 0, 0);
	}
	if (!err)
		err = line_writer__flush(writer);
	json_output__free(json);
	return err;
}

static int print_json(const struct persist_event_info *infos, int nr, const char *root)
{
	struct line_writer writer;
	int err = line_writer__init(&writer, STDOUT_FILENO, NULL);

	if (!err)
		err = put_lines(infos, nr, root, &writer);
	line_writer__destroy(&writer);
	if (err && err != -EPIPE)
		log_error(&messages, "standard output: %s", strerror(-err));
	return err;
}

int list_output__print(const char *root, bool json)
{
	struct persist_event_info *infos;
	int nr, err;

	nr = persist_list_events(root, print_log_message, NULL, &infos);
	if (nr < 0)
		return nr;
	err = json ? print_json(infos, nr, root) : print_table(infos, nr, root);
	for (int i = 0; i < nr && !err; i++)
		err = infos[i].error;
	free(infos);
	return err;
}
