/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of a database in rasdaemon's layout: made, extended or refused. */
#ifndef RAS_SCHEMA_H
#define RAS_SCHEMA_H

#include <sqlite3.h>

#include "log.h"

/* Of the tables whose names begin with persist_. */
#define RAS_SCHEMA_VERSION 1

/*
 * Within a transaction of the caller: makes the tables that are not there and adds columns that are
 * missing, as rasdaemon does itself when its file is of an older version. Columns that we do not
 * know stay empty. Returns 0, or -errno after a message that names @path: -EMEDIUMTYPE (a database
 * of something else, or tables that have nothing but their names in common with rasdaemon's),
 * -ENOTSUP (our own tables are of a newer version), or what SQLite's error stands for.
 */
int ras_schema__prepare(sqlite3 *db, const char *path, const struct log *log);

/* Logs what SQLite says, and returns what comes closest to it. */
int ras_schema__error(sqlite3 *db, const char *path, const struct log *log);

#endif
