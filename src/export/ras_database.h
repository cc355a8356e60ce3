/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An SQLite file in rasdaemon's layout, new or made by rasdaemon, with tables of our own beside:
 *
 *	persist_export     the version of these tables
 *	persist_positions  how far each event was exported on each CPU
 *	persist_losses     events that were lost before they could be exported
 *
 * Rows and positions are written in one transaction, so that each record is there exactly once
 * however the exporter ends. What another program has open it can go on reading: between
 *transactions nothing is locked.
 */
#ifndef RAS_DATABASE_H
#define RAS_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "log.h"
#include "persist_bpf.h"

struct ras_database;

/*
 * Opens @path, makes it if it is not there, and brings its tables into order. A file that is not
 * such a database is refused and left as it is; so is one that another exporter has open. @log must
 * outlive the database. All functions that return int return 0, or -errno after a message.
 */
int ras_database__open(const char *path, const struct log *log, struct ras_database **database);

/* Takes back what was not committed. */
void ras_database__close(struct ras_database *database);

/* The positions of this boot's events; as persist_reader__positions(). */
int ras_database__positions(struct ras_database *database, struct persist_position **positions);

/* One item. -EINVAL: there is no table for it. */
int ras_database__put(struct ras_database *database, const struct persist_item *item);

/* Stores the positions, and makes all that was put since the last call visible. */
int ras_database__commit(struct ras_database *database, const struct persist_position *positions,
			 size_t nr);

/* Whether something was put since. */
bool ras_database__has_uncommitted(const struct ras_database *database);

/* Events that were lost, of all that was committed since it was opened. */
uint64_t ras_database__lost(const struct ras_database *database);

#endif
