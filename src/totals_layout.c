// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "totals_layout.h"

#include <stddef.h>
#include <string.h>

#include "mce_kinds.h"
#include "mce_status.h"
#include "persist_totals.h"

/*
 * Room for each kind of error of some hundred DIMMs and devices, and for some of each CPU's own
 * banks; what comes beyond that is counted as such.
 */
#define ENTRIES_OF_MACHINE 1024
#define ENTRIES_OF_CPU	   16

/* ---- severities -------------------------------------------------------------------------- */

#define NR(number, name) ((uint32_t)PERSIST_SEVERITY_##name << (number)*TOTALS_SEVERITY_BITS)

/* include/linux/edac.h, enum hw_event_mc_err_type */
#define EDAC_SEVERITIES \
	(NR(0, CORRECTED) | NR(1, UNCORRECTED) | NR(2, DEFERRED) | NR(3, FATAL) | NR(4, INFO))

/* UEFI, appendix N "Common Platform Error Record": recoverable, fatal, corrected, informational */
#define CPER_SEVERITIES (NR(0, UNCORRECTED) | NR(1, FATAL) | NR(2, CORRECTED) | NR(3, INFO))

/* include/linux/aer.h: non-fatal, fatal, correctable */
#define AER_SEVERITIES (NR(0, UNCORRECTED) | NR(1, FATAL) | NR(2, CORRECTED))

/*
 * The event log of a CXL device that holds the record (CXL 3.1, 8.2.9.2.2): informational,
 * warning, failure, fatal. A warning is of an error that was corrected.
 */
#define CXL_LOG_SEVERITIES (NR(0, INFO) | NR(1, CORRECTED) | NR(2, UNCORRECTED) | NR(3, FATAL))

/* The event itself says how bad it is. */
#define ALWAYS(name) NR(0, name)

/* ---- kinds ------------------------------------------------------------------------------- */

static const char *const mce_kinds[] = {
#define X(kind, id, text) [MCE_KIND_##kind] = id,
	MCE_KINDS(X)
#undef X
};

/* UEFI, appendix N, "Memory Error Section", memory error type */
static const char *const cper_memory_kinds[] = {
	"unknown",
	"no_error",
	"single_bit",
	"multi_bit",
	"single_symbol_chipkill",
	"multi_symbol_chipkill",
	"master_abort",
	"target_abort",
	"parity",
	"watchdog_timeout",
	"invalid_address",
	"mirror_broken",
	"memory_sparing",
	"scrub_corrected",
	"scrub_uncorrected",
	"physical_memory_map_out",
};

/* drivers/cxl/core/trace.h after CXL 3.1, table 8-45: memory event type of a general media event */
static const char *const cxl_media_kinds[] = {
	"ecc",	     "invalid_address",	       "data_path",	 "te_state_violation",
	"scrub_ecc", "cme_counter_expiration", "ckid_violation",
};

/* The same after table 8-46, of a DRAM event */
static const char *const cxl_dram_kinds[] = {
	"ecc",
	"scrub_ecc",
	"invalid_address",
	"data_path",
	"te_state_violation",
	"cme_counter_expiration",
	"ckid_violation",
};

/* ---- events ------------------------------------------------------------------------------ */

/* Which field of an event is what; the table ends where there is no name. */
struct field_name {
	const char *name;
	size_t to; /* in struct totals_layout */
	bool may_be_missing;
};

#define FIELD(field, to)                                         \
	{                                                        \
		field, offsetof(struct totals_layout, to), false \
	}
#define OPTIONAL(field, to)                                     \
	{                                                       \
		field, offsetof(struct totals_layout, to), true \
	}

#define MAX_FIELDS 12

struct counted_event {
	const char *system;
	const char *tracepoint;
	enum totals_source source;
	uint32_t severities;
	bool address_is_page_number;
	const char *section; /* field with a GUID of 16 bytes */
	const char *const *kinds;
	size_t nr_kinds;
	struct field_name fields[MAX_FIELDS];
};

#define KINDS(array) .kinds = array, .nr_kinds = sizeof(array) / sizeof((array)[0])

/* clang-format off */
#define CXL_AER(name, device, its_severities)                                         \
	{                                                                             \
		.system = "cxl", .tracepoint = name, .source = TOTALS_FIELDS,         \
		.severities = its_severities,                                         \
		.fields = { FIELD(device, label), FIELD("status", status) },          \
	}

