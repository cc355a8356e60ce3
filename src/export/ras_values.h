/* SPDX-License-Identifier: GPL-2.0-only */
/* What is put into the columns, see struct ras_column. */
#ifndef RAS_VALUES_H
#define RAS_VALUES_H

#include "export/ras_tables.h"

/* "2026-01-02 03:04:05 +0100" and the terminating NUL, with room for odd years */
#define RAS_TIME_SIZE 40

/* The time at @time_ns of CLOCK_BOOTTIME as rasdaemon writes it: local, in seconds. */
void ras_time__format(uint64_t time_ns, char text[RAS_TIME_SIZE]);

int ras_bind__time(const struct ras_row *row, int index, const struct ras_column *column);

/* The field as it is. 64 bits are stored as they are, so that large ones read as negative. */
int ras_bind__integer(const struct ras_row *row, int index, const struct ras_column *column);
int ras_bind__text(const struct ras_row *row, int index, const struct ras_column *column);
int ras_bind__bytes(const struct ras_row *row, int index, const struct ras_column *column);

/* A layer of mc_event: -1 if there is none. */
int ras_bind__layer(const struct ras_row *row, int index, const struct ras_column *column);

/* Words for numbers: the severities of mc_event and of aer_event, the errors of aer_event. */
int ras_bind__mc_severity(const struct ras_row *row, int index, const struct ras_column *column);
int ras_bind__aer_severity(const struct ras_row *row, int index, const struct ras_column *column);
int ras_bind__aer_errors(const struct ras_row *row, int index, const struct ras_column *column);

/* What machine checks mean: texts of our own, "" where there is nothing to say. */
int ras_bind__mce_bank(const struct ras_row *row, int index, const struct ras_column *column);
int ras_bind__mce_error(const struct ras_row *row, int index, const struct ras_column *column);
int ras_bind__mce_mcgstatus(const struct ras_row *row, int index, const struct ras_column *column);
int ras_bind__mce_status(const struct ras_row *row, int index, const struct ras_column *column);
int ras_bind__mce_code(const struct ras_row *row, int index, const struct ras_column *column);
int ras_bind__mce_action(const struct ras_row *row, int index, const struct ras_column *column);
int ras_bind__mce_location(const struct ras_row *row, int index, const struct ras_column *column);

/* For those above: binds what has come together in @text, which is gone then. */
int ras_bind__finished(const struct ras_row *row, int index, sqlite3_str *text);

#endif
