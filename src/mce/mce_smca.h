/* SPDX-License-Identifier: GPL-2.0-only */
/* AMD's scalable MCA: which unit a bank belongs to, and what the unit's own error codes mean. */
#ifndef MCE_SMCA_H
#define MCE_SMCA_H

#include <stdbool.h>
#include <stdint.h>

#include "mce/mce_registers.h"

/**
 * struct mce_unit - a kind of hardware that has banks
 * @hwid:     MCA_IPID, bits 43:32
 * @mca_type: MCA_IPID, bits 63:48
 * @id:       for programs; it stays as it is
 * @text:     for people
 */
struct mce_unit {
	uint16_t hwid;
	uint16_t mca_type;
	const char *id;
	const char *text;
};

/**
 * struct mce_unit_error - one of a unit's errors
 * @code: extended error code
 * @id:   AMD's name for it
 * @text: for people
 */
struct mce_unit_error {
	uint8_t code;
	const char *id;
	const char *text;
};

/**
 * struct mce_smca - what a bank of scalable MCA says of its error
 * @hwid, @mca_type, @instance: MCA_IPID
 * @extended_code: MCA_STATUS, bits 21:16
 * @unit:          NULL: not known
 * @error:         NULL: what the code means on this model is not known
 * @core:          number of the core in error, as the hardware counts; -1: not said
 * @channel:       of a memory controller; -1: not known
 * @chip_select:   of a DRAM ECC error; -1: not known
 * @syndrome:      of a corrected DRAM ECC error
 * @syndrome_bits: length of the syndrome; 0: not known
 */
struct mce_smca {
	uint16_t hwid;
	uint16_t mca_type;
	uint32_t instance;
	uint8_t extended_code;
	const struct mce_unit *unit;
	const struct mce_unit_error *error;
	int core;
	int channel;
	int chip_select;
	uint32_t syndrome;
	unsigned int syndrome_bits;
};

/*
 * Is this a bank of scalable MCA? MCA_IPID, which the kernel reads where there is one, says so:
 * no unit has the number 0.
 */
bool mce_smca__is(const struct mce_registers *registers);

/**
 * mce_smca__decode() - what the bank says
 * @smca:      set
 * @registers: of which mce_smca__is() is true
 * @family:    of the processor, 0: not known
 * @model:     of the processor
 *
 * Units keep their number from model to model; error codes do not always (AMD has given some of
 * them new meanings: commit "EDAC/mce_amd: Remove SMCA Extended Error code descriptions" of Linux
 * 6.8). So an error has a name only for models for which a source was at hand.
 */
void mce_smca__decode(struct mce_smca *smca, const struct mce_registers *registers,
		      unsigned int family, unsigned int model);

/* Does bit 61:56 of MCA_ADDR on this model hold the number of the lowest valid bit? */
bool mce_smca__addr_has_lsb(unsigned int family, unsigned int model);

/* Does the unit's MCA_ADDR hold an address within its channel instead of a system address? */
bool mce_smca__addr_is_normalized(const struct mce_smca *smca);

#endif
