// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "export/ras_database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/ras_schema.h"
#include "export/ras_tables.h"
#include "export/ras_values.h"

/* How long others may keep the file locked: ras-mc-ctl while it reads it, for one. */
#define BUSY_MS 30000

#define BOOT_ID_FILE "/proc/sys/kernel/random/boot_id"
#define BOOT_ID_SIZE 37

struct ras_database {
	const struct log *log;
	char *path;
	int lock; /* a descriptor of the file, locked; SQLite's own locks come and go */
	sqlite3 *db;
	sqlite3_stmt *inserts[NR_RAS_TABLES];
	sqlite3_stmt *insert_loss;
	sqlite3_stmt *put_position;
	bool is_in_transaction;
	uint64_t lost, uncommitted_lost;
	char boot_id[BOOT_ID_SIZE];
};

static int error(struct ras_database *database)
{
	return ras_schema__error(database->db, database->path, database->log);
}

static int run(struct ras_database *database, const char *sql)
{
	return sqlite3_exec(database->db, sql, NULL, NULL, NULL) ? error(database) : 0;
}

static int prepare(struct ras_database *database, const char *sql, sqlite3_stmt **statement)
{
	return sqlite3_prepare_v3(database->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL)
		       ? error(database)
		       : 0;
}

/* Carries out a statement that gives no rows, and makes it ready for the next time. */
static int carry_out(struct ras_database *database, sqlite3_stmt *statement)
{
	int err = sqlite3_step(statement) == SQLITE_DONE ? 0 : error(database);

	sqlite3_reset(statement);
	return err;
}

/* ---- transactions ------------------------------------------------------------------------ */

static int begin(struct ras_database *database)
{
	int err;

	if (database->is_in_transaction)
		return 0;
	err = run(database, "BEGIN IMMEDIATE");
	if (err)
		return err;
	database->is_in_transaction = true;
	return 0;
}

static int commit(struct ras_database *database)
{
	int err = run(database, "COMMIT");

	if (err)
		return err;
	database->is_in_transaction = false;
	database->lost += database->uncommitted_lost;
	database->uncommitted_lost = 0;
	return 0;
}

/* ---- opening ----------------------------------------------------------------------------- */

static int prepare_insert(struct ras_database *database, size_t number)
{
	const struct ras_table *table = &ras_tables[number];
	sqlite3_str *text = sqlite3_str_new(database->db);
	char *sql;
	int err;

	sqlite3_str_appendf(text, "INSERT INTO %s (", table->name);
	for (size_t i = 0; i < table->nr_columns; i++)
		sqlite3_str_appendf(text, "%s%s", i ? ", " : "", table->columns[i].name);
	sqlite3_str_appendall(text, ") VALUES (?");
	for (size_t i = 1; i < table->nr_columns; i++)
		sqlite3_str_appendall(text, ", ?");
	sqlite3_str_appendall(text, ")");
	sql = sqlite3_str_finish(text);
	err = sql ? prepare(database, sql, &database->inserts[number]) : -ENOMEM;
	sqlite3_free(sql);
	return err;
}

static int prepare_statements(struct ras_database *database)
{
	int err = prepare(database,
			  "INSERT INTO persist_losses (timestamp, event, cpu, reason, lost, "
			  "from_seq, to_seq) VALUES (?, ?, ?, ?, ?, ?, ?)",
			  &database->insert_loss);

	if (!err)
		err = prepare(database,
			      "INSERT OR REPLACE INTO persist_positions "
			      "(boot_id, instance, event_id, cpu, seq) VALUES (?, ?, ?, ?, ?)",
			      &database->put_position);
	for (size_t i = 0; !err && i < NR_RAS_TABLES; i++)
		err = prepare_insert(database, i);
	return err;
}

/* Events do not outlive the kernel that records them. */
static int forget_other_boots(struct ras_database *database)
{
	sqlite3_stmt *statement;
	int err =
		prepare(database, "DELETE FROM persist_positions WHERE boot_id != ?1", &statement);

	if (err)
		return err;
	sqlite3_bind_text(statement, 1, database->boot_id, -1, SQLITE_STATIC);
	err = carry_out(database, statement);
	sqlite3_finalize(statement);
	return err;
}

