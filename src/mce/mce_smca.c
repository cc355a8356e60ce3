// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sources:
 *   registers    AMD's list of fields in drivers/gpu/drm/amd/ras/rascore/ras_aca_v1_0.h of Linux
 *   units        HWID and McaType in arch/x86/kernel/cpu/mce/amd.c of Linux 6.1, and of 6.8 for
 *                what it adds
 *   errors       Processor Programming Reference (PPR) for AMD family 17h, MCA_STATUS tables of
 *                3.17.4 "MCA Banks"; drivers/edac/mce_amd.c of Linux 6.1 for those of later
 *                models of the family, and for the memory controllers of family 19h; AMD's
 *                openSIL, xUSL/RAS/Common/RasReg.h, for the memory controllers of family 19h
 *                models 10h-1Fh (Genoa) and family 1Ah models 00h-1Fh (Turin)
 *   memory       umc_get_err_info() and decode_umc_error() of drivers/edac/amd64_edac.c of Linux
 */
#include "mce/mce_smca.h"

#include <stddef.h>

#include "mce_status.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

#define HWID_CORE 0xb0
#define HWID_UMC  0x96

/* ---- models ------------------------------------------------------------------------------- */

enum models {
	ZEN_1_2 = 1 << 0, /* family 17h, and Hygon's of the same design */
	ZEN_3 = 1 << 1,
	GENOA = 1 << 2,
	TURIN = 1 << 3,
	OTHERS = 1 << 4,
};

static enum models models_of(unsigned int family, unsigned int model)
{
	switch (family) {
	case 0x17:
	case 0x18:
		return ZEN_1_2;
	case 0x19:
		if (model <= 0x0f || (model >= 0x20 && model <= 0x2f) ||
		    (model >= 0x50 && model <= 0x5f))
			return ZEN_3;
		return model >= 0x10 && model <= 0x1f ? GENOA : OTHERS;
	case 0x1a:
		return model <= 0x1f ? TURIN : OTHERS;
	}
	return OTHERS;
}

/* smca_extract_err_addr() of Linux 6.1 does so for all models that it knows. */
bool mce_smca__addr_has_lsb(unsigned int family, unsigned int model)
{
	return models_of(family, model) & (ZEN_1_2 | ZEN_3);
}

/* ---- units -------------------------------------------------------------------------------- */

static const struct mce_unit units[] = {
	{ HWID_CORE, 0x00, "ls", "load/store unit" },
	{ HWID_CORE, 0x10, "ls", "load/store unit" },
	{ HWID_CORE, 0x01, "if", "instruction fetch unit" },
	{ HWID_CORE, 0x02, "l2", "level 2 cache" },
	{ HWID_CORE, 0x03, "de", "instruction decoder" },
	{ HWID_CORE, 0x05, "ex", "execution unit" },
	{ HWID_CORE, 0x06, "fp", "floating-point unit" },
	{ HWID_CORE, 0x07, "l3", "level 3 cache" },
	{ 0x2e, 0x00, "cs", "coherent station of the data fabric" },
	{ 0x2e, 0x02, "cs", "coherent station of the data fabric" },
	{ 0x2e, 0x01, "pie", "power management and interrupts (PIE)" },
	{ 0x2e, 0x04, "ma_llc", "last level cache of the memory side" },
	{ HWID_UMC, 0x00, "umc", "memory controller (UMC)" },
	{ HWID_UMC, 0x01, "umc_v2", "memory controller (UMC, version 2)" },
	{ 0x05, 0x00, "pb", "parameter block" },
	{ 0xff, 0x00, "psp", "security processor (PSP)" },
	{ 0xff, 0x01, "psp", "security processor (PSP)" },
	{ 0x01, 0x00, "smu", "system management unit (SMU)" },
	{ 0x01, 0x01, "smu", "system management unit (SMU)" },
	{ 0x01, 0x02, "mp5", "microprocessor 5" },
	{ 0x01, 0x03, "mpdma", "DMA microprocessor (MPDMA)" },
	{ 0x18, 0x00, "nbio", "north bridge I/O (NBIO)" },
	{ 0x46, 0x00, "pcie", "PCI Express root port" },
	{ 0x46, 0x01, "pcie", "PCI Express root port" },
	{ 0x50, 0x00, "xgmi_pcs", "link between sockets (xGMI), coding" },
	{ 0x6c, 0x00, "nbif", "north bridge interface (NBIF)" },
	{ 0x80, 0x00, "shub", "system hub" },
	{ 0xa8, 0x00, "sata", "SATA controller" },
	{ 0xaa, 0x00, "usb", "USB controller" },
	{ 0x170, 0x00, "usr_dp", "ultra short reach link, data" },
	{ 0x180, 0x00, "usr_cp", "ultra short reach link, control" },
	{ 0x241, 0x00, "gmi_pcs", "link between dies (GMI), coding" },
	{ 0x259, 0x00, "xgmi_phy", "link between sockets (xGMI), signalling" },
	{ 0x267, 0x00, "wafl_phy", "WAFL link, signalling" },
	{ 0x269, 0x00, "gmi_phy", "link between dies (GMI), signalling" },
};

