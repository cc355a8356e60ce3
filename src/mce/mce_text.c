// SPDX-License-Identifier: GPL-2.0-only
#include "mce/mce_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* More than any one piece of a line needs. */
#define PIECE_SIZE 256

#define LABEL_WIDTH 10

struct text {
	struct text_out *out;
	const struct mce_decoded *decoded;
	const char *indent;
	const char *separator; /* before the next piece of the line */
};

static __attribute__((format(printf, 2, 3))) void put(struct text *text, const char *format, ...)
{
	char piece[PIECE_SIZE];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(piece, sizeof(piece), format, args);
	va_end(args);
	if (len > 0)
		text_out__bytes(text->out, piece,
				(size_t)len < sizeof(piece) ? (size_t)len : sizeof(piece) - 1);
}

static void begin_line(struct text *text, const char *label)
{
	put(text, "%s%-*s", text->indent, LABEL_WIDTH, label);
	text->separator = "";
}

static void end_line(struct text *text)
{
	text_out__char(text->out, '\n');
}

/* One of several things in a line. */
#define put_part(text, separator_, ...)             \
	do {                                        \
		put(text, "%s", (text)->separator); \
		put(text, __VA_ARGS__);             \
		(text)->separator = separator_;     \
	} while (0)

static bool has(const struct text *text, enum mce_register reg)
{
	return mce_decoded__has(text->decoded, reg);
}

static uint64_t get(const struct text *text, enum mce_register reg)
{
	return mce_decoded__get(text->decoded, reg);
}

static bool status(const struct text *text, uint64_t bit)
{
	return mce_decoded__status(text->decoded, bit);
}

/* ---- how bad ------------------------------------------------------------------------------ */

/* SDM table 15-6 and 15.6.3, what they mean to whoever is on call. */
static const char *consequence_of_srar(const struct text *text)
{
	if (status(text, MCE_STATUS_OVER))
		return "bad data was used, and how to recover is lost: reset the system";
	if (!status(text, MCE_STATUS_ADDRV) || !status(text, MCE_STATUS_MISCV))
		return "bad data was used, nobody knows where: reset the system";
	return "bad data was about to be used; what needs it must not go on";
}

static const char *consequence_of_uncorrected(const struct text *text)
{
	if (status(text, MCE_STATUS_PCC))
		return "the processor's state is corrupt, but reporting of it was not enabled";
	if (status(text, MCE_STATUS_TCC))
		return "data was lost; the interrupted task cannot go on";
	return "data was lost";
}

static const char *consequence(const struct text *text)
{
	switch (text->decoded->severity) {
	case MCE_SEVERITY_NONE:
		return "the bank's VAL bit is clear, and nothing else in it means anything";
	case MCE_SEVERITY_CORRECTED:
		return "the hardware corrected it, nothing was lost";
	case MCE_SEVERITY_DEFERRED:
		return "bad data was found and marked; nothing has used it yet";
	case MCE_SEVERITY_UCNA:
		return "bad data was found; nothing has used it yet";
	case MCE_SEVERITY_SRAO:
		return "bad data was found, nothing has used it yet; retire its page";
	case MCE_SEVERITY_SRAR:
		return consequence_of_srar(text);
	case MCE_SEVERITY_FATAL:
		return "what the processor was doing is lost: the system must be reset";
	default:
		return consequence_of_uncorrected(text);
	}
}

static void put_severity(struct text *text)
{
	put(text, "%s: %s", mce_severity__name(text->decoded->severity)->text, consequence(text));
}

void mce_text__print_severity(struct text_out *out, const struct mce_decoded *decoded)
{
	struct text text = { .out = out, .decoded = decoded };

	put_severity(&text);
}

static void print_severity(struct text *text)
{
	begin_line(text, "severity");
	put_severity(text);
	end_line(text);
}

/* ---- of what kind ------------------------------------------------------------------------- */

static void put_name(struct text *text, const struct mce_name *name)
{
	if (name && name->text)
		put_part(text, ", ", "%s", name->text);
}

static void put_error(struct text *text)
{
	const struct mce_code *code = &text->decoded->code;

	put(text, "%s", mce_error_kind__text(code->kind));
	text->separator = ": ";
	put_name(text, code->internal);
	put_name(text, code->operation);
	put_name(text, code->participation);
	put_name(text, code->timeout);
	put_name(text, code->request);
	put_name(text, code->access);
	put_name(text, code->transaction);
	put_name(text, code->level);
	if (code->channel >= 0)
		put_part(text, ", ", "channel %d", code->channel);
	put(text, " (code 0x%04x)", text->decoded->code_value);
}

void mce_text__print_error(struct text_out *out, const struct mce_decoded *decoded)
{
	struct text text = { .out = out, .decoded = decoded };

	put_error(&text);
}

