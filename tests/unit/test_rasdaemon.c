// SPDX-License-Identifier: GPL-2.0-only
/*
 * The database of reader export --to rasdaemon: every kind of event, files that are there already,
 * what happens to positions.
 *
 * With the name of a file as its argument it only makes that file, with the records below, for
 * tests/kernel/export-rasdaemon.t: on most machines these events cannot be made to fire. The
 * records are laid out as the kernel does it (include/ras/ras_event.h, include/trace/events/mce.h).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "export/ras_database.h"
#include "fake_event.h"

#define PAYLOAD_SIZE 512

/* ---- events ------------------------------------------------------------------------------ */

struct ras_sample {
	struct persist_event event;
	char format[4096];
	struct {
		struct persist_record record;
		uint8_t payload[PAYLOAD_SIZE];
	} data;
	uint32_t used; /* of the payload, by strings as well */
};

static void begin_sample(struct ras_sample *sample, uint64_t seq, uint32_t fixed_size)
{
	memset(sample, 0, sizeof(*sample));
	sample->data.record = (struct persist_record){
		.magic = PERSIST_RECORD_MAGIC,
		.version = PERSIST_RECORD_VERSION,
		.header_size = sizeof(struct persist_record),
		.size = PAYLOAD_SIZE,
		.event_id = 77,
		.seq = seq,
		.time_ns = seq * 1000000000,
	};
	strcpy(sample->format,
	       "name: x\nID: 77\nformat:\n"
	       "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	       "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n");
	sample->used = fixed_size;
}

static void add_field(struct ras_sample *sample, const char *declaration, uint32_t offset,
		      uint32_t size, bool is_signed, const void *value)
{
	size_t length = strlen(sample->format);

	snprintf(sample->format + length, sizeof(sample->format) - length,
		 "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", declaration, offset, size,
		 is_signed);
	memcpy(sample->data.payload + offset, value, size);
}

/* Numbers are stored as little-endian machines do; the tests' machines are. */
static void add_number(struct ras_sample *sample, const char *declaration, uint32_t offset,
		       uint32_t size, int64_t value)
{
	bool is_signed = !strncmp(declaration, "s8", 2) || !strncmp(declaration, "long", 4);

	add_field(sample, declaration, offset, size, is_signed, &value);
}

static void add_string(struct ras_sample *sample, const char *name, uint32_t offset,
		       const char *string)
{
	uint32_t size = (uint32_t)strlen(string) + 1;
	uint32_t location = size << 16 | sample->used;
	char declaration[64];

	snprintf(declaration, sizeof(declaration), "__data_loc char[] %s", name);
	add_field(sample, declaration, offset, 4, false, &location);
	memcpy(sample->data.payload + sample->used, string, size);
	sample->used += size;
}

static void end_sample(struct ras_sample *sample, const char *system, const char *tracepoint)
{
	strcat(sample->format, "\nprint fmt: \"\"\n");
	fake_event_init(&sample->event, sample->format);
	strcpy(sample->event.meta.system, system);
	strcpy(sample->event.meta.tracepoint, tracepoint);
}

static void make_mc_event(struct ras_sample *sample, uint64_t seq, int type, const char *label)
{
	begin_sample(sample, seq, 60);
	add_number(sample, "unsigned int error_type", 8, 4, type);
	add_string(sample, "msg", 12, "memory read error");
	add_string(sample, "label", 16, label);
	add_number(sample, "u16 error_count", 20, 2, 3);
	add_number(sample, "u8 mc_index", 22, 1, 1);
	add_number(sample, "s8 top_layer", 23, 1, 2);
	add_number(sample, "s8 middle_layer", 24, 1, 0);
	add_number(sample, "s8 lower_layer", 25, 1, -1);
	add_number(sample, "long address", 32, 8, 0x123456789000);
	add_number(sample, "u8 grain_bits", 40, 1, 6);
	add_number(sample, "long syndrome", 48, 8, 0x55);
	add_string(sample, "driver_detail", 56, "rank:1");
	end_sample(sample, "ras", "mc_event");
}

static void make_aer_event(struct ras_sample *sample, uint64_t seq, uint32_t status, int severity,
			   bool has_header)
{
	static const uint32_t header[4] = { 0x04000001, 0x0000200f, 0x01070000, 0xd0a1e5f0 };

	begin_sample(sample, seq, 36);
	add_string(sample, "dev_name", 8, "0000:00:1c.0");
	add_number(sample, "u32 status", 12, 4, status);
	add_number(sample, "u8 severity", 16, 1, severity);
	add_number(sample, "u8 tlp_header_valid", 17, 1, has_header);
	add_field(sample, "u32 tlp_header[4]", 20, 16, false, header);
	end_sample(sample, "ras", "aer_event");
}

static void make_extlog_event(struct ras_sample *sample, uint64_t seq)
{
	static const uint8_t guid[16] = { 0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66,
					  0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
	uint8_t data[80] = { 0 };

	begin_sample(sample, seq, 128);
	add_number(sample, "u32 err_seq", 8, 4, 9);
	add_number(sample, "u8 etype", 12, 1, 2);
	add_number(sample, "u8 sev", 13, 1, 2);
	add_number(sample, "u64 pa", 16, 8, 0xabcdef000);
	add_number(sample, "u8 pa_mask_lsb", 24, 1, 12);
	add_field(sample, "guid_t fru_id", 25, 16, false, guid);
	add_string(sample, "fru_text", 44, "DIMM 3");
	add_field(sample, "struct cper_mem_err_compact data", 48, 80, false, data);
	end_sample(sample, "ras", "extlog_mem_event");
}

static void make_mce_record(struct ras_sample *sample, uint64_t seq, uint64_t status)
{
	begin_sample(sample, seq, 112);
	add_number(sample, "u64 mcgcap", 8, 8, 0x1000c14);
	add_number(sample, "u64 mcgstatus", 16, 8, 0x1);
	add_number(sample, "u64 status", 24, 8, (int64_t)status);
	add_number(sample, "u64 addr", 32, 8, 0x123456789abc);
	add_number(sample, "u64 misc", 40, 8, 0x8c);
	add_number(sample, "u64 ip", 48, 8, 0);
	add_number(sample, "u64 tsc", 56, 8, 0x1122334455);
	add_number(sample, "u64 walltime", 64, 8, 1796124467);
	add_number(sample, "u32 cpu", 72, 4, 3);
	add_number(sample, "u32 cpuid", 76, 4, 0x306f2);
	add_number(sample, "u32 apicid", 80, 4, 6);
	add_number(sample, "u32 socketid", 84, 4, 1);
	add_number(sample, "u8 cs", 88, 1, 0x10);
	add_number(sample, "u8 bank", 89, 1, 7);
	add_number(sample, "u8 cpuvendor", 90, 1, 0);
	end_sample(sample, "mce", "mce_record");
}

/* ---- putting them ------------------------------------------------------------------------ */

static struct ras_database *open_database(const char *path)
{
	struct ras_database *database;

	assert_int_equal(ras_database__open(path, NULL, &database), 0);
	return database;
}

static int put_sample(struct ras_database *database, struct ras_sample *sample)
{
	const struct persist_item item = { .event = &sample->event,
					   .record = &sample->data.record };
	int err = ras_database__put(database, &item);

	fake_event_destroy(&sample->event);
	return err;
}

static void put_loss(struct ras_database *database, uint64_t from, uint64_t to)
{
	struct ras_sample sample;
	const struct persist_item item = {
		.event = &sample.event,
		.loss = { .lost = to - from + 1,
			  .from_seq = from,
			  .to_seq = to,
			  .cpu = 5,
			  .before_ns = 1000000000,
			  .reason = PERSIST_LOSS_OVERWRITTEN },
	};

	make_mce_record(&sample, 1, 0);
	assert_int_equal(ras_database__put(database, &item), 0);
	fake_event_destroy(&sample.event);
}

static void put_one_of_each(struct ras_database *database)
{
	struct ras_sample sample;

	make_mc_event(&sample, 1, 0, "DIMM_A1");
	assert_int_equal(put_sample(database, &sample), 0);
	make_mc_event(&sample, 2, 1, "DIMM\xff'; DROP TABLE mc_event; --");
	assert_int_equal(put_sample(database, &sample), 0);
	make_mc_event(&sample, 3, 4, "");
	assert_int_equal(put_sample(database, &sample), 0);
	make_aer_event(&sample, 4, 1 << 6 | 1 << 12, 2, false);
	assert_int_equal(put_sample(database, &sample), 0);
	make_aer_event(&sample, 5, 1 << 12 | 1 << 20 | 1 << 25, 0, true);
	assert_int_equal(put_sample(database, &sample), 0);
	make_extlog_event(&sample, 6);
	assert_int_equal(put_sample(database, &sample), 0);
	make_mce_record(&sample, 7, 0x9c00004000000091);
	assert_int_equal(put_sample(database, &sample), 0);
	put_loss(database, 8, 19);
}

/* ---- looking at it ----------------------------------------------------------------------- */

/* The rows of a query, as sqlite3 shows them, without the last newline. */
static char *query(const char *path, const char *sql)
{
	sqlite3_stmt *statement;
	char *text;
	size_t size;
	sqlite3 *db;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL))
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	for (int row = 0; sqlite3_step(statement) == SQLITE_ROW; row++)
		for (int i = 0; i < sqlite3_column_count(statement); i++) {
			const unsigned char *column = sqlite3_column_text(statement, i);

			fprintf(out, "%s%s",
				i     ? "|"
				: row ? "\n"
				      : "",
				column ? (const char *)column : "NULL");
		}
	sqlite3_finalize(statement);
	sqlite3_close(db);
	fclose(out);
	return text;
}

