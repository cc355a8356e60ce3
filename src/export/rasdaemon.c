// SPDX-License-Identifier: GPL-2.0-only
/* `reader export --to rasdaemon`: hardware errors into a database of rasdaemon's layout. */
#include <errno.h>
#include <stdlib.h>

#include "export/export_format.h"
#include "export/ras_database.h"
#include "export/ras_tables.h"
#include "log.h"

struct rasdaemon_writer {
	const struct log *log;
	const char *output;
	struct ras_database *database;
	uint64_t told_lost;
};

static bool is_wanted(const struct persist_meta *meta)
{
	return ras_table__of_event(meta);
}

static int open_database(const char *output, const struct log *log, void **result)
{
	struct rasdaemon_writer *writer;
	int err;

	if (!output) {
		log_error(log, "a database is a file: name one");
		return -EINVAL;
	}
	writer = calloc(1, sizeof(*writer));
	if (!writer) {
		log_error(log, "%s: out of memory", output);
		return -ENOMEM;
	}
	writer->log = log;
	writer->output = output;
	err = ras_database__open(output, log, &writer->database);
	if (err) {
		free(writer);
		return err;
	}
	*result = writer;
	return 0;
}

static int get_positions(void *context, struct persist_position **positions)
{
	struct rasdaemon_writer *writer = context;

	return ras_database__positions(writer->database, positions);
}

static int put(void *context, const struct persist_item *item)
{
	struct rasdaemon_writer *writer = context;

	return ras_database__put(writer->database, item);
}

static void tell_losses(struct rasdaemon_writer *writer)
{
	uint64_t lost = ras_database__lost(writer->database);

	if (lost != writer->told_lost)
		log_warn(writer->log,
			 "%s: %llu events were lost before they could be exported; the table "
			 "persist_losses says which",
			 writer->output, (unsigned long long)(lost - writer->told_lost));
	writer->told_lost = lost;
}

static int flush(void *context, const struct persist_reader *reader)
{
	struct rasdaemon_writer *writer = context;
	struct persist_position *positions;
	int nr, err;

	if (!ras_database__has_uncommitted(writer->database))
		return 0;
	nr = persist_reader__positions(reader, &positions);
	if (nr < 0) {
		log_error(writer->log, "%s: out of memory", writer->output);
		return nr;
	}
	err = ras_database__commit(writer->database, positions, (size_t)nr);
	free(positions);
	if (!err)
		tell_losses(writer);
	return err;
}

static int close_database(void *context)
{
	struct rasdaemon_writer *writer = context;

	ras_database__close(writer->database);
	free(writer);
	return 0;
}

const struct export_format rasdaemon_format = {
	.name = "rasdaemon",
	.summary =
		"FILE is an SQLite database as rasdaemon's, for ras-mc-ctl; goes on where it ends",
	.takes_file = true,
	.is_wanted = is_wanted,
	.open = open_database,
	.positions = get_positions,
	.put = put,
	.flush = flush,
	.close = close_database,
};