static void print_error(struct text *text)
{
	const struct mce_decoded *decoded = text->decoded;

	begin_line(text, "error");
	put_error(text);
	end_line(text);
	if (decoded->model_code && !decoded->has_smca) {
		begin_line(text, "");
		put(text, "model-specific code 0x%04x", decoded->model_code);
		end_line(text);
	}
	if (decoded->code.is_filtered) {
		begin_line(text, "filtered");
		put(text, "the hardware may not report further corrections of the same line");
		end_line(text);
	}
}

/* ---- AMD ---------------------------------------------------------------------------------- */

static void print_memory(struct text *text)
{
	const struct mce_smca *smca = &text->decoded->smca;

	if (smca->channel < 0)
		return;
	begin_line(text, "memory");
	put_part(text, ", ", "channel %d", smca->channel);
	if (smca->chip_select >= 0)
		put_part(text, ", ", "chip select %d", smca->chip_select);
	if (smca->syndrome_bits)
		put_part(text, ", ", "syndrome 0x%x of %u bits", smca->syndrome,
			 smca->syndrome_bits);
	end_line(text);
}

static void print_unit(struct text *text)
{
	const struct mce_smca *smca = &text->decoded->smca;

	if (!text->decoded->has_smca)
		return;
	begin_line(text, "unit");
	if (smca->unit)
		put(text, "%s", smca->unit->text);
	else
		put(text, "unknown (hardware 0x%03x, type 0x%04x)", smca->hwid, smca->mca_type);
	put(text, ", instance 0x%x", smca->instance);
	if (smca->core >= 0)
		put(text, ", core %d", smca->core);
	end_line(text);
	begin_line(text, "");
	if (smca->error)
		put(text, "%s (%s, extended code %u)", smca->error->text, smca->error->id,
		    smca->extended_code);
	else
		put(text, "extended code %u, of unknown meaning on this model",
		    smca->extended_code);
	end_line(text);
	print_memory(text);
}

/* ---- where -------------------------------------------------------------------------------- */

/* 2^lsb bytes. */
static void put_size(struct text *text, int lsb)
{
	static const char *const units[] = { "byte", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };

	put(text, ", known to %u %s%s", 1u << lsb % 10, units[lsb / 10],
	    lsb > 0 && lsb < 10 ? "s" : "");
}

static void put_page(struct text *text, const struct mce_address *address)
{
	uint64_t page = address->value >> MCE_PAGE_SHIFT;

	if (address->lsb <= MCE_PAGE_SHIFT)
		put(text, "; page 0x%" PRIx64, page);
	else
		put(text, "; pages 0x%" PRIx64 " to 0x%" PRIx64, page,
		    page + ((uint64_t)1 << (address->lsb - MCE_PAGE_SHIFT)) - 1);
}

static void print_address(struct text *text)
{
	const struct mce_address *address = &text->decoded->address;

	if (!address->is_valid)
		return;
	begin_line(text, "address");
	put(text, "0x%" PRIx64 ", %s", address->value,
	    address->mode ? address->mode->text : "of unknown kind");
	if (address->lsb >= 0)
		put_size(text, address->lsb);
	if (address->has_page)
		put_page(text, address);
	end_line(text);
}

static void print_origin(struct text *text)
{
	begin_line(text, "from");
	if (text->decoded->is_from_firmware)
		put_part(text, ", ", "a report of the firmware");
	else if (has(text, MCE_BANK))
		put_part(text, ", ", "bank %" PRIu64, get(text, MCE_BANK));
	if (has(text, MCE_CPU))
		put_part(text, ", ", "CPU %" PRIu64, get(text, MCE_CPU));
	if (has(text, MCE_CORE))
		put_part(text, ", ", "core %" PRIu64, get(text, MCE_CORE));
	if (has(text, MCE_SOCKETID))
		put_part(text, ", ", "socket %" PRIu64, get(text, MCE_SOCKETID));
	if (has(text, MCE_APICID))
		put_part(text, ", ", "APIC ID 0x%" PRIx64, get(text, MCE_APICID));
	end_line(text);
}

static bool has_origin(const struct text *text)
{
	return has(text, MCE_BANK) || has(text, MCE_CPU) || has(text, MCE_CORE) ||
	       has(text, MCE_SOCKETID) || has(text, MCE_APICID);
}

/* ---- the processor ------------------------------------------------------------------------ */

static void put_vendor(struct text *text)
{
	const struct mce_name *vendor = mce_vendor__name(text->decoded->vendor);

	if (!has(text, MCE_CPUVENDOR))
		put_part(text, " ", "unknown");
	else if (vendor)
		put_part(text, " ", "%s", vendor->text);
	else
		put_part(text, " ", "vendor %u", text->decoded->vendor);
}