static void expect(const char *path, const char *sql, const char *expected)
{
	char *rows = query(path, sql);

	assert_string_equal(rows, expected);
	free(rows);
}

static void execute(const char *path, const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, NULL))
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	sqlite3_close(db);
}

/* A name for a file that is not there. */
static void new_path(char path[32])
{
	strcpy(path, "/tmp/test-rasdaemon.XXXXXX");
	close(mkstemp(path));
	unlink(path);
}

/* ---- tests ------------------------------------------------------------------------------- */

static void test_rows(void **state)
{
	struct ras_database *database;
	char path[32];

	new_path(path);
	database = open_database(path);
	put_one_of_each(database);
	assert_true(ras_database__has_uncommitted(database));
	assert_int_equal(ras_database__lost(database), 0);
	/* Nobody sees a part. */
	expect(path, "SELECT count(*) FROM mc_event", "0");
	assert_int_equal(ras_database__commit(database, NULL, 0), 0);
	assert_false(ras_database__has_uncommitted(database));
	assert_int_equal(ras_database__lost(database), 12);
	ras_database__close(database);

	expect(path,
	       "SELECT id, err_count, err_type, err_msg, label, mc, top_layer, middle_layer, "
	       "lower_layer, address, grain, syndrome, driver_detail FROM mc_event",
	       "1|3|Corrected|memory read error|DIMM_A1|1|2|0|-1|20015998341120|6|85|rank:1\n"
	       "2|3|Uncorrected|memory read error|DIMM\\xff'; DROP TABLE mc_event; --|1|2|0|-1|"
	       "20015998341120|6|85|rank:1\n"
	       "3|3|Info|memory read error||1|2|0|-1|20015998341120|6|85|rank:1");
	expect(path, "SELECT dev_name, err_type, err_msg FROM aer_event",
	       "0000:00:1c.0|Corrected|Bad TLP, Replay Timer Timeout\n"
	       "0000:00:1c.0|Uncorrected (Non-Fatal)|Poisoned TLP, Unsupported Request, BIT25 "
	       "TLP Header: 04000001 0000200f 01070000 d0a1e5f0");
	expect(path,
	       "SELECT etype, error_count, severity, address, hex(fru_id), fru_text, "
	       "length(cper_data) FROM extlog_event",
	       "2|9|2|46118400000|33221100554477668899AABBCCDDEEFF|DIMM 3|80");
	expect(path,
	       "SELECT mcgcap, mcgstatus, printf('%x', status), printf('%x', addr), misc, ip, "
	       "tsc, walltime, cpu, cpuid, apicid, socketid, cs, bank, cpuvendor FROM mce_record",
	       "16780308|1|9c00004000000091|123456789abc|140|0|73588229205|1796124467|3|198386|6|"
	       "1|16|7|0");
	expect(path,
	       "SELECT bank_name, error_msg, mcgstatus_msg, mcistatus_msg, mcastatus_msg, "
	       "user_action, mc_location FROM mce_record",
	       "7|memory controller: read, channel 1 (code 0x0091)|restart_ip_valid|"
	       "valid enabled misc_valid addr_valid|code 0x0091, model-specific 0x0000|"
	       "corrected: the hardware corrected it, nothing was lost|channel=1");
	expect(path, "SELECT event, cpu, reason, lost, from_seq, to_seq FROM persist_losses",
	       "mine|5|overwritten|12|8|19");
	/* Local time in whole seconds */
	expect(path,
	       "SELECT count(*) FROM (SELECT timestamp FROM mc_event UNION ALL SELECT timestamp "
	       "FROM aer_event UNION ALL SELECT timestamp FROM extlog_event UNION ALL SELECT "
	       "timestamp FROM mce_record UNION ALL SELECT timestamp FROM persist_losses) WHERE "
	       "timestamp GLOB '[12][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9] "
	       "[0-2][0-9]:[0-5][0-9]:[0-6][0-9] [-+][01][0-9][0-5][0-9]'",
	       "8");
	unlink(path);
}

