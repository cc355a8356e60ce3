/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of a machine check: the registers, and what the kernel notes beside them. */
#ifndef MCE_REGISTERS_H
#define MCE_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "persist_bpf.h"

/*
 * By the names that mce_record's fields have. Not every kernel has all of them (6.1 has no ppin
 * and no microcode), and a log or a photo seldom shows more than a few.
 */
/* clang-format off */
#define MCE_REGISTERS(X)                                                                    \
	X(MCGCAP,    mcgcap)    /* MCG_CAP: what the processor's machine checks can do */   \
	X(MCGSTATUS, mcgstatus) /* MCG_STATUS: the state after an exception */              \
	X(STATUS,    status)    /* MCi_STATUS */                                            \
	X(ADDR,      addr)      /* MCi_ADDR */                                              \
	X(MISC,      misc)      /* MCi_MISC */                                              \
	X(SYND,      synd)      /* AMD: MCA_SYND */                                         \
	X(IPID,      ipid)      /* AMD: MCA_IPID */                                         \
	X(IP,        ip)        /* the interrupted program's instruction pointer */         \
	X(TSC,       tsc)                                                                   \
	X(PPIN,      ppin)      /* number of this very processor */                         \
	X(WALLTIME,  walltime)  /* seconds since 1970 */                                    \
	X(CPU,       cpu)       /* logical CPU as the kernel numbers it */                  \
	X(CPUID,     cpuid)     /* EAX of CPUID leaf 1: family, model, stepping */          \
	X(APICID,    apicid)                                                                \
	X(SOCKETID,  socketid)                                                              \
	X(CS,        cs)        /* code segment of the interrupted program */               \
	X(BANK,      bank)                                                                  \
	X(CPUVENDOR, cpuvendor) /* MCE_VENDOR_*, or another number of the kernel's */       \
	X(MICROCODE, microcode)                                                             \
	X(CORE,      core)      /* no field: from the topology of this machine */
/* clang-format on */

enum mce_register {
#define X(id, name) MCE_##id,
	MCE_REGISTERS(X)
#undef X
		MCE_NR_REGISTERS
};

struct mce_registers {
	uint64_t values[MCE_NR_REGISTERS];
	uint32_t present; /* 1 << enum mce_register */
};

static inline bool mce_registers__has(const struct mce_registers *registers, enum mce_register reg)
{
	return registers->present & 1u << reg;
}

/* 0 for one that is not known. */
static inline uint64_t mce_registers__get(const struct mce_registers *registers,
					  enum mce_register reg)
{
	return registers->values[reg];
}

static inline void mce_registers__set(struct mce_registers *registers, enum mce_register reg,
				      uint64_t value)
{
	registers->values[reg] = value;
	registers->present |= 1u << reg;
}

/* "status" for MCE_STATUS and so on. */
const char *mce_register__name(enum mce_register reg);

/* Are the records of @event machine checks, whatever name it was given? */
bool mce_registers__are_in(const struct persist_event *event);

/**
 * mce_registers__read() - the registers of a record
 * @registers: set; those that this kernel's layout lacks, and those that the kernel says it does
 *             not know, are absent
 * @event:     of which mce_registers__are_in() is true
 * @record:    one of its records
 */
void mce_registers__read(struct mce_registers *registers, const struct persist_event *event,
			 const struct persist_record *record);

#endif