#define CXL_MEMORY(name, its_kinds)                                                   \
	{                                                                             \
		.system = "cxl", .tracepoint = name, .source = TOTALS_FIELDS,         \
		.severities = CXL_LOG_SEVERITIES, KINDS(its_kinds),                   \
		.fields = { FIELD("memdev", label), FIELD("log", severity),           \
			    FIELD("type", kind), FIELD("dpa", address) },             \
	}

#define MEMORY_FAILURE(its_system)                                                    \
	{                                                                             \
		.system = its_system, .tracepoint = "memory_failure_event",           \
		.source = TOTALS_FIELDS, .severities = ALWAYS(UNCORRECTED),           \
		.address_is_page_number = true,                                       \
		.fields = { FIELD("pfn", address), FIELD("type", kind),               \
			    FIELD("result", status) },                                \
	}

static const struct counted_event events[] = {
	{
		.system = "mce", .tracepoint = "mce_record", .source = TOTALS_MACHINE,
		KINDS(mce_kinds),
		.fields = { FIELD("status", mce_status), FIELD("mcgcap", mcgcap),
			    FIELD("addr", mce_addr), FIELD("misc", mce_misc),
			    FIELD("cpuvendor", cpuvendor), FIELD("socketid", socket),
			    FIELD("cpu", cpu), FIELD("bank", bank) },
	},
	{
		.system = "ras", .tracepoint = "mc_event", .source = TOTALS_FIELDS,
		.severities = EDAC_SEVERITIES,
		.fields = { FIELD("error_type", severity), FIELD("error_count", errors),
			    FIELD("label", label), FIELD("mc_index", controller),
			    FIELD("top_layer", top_layer), FIELD("middle_layer", middle_layer),
			    FIELD("lower_layer", lower_layer), FIELD("address", address) },
	},
	{
		.system = "ras", .tracepoint = "aer_event", .source = TOTALS_FIELDS,
		.severities = AER_SEVERITIES,
		.fields = { FIELD("dev_name", label), FIELD("status", status),
			    FIELD("severity", severity) },
	},
	{
		/* sev and cpu came with Linux 6.17. */
		.system = "ras", .tracepoint = "arm_event", .source = TOTALS_FIELDS,
		.severities = CPER_SEVERITIES,
		.fields = { FIELD("mpidr", mpidr), OPTIONAL("sev", severity),
			    OPTIONAL("cpu", cpu) },
	},
	{
		.system = "ras", .tracepoint = "non_standard_event", .source = TOTALS_FIELDS,
		.severities = CPER_SEVERITIES, .section = "sec_type",
		.fields = { FIELD("fru_text", label), FIELD("sev", severity) },
	},
	{
		.system = "ras", .tracepoint = "extlog_mem_event", .source = TOTALS_FIELDS,
		.severities = CPER_SEVERITIES, KINDS(cper_memory_kinds),
		.fields = { FIELD("fru_text", label), FIELD("sev", severity),
			    FIELD("etype", kind), FIELD("pa", address) },
	},
	MEMORY_FAILURE("ras"),
	MEMORY_FAILURE("memory_failure"), /* for a while in Linux 6.19 */
	CXL_AER("cxl_aer_uncorrectable_error", "memdev", ALWAYS(UNCORRECTED)),
	CXL_AER("cxl_aer_correctable_error", "memdev", ALWAYS(CORRECTED)),
	CXL_AER("cxl_port_aer_uncorrectable_error", "device", ALWAYS(UNCORRECTED)),
	CXL_AER("cxl_port_aer_correctable_error", "device", ALWAYS(CORRECTED)),
	CXL_MEMORY("cxl_general_media", cxl_media_kinds),
	CXL_MEMORY("cxl_dram", cxl_dram_kinds),
};
/* clang-format on */

static const struct counted_event *find_event(const char *system, const char *tracepoint)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (!strcmp(events[i].system, system) && !strcmp(events[i].tracepoint, tracepoint))
			return &events[i];
	return NULL;
}

bool totals_layout__event(size_t i, const char **system, const char **tracepoint)
{
	if (i >= sizeof(events) / sizeof(events[0]))
		return false;
	*system = events[i].system;
	*tracepoint = events[i].tracepoint;
	return true;
}

/* ---- layout ------------------------------------------------------------------------------ */

/* One that the program can load: a whole number, or the word that says where a string is. */
static bool is_loadable(const struct event_format_field *field, bool is_label)
{
	if (is_label)
		return field->location == FIELD_DATA_LOC;
	return field->location == FIELD_FIXED && !field->is_array &&
	       (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8) &&
	       field->offset % field->size == 0;
}

