// SPDX-License-Identifier: GPL-2.0-only
#include "mce/mce_registers.h"

#include <string.h>

static const char *const names[MCE_NR_REGISTERS] = {
#define X(id, name) [MCE_##id] = #name,
	MCE_REGISTERS(X)
#undef X
};

const char *mce_register__name(enum mce_register reg)
{
	return names[reg];
}

bool mce_registers__are_in(const struct persist_event *event)
{
	const struct persist_meta *meta = persist_event__meta(event);

	return !strcmp(meta->system, "mce") && !strcmp(meta->tracepoint, "mce_record");
}

static void forget(struct mce_registers *registers, enum mce_register reg)
{
	registers->values[reg] = 0;
	registers->present &= ~(1u << reg);
}

/*
 * The kernel leaves 0 in what it does not know ("Fields are zero when not available", struct mce
 * in arch/x86/include/uapi/asm/mce.h), and -1 in the CPU and its socket when firmware reports an
 * error of a CPU that it cannot find (apei_smca_report_x86_error()).
 */
static void forget_unknown(struct mce_registers *registers)
{
	static const enum mce_register zero_is_unknown[] = {
		MCE_MCGCAP, MCE_IPID, MCE_IP,	     MCE_TSC,	   MCE_PPIN,
		MCE_CPUID,  MCE_CS,   MCE_MICROCODE, MCE_WALLTIME,
	};
	static const enum mce_register minus_1_is_unknown[] = {
		MCE_CPU,
		MCE_SOCKETID,
		MCE_APICID,
	};

	for (size_t i = 0; i < sizeof(zero_is_unknown) / sizeof(zero_is_unknown[0]); i++)
		if (!registers->values[zero_is_unknown[i]])
			forget(registers, zero_is_unknown[i]);
	for (size_t i = 0; i < sizeof(minus_1_is_unknown) / sizeof(minus_1_is_unknown[0]); i++)
		if (registers->values[minus_1_is_unknown[i]] == UINT32_MAX)
			forget(registers, minus_1_is_unknown[i]);
}

void mce_registers__read(struct mce_registers *registers, const struct persist_event *event,
			 const struct persist_record *record)
{
	*registers = (struct mce_registers){ 0 };
	for (int reg = 0; reg < MCE_NR_REGISTERS; reg++) {
		const struct persist_field *field = persist_event__find_field(event, names[reg]);
		uint64_t value;

		if (field && !persist_field__get_u64(field, record, &value))
			mce_registers__set(registers, reg, value);
	}
	forget_unknown(registers);
}
