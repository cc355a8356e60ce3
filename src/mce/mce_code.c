// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fields of a code are those of the tables of SDM 15.9.2, of which AMD has the same, with
 * other levels (drivers/edac/mce_amd.h and mce_amd.c of Linux).
 */
#include "mce/mce_code.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "mce_kinds.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static const struct mce_name severities[MCE_NR_SEVERITIES] = {
	[MCE_SEVERITY_NONE] = { "none", "no valid error" },
	[MCE_SEVERITY_CORRECTED] = { "corrected", "corrected" },
	[MCE_SEVERITY_DEFERRED] = { "deferred", "deferred" },
	[MCE_SEVERITY_UCNA] = { "ucna", "uncorrected, no action required (UCNA)" },
	[MCE_SEVERITY_SRAO] = { "srao", "uncorrected, action optional (SRAO)" },
	[MCE_SEVERITY_SRAR] = { "srar", "uncorrected, action required (SRAR)" },
	[MCE_SEVERITY_UNCORRECTED] = { "uncorrected", "uncorrected" },
	[MCE_SEVERITY_FATAL] = { "fatal", "fatal" },
};

static const struct mce_name kinds[MCE_NR_KINDS] = {
#define X(kind, id, text) [MCE_KIND_##kind] = { id, text },
	MCE_KINDS(X)
#undef X
};

const struct mce_name *mce_severity__name(enum mce_severity severity)
{
	return &severities[severity];
}

/* The word that totals of errors have for it as well. */
const char *mce_error_kind__id(enum mce_error_kind kind)
{
	return kinds[kind].id;
}

const char *mce_error_kind__text(enum mce_error_kind kind)
{
	return kinds[kind].text;
}

/* ---- vendors ----------------------------------------------------------------------------- */

/* arch/x86/include/asm/processor.h, X86_VENDOR_*. */
static const struct mce_name vendors[] = {
	[MCE_VENDOR_INTEL] = { "intel", "Intel" },
	[1] = { "cyrix", "Cyrix" },
	[MCE_VENDOR_AMD] = { "amd", "AMD" },
	[3] = { "umc", "UMC" },
	[5] = { "centaur", "Centaur" },
	[7] = { "transmeta", "Transmeta" },
	[8] = { "nsc", "NSC" },
	[MCE_VENDOR_HYGON] = { "hygon", "Hygon" },
	[10] = { "zhaoxin", "Zhaoxin" },
	[11] = { "vortex", "Vortex" },
};

/* The entry of a table; NULL for one that it does not have. */
static const struct mce_name *entry(const struct mce_name *table, size_t nr, uint64_t index)
{
	return index < nr && table[index].id ? &table[index] : NULL;
}

const struct mce_name *mce_vendor__name(uint32_t vendor)
{
	return entry(vendors, NR(vendors), vendor);
}

/* What CPUID says, and /proc/cpuinfo shows as vendor_id. */
static const struct {
	const char *id;
	uint32_t vendor;
} cpuid_vendors[] = {
	{ "GenuineIntel", MCE_VENDOR_INTEL },
	{ "AuthenticAMD", MCE_VENDOR_AMD },
	{ "HygonGenuine", MCE_VENDOR_HYGON },
	{ "CentaurHauls", 5 },
};

int mce_vendor__find(const char *id, uint32_t *vendor)
{
	for (size_t i = 0; i < NR(cpuid_vendors); i++) {
		if (!strcasecmp(cpuid_vendors[i].id, id)) {
			*vendor = cpuid_vendors[i].vendor;
			return 0;
		}
	}
	for (uint32_t i = 0; i < NR(vendors); i++) {
		if (vendors[i].id && !strcasecmp(vendors[i].id, id)) {
			*vendor = i;
			return 0;
		}
	}
	return -ENOENT;
}

/* ---- parts of a code --------------------------------------------------------------------- */

/* LL, SDM table 15-11. */
static const struct mce_name intel_levels[4] = {
	{ "l0", "level 0" },
	{ "l1", "level 1" },
	{ "l2", "level 2" },
	{ "generic", "any level" },
};

/* LL of AMD: 0 is reserved (mce_amd.c). */
static const struct mce_name amd_levels[4] = {
	[1] = { "l1", "level 1" },
	[2] = { "l2", "level 2" },
	[3] = { "l3_or_generic", "level 3 or any" },
};