static void test_positions(void **state)
{
	static const struct persist_position saved[] = {
		{ .instance = UINT64_MAX - 5, .event_id = 7, .cpu = 3, .seq = 12 },
		{ .instance = 4, .event_id = 0xffffffff, .cpu = 0, .seq = UINT64_MAX },
	};
	struct persist_position *positions, later = saved[0];
	struct ras_database *database;
	struct ras_sample sample;
	char path[32];

	new_path(path);
	database = open_database(path);
	assert_int_equal(ras_database__positions(database, &positions), 0);
	assert_null(positions);
	assert_int_equal(ras_database__commit(database, saved, 2), 0);
	/* What is not committed is gone with the exporter. */
	make_mce_record(&sample, 1, 0);
	assert_int_equal(put_sample(database, &sample), 0);
	ras_database__close(database);
	expect(path, "SELECT count(*) FROM mce_record", "0");

	database = open_database(path);
	assert_int_equal(ras_database__positions(database, &positions), 2);
	assert_memory_equal(&positions[0], &saved[0], sizeof(saved[0]));
	assert_memory_equal(&positions[1], &saved[1], sizeof(saved[1]));
	free(positions);
	later.seq = 20;
	assert_int_equal(ras_database__commit(database, &later, 1), 0);
	assert_int_equal(ras_database__positions(database, &positions), 2);
	assert_int_equal(positions[0].seq, 20);
	free(positions);
	ras_database__close(database);

	/* Those of another boot are of no use to anybody. */
	execute(path, "UPDATE persist_positions SET boot_id = 'x' WHERE event_id = 7");
	database = open_database(path);
	assert_int_equal(ras_database__positions(database, &positions), 1);
	free(positions);
	ras_database__close(database);
	expect(path, "SELECT count(*) FROM persist_positions", "1");
	unlink(path);
}

