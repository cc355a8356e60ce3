// SPDX-License-Identifier: GPL-2.0-only
#include "mce/mce_json.h"

#include "mce_status.h"

static void generate_name(struct json_generator *generator, const char *key,
			  const struct mce_name *name)
{
	if (name)
		json_generator__string(generator, key, name->id);
}

static void generate_if_known(struct json_generator *generator, const char *key,
			      const struct mce_decoded *decoded, enum mce_register reg)
{
	if (mce_decoded__has(decoded, reg))
		json_generator__number(generator, key, mce_decoded__get(decoded, reg));
}

/* ---- the status registers ----------------------------------------------------------------- */

static void generate_status(struct json_generator *generator, const struct mce_decoded *decoded)
{
	const struct mce_flag *flag;

	json_generator__open_map(generator, "status");
	for (size_t i = 0; (flag = mce_status_flag(i, mce_vendor_is_amd(decoded->vendor))); i++)
		if (decoded->status_known & flag->bit)
			json_generator__bool(generator, flag->id,
					     mce_decoded__status(decoded, flag->bit));
	json_generator__close_map(generator);
}

static void generate_mcg_status(struct json_generator *generator, const struct mce_decoded *decoded)
{
	const struct mce_flag *flag;

	if (!decoded->mcg_known)
		return;
	json_generator__open_map(generator, "mcg_status");
	for (size_t i = 0; (flag = mce_mcg_flag(i)); i++)
		if (decoded->mcg_known & flag->bit)
			json_generator__bool(generator, flag->id,
					     mce_decoded__mcg(decoded, flag->bit));
	json_generator__close_map(generator);
}

static void generate_corrected(struct json_generator *generator, const struct mce_decoded *decoded)
{
	if (decoded->has_count) {
		json_generator__number(generator, "corrected_count", decoded->count);
		json_generator__bool(generator, "corrected_count_overflow",
				     mce_decoded__get(decoded, MCE_STATUS) & MCE_STATUS_COUNT_OVER);
	}
	if (decoded->threshold != MCE_THRESHOLD_UNKNOWN)
		generate_name(generator, "threshold", mce_threshold__name(decoded->threshold));
}

/* ---- the error ---------------------------------------------------------------------------- */

static void generate_error(struct json_generator *generator, const struct mce_decoded *decoded)
{
	const struct mce_code *code = &decoded->code;

	json_generator__open_map(generator, "error");
	json_generator__number(generator, "code", decoded->code_value);
	json_generator__number(generator, "model_code", decoded->model_code);
	json_generator__string(generator, "kind", mce_error_kind__id(code->kind));
	generate_name(generator, "internal", code->internal);
	generate_name(generator, "operation", code->operation);
	generate_name(generator, "participation", code->participation);
	generate_name(generator, "timeout", code->timeout);
	generate_name(generator, "request", code->request);
	generate_name(generator, "access", code->access);
	generate_name(generator, "transaction", code->transaction);
	generate_name(generator, "level", code->level);
	if (code->channel >= 0)
		json_generator__number(generator, "channel", (uint64_t)code->channel);
	json_generator__bool(generator, "filtered", code->is_filtered);
	json_generator__close_map(generator);
}

static void generate_number_unless_negative(struct json_generator *generator, const char *key,
					    int value)
{
	if (value >= 0)
		json_generator__number(generator, key, (uint64_t)value);
}

static void generate_unit(struct json_generator *generator, const struct mce_decoded *decoded)
{
	const struct mce_smca *smca = &decoded->smca;

	if (!decoded->has_smca)
		return;
	json_generator__open_map(generator, "unit");
	if (smca->unit)
		json_generator__string(generator, "name", smca->unit->id);
	json_generator__number(generator, "hwid", smca->hwid);
	json_generator__number(generator, "mca_type", smca->mca_type);
	json_generator__number(generator, "instance", smca->instance);
	json_generator__number(generator, "extended_code", smca->extended_code);
	if (smca->error)
		json_generator__string(generator, "error", smca->error->id);
	generate_number_unless_negative(generator, "core", smca->core);
	generate_number_unless_negative(generator, "channel", smca->channel);
	generate_number_unless_negative(generator, "chip_select", smca->chip_select);
	if (smca->syndrome_bits) {
		json_generator__number(generator, "syndrome", smca->syndrome);
		json_generator__number(generator, "syndrome_bits", smca->syndrome_bits);
	}
	json_generator__close_map(generator);
}