/* TT, SDM table 15-10. */
static const struct mce_name transactions[3] = {
	{ "instruction", "instructions" },
	{ "data", "data" },
	{ "generic", "instructions or data" },
};

/* RRRR, SDM table 15-12. */
static const struct mce_name requests[9] = {
	{ "error", "any request" },	{ "read", "read" },
	{ "write", "write" },		{ "data_read", "data read" },
	{ "data_write", "data write" }, { "instruction_fetch", "instruction fetch" },
	{ "prefetch", "prefetch" },	{ "eviction", "eviction" },
	{ "snoop", "snoop" },
};

/* PP, SDM table 15-13. */
static const struct mce_name participations[4] = {
	{ "source", "requested by this CPU" },
	{ "responder", "answered by this CPU" },
	{ "observer", "observed by this CPU" },
	{ "generic", "whoever took part" },
};

/* T, SDM table 15-13. */
static const struct mce_name timeouts[2] = {
	{ "no", NULL },
	{ "yes", "timed out" },
};

/* II, SDM table 15-13. */
static const struct mce_name accesses[4] = {
	[0] = { "memory", "memory" },
	[2] = { "io", "I/O" },
	[3] = { "other", "other access" },
};

/* MMM, SDM table 15-14. */
static const struct mce_name operations[5] = {
	{ "generic", "any operation" }, { "read", "read" },
	{ "write", "write" },		{ "address_command", "address or command" },
	{ "scrub", "scrubbing" },
};

/* CCCC, SDM table 15-14: not specified. */
#define NO_CHANNEL 15

/* UU of AMD's internal errors; the other values are reserved (mce_amd.c). */
static const struct mce_name internals[4] = {
	[2] = { "hardware_assert", "hardware assertion" },
};

static void parse_level(struct mce_code *code, uint32_t bits, bool is_amd)
{
	const struct mce_name *levels = is_amd ? amd_levels : intel_levels;

	code->level = entry(levels, 4, bits & 3);
}

static void parse_transaction(struct mce_code *code, uint32_t bits)
{
	code->transaction = entry(transactions, NR(transactions), bits >> 2 & 3);
}

static void parse_request(struct mce_code *code, uint32_t bits)
{
	code->request = entry(requests, NR(requests), bits >> 4 & 15);
}

static void parse_bus(struct mce_code *code, uint32_t bits)
{
	code->access = entry(accesses, NR(accesses), bits >> 2 & 3);
	code->timeout = &timeouts[bits >> 8 & 1];
	code->participation = &participations[bits >> 9 & 3];
}

static void parse_memory(struct mce_code *code, uint32_t bits)
{
	code->operation = entry(operations, NR(operations), bits >> 4 & 7);
	if ((bits & 15) != NO_CHANNEL)
		code->channel = (int)(bits & 15);
}

/* Bit F has a meaning in compound codes, for corrected errors, of Intel (SDM 15.9.2.1). */
static bool is_filtered(const struct mce_code *code, uint64_t status, uint32_t vendor)
{
	return mce_vendor_is_intel(vendor) && code->kind >= MCE_KIND_CACHE_HIERARCHY &&
	       !(status & MCE_STATUS_UC) && (status & MCE_CODE_FILTER);
}

void mce_code__parse(struct mce_code *code, uint64_t status, uint32_t vendor)
{
	uint32_t bits = (uint32_t)(status & MCE_STATUS_CODE);
	bool is_amd = mce_vendor_is_amd(vendor);

	*code = (struct mce_code){ .kind = mce_error_kind(status, vendor), .channel = -1 };
	code->is_filtered = is_filtered(code, status, vendor);
	switch (code->kind) {
	case MCE_KIND_CACHE:
		parse_request(code, bits);
		/* fall through */
	case MCE_KIND_TLB:
		parse_transaction(code, bits);
		/* fall through */
	case MCE_KIND_CACHE_HIERARCHY:
		parse_level(code, bits, is_amd);
		break;
	case MCE_KIND_BUS:
		parse_request(code, bits);
		parse_bus(code, bits);
		parse_level(code, bits, is_amd);
		break;
	case MCE_KIND_MEMORY_CONTROLLER:
	case MCE_KIND_EXTENDED_MEMORY:
		parse_memory(code, bits);
		break;
	case MCE_KIND_INTERNAL:
		if (is_amd)
			code->internal = entry(internals, NR(internals), bits >> 8 & 3);
		break;
	default:
		break;
	}
}
