// SPDX-License-Identifier: GPL-2.0-only
#include "export/ras_schema.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "export/ras_tables.h"

struct schema {
	sqlite3 *db;
	const char *path;
	const struct log *log;
};

int ras_schema__error(sqlite3 *db, const char *path, const struct log *log)
{
	log_error(log, "%s: %s", path, sqlite3_errmsg(db));
	switch (sqlite3_errcode(db)) {
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_READONLY:
		return -EROFS;
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return -EACCES;
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		return -EBADMSG;
	default:
		return -EIO;
	}
}

static int error(const struct schema *schema)
{
	return ras_schema__error(schema->db, schema->path, schema->log);
}

static int run(const struct schema *schema, sqlite3_str *text)
{
	char *sql = sqlite3_str_finish(text);
	int err = 0;

	if (!sql)
		return -ENOMEM;
	if (sqlite3_exec(schema->db, sql, NULL, NULL, NULL))
		err = error(schema);
	sqlite3_free(sql);
	return err;
}

/* A number that a query gives, of which the first parameter is @text. */
static int ask(const struct schema *schema, const char *sql, const char *text, int64_t *number)
{
	sqlite3_stmt *query;
	int ret = sqlite3_prepare_v2(schema->db, sql, -1, &query, NULL);

	*number = 0;
	if (!ret && text)
		ret = sqlite3_bind_text(query, 1, text, -1, SQLITE_STATIC);
	if (!ret)
		ret = sqlite3_step(query);
	if (ret == SQLITE_ROW)
		*number = sqlite3_column_int64(query, 0);
	ret = ret == SQLITE_ROW || ret == SQLITE_DONE ? 0 : error(schema);
	sqlite3_finalize(query);
	return ret;
}

static int has_table(const struct schema *schema, const char *name, bool *has)
{
	int64_t nr;
	int err = ask(schema, "SELECT count(*) FROM sqlite_schema WHERE name = ?1", name, &nr);

	*has = nr > 0;
	return err;
}

/* ---- a table that is there --------------------------------------------------------------- */

static int refuse(const struct schema *schema, const struct ras_table *table, const char *column,
		  const char *why)
{
	log_error(
		schema->log,
		"%s: table %s, column %s: %s; not a database of rasdaemon's, or of a version that "
		"is not known: name another file",
		schema->path, table->name, column, why);
	return -EMEDIUMTYPE;
}

static const struct ras_column *find_column(const struct ras_table *table, const char *name,
					    size_t *index)
{
	for (*index = 0; *index < table->nr_columns; ++*index)
		if (!strcasecmp(table->columns[*index].name, name))
			return &table->columns[*index];
	return NULL;
}

/* What one line of pragma_table_info() says; @seen gets a bit for each column of ours. */
static int check_column(const struct schema *schema, const struct ras_table *table,
			sqlite3_stmt *query, uint64_t *seen)
{
	const char *name = (const char *)sqlite3_column_text(query, 0);
	const char *type = (const char *)sqlite3_column_text(query, 1);
	bool is_required = sqlite3_column_int(query, 2) &&
			   sqlite3_column_type(query, 3) == SQLITE_NULL;
	bool is_key = sqlite3_column_int(query, 4);
	const struct ras_column *column;
	size_t index;

	if (!name || !type)
		return -ENOMEM;
	if (!strcasecmp(name, "id")) {
		*seen |= 1ull << table->nr_columns;
		return is_key && !strcasecmp(type, "INTEGER")
			       ? 0
			       : refuse(schema, table, name, "not an integer primary key");
	}
	column = find_column(table, name, &index);
	if (!column)
		return is_required
			       ? refuse(schema, table, name, "unknown, and cannot be left empty")
			       : 0;
	*seen |= 1ull << index;
	return strcasecmp(type, column->type) ? refuse(schema, table, name, "of another type") : 0;
}

static int check_columns(const struct schema *schema, const struct ras_table *table, uint64_t *seen)
{
	sqlite3_stmt *query;
	int err = 0, ret;

	*seen = 0;
	if (sqlite3_prepare_v2(schema->db,
			       "SELECT name, type, \"notnull\", dflt_value, pk "
			       "FROM pragma_table_info(?1)",
			       -1, &query, NULL) ||
	    sqlite3_bind_text(query, 1, table->name, -1, SQLITE_STATIC))
		ret = SQLITE_ERROR;
	else
		while ((ret = sqlite3_step(query)) == SQLITE_ROW && !err)
			err = check_column(schema, table, query, seen);
	if (!err && ret != SQLITE_DONE)
		err = error(schema);
	sqlite3_finalize(query);
	return err;
}

