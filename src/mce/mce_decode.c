// SPDX-License-Identifier: GPL-2.0-only
/* Sources as in bpf/mce_status.h. */
#include "mce/mce_decode.h"

#include <stddef.h>
#include <string.h>

#include "time_spec.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* ---- bits --------------------------------------------------------------------------------- */

/* clang-format off */
#define SHARED_FLAGS                                                                        \
	{ MCE_STATUS_VAL, "valid", NULL },                                                  \
	{ MCE_STATUS_OVER, "overflow",                                                      \
	  "another error came while the bank held this one; one of them is lost (OVER)" },  \
	{ MCE_STATUS_UC, "uncorrected", NULL },                                             \
	{ MCE_STATUS_EN, "enabled", NULL },                                                 \
	{ MCE_STATUS_MISCV, "misc_valid", NULL },                                           \
	{ MCE_STATUS_ADDRV, "addr_valid", NULL },                                           \
	{ MCE_STATUS_PCC, "context_corrupt", NULL }
/* clang-format on */

static const struct mce_flag intel_status_flags[] = {
	SHARED_FLAGS,
	{ MCE_STATUS_S, "signalled", "signalled by a machine check exception (S)" },
	{ MCE_STATUS_AR, "action_required", NULL },
	{ MCE_STATUS_FIRMWARE_EDITED, "firmware_edited",
	  "firmware may have edited these registers" },
};

static const struct mce_flag amd_status_flags[] = {
	SHARED_FLAGS,
	{ MCE_STATUS_CORE_VALID, "core_valid", NULL },
	{ MCE_STATUS_TCC, "task_context_corrupt", "the task's state may be corrupt (TCC)" },
	{ MCE_STATUS_SYNDV, "synd_valid", NULL },
	{ MCE_STATUS_CECC, "corrected_ecc", "ECC corrected it (CECC)" },
	{ MCE_STATUS_UECC, "uncorrected_ecc", "ECC could not correct it (UECC)" },
	{ MCE_STATUS_DEFERRED, "deferred", NULL },
	{ MCE_STATUS_POISON, "poison", "data known to be bad was used (Poison)" },
	{ MCE_STATUS_SCRUB, "scrub", "found by scrubbing (Scrub)" },
};

static const struct mce_flag mcg_flags[] = {
	{ MCE_MCG_RIPV, "restart_ip_valid", NULL },
	{ MCE_MCG_EIPV, "error_ip_valid", NULL },
	{ MCE_MCG_MCIP, "in_progress", NULL },
	{ MCE_MCG_LMCE, "local", NULL },
};

const struct mce_flag *mce_status_flag(size_t index, bool is_amd)
{
	if (is_amd)
		return index < NR(amd_status_flags) ? &amd_status_flags[index] : NULL;
	return index < NR(intel_status_flags) ? &intel_status_flags[index] : NULL;
}

const struct mce_flag *mce_mcg_flag(size_t index)
{
	return index < NR(mcg_flags) ? &mcg_flags[index] : NULL;
}

#define SHARED_STATUS                                                                          \
	(MCE_STATUS_VAL | MCE_STATUS_OVER | MCE_STATUS_UC | MCE_STATUS_EN | MCE_STATUS_MISCV | \
	 MCE_STATUS_ADDRV | MCE_STATUS_PCC)
#define SMCA_STATUS (MCE_STATUS_CORE_VALID | MCE_STATUS_TCC | MCE_STATUS_SYNDV | MCE_STATUS_SCRUB)

static bool is_intel(const struct mce_decoded *decoded)
{
	return mce_vendor_is_intel(decoded->vendor);
}

static bool is_amd(const struct mce_decoded *decoded)
{
	return mce_vendor_is_amd(decoded->vendor);
}

static uint32_t bank_of(const struct mce_decoded *decoded)
{
	return (uint32_t)mce_decoded__get(decoded, MCE_BANK);
}

