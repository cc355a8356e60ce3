/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * The kinds of machine checks by name: of enum mce_error_kind, for programs, for people. For those
 * who decode a register and those who count them.
 */
#ifndef MCE_KINDS_H
#define MCE_KINDS_H

/* clang-format off */
#define MCE_KINDS(X) \
	X(UNKNOWN, "unknown", "not a code of the architecture") \
	X(UNCLASSIFIED, "unclassified", "unclassified error") \
	X(MICROCODE_ROM, "microcode_rom", "parity error in the microcode ROM") \
	X(EXTERNAL, "external", "BINIT# from another processor") \
	X(FRC, "frc", "functional redundancy check (FRC) error") \
	X(INTERNAL_PARITY, "internal_parity", "internal parity error") \
	X(SMM_CODE_ACCESS, "smm_code_access", "SMM handler tried to run code outside of SMRR") \
	X(INTERNAL_TIMER, "internal_timer", "internal timer error") \
	X(IO, "io", "I/O error") \
	X(INTERNAL, "internal", "internal error") \
	X(CACHE_HIERARCHY, "cache_hierarchy", "cache hierarchy, generic error") \
	X(TLB, "tlb", "TLB") \
	X(MEMORY_CONTROLLER, "memory_controller", "memory controller") \
	X(CACHE, "cache", "cache") \
	X(EXTENDED_MEMORY, "extended_memory", "memory used as a cache") \
	X(BUS, "bus", "bus")
/* clang-format on */

#endif
