/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the registers of a machine check mean. Only what a source says of this vendor and model
 * is decoded (docs/mce.md names the sources); everything else stays unknown, and says so.
 */
#ifndef MCE_DECODE_H
#define MCE_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "mce/mce_code.h"
#include "mce/mce_registers.h"
#include "mce/mce_smca.h"

/**
 * struct mce_flag - a bit of MCi_STATUS or MCG_STATUS
 * @bit:  as a mask
 * @id:   for programs; it stays as it is
 * @text: for people, what it means that it is set; NULL if other lines of the text say that
 */
struct mce_flag {
	uint64_t bit;
	const char *id;
	const char *text;
};

/* The bits of both registers; NULL beyond the last. */
const struct mce_flag *mce_status_flag(size_t index, bool is_amd);
const struct mce_flag *mce_mcg_flag(size_t index);

enum mce_threshold {
	MCE_THRESHOLD_UNKNOWN, /* the processor does not say, or its capabilities are not known */
	MCE_THRESHOLD_IS_NONE, /* the structure is not tracked */
	MCE_THRESHOLD_IS_GREEN,
	MCE_THRESHOLD_IS_YELLOW,
};

/**
 * struct mce_address - MCi_ADDR
 * @is_valid: there is one
 * @value:    without the bits below the lowest valid one
 * @mode:     what kind of address it is; NULL: not known
 * @lsb:      number of the lowest valid bit; -1: not known
 * @has_page: it is a physical address, and of a page or a part of one
 */
struct mce_address {
	bool is_valid;
	uint64_t value;
	const struct mce_name *mode;
	int lsb;
	bool has_page;
};

/* Bytes of a page, and how far an address must be shifted to give its number. */
#define MCE_PAGE_SHIFT 12

/**
 * struct mce_decoded - a machine check, decoded
 * @registers:      what it was decoded from
 * @vendor:         whose registers they are; MCE_VENDOR_UNKNOWN if that is not said
 * @severity:       how bad it is
 * @code:           the architecture's error code
 * @code_value:     MCi_STATUS, bits 15:0
 * @model_code:     MCi_STATUS, bits 31:16, model-specific
 * @status_known:   the bits of MCi_STATUS that are defined for this processor
 * @mcg_known:      the same of MCG_STATUS
 * @has_count:      @count is known
 * @count:          corrected errors since the register was cleared
 * @threshold:      status of the structure in which errors were corrected
 * @address:        where
 * @has_smca:       @smca is set
 * @smca:           AMD's scalable MCA
 * @family, @model, @stepping: of the processor, if MCE_CPUID is known
 * @needed:         registers (1 << enum mce_register) without which something is not decoded
 * @is_from_firmware: MCE_BANK_FIRMWARE, the kernel's notice of a firmware's report
 */
struct mce_decoded {
	struct mce_registers registers;
	uint32_t vendor;
	enum mce_severity severity;
	struct mce_code code;
	uint16_t code_value;
	uint16_t model_code;
	uint64_t status_known;
	uint64_t mcg_known;
	bool has_count;
	unsigned int count;
	enum mce_threshold threshold;
	struct mce_address address;
	bool has_smca;
	struct mce_smca smca;
	unsigned int family;
	unsigned int model;
	unsigned int stepping;
	uint32_t needed;
	bool is_from_firmware;
};

/* Decodes any values whatever. */
void mce_decode(struct mce_decoded *decoded, const struct mce_registers *registers);

static inline bool mce_decoded__has(const struct mce_decoded *decoded, enum mce_register reg)
{
	return mce_registers__has(&decoded->registers, reg);
}

static inline uint64_t mce_decoded__get(const struct mce_decoded *decoded, enum mce_register reg)
{
	return mce_registers__get(&decoded->registers, reg);
}

/* Is the bit of MCi_STATUS defined, and set? */
static inline bool mce_decoded__status(const struct mce_decoded *decoded, uint64_t bit)
{
	return mce_decoded__get(decoded, MCE_STATUS) & decoded->status_known & bit;
}

/* The same of MCG_STATUS. */
static inline bool mce_decoded__mcg(const struct mce_decoded *decoded, uint64_t bit)
{
	return mce_decoded__get(decoded, MCE_MCGSTATUS) & decoded->mcg_known & bit;
}

/* "2026-01-02T03:04:05Z" and the terminating NUL: the kernel knows whole seconds. */
#define MCE_TIME_SIZE 21

/* When it was, by the wall clock. False if that is not known. */
bool mce_decoded__time(const struct mce_decoded *decoded, char text[MCE_TIME_SIZE]);

/* "green" and so on. */
const struct mce_name *mce_threshold__name(enum mce_threshold threshold);

#endif