/* Two exporters at once would write everything twice. */
static void test_two_exporters(void **state)
{
	struct ras_database *one, *other;
	char path[32];

	new_path(path);
	one = open_database(path);
	assert_int_equal(ras_database__open(path, NULL, &other), -EBUSY);
	ras_database__close(one);
	other = open_database(path);
	ras_database__close(other);
	unlink(path);
}

static void expect_refused(const char *sql, int expected)
{
	struct ras_database *database;
	char path[32], *before, *after;

	new_path(path);
	execute(path, sql);
	before = query(path, "SELECT sql FROM sqlite_schema ORDER BY name");
	assert_int_equal(ras_database__open(path, NULL, &database), expected);
	after = query(path, "SELECT sql FROM sqlite_schema ORDER BY name");
	assert_string_equal(before, after);
	free(before);
	free(after);
	unlink(path);
}

static void test_other_files(void **state)
{
	struct ras_database *database;
	struct ras_sample sample;
	char path[32];
	FILE *file;

	/* An older rasdaemon's, and one with a column that we do not know */
	new_path(path);
	execute(path, "CREATE TABLE mce_record (id INTEGER PRIMARY KEY, timestamp TEXT, "
		      "status INTEGER, new_column TEXT, other INTEGER NOT NULL DEFAULT 5);"
		      "INSERT INTO mce_record (timestamp, status) VALUES ('before', 4)");
	database = open_database(path);
	make_mce_record(&sample, 1, 0x9c00004000000091);
	assert_int_equal(put_sample(database, &sample), 0);
	assert_int_equal(ras_database__commit(database, NULL, 0), 0);
	ras_database__close(database);
	expect(path, "SELECT id, bank, other, new_column FROM mce_record",
	       "1|NULL|5|NULL\n2|7|5|NULL");
	unlink(path);

	expect_refused("CREATE TABLE bookmarks (url TEXT)", -EMEDIUMTYPE);
	expect_refused("CREATE TABLE mce_record (id INTEGER PRIMARY KEY, timestamp INTEGER)",
		       -EMEDIUMTYPE);
	expect_refused("CREATE TABLE mce_record (timestamp TEXT)", -EMEDIUMTYPE);
	expect_refused("CREATE TABLE mce_record (id TEXT, timestamp TEXT)", -EMEDIUMTYPE);
	expect_refused("CREATE TABLE mc_event (id INTEGER PRIMARY KEY, must TEXT NOT NULL)",
		       -EMEDIUMTYPE);
	expect_refused("CREATE TABLE t (id INTEGER); CREATE VIEW mc_event AS SELECT * FROM t",
		       -EMEDIUMTYPE);
	expect_refused("CREATE TABLE mc_event (id INTEGER PRIMARY KEY);"
		       "CREATE TABLE persist_export (version INTEGER);"
		       "INSERT INTO persist_export VALUES (2)",
		       -ENOTSUP);

	file = fopen(path, "w");
	fputs("This is not an SQLite database, but long enough to be taken for one. ....", file);
	fclose(file);
	assert_int_equal(ras_database__open(path, NULL, &database), -EBADMSG);
	unlink(path);
	assert_int_not_equal(ras_database__open("/nowhere/file", NULL, &database), 0);
}

static void test_foreign_event(void **state)
{
	struct ras_database *database;
	struct ras_sample sample;
	char path[32];

	new_path(path);
	database = open_database(path);
	make_mce_record(&sample, 1, 0);
	strcpy(sample.event.meta.tracepoint, "other");
	assert_int_equal(put_sample(database, &sample), -EINVAL);
	ras_database__close(database);
	unlink(path);
}

static int make_file(const char *path)
{
	struct ras_database *database;

	if (ras_database__open(path, NULL, &database))
		return 1;
	put_one_of_each(database);
	ras_database__commit(database, NULL, 0);
	ras_database__close(database);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),	      cmocka_unit_test(test_positions),
		cmocka_unit_test(test_two_exporters), cmocka_unit_test(test_other_files),
		cmocka_unit_test(test_foreign_event),
	};

	if (argc > 1)
		return make_file(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