static const struct mce_unit *find_unit(uint16_t hwid, uint16_t mca_type)
{
	for (size_t i = 0; i < NR(units); i++)
		if (units[i].hwid == hwid && units[i].mca_type == mca_type)
			return &units[i];
	return NULL;
}

/* ---- their errors ------------------------------------------------------------------------- */

static const struct mce_unit_error ls_errors[] = {
	{ 0, "LDQ", "parity error in the load queue" },
	{ 1, "STQ", "parity error in the store queue" },
	{ 2, "MAB", "parity error in the miss address buffer" },
	{ 3, "L1DTLB", "parity error in the level 1 data TLB" },
	{ 4, "DcTagErr5", "data cache tag error, type 5" },
	{ 5, "DcTagErr6", "data cache tag error, type 6" },
	{ 6, "DcTagErr1", "data cache tag error, type 1" },
	{ 7, "IntErrTyp1", "internal error, type 1" },
	{ 8, "IntErrTyp2", "internal error, type 2" },
	{ 9, "SystemReadDataErrorT0", "bad data read from outside the core, thread 0" },
	{ 10, "SystemReadDataErrorT1", "bad data read from outside the core, thread 1" },
	{ 11, "DcTagErr2", "data cache tag error, type 2" },
	{ 12, "DcDataErr1", "data cache data error, type 1, or poison was used" },
	{ 13, "DcDataErr2", "data cache data error, type 2" },
	{ 14, "DcDataErr3", "data cache data error, type 3" },
	{ 15, "DcTagErr4", "data cache tag error, type 4" },
	{ 16, "L2DTLB", "parity error in the level 2 data TLB" },
	{ 17, "PDC", "parity error in the page directory cache" },
	{ 18, "DcTagErr3", "data cache tag error, type 3" },
	{ 19, "DcTagErr7", "data cache tag error, type 7" },
	{ 20, "L2DataErr", "bad data filled from the level 2 cache" },
};

static const struct mce_unit_error if_errors[] = {
	{ 0, "OcUtagParity", "parity error in the op cache's microtags" },
	{ 1, "TagMultiHit", "several hits in the instruction cache's tags" },
	{ 2, "TagParity", "parity error in the instruction cache's tags" },
	{ 3, "DataParity", "parity error in the instruction cache's data" },
	{ 4, "DqParity", "parity error of an address in the decoupling queue" },
	{ 5, "L0ItlbParity", "parity error in the level 0 instruction TLB" },
	{ 6, "L1ItlbParity", "parity error in the level 1 instruction TLB" },
	{ 7, "L2ItlbParity", "parity error in the level 2 instruction TLB" },
	{ 8, "BpqSnpParT0", "parity error of a snoop in the branch queue, thread 0" },
	{ 9, "BpqSnpParT1", "parity error of a snoop in the branch queue, thread 1" },
	{ 10, "L1BtbMultiHit", "several hits in the level 1 branch target buffer" },
	{ 11, "L2BtbMultiHit", "several hits in the level 2 branch target buffer" },
	{ 12, "L2RespPoison", "poison from the level 2 cache was used" },
	{ 13, "SystemReadDataError", "bad data fetched from outside the core" },
};

static const struct mce_unit_error l2_errors[] = {
	{ 0, "MultiHit", "several ways hit in the tags" },
	{ 1, "Tag", "ECC error in the tags or states" },
	{ 2, "Data", "ECC error in the data" },
	{ 3, "Hwa", "hardware assertion" },
};

static const struct mce_unit_error de_errors[] = {
	{ 0, "OcTag", "parity error in the micro-op cache's tags" },
	{ 1, "OcDat", "parity error in the micro-op cache's data" },
	{ 2, "Ibq", "parity error in the instruction buffer" },
	{ 3, "UopQ", "parity error in the micro-op queue" },
	{ 4, "Idq", "parity error in the instruction dispatch queue" },
	{ 5, "Faq", "parity error in the fetch address queue" },
	{ 6, "UcDat", "parity error in the patch RAM's data" },
	{ 7, "UcSeq", "parity error in the patch RAM's sequencer" },
	{ 8, "OCBQ", "parity error in the micro-op buffer" },
};