static void print_processor(struct text *text)
{
	const struct mce_decoded *decoded = text->decoded;

	if (!has(text, MCE_CPUVENDOR) && !has(text, MCE_CPUID) && !has(text, MCE_PPIN) &&
	    !has(text, MCE_MICROCODE))
		return;
	begin_line(text, "processor");
	put_vendor(text);
	if (has(text, MCE_CPUID))
		put_part(text, " ", "family 0x%x model 0x%x stepping 0x%x", decoded->family,
			 decoded->model, decoded->stepping);
	text->separator = ", ";
	if (has(text, MCE_MICROCODE))
		put_part(text, ", ", "microcode 0x%" PRIx64, get(text, MCE_MICROCODE));
	if (has(text, MCE_PPIN))
		put_part(text, ", ", "PPIN 0x%" PRIx64, get(text, MCE_PPIN));
	end_line(text);
}

/* ---- the state ---------------------------------------------------------------------------- */

static void print_flags(struct text *text)
{
	const struct mce_flag *flag;

	for (size_t i = 0; (flag = mce_status_flag(i, mce_vendor_is_amd(text->decoded->vendor)));
	     i++) {
		if (!flag->text || !status(text, flag->bit))
			continue;
		begin_line(text, "note");
		put(text, "%s", flag->text);
		end_line(text);
	}
}

static void print_corrected(struct text *text)
{
	const struct mce_decoded *decoded = text->decoded;

	bool is_more = get(text, MCE_STATUS) & MCE_STATUS_COUNT_OVER;

	if (decoded->has_count && (decoded->count || is_more)) {
		begin_line(text, "count");
		put(text, "%u corrected error%s since the bank was last cleared%s", decoded->count,
		    decoded->count == 1 ? "" : "s", is_more ? ", or more (overflow)" : "");
		end_line(text);
	}
	if (decoded->threshold > MCE_THRESHOLD_IS_NONE) {
		begin_line(text, "threshold");
		put(text, "%s", mce_threshold__name(decoded->threshold)->text);
		end_line(text);
	}
}

/* What interrupted whom; without MCIP the error was found by a poller or an interrupt. */
static void print_exception(struct text *text)
{
	const struct mce_decoded *decoded = text->decoded;

	if (!mce_decoded__mcg(decoded, MCE_MCG_MCIP))
		return;
	begin_line(text, "exception");
	put(text, "%s",
	    mce_decoded__mcg(decoded, MCE_MCG_LMCE) ? "on this CPU alone (LMCE)" : "machine check");
	put(text, ", interrupted code %s",
	    mce_decoded__mcg(decoded, MCE_MCG_RIPV) ? "can go on (RIPV)"
						    : "cannot go on (no RIPV)");
	if (mce_decoded__mcg(decoded, MCE_MCG_EIPV))
		put(text, " and has to do with it (EIPV)");
	end_line(text);
}

static void print_time(struct text *text)
{
	char time[MCE_TIME_SIZE];

	if (!mce_decoded__time(text->decoded, time))
		return;
	begin_line(text, "time");
	put(text, "%s", time);
	end_line(text);
}

/* ---- what is not known --------------------------------------------------------------------- */

static const char *what_needs(enum mce_register reg)
{
	switch (reg) {
	case MCE_CPUVENDOR:
		return "the vendor: only what all vendors share was decoded";
	case MCE_MCGCAP:
		return "MCG_CAP: class of recovery, counts and thresholds depend on it";
	case MCE_MISC:
		return "MCi_MISC: it has the address's kind and how exact it is";
	case MCE_ADDR:
		return "MCi_ADDR: it has the address";
	case MCE_IPID:
		return "MCA_IPID: it tells which unit this is";
	case MCE_SYND:
		return "MCA_SYND: it has more about the error";
	case MCE_CPUID:
		return "CPUID: the model gives the extended code its meaning";
	default:
		return mce_register__name(reg);
	}
}

static void print_needed(struct text *text)
{
	for (int reg = 0; reg < MCE_NR_REGISTERS; reg++) {
		if (!(text->decoded->needed & 1u << reg))
			continue;
		begin_line(text, "missing");
		put(text, "%s", what_needs(reg));
		end_line(text);
	}
}

/* ------------------------------------------------------------------------------------------- */

void mce_text__print(struct text_out *out, const struct mce_decoded *decoded, const char *indent)
{
	struct text text = { .out = out, .decoded = decoded, .indent = indent };

	print_severity(&text);
	if (decoded->severity != MCE_SEVERITY_NONE) {
		print_error(&text);
		print_unit(&text);
		print_address(&text);
		print_corrected(&text);
		print_flags(&text);
		print_exception(&text);
	}
	if (has_origin(&text))
		print_origin(&text);
	print_processor(&text);
	print_time(&text);
	print_needed(&text);
}
