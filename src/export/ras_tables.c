// SPDX-License-Identifier: GPL-2.0-only
#include "export/ras_tables.h"

#include <string.h>

#include "export/ras_values.h"

static const struct ras_column mc_event_columns[] = {
	{ "timestamp", "TEXT", ras_bind__time, NULL },
	{ "err_count", "INTEGER", ras_bind__integer, "error_count" },
	{ "err_type", "TEXT", ras_bind__mc_severity, "error_type" },
	{ "err_msg", "TEXT", ras_bind__text, "msg" },
	{ "label", "TEXT", ras_bind__text, "label" },
	{ "mc", "INTEGER", ras_bind__integer, "mc_index" },
	{ "top_layer", "INTEGER", ras_bind__layer, "top_layer" },
	{ "middle_layer", "INTEGER", ras_bind__layer, "middle_layer" },
	{ "lower_layer", "INTEGER", ras_bind__layer, "lower_layer" },
	{ "address", "INTEGER", ras_bind__integer, "address" },
	{ "grain", "INTEGER", ras_bind__integer, "grain_bits" },
	{ "syndrome", "INTEGER", ras_bind__integer, "syndrome" },
	{ "driver_detail", "TEXT", ras_bind__text, "driver_detail" },
};

static const struct ras_column aer_event_columns[] = {
	{ "timestamp", "TEXT", ras_bind__time, NULL },
	{ "dev_name", "TEXT", ras_bind__text, "dev_name" },
	{ "err_type", "TEXT", ras_bind__aer_severity, "severity" },
	{ "err_msg", "TEXT", ras_bind__aer_errors, "status" },
};

static const struct ras_column extlog_event_columns[] = {
	{ "timestamp", "TEXT", ras_bind__time, NULL },
	{ "etype", "INTEGER", ras_bind__integer, "etype" },
	{ "error_count", "INTEGER", ras_bind__integer, "err_seq" },
	{ "severity", "INTEGER", ras_bind__integer, "sev" },
	{ "address", "INTEGER", ras_bind__integer, "pa" },
	{ "fru_id", "BLOB", ras_bind__bytes, "fru_id" },
	{ "fru_text", "TEXT", ras_bind__text, "fru_text" },
	{ "cper_data", "BLOB", ras_bind__bytes, "data" },
};

static const struct ras_column mce_record_columns[] = {
	{ "timestamp", "TEXT", ras_bind__time, NULL },
	{ "mcgcap", "INTEGER", ras_bind__integer, "mcgcap" },
	{ "mcgstatus", "INTEGER", ras_bind__integer, "mcgstatus" },
	{ "status", "INTEGER", ras_bind__integer, "status" },
	{ "addr", "INTEGER", ras_bind__integer, "addr" },
	{ "misc", "INTEGER", ras_bind__integer, "misc" },
	{ "ip", "INTEGER", ras_bind__integer, "ip" },
	{ "tsc", "INTEGER", ras_bind__integer, "tsc" },
	{ "walltime", "INTEGER", ras_bind__integer, "walltime" },
	{ "cpu", "INTEGER", ras_bind__integer, "cpu" },
	{ "cpuid", "INTEGER", ras_bind__integer, "cpuid" },
	{ "apicid", "INTEGER", ras_bind__integer, "apicid" },
	{ "socketid", "INTEGER", ras_bind__integer, "socketid" },
	{ "cs", "INTEGER", ras_bind__integer, "cs" },
	{ "bank", "INTEGER", ras_bind__integer, "bank" },
	{ "cpuvendor", "INTEGER", ras_bind__integer, "cpuvendor" },
	{ "bank_name", "TEXT", ras_bind__mce_bank, NULL },
	{ "error_msg", "TEXT", ras_bind__mce_error, NULL },
	{ "mcgstatus_msg", "TEXT", ras_bind__mce_mcgstatus, NULL },
	{ "mcistatus_msg", "TEXT", ras_bind__mce_status, NULL },
	{ "mcastatus_msg", "TEXT", ras_bind__mce_code, NULL },
	{ "user_action", "TEXT", ras_bind__mce_action, NULL },
	{ "mc_location", "TEXT", ras_bind__mce_location, NULL },
};

#define COLUMNS(columns) columns, sizeof(columns) / sizeof((columns)[0])

const struct ras_table ras_tables[NR_RAS_TABLES] = {
	{ "mc_event", "ras", "mc_event", COLUMNS(mc_event_columns) },
	{ "aer_event", "ras", "aer_event", COLUMNS(aer_event_columns) },
	{ "extlog_event", "ras", "extlog_mem_event", COLUMNS(extlog_event_columns) },
	{ "mce_record", "mce", "mce_record", COLUMNS(mce_record_columns) },
};

const struct ras_table *ras_table__of_event(const struct persist_meta *meta)
{
	for (size_t i = 0; i < NR_RAS_TABLES; i++)
		if (!strcmp(meta->system, ras_tables[i].system) &&
		    !strcmp(meta->tracepoint, ras_tables[i].tracepoint))
			return &ras_tables[i];
	return NULL;
}