static const struct mce_unit_error ex_errors[] = {
	{ 0, "WDT", "watchdog ran out: no instruction was completed" },
	{ 1, "PRF", "parity error in the physical registers" },
	{ 2, "FRF", "parity error in the flag registers" },
	{ 3, "IDRF", "parity error in the immediates and displacements" },
	{ 4, "PLDAG", "parity error in the address generator's payload" },
	{ 5, "PLDAL", "parity error in the arithmetic unit's payload" },
	{ 6, "CHKPTQ", "parity error in the checkpoint queue" },
	{ 7, "RETDISP", "parity error in the retire dispatch queue" },
	{ 8, "STATQ", "parity error in the retire status queue" },
	{ 9, "SQ", "parity error in the scheduling queue" },
	{ 10, "BBQ", "parity error in the branch buffer queue" },
};

static const struct mce_unit_error fp_errors[] = {
	{ 0, "PRF", "parity error in the physical registers" },
	{ 1, "FL", "parity error in the free list" },
	{ 2, "SCH", "parity error in the schedule queue" },
	{ 3, "NSQ", "parity error in the non-schedule queue" },
	{ 4, "RQ", "parity error in the retire queue" },
	{ 5, "SRF", "parity error in the status registers" },
	{ 6, "HWA", "hardware assertion" },
};

static const struct mce_unit_error l3_errors[] = {
	{ 0, "ShadowTag", "ECC error in the shadow tags" },
	{ 1, "MultiHitShadowTag", "several ways hit in the shadow tags" },
	{ 2, "Tag", "ECC error in the tags" },
	{ 3, "MultiHitTag", "several ways hit in the tags" },
	{ 4, "DataArray", "ECC error in the data" },
	{ 5, "SdpParity", "parity error, or bad data, from the data port" },
	{ 6, "XiVictimQueue", "parity error in the victim queue" },
	{ 7, "Hwa", "hardware assertion" },
};

static const struct mce_unit_error cs_errors[] = {
	{ 0, "FTI_ILL_REQ", "illegal request" },
	{ 1, "FTI_ADDR_VIOL", "request for an address that is not its own" },
	{ 2, "FTI_SEC_VIOL", "request that security forbids" },
	{ 3, "FTI_ILL_RSP", "illegal response" },
	{ 4, "FTI_RSP_NO_MTCH", "response that nobody asked for" },
	{ 5, "FTI_PAR_ERR", "parity error in a request or probe response" },
	{ 6, "SDP_PAR_ERR", "parity error in a read response" },
	{ 7, "ATM_PAR_ERR", "parity error in an atomic request" },
	{ 8, "SPF_ECC_ERR", "ECC error in the probe filter" },
};

static const struct mce_unit_error pie_errors[] = {
	{ 0, "HW_ASSERT", "hardware assertion" },
	{ 1, "CSW", "access to a register that security forbids" },
	{ 2, "GMI", "error on a link between dies or sockets" },
	{ 3, "FTI_DAT_STAT", "poison was written to a register" },
};

/* Those of every model, and those of all from family 19h on. */
/* clang-format off */
#define UMC_ERRORS                                                                          \
	{ 0, "DramEccErr", "ECC error in data read from DRAM" },                            \
	{ 1, "WriteDataPoisonErr", "poison was to be written to DRAM" },                    \
	{ 2, "SdpParityErr", "parity error in data from the data fabric" },                 \
	{ 3, "ApbErr", "error on the peripheral bus" },                                     \
	{ 4, "AddressCommandParityErr", "parity error in an address or command to DRAM" },  \
	{ 5, "WriteDataCrcErr", "CRC error in data written to DRAM" }
#define UMC_SRAM_ERRORS                                                                     \
	{ 6, "DcqSramEccErr", "ECC error in the command queue's SRAM" },                    \
	{ 7, "AesSramEccErr", "ECC error in the encryption's SRAM" }
/* clang-format on */

static const struct mce_unit_error umc_errors[] = { UMC_ERRORS };

static const struct mce_unit_error umc_zen_3_errors[] = { UMC_ERRORS, UMC_SRAM_ERRORS };

static const struct mce_unit_error umc_genoa_errors[] = {
	UMC_ERRORS,
	UMC_SRAM_ERRORS,
	{ 8, "EcsRowErr", "a DRAM row has more than four errors (ECS)" },
	{ 9, "EcsErr", "a DRAM device has more errors than the threshold (ECS)" },
	{ 10, "ThrttlErr", "the memory controller throttles" },
	{ 11, "RdCrcErr", "CRC error in data read from DRAM" },
	{ 16, "RfmSramEccErr", "ECC error in the refresh management's SRAM" },
};

static const struct mce_unit_error pb_errors[] = {
	{ 0, "EccError", "ECC error in the parameter block's RAM" },
};