static uint64_t known_of_intel(const struct mce_decoded *decoded)
{
	uint64_t cap = mce_decoded__get(decoded, MCE_MCGCAP), known = 0;
	uint64_t status = mce_decoded__get(decoded, MCE_STATUS);

	/* Of other errors these bits say nothing (SDM table 15-6). */
	if ((cap & MCE_CAP_SER_P) && (status & MCE_STATUS_UC) && !(status & MCE_STATUS_PCC))
		known |= MCE_STATUS_S | MCE_STATUS_AR;
	if (cap & MCE_CAP_EMC_P)
		known |= MCE_STATUS_FIRMWARE_EDITED;
	return known;
}

/*
 * Bit 43: from family 15h on, and not in its bank 4, where it is part of another field
 * (amd_decode_mce() of mce_amd.c).
 */
static uint64_t known_of_amd(const struct mce_decoded *decoded)
{
	uint64_t known = MCE_STATUS_CECC | MCE_STATUS_UECC | MCE_STATUS_DEFERRED;

	bool is_older = mce_decoded__has(decoded, MCE_CPUID) && decoded->family < 0x15;

	if (!is_older && (decoded->family != 0x15 || mce_decoded__get(decoded, MCE_BANK) != 4))
		known |= MCE_STATUS_POISON;
	return decoded->has_smca ? known | SMCA_STATUS : known;
}

/* Without VAL the rest of the register means nothing. */
static void decode_status(struct mce_decoded *decoded)
{
	if (!(mce_decoded__get(decoded, MCE_STATUS) & MCE_STATUS_VAL)) {
		decoded->status_known = MCE_STATUS_VAL;
		return;
	}
	decoded->status_known = SHARED_STATUS;
	if (decoded->is_from_firmware)
		return;
	if (is_intel(decoded))
		decoded->status_known |= known_of_intel(decoded);
	else if (is_amd(decoded))
		decoded->status_known |= known_of_amd(decoded);
}

static void decode_mcg_status(struct mce_decoded *decoded)
{
	if (!mce_decoded__has(decoded, MCE_MCGSTATUS))
		return;
	decoded->mcg_known = MCE_MCG_RIPV | MCE_MCG_EIPV | MCE_MCG_MCIP;
	if (is_intel(decoded) && (mce_decoded__get(decoded, MCE_MCGCAP) & MCE_CAP_LMCE_P))
		decoded->mcg_known |= MCE_MCG_LMCE;
}

/* ---- corrected errors (SDM 15.3.2.2, 15.4) ------------------------------------------------ */

static const struct mce_name thresholds[] = {
	[MCE_THRESHOLD_IS_NONE] = { "none", "not tracked" },
	[MCE_THRESHOLD_IS_GREEN] = { "green", "green, below the threshold" },
	[MCE_THRESHOLD_IS_YELLOW] = { "yellow",
				      "yellow, above the threshold: have it serviced in some weeks" },
};

const struct mce_name *mce_threshold__name(enum mce_threshold threshold)
{
	return &thresholds[threshold];
}

static enum mce_threshold threshold_of(uint64_t status)
{
	switch (MCE_STATUS_THRESHOLD(status)) {
	case MCE_THRESHOLD_NONE:
		return MCE_THRESHOLD_IS_NONE;
	case MCE_THRESHOLD_GREEN:
		return MCE_THRESHOLD_IS_GREEN;
	case MCE_THRESHOLD_YELLOW:
		return MCE_THRESHOLD_IS_YELLOW;
	}
	return MCE_THRESHOLD_UNKNOWN;
}

static void decode_corrected(struct mce_decoded *decoded)
{
	uint64_t status = mce_decoded__get(decoded, MCE_STATUS);
	uint64_t cap = mce_decoded__get(decoded, MCE_MCGCAP);

	if (!is_intel(decoded) || decoded->is_from_firmware ||
	    !mce_decoded__status(decoded, MCE_STATUS_VAL))
		return;
	if (cap & MCE_CAP_CMCI_P) {
		decoded->has_count = true;
		decoded->count = MCE_STATUS_COUNT(status);
	}
	if ((cap & MCE_CAP_TES_P) && !(status & MCE_STATUS_UC))
		decoded->threshold = threshold_of(status);
}