static int read_boot_id(struct ras_database *database)
{
	int fd = open(BOOT_ID_FILE, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, database->boot_id, BOOT_ID_SIZE - 1);
	int err = got < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	if (err)
		log_error(database->log, BOOT_ID_FILE ": cannot read it: %s", strerror(-err));
	return err;
}

/* Two exporters would write everything twice. */
static int lock_file(struct ras_database *database)
{
	struct stat st;
	int err;

	/* SQLite would put a journal beside a device. */
	if (!stat(database->path, &st) && !S_ISREG(st.st_mode)) {
		log_error(database->log, "%s: not a regular file; name one for the database",
			  database->path);
		return -EINVAL;
	}
	database->lock = open(database->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (database->lock >= 0 && !flock(database->lock, LOCK_EX | LOCK_NB))
		return 0;
	err = -errno;
	if (err == -EWOULDBLOCK) {
		log_error(database->log, "%s: another reader exports to this file at the moment",
			  database->path);
		return -EBUSY;
	}
	log_error(database->log, "%s: cannot open it: %s", database->path, strerror(-err));
	return err;
}

static int open_file(struct ras_database *database)
{
	int err = lock_file(database);

	if (err)
		return err;
	if (sqlite3_open_v2(database->path, &database->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL)) {
		if (!database->db)
			return -ENOMEM;
		log_error(database->log, "%s: cannot open it: %s", database->path,
			  sqlite3_system_errno(database->db)
				  ? strerror(sqlite3_system_errno(database->db))
				  : sqlite3_errmsg(database->db));
		return -EIO;
	}
	sqlite3_busy_timeout(database->db, BUSY_MS);
	err = run(database, "BEGIN IMMEDIATE");
	if (err)
		return err;
	database->is_in_transaction = true;
	err = ras_schema__prepare(database->db, database->path, database->log);
	if (!err)
		err = prepare_statements(database);
	if (!err)
		err = forget_other_boots(database);
	return err ? err : commit(database);
}

int ras_database__open(const char *path, const struct log *log, struct ras_database **result)
{
	struct ras_database *database = calloc(1, sizeof(*database));
	int err;

	*result = NULL;
	if (!database)
		return -ENOMEM;
	database->log = log;
	database->lock = -1;
	/* SQLite takes ":memory:" for something else than a path. */
	if (path[0] == '/')
		database->path = strdup(path);
	else if (asprintf(&database->path, "./%s", path) < 0)
		database->path = NULL;
	err = database->path ? read_boot_id(database) : -ENOMEM;
	if (!err)
		err = open_file(database);
	if (err)
		ras_database__close(database);
	else
		*result = database;
	return err;
}

void ras_database__close(struct ras_database *database)
{
	if (!database)
		return;
	for (size_t i = 0; i < NR_RAS_TABLES; i++)
		sqlite3_finalize(database->inserts[i]);
	sqlite3_finalize(database->insert_loss);
	sqlite3_finalize(database->put_position);
	/* Rolls back what was begun. */
	sqlite3_close(database->db);
	/* Closing it would take SQLite's locks away as well. */
	if (database->lock >= 0)
		close(database->lock);
	free(database->path);
	free(database);
}

/* ---- positions --------------------------------------------------------------------------- */

static int append_position(struct persist_position **positions, int nr, sqlite3_stmt *query)
{
	struct persist_position *more = reallocarray(*positions, (size_t)nr + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	*positions = more;
	more[nr] = (struct persist_position){
		.instance = (uint64_t)sqlite3_column_int64(query, 0),
		.event_id = (uint32_t)sqlite3_column_int64(query, 1),
		.cpu = (uint32_t)sqlite3_column_int64(query, 2),
		.seq = (uint64_t)sqlite3_column_int64(query, 3),
	};
	return nr + 1;
}

int ras_database__positions(struct ras_database *database, struct persist_position **positions)
{
	sqlite3_stmt *query;
	int nr = 0, ret;
	int err = prepare(database, "SELECT instance, event_id, cpu, seq FROM persist_positions",
			  &query);

	*positions = NULL;
	if (err)
		return err;
	while (nr >= 0 && (ret = sqlite3_step(query)) == SQLITE_ROW)
		nr = append_position(positions, nr, query);
	if (nr >= 0 && ret != SQLITE_DONE)
		nr = error(database);
	sqlite3_finalize(query);
	if (nr < 0) {
		free(*positions);
		*positions = NULL;
	}
	return nr;
}

static int put_position(struct ras_database *database, const struct persist_position *position)
{
	sqlite3_stmt *statement = database->put_position;

	sqlite3_bind_text(statement, 1, database->boot_id, -1, SQLITE_STATIC);
	sqlite3_bind_int64(statement, 2, (sqlite3_int64)position->instance);
	sqlite3_bind_int64(statement, 3, position->event_id);
	sqlite3_bind_int64(statement, 4, position->cpu);
	sqlite3_bind_int64(statement, 5, (sqlite3_int64)position->seq);
	return carry_out(database, statement);
}

int ras_database__commit(struct ras_database *database, const struct persist_position *positions,
			 size_t nr)
{
	int err = begin(database);

	for (size_t i = 0; !err && i < nr; i++)
		err = put_position(database, &positions[i]);
	return err ? err : commit(database);
}

/* ---- items ------------------------------------------------------------------------------- */

static int put_record(struct ras_database *database, const struct persist_item *item)
{
	const struct persist_meta *meta = persist_event__meta(item->event);
	const struct ras_table *table = ras_table__of_event(meta);
	struct ras_row row = { .event = item->event, .record = item->record };
	int ret = SQLITE_OK;

	if (!table) {
		log_error(database->log, "%s:%s: rasdaemon has no table for this event",
			  meta->system, meta->tracepoint);
		return -EINVAL;
	}
	row.insert = database->inserts[table - ras_tables];
	for (size_t i = 0; ret == SQLITE_OK && i < table->nr_columns; i++)
		ret = table->columns[i].bind(&row, (int)i + 1, &table->columns[i]);
	if (ret == SQLITE_OK)
		return carry_out(database, row.insert);
	log_error(database->log, "%s: %s", database->path, sqlite3_errstr(ret));
	return ret == SQLITE_NOMEM ? -ENOMEM : -EIO;
}

static int put_loss(struct ras_database *database, const struct persist_item *item)
{
	const struct persist_loss *loss = &item->loss;
	sqlite3_stmt *statement = database->insert_loss;
	char time[RAS_TIME_SIZE];
	int err;

	ras_time__format(loss->before_ns, time);
	sqlite3_bind_text(statement, 1, time, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 2, persist_event__meta(item->event)->name, -1, SQLITE_STATIC);
	sqlite3_bind_int64(statement, 3, loss->cpu);
	sqlite3_bind_text(statement, 4, persist_loss_reason__name(loss->reason), -1, SQLITE_STATIC);
	sqlite3_bind_int64(statement, 5, (sqlite3_int64)loss->lost);
	sqlite3_bind_int64(statement, 6, (sqlite3_int64)loss->from_seq);
	sqlite3_bind_int64(statement, 7, (sqlite3_int64)loss->to_seq);
	err = carry_out(database, statement);
	/* They point to what does not live on. */
	sqlite3_clear_bindings(statement);
	database->uncommitted_lost += err ? 0 : loss->lost;
	return err;
}

int ras_database__put(struct ras_database *database, const struct persist_item *item)
{
	int err = begin(database);

	if (err)
		return err;
	return item->record ? put_record(database, item) : put_loss(database, item);
}

bool ras_database__has_uncommitted(const struct ras_database *database)
{
	return database->is_in_transaction;
}

uint64_t ras_database__lost(const struct ras_database *database)
{
	return database->lost;
}