static void generate_address(struct json_generator *generator, const struct mce_decoded *decoded)
{
	const struct mce_address *address = &decoded->address;

	if (!address->is_valid)
		return;
	json_generator__open_map(generator, "address");
	json_generator__number(generator, "value", address->value);
	generate_name(generator, "mode", address->mode);
	if (address->lsb >= 0)
		json_generator__number(generator, "bytes", (uint64_t)1 << address->lsb);
	if (address->has_page)
		json_generator__number(generator, "page", address->value >> MCE_PAGE_SHIFT);
	json_generator__close_map(generator);
}

/* ---- where and when ----------------------------------------------------------------------- */

static void generate_origin(struct json_generator *generator, const struct mce_decoded *decoded)
{
	char time[MCE_TIME_SIZE];

	generate_if_known(generator, "bank", decoded, MCE_BANK);
	json_generator__bool(generator, "from_firmware", decoded->is_from_firmware);
	generate_if_known(generator, "cpu", decoded, MCE_CPU);
	generate_if_known(generator, "core", decoded, MCE_CORE);
	generate_if_known(generator, "socket", decoded, MCE_SOCKETID);
	generate_if_known(generator, "apic_id", decoded, MCE_APICID);
	if (mce_decoded__time(decoded, time))
		json_generator__string(generator, "time", time);
}

static void generate_processor(struct json_generator *generator, const struct mce_decoded *decoded)
{
	json_generator__open_map(generator, "processor");
	if (mce_decoded__has(decoded, MCE_CPUVENDOR))
		generate_name(generator, "vendor", mce_vendor__name(decoded->vendor));
	if (mce_decoded__has(decoded, MCE_CPUID)) {
		json_generator__number(generator, "family", decoded->family);
		json_generator__number(generator, "model", decoded->model);
		json_generator__number(generator, "stepping", decoded->stepping);
	}
	generate_if_known(generator, "microcode", decoded, MCE_MICROCODE);
	generate_if_known(generator, "ppin", decoded, MCE_PPIN);
	json_generator__close_map(generator);
}

static void generate_missing(struct json_generator *generator, const struct mce_decoded *decoded)
{
	json_generator__open_array(generator, "missing");
	for (int reg = 0; reg < MCE_NR_REGISTERS; reg++)
		if (decoded->needed & 1u << reg)
			json_generator__string(generator, NULL, mce_register__name(reg));
	json_generator__close_array(generator);
}

/* ------------------------------------------------------------------------------------------- */

void mce_json__generate(struct json_generator *generator, const char *key,
			const struct mce_decoded *decoded)
{
	json_generator__open_map(generator, key);
	generate_name(generator, "severity", mce_severity__name(decoded->severity));
	generate_status(generator, decoded);
	if (decoded->severity != MCE_SEVERITY_NONE) {
		generate_error(generator, decoded);
		generate_unit(generator, decoded);
		generate_address(generator, decoded);
		generate_corrected(generator, decoded);
	}
	generate_mcg_status(generator, decoded);
	generate_origin(generator, decoded);
	generate_processor(generator, decoded);
	generate_missing(generator, decoded);
	json_generator__close_map(generator);
}

void mce_json__generate_registers(struct json_generator *generator, const char *key,
				  const struct mce_registers *registers)
{
	json_generator__open_map(generator, key);
	for (int reg = 0; reg < MCE_NR_REGISTERS; reg++)
		if (mce_registers__has(registers, reg))
			json_generator__number(generator, mce_register__name(reg),
					       mce_registers__get(registers, reg));
	json_generator__close_map(generator);
}
