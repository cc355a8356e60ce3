/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of rasdaemon's database, as rasdaemon 0.6.8 makes them (seen with `sqlite3 .schema` in
 * a file that it has made), and which field of an event goes into which column. What its programs
 * show of a column was seen with ras-mc-ctl.
 */
#ifndef RAS_TABLES_H
#define RAS_TABLES_H

#include <stddef.h>

#include <sqlite3.h>

#include "persist_bpf.h"

/* A record on its way into a row. */
struct ras_row {
	sqlite3_stmt *insert;
	const struct persist_event *event;
	const struct persist_record *record;
};

/**
 * struct ras_column - a column, and what is put into it
 * @name:  as rasdaemon has it
 * @type:  as rasdaemon declares it
 * @bind:  binds the value to the parameter @index of the row's statement; returns SQLITE_OK or an
 *         error. What the record does not have is NULL.
 * @field: of the record, for @bind
 */
struct ras_column {
	const char *name;
	const char *type;
	int (*bind)(const struct ras_row *row, int index, const struct ras_column *column);
	const char *field;
};

/**
 * struct ras_table - a table, and the event whose records are its rows
 * @name:       of the table
 * @system:     of the tracepoint
 * @tracepoint: its name
 * @columns:    without the first one, "id INTEGER PRIMARY KEY"
 * @nr_columns: how many
 */
struct ras_table {
	const char *name;
	const char *system;
	const char *tracepoint;
	const struct ras_column *columns;
	size_t nr_columns;
};

#define NR_RAS_TABLES 4
extern const struct ras_table ras_tables[NR_RAS_TABLES];

/* The table of the tracepoint, whatever the event is called; NULL if there is none. */
const struct ras_table *ras_table__of_event(const struct persist_meta *meta);

#endif