static bool find_field(const struct event_format *format, const struct field_name *name,
		       struct totals_layout *layout)
{
	const struct event_format_field *field = event_format__find_field(format, name->name);
	struct totals_field *to = (struct totals_field *)((char *)layout + name->to);

	if (!field)
		return name->may_be_missing;
	if (!is_loadable(field, to == &layout->label))
		return false;
	*to = (struct totals_field){ .offset = field->offset, .size = field->size };
	return true;
}

static bool find_section(const struct event_format *format, const char *name,
			 struct totals_layout *layout)
{
	const struct event_format_field *field = event_format__find_field(format, name);

	if (!field || field->location != FIELD_FIXED || field->size != 16)
		return false;
	layout->section_offset = field->offset;
	return true;
}

/* A layer is one signed byte: the program relies on it. */
static bool layers_are_bytes(const struct totals_layout *layout)
{
	return layout->top_layer.size <= 1 && layout->middle_layer.size <= 1 &&
	       layout->lower_layer.size <= 1;
}

/*
 * Whether a field tells how bad it is. On a kernel where the field is missing, the program takes
 * its number for 0, which would be one of the severities.
 */
static bool says_severity(const struct counted_event *event)
{
	for (const struct field_name *name = event->fields; name->name; name++)
		if (name->to == offsetof(struct totals_layout, severity))
			return true;
	return false;
}

static bool find_layout(const struct counted_event *event, const struct event_format *format,
			uint32_t page_shift, struct totals_layout *layout)
{
	for (const struct field_name *name = event->fields; name->name; name++)
		if (!find_field(format, name, layout))
			return false;
	if (event->section && !find_section(format, event->section, layout))
		return false;
	if (!layers_are_bytes(layout))
		return false;
	layout->source = event->source;
	layout->severities = event->severities;
	if (!layout->severity.size && says_severity(event))
		layout->severities = ALWAYS(UNKNOWN);
	layout->address_shift = event->address_is_page_number ? page_shift : 0;
	return true;
}

bool totals_layout__find(const char *system, const char *tracepoint,
			 const struct event_format *format, uint32_t page_shift,
			 struct totals_layout *layout)
{
	const struct counted_event *event = find_event(system, tracepoint);

	*layout = (struct totals_layout){};
	if (event && find_layout(event, format, page_shift, layout))
		return true;
	*layout = (struct totals_layout){};
	return false;
}

uint32_t totals_layout__max_entries(uint32_t nr_cpus)
{
	return ENTRIES_OF_MACHINE + ENTRIES_OF_CPU * nr_cpus;
}

/* ---- names ------------------------------------------------------------------------------- */

const char *totals_layout__kind_name(const char *system, const char *tracepoint, uint32_t kind)
{
	const struct counted_event *event = find_event(system, tracepoint);

	if (!event || !event->nr_kinds)
		return NULL;
	return kind < event->nr_kinds ? event->kinds[kind] : "unknown";
}

int persist_event__has_totals(const char *system, const char *tracepoint)
{
	return find_event(system, tracepoint) != NULL;
}

const char *persist_severity__name(uint32_t severity)
{
	static const char *const names[PERSIST_NR_SEVERITIES] = {
		[PERSIST_SEVERITY_UNKNOWN] = "unknown",
		[PERSIST_SEVERITY_CORRECTED] = "corrected",
		[PERSIST_SEVERITY_DEFERRED] = "deferred",
		[PERSIST_SEVERITY_UCNA] = "ucna",
		[PERSIST_SEVERITY_SRAO] = "srao",
		[PERSIST_SEVERITY_SRAR] = "srar",
		[PERSIST_SEVERITY_UNCORRECTED] = "uncorrected",
		[PERSIST_SEVERITY_FATAL] = "fatal",
		[PERSIST_SEVERITY_INFO] = "info",
	};

	return severity < PERSIST_NR_SEVERITIES ? names[severity] : "unknown";
}

/* The two that have to agree, for the BPF program puts one into the place of the other. */
#define SAME_SEVERITY(name)                                                             \
	PERSIST_STATIC_ASSERT((int)PERSIST_SEVERITY_##name == (int)MCE_SEVERITY_##name, \
			      "severities of machine checks")
SAME_SEVERITY(CORRECTED);
SAME_SEVERITY(DEFERRED);
SAME_SEVERITY(UCNA);
SAME_SEVERITY(SRAO);
SAME_SEVERITY(SRAR);
SAME_SEVERITY(UNCORRECTED);
SAME_SEVERITY(FATAL);
