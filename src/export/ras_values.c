// SPDX-License-Identifier: GPL-2.0-only
#include "export/ras_values.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "time_spec.h"
#include "utf8.h"

/* ---- time -------------------------------------------------------------------------------- */

void ras_time__format(uint64_t time_ns, char text[RAS_TIME_SIZE])
{
	time_t seconds = (time_t)(((int64_t)time_ns + wall_clock_offset()) / (int64_t)NSEC_PER_SEC);
	struct tm tm;

	if (!localtime_r(&seconds, &tm) ||
	    !strftime(text, RAS_TIME_SIZE, "%Y-%m-%d %H:%M:%S %z", &tm))
		text[0] = '\0';
}

int ras_bind__time(const struct ras_row *row, int index, const struct ras_column *column)
{
	char text[RAS_TIME_SIZE];

	(void)column;
	ras_time__format(row->record->time_ns, text);
	return sqlite3_bind_text(row->insert, index, text, -1, SQLITE_TRANSIENT);
}

/* ---- fields as they are ------------------------------------------------------------------ */

/* False if the kernel's layout of the event has no such field, or the record ends before it. */
static bool get_number(const struct ras_row *row, const char *name, uint64_t *value)
{
	const struct persist_field *field = persist_event__find_field(row->event, name);

	return field && (!persist_field__get_u64(field, row->record, value) ||
			 !persist_field__get_s64(field, row->record, (int64_t *)value));
}

int ras_bind__integer(const struct ras_row *row, int index, const struct ras_column *column)
{
	uint64_t value;

	if (!get_number(row, column->field, &value))
		return sqlite3_bind_null(row->insert, index);
	return sqlite3_bind_int64(row->insert, index, (sqlite3_int64)value);
}

int ras_bind__text(const struct ras_row *row, int index, const struct ras_column *column)
{
	const struct persist_field *field = persist_event__find_field(row->event, column->field);
	const char *string;
	char *escaped;
	size_t length;

	if (!field || persist_field__get_string(field, row->record, &string, &length))
		return sqlite3_bind_null(row->insert, index);
	escaped = malloc(4 * length + 1);
	if (!escaped)
		return SQLITE_NOMEM;
	length = utf8__escape(escaped, string, length);
	/* SQLite frees it, also when it fails. */
	return sqlite3_bind_text(row->insert, index, escaped, (int)length, free);
}

int ras_bind__bytes(const struct ras_row *row, int index, const struct ras_column *column)
{
	const struct persist_field *field = persist_event__find_field(row->event, column->field);
	const void *bytes;
	size_t size;

	if (!field || persist_field__get_bytes(field, row->record, &bytes, &size))
		return sqlite3_bind_null(row->insert, index);
	return sqlite3_bind_blob(row->insert, index, bytes, (int)size, SQLITE_TRANSIENT);
}

/* ---- texts that are put together ---------------------------------------------------------- */

int ras_bind__finished(const struct ras_row *row, int index, sqlite3_str *text)
{
	int err = sqlite3_str_errcode(text);
	char *finished = sqlite3_str_finish(text);

	/* Without a character there is no string either. */
	if (err)
		return err;
	return sqlite3_bind_text(row->insert, index, finished ? finished : "", -1,
				 finished ? sqlite3_free : SQLITE_STATIC);
}

/* ---- memory controllers ------------------------------------------------------------------ */

/* The fields are signed bytes; edac_mc says -1 where there is no such layer. */
int ras_bind__layer(const struct ras_row *row, int index, const struct ras_column *column)
{
	uint64_t value;

	if (!get_number(row, column->field, &value))
		return sqlite3_bind_null(row->insert, index);
	return sqlite3_bind_int(row->insert, index, (int8_t)value);
}

static int bind_word(const struct ras_row *row, int index, const char *field,
		     const char *const words[], size_t nr_words)
{
	uint64_t value;

	if (!get_number(row, field, &value))
		return sqlite3_bind_null(row->insert, index);
	return sqlite3_bind_text(row->insert, index, value < nr_words ? words[value] : "Unknown",
				 -1, SQLITE_STATIC);
}

#define WORDS(words) words, sizeof(words) / sizeof((words)[0])

/* enum hw_event_mc_err_type of the kernel's include/linux/edac.h */
int ras_bind__mc_severity(const struct ras_row *row, int index, const struct ras_column *column)
{
	static const char *const words[] = { "Corrected", "Uncorrected", "Deferred", "Fatal",
					     "Info" };

	return bind_word(row, index, column->field, WORDS(words));
}

/* ---- PCI Express ------------------------------------------------------------------------- */

/* AER_NONFATAL, AER_FATAL and AER_CORRECTABLE of the kernel's include/linux/aer.h */
enum {
	AER_NONFATAL,
	AER_FATAL,
	AER_CORRECTABLE,
};

int ras_bind__aer_severity(const struct ras_row *row, int index, const struct ras_column *column)
{
	static const char *const words[] = {
		[AER_NONFATAL] = "Uncorrected (Non-Fatal)",
		[AER_FATAL] = "Uncorrected (Fatal)",
		[AER_CORRECTABLE] = "Corrected",
	};

	return bind_word(row, index, column->field, WORDS(words));
}

/* The bits of the two status registers: PCI Express Base Specification, 7.8.4. */
static const char *const correctable_errors[32] = {
	[0] = "Receiver Error",
	[6] = "Bad TLP",
	[7] = "Bad DLLP",
	[8] = "RELAY_NUM Rollover",
	[12] = "Replay Timer Timeout",
	[13] = "Advisory Non-Fatal",
};

static const char *const uncorrectable_errors[32] = {
	[4] = "Data Link Protocol",   [12] = "Poisoned TLP",	[13] = "Flow Control Protocol",
	[14] = "Completion Timeout",  [15] = "Completer Abort", [16] = "Unexpected Completion",
	[17] = "Receiver Overflow",   [18] = "Malformed TLP",	[19] = "ECRC",
	[20] = "Unsupported Request",
};

static void print_errors(sqlite3_str *text, uint32_t status, const char *const names[32])
{
	const char *separator = "";

	for (int bit = 0; bit < 32; bit++) {
		if (!(status >> bit & 1))
			continue;
		if (names[bit])
			sqlite3_str_appendf(text, "%s%s", separator, names[bit]);
		else
			sqlite3_str_appendf(text, "%sBIT%d", separator, bit);
		separator = ", ";
	}
}

/* The first words of the packet that was the cause */
static void print_header(sqlite3_str *text, const struct ras_row *row)
{
	const struct persist_field *field = persist_event__find_field(row->event, "tlp_header");
	uint64_t is_valid;
	const void *bytes;
	uint32_t words[4];
	size_t size;

	if (!get_number(row, "tlp_header_valid", &is_valid) || !is_valid || !field ||
	    persist_field__get_bytes(field, row->record, &bytes, &size) || size < sizeof(words))
		return;
	memcpy(words, bytes, sizeof(words));
	sqlite3_str_appendf(text, " TLP Header: %08x %08x %08x %08x", words[0], words[1], words[2],
			    words[3]);
}

int ras_bind__aer_errors(const struct ras_row *row, int index, const struct ras_column *column)
{
	uint64_t status, severity;
	sqlite3_str *text;

	if (!get_number(row, column->field, &status) || !get_number(row, "severity", &severity))
		return sqlite3_bind_null(row->insert, index);
	text = sqlite3_str_new(NULL);
	print_errors(text, (uint32_t)status,
		     severity == AER_CORRECTABLE ? correctable_errors : uncorrectable_errors);
	print_header(text, row);
	return ras_bind__finished(row, index, text);
}