/* ---- the address -------------------------------------------------------------------------- */

/* SDM table 15-3. */
static const struct mce_name modes[8] = {
	[0] = { "segment_offset", "offset in a segment" },
	[1] = { "linear", "linear" },
	[2] = { "physical", "physical" },
	[3] = { "memory", "memory" },
	[7] = { "generic", "generic" },
};

#define MODE_PHYSICAL 2

/* What a memory controller of AMD reports: umc_normaddr_to_sysaddr() of Linux translates it. */
static const struct mce_name normalized = { "normalized",
					    "within its memory channel, no system address" };

static void set_lsb(struct mce_address *address, unsigned int lsb)
{
	address->lsb = (int)lsb;
	address->value &= ~0ULL << lsb;
}

/*
 * SDM 15.3.2.4: MCi_MISC tells of the address if it is valid and the processor has software
 * recovery. The kernel gives its own notice of a firmware's report the same form
 * (apei_mce_report_mem_error()).
 */
static void decode_intel_address(struct mce_decoded *decoded)
{
	uint64_t misc = mce_decoded__get(decoded, MCE_MISC);
	struct mce_address *address = &decoded->address;

	if (!decoded->is_from_firmware &&
	    (!is_intel(decoded) || !(mce_decoded__get(decoded, MCE_MCGCAP) & MCE_CAP_SER_P)))
		return;
	if (!mce_decoded__status(decoded, MCE_STATUS_MISCV) || !mce_decoded__has(decoded, MCE_MISC))
		return;
	if (modes[misc >> 6 & 7].id)
		address->mode = &modes[misc >> 6 & 7];
	set_lsb(address, misc & 0x3f);
	address->has_page = address->mode == &modes[MODE_PHYSICAL];
}

/*
 * Bits 61:56 hold the number of the lowest valid bit; the kernel clears them once it has used
 * them (smca_extract_err_addr(), Linux 6.1), so that 0 may also mean that it is not known.
 */
static void decode_amd_address(struct mce_decoded *decoded)
{
	struct mce_address *address = &decoded->address;
	unsigned int lsb = address->value >> 56 & 0x3f;

	if (!decoded->has_smca)
		return;
	if (mce_smca__addr_is_normalized(&decoded->smca))
		address->mode = &normalized;
	if (!mce_smca__addr_has_lsb(decoded->family, decoded->model))
		return;
	address->value &= (1ULL << 56) - 1;
	if (lsb)
		set_lsb(address, lsb);
}

static void decode_address(struct mce_decoded *decoded)
{
	decoded->address = (struct mce_address){ .lsb = -1 };
	if (!mce_decoded__status(decoded, MCE_STATUS_ADDRV) || !mce_decoded__has(decoded, MCE_ADDR))
		return;
	decoded->address.is_valid = true;
	decoded->address.value = mce_decoded__get(decoded, MCE_ADDR);
	if (is_amd(decoded) && !decoded->is_from_firmware)
		decode_amd_address(decoded);
	else
		decode_intel_address(decoded);
}

/* ---- the processor ------------------------------------------------------------------------ */

/* SDM volume 2A, CPUID, figure 3-6; AMD's extensions apply to the same families. */
static void decode_cpuid(struct mce_decoded *decoded)
{
	uint32_t cpuid = (uint32_t)mce_decoded__get(decoded, MCE_CPUID);

	decoded->stepping = cpuid & 0xf;
	decoded->model = cpuid >> 4 & 0xf;
	decoded->family = cpuid >> 8 & 0xf;
	if (decoded->family == 0xf || (decoded->family == 6 && !is_amd(decoded)))
		decoded->model |= cpuid >> 12 & 0xf0;
	if (decoded->family == 0xf)
		decoded->family += cpuid >> 20 & 0xff;
}