static int add_columns(const struct schema *schema, const struct ras_table *table, uint64_t seen)
{
	sqlite3_str *text;
	int err = 0;

	for (size_t i = 0; !err && i < table->nr_columns; i++) {
		if (seen >> i & 1)
			continue;
		log_info(schema->log, "%s: adding the column %s to the table %s", schema->path,
			 table->columns[i].name, table->name);
		text = sqlite3_str_new(schema->db);
		sqlite3_str_appendf(text, "ALTER TABLE %s ADD COLUMN %s %s", table->name,
				    table->columns[i].name, table->columns[i].type);
		err = run(schema, text);
	}
	return err;
}

/* ---- making tables ----------------------------------------------------------------------- */

static int create_table(const struct schema *schema, const struct ras_table *table)
{
	sqlite3_str *text = sqlite3_str_new(schema->db);

	sqlite3_str_appendf(text, "CREATE TABLE %s (id INTEGER PRIMARY KEY", table->name);
	for (size_t i = 0; i < table->nr_columns; i++)
		sqlite3_str_appendf(text, ", %s %s", table->columns[i].name,
				    table->columns[i].type);
	sqlite3_str_appendall(text, ")");
	return run(schema, text);
}

static int prepare_table(const struct schema *schema, const struct ras_table *table)
{
	uint64_t seen;
	bool has;
	int err = has_table(schema, table->name, &has);

	if (err)
		return err;
	if (!has)
		return create_table(schema, table);
	err = check_columns(schema, table, &seen);
	if (err)
		return err;
	if (!(seen >> table->nr_columns & 1))
		return refuse(schema, table, "id", "missing");
	return add_columns(schema, table, seen);
}

static int create_own(const struct schema *schema)
{
	sqlite3_str *text = sqlite3_str_new(schema->db);

	sqlite3_str_appendf(
		text,
		"CREATE TABLE persist_export (version INTEGER NOT NULL);"
		"INSERT INTO persist_export VALUES (%d);"
		"CREATE TABLE persist_positions (boot_id TEXT NOT NULL, instance INTEGER NOT NULL, "
		"event_id INTEGER NOT NULL, cpu INTEGER NOT NULL, seq INTEGER NOT NULL, "
		"PRIMARY KEY (boot_id, instance, event_id, cpu)) WITHOUT ROWID;"
		"CREATE TABLE persist_losses (id INTEGER PRIMARY KEY, timestamp TEXT, event TEXT, "
		"cpu INTEGER, reason TEXT, lost INTEGER, from_seq INTEGER, to_seq INTEGER);",
		RAS_SCHEMA_VERSION);
	return run(schema, text);
}

static int check_own(const struct schema *schema)
{
	int64_t version;
	int err = ask(schema, "SELECT max(version) FROM persist_export", NULL, &version);

	if (err || version == RAS_SCHEMA_VERSION)
		return err;
	log_error(schema->log,
		  "%s: written by another version of this program (%lld, this one knows %d); name "
		  "another file",
		  schema->path, (long long)version, RAS_SCHEMA_VERSION);
	return -ENOTSUP;
}

/* A file that has tables has to have one of rasdaemon's: others are none of our business. */
static int check_purpose(const struct schema *schema)
{
	int64_t nr_tables;
	bool has = false;
	int err = ask(schema, "SELECT count(*) FROM sqlite_schema", NULL, &nr_tables);

	for (size_t i = 0; !err && !has && i < NR_RAS_TABLES; i++)
		err = has_table(schema, ras_tables[i].name, &has);
	if (err || has || !nr_tables)
		return err;
	log_error(schema->log, "%s: a database of something else than rasdaemon; name another file",
		  schema->path);
	return -EMEDIUMTYPE;
}

int ras_schema__prepare(sqlite3 *db, const char *path, const struct log *log)
{
	const struct schema schema = { db, path, log };
	bool has;
	int err = check_purpose(&schema);

	for (size_t i = 0; !err && i < NR_RAS_TABLES; i++)
		err = prepare_table(&schema, &ras_tables[i]);
	if (!err)
		err = has_table(&schema, "persist_export", &has);
	if (err)
		return err;
	return has ? check_own(&schema) : create_own(&schema);
}