static const struct {
	uint16_t hwid;
	uint16_t mca_type;
	uint8_t models; /* enum models for which the list is right */
	uint8_t nr;
	const struct mce_unit_error *errors;
} error_lists[] = {
#define LIST(hwid, mca_type, models, errors)               \
	{                                                  \
		hwid, mca_type, models, NR(errors), errors \
	}
	LIST(HWID_CORE, 0x00, ZEN_1_2, ls_errors),
	LIST(HWID_CORE, 0x01, ZEN_1_2, if_errors),
	LIST(HWID_CORE, 0x02, ZEN_1_2, l2_errors),
	LIST(HWID_CORE, 0x03, ZEN_1_2, de_errors),
	LIST(HWID_CORE, 0x05, ZEN_1_2, ex_errors),
	LIST(HWID_CORE, 0x06, ZEN_1_2, fp_errors),
	LIST(HWID_CORE, 0x07, ZEN_1_2, l3_errors),
	LIST(0x2e, 0x00, ZEN_1_2, cs_errors),
	LIST(0x2e, 0x01, ZEN_1_2, pie_errors),
	LIST(HWID_UMC, 0x00, ZEN_1_2, umc_errors),
	LIST(HWID_UMC, 0x00, ZEN_3, umc_zen_3_errors),
	LIST(HWID_UMC, 0x00, GENOA | TURIN, umc_genoa_errors),
	LIST(0x05, 0x00, ZEN_1_2, pb_errors),
#undef LIST
};

static const struct mce_unit_error *find_error(const struct mce_smca *smca, enum models models)
{
	for (size_t i = 0; i < NR(error_lists); i++) {
		if (error_lists[i].hwid != smca->hwid ||
		    error_lists[i].mca_type != smca->mca_type || !(error_lists[i].models & models))
			continue;
		for (size_t j = 0; j < error_lists[i].nr; j++)
			if (error_lists[i].errors[j].code == smca->extended_code)
				return &error_lists[i].errors[j];
	}
	return NULL;
}

/* ---- memory ------------------------------------------------------------------------------- */

#define DRAM_ECC_ERROR 0

static bool is_memory_controller(const struct mce_smca *smca)
{
	return smca->hwid == HWID_UMC && smca->mca_type == 0;
}

bool mce_smca__addr_is_normalized(const struct mce_smca *smca)
{
	return is_memory_controller(smca) && smca->error && smca->error->code == DRAM_ECC_ERROR;
}

static uint32_t low_bits(uint64_t value, unsigned int nr)
{
	return (uint32_t)(nr < 32 ? value & ((1u << nr) - 1) : value);
}

/* The syndrome's length is in MCA_SYND as well, and 0 if there is none. */
static void decode_syndrome(struct mce_smca *smca, uint64_t synd)
{
	unsigned int bits = synd >> 18 & 0x3f;

	if (bits > 32)
		return;
	smca->syndrome_bits = bits;
	smca->syndrome = low_bits(synd >> 32, bits);
}

/*
 * A memory controller of a CPU serves one channel, whose number is in the instance's. Those of
 * GPUs count differently; the models that error_lists[] has for them are none.
 */
static void decode_memory(struct mce_smca *smca, const struct mce_registers *registers)
{
	uint64_t status = mce_registers__get(registers, MCE_STATUS);
	uint64_t synd = mce_registers__get(registers, MCE_SYND);

	smca->channel = (int)(smca->instance >> 20);
	if (!mce_smca__addr_is_normalized(smca) || !(status & MCE_STATUS_SYNDV) ||
	    !mce_registers__has(registers, MCE_SYND))
		return;
	smca->chip_select = (int)(synd & 7);
	if ((status & MCE_STATUS_CECC) && !(status & MCE_STATUS_DEFERRED))
		decode_syndrome(smca, synd);
}

/* ------------------------------------------------------------------------------------------- */

bool mce_smca__is(const struct mce_registers *registers)
{
	return mce_vendor_is_amd((uint32_t)mce_registers__get(registers, MCE_CPUVENDOR)) &&
	       mce_registers__has(registers, MCE_CPUVENDOR) &&
	       (mce_registers__get(registers, MCE_IPID) >> 32 & 0xfff);
}

void mce_smca__decode(struct mce_smca *smca, const struct mce_registers *registers,
		      unsigned int family, unsigned int model)
{
	uint64_t ipid = mce_registers__get(registers, MCE_IPID);
	uint64_t status = mce_registers__get(registers, MCE_STATUS);
	enum models models = models_of(family, model);

	*smca = (struct mce_smca){
		.hwid = ipid >> 32 & 0xfff,
		.mca_type = (uint16_t)(ipid >> 48),
		.instance = (uint32_t)ipid,
		.extended_code = status >> 16 & 0x3f,
		.core = -1,
		.channel = -1,
		.chip_select = -1,
	};
	smca->unit = find_unit(smca->hwid, smca->mca_type);
	smca->error = find_error(smca, models);
	if (status & MCE_STATUS_CORE_VALID)
		smca->core = (int)(status >> 32 & 0x3f);
	if (is_memory_controller(smca) && !(models & OTHERS))
		decode_memory(smca, registers);
}