/* Seconds that still fit into nanoseconds: until the year 2262. */
#define LAST_SECOND (INT64_MAX / NSEC_PER_SEC)

bool mce_decoded__time(const struct mce_decoded *decoded, char text[MCE_TIME_SIZE])
{
	uint64_t second = mce_decoded__get(decoded, MCE_WALLTIME);
	char exact[RFC3339_SIZE];

	if (!mce_decoded__has(decoded, MCE_WALLTIME) || second > LAST_SECOND)
		return false;
	rfc3339__format((int64_t)(second * NSEC_PER_SEC), exact);
	memcpy(text, exact, MCE_TIME_SIZE - 2);
	memcpy(text + MCE_TIME_SIZE - 2, "Z", 2);
	return true;
}

/* ---- what is missing ---------------------------------------------------------------------- */

static void need(struct mce_decoded *decoded, enum mce_register reg)
{
	/* 0 is no capability of a processor with machine checks: it has banks. */
	if (!mce_decoded__has(decoded, reg) ||
	    (reg == MCE_MCGCAP && !mce_decoded__get(decoded, reg)))
		decoded->needed |= 1u << reg;
}

static void find_needed(struct mce_decoded *decoded)
{
	if (!mce_decoded__status(decoded, MCE_STATUS_VAL))
		return;
	if (mce_decoded__status(decoded, MCE_STATUS_ADDRV))
		need(decoded, MCE_ADDR);
	if (mce_decoded__status(decoded, MCE_STATUS_MISCV) && !is_amd(decoded))
		need(decoded, MCE_MISC);
	if (decoded->is_from_firmware)
		return;
	need(decoded, MCE_CPUVENDOR);
	if (is_intel(decoded))
		need(decoded, MCE_MCGCAP);
	/* Before family 17h there is no scalable MCA. */
	if (is_amd(decoded) && (decoded->family >= 0x17 || !mce_decoded__has(decoded, MCE_CPUID)))
		need(decoded, MCE_IPID);
	if (decoded->has_smca && !decoded->smca.error)
		need(decoded, MCE_CPUID);
	if (decoded->has_smca && mce_decoded__status(decoded, MCE_STATUS_SYNDV))
		need(decoded, MCE_SYND);
}

/* ------------------------------------------------------------------------------------------- */

/* The kernel's notice of a firmware's report has Intel's code for memory, whoever made the CPU. */
static void decode_code(struct mce_decoded *decoded)
{
	uint64_t status = mce_decoded__get(decoded, MCE_STATUS);

	decoded->code_value = (uint16_t)(status & MCE_STATUS_CODE);
	decoded->model_code = (uint16_t)(status >> 16);
	mce_code__parse(&decoded->code, status, mce_kind_vendor(decoded->vendor, bank_of(decoded)));
}

void mce_decode(struct mce_decoded *decoded, const struct mce_registers *registers)
{
	uint64_t status = mce_registers__get(registers, MCE_STATUS);

	*decoded = (struct mce_decoded){ .registers = *registers, .vendor = MCE_VENDOR_UNKNOWN };
	if (mce_registers__has(registers, MCE_CPUVENDOR))
		decoded->vendor = (uint32_t)mce_registers__get(registers, MCE_CPUVENDOR);
	decoded->is_from_firmware = bank_of(decoded) == MCE_BANK_FIRMWARE;
	decode_cpuid(decoded);
	decoded->has_smca = mce_smca__is(registers) && !decoded->is_from_firmware;
	if (decoded->has_smca)
		mce_smca__decode(&decoded->smca, registers, decoded->family, decoded->model);
	decoded->severity = mce_severity(status, mce_registers__get(registers, MCE_MCGCAP),
					 mce_severity_vendor(decoded->vendor, bank_of(decoded)));
	decode_status(decoded);
	decode_mcg_status(decoded);
	decode_code(decoded);
	decode_corrected(decoded);
	decode_address(decoded);
	find_needed(decoded);
}
