/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Machine check registers: the bits, and the two questions that can be answered from numbers
 * alone, how bad an error is and of what kind. One definition for the reader and for BPF
 * programs; a BPF program includes vmlinux.h before this file. Nothing but arithmetic here.
 *
 * Sources, which comments name:
 *   SDM     Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3B, chapter 15
 *           "Machine-Check Architecture"; numbers of tables and sections as in 325384-059
 *   Linux   arch/x86/include/asm/mce.h and drivers/edac/mce_amd.h of Linux 6.1, for what AMD's
 *           registers have of their own; AMD's manual of it is the AMD64 Architecture
 *           Programmer's Manual, volume 2, chapter 9
 *   AMD     drivers/gpu/drm/amd/ras/rascore/ras_aca_v1_0.h of Linux, AMD's own list of the fields
 *           of a scalable MCA bank
 */
#ifndef MCE_STATUS_H
#define MCE_STATUS_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#define MCE_BIT(n) (1ULL << (n))

/* ---- whose registers -------------------------------------------------------------------- */

/*
 * Vendors as the kernel numbers them and as mce_record's cpuvendor has them
 * (arch/x86/include/asm/processor.h, X86_VENDOR_*). Of other vendors only what all share is
 * taken to be known.
 */
#define MCE_VENDOR_INTEL   0
#define MCE_VENDOR_AMD	   2
#define MCE_VENDOR_HYGON   9 /* AMD's design, and so AMD's registers */
#define MCE_VENDOR_UNKNOWN 0xff

/*
 * A bank that is none: the kernel's notice of a memory error that firmware reported
 * (apei_mce_report_mem_error() in arch/x86/kernel/cpu/mce/apei.c of Linux). It makes the bits up
 * that all vendors share, and an error code of Intel's form.
 */
#define MCE_BANK_FIRMWARE 255

/* Whose manual tells how bad the error in a bank is, and whose of what kind. */
static inline __u32 mce_severity_vendor(__u32 vendor, __u32 bank)
{
	return bank == MCE_BANK_FIRMWARE ? MCE_VENDOR_UNKNOWN : vendor;
}

static inline __u32 mce_kind_vendor(__u32 vendor, __u32 bank)
{
	return bank == MCE_BANK_FIRMWARE ? MCE_VENDOR_INTEL : vendor;
}

static inline int mce_vendor_is_intel(__u32 vendor)
{
	return vendor == MCE_VENDOR_INTEL;
}

static inline int mce_vendor_is_amd(__u32 vendor)
{
	return vendor == MCE_VENDOR_AMD || vendor == MCE_VENDOR_HYGON;
}

/* ---- MCG_CAP (SDM 15.3.1.1) --------------------------------------------------------------- */

#define MCE_CAP_BANKS  0xffULL	   /* number of banks */
#define MCE_CAP_CMCI_P MCE_BIT(10) /* corrected errors are counted, and can interrupt */
#define MCE_CAP_TES_P  MCE_BIT(11) /* MCi_STATUS tells of a threshold */
#define MCE_CAP_SER_P  MCE_BIT(24) /* MCi_STATUS has S and AR: software can recover */
#define MCE_CAP_EMC_P  MCE_BIT(25) /* firmware may see, and edit, an error first */
#define MCE_CAP_LMCE_P MCE_BIT(27) /* machine checks of one logical processor alone */

/* ---- MCG_STATUS (SDM 15.3.1.2) ------------------------------------------------------------- */

#define MCE_MCG_RIPV MCE_BIT(0) /* the interrupted program can be restarted */
#define MCE_MCG_EIPV MCE_BIT(1) /* the error has to do with that instruction */
#define MCE_MCG_MCIP MCE_BIT(2) /* a machine check is in progress */
#define MCE_MCG_LMCE MCE_BIT(3) /* Intel: delivered to this logical processor alone */

/* ---- MCi_STATUS --------------------------------------------------------------------------- */

/* Of all vendors (SDM figure 15-6). */
#define MCE_STATUS_VAL	 MCE_BIT(63) /* the register holds an error */
#define MCE_STATUS_OVER	 MCE_BIT(62) /* another error came while it held one */
#define MCE_STATUS_UC	 MCE_BIT(61) /* not corrected */
#define MCE_STATUS_EN	 MCE_BIT(60) /* reporting of it was enabled in MCi_CTL */
#define MCE_STATUS_MISCV MCE_BIT(59) /* MCi_MISC is about it */
#define MCE_STATUS_ADDRV MCE_BIT(58) /* MCi_ADDR is about it */
#define MCE_STATUS_PCC	 MCE_BIT(57) /* the processor's state may be corrupt */
#define MCE_STATUS_CODE	 0xffffULL

/* Intel: the first two with MCE_CAP_SER_P, the last with MCE_CAP_EMC_P (SDM 15.3.2.2). */
#define MCE_STATUS_S		   MCE_BIT(56) /* signalled by an exception */
#define MCE_STATUS_AR		   MCE_BIT(55) /* action is required before anything else runs */
#define MCE_STATUS_FIRMWARE_EDITED MCE_BIT(37) /* may have been changed by firmware */

/* Intel: status of a threshold, with MCE_CAP_TES_P and UC clear (SDM table 15-1). */
#define MCE_STATUS_THRESHOLD(status) (((status) >> 53) & 3)
#define MCE_THRESHOLD_NONE	     0 /* nothing is tracked here */
#define MCE_THRESHOLD_GREEN	     1
#define MCE_THRESHOLD_YELLOW	     2

/* Intel: corrected errors since the register was cleared, with MCE_CAP_CMCI_P (SDM 15.3.2.2). */
#define MCE_STATUS_COUNT(status) (((status) >> 38) & 0x3fff)
#define MCE_STATUS_COUNT_OVER	 MCE_BIT(52) /* there were more than fit; it stays set */

/* AMD (Linux; CECC and UECC: mce_amd.c). */
#define MCE_STATUS_CECC	    MCE_BIT(46) /* an ECC error that was corrected */
#define MCE_STATUS_UECC	    MCE_BIT(45) /* one that was not */
#define MCE_STATUS_DEFERRED MCE_BIT(44) /* not corrected, and nothing has used the data yet */
#define MCE_STATUS_POISON   MCE_BIT(43) /* found where data known to be bad was used */

/* AMD, a bank of scalable MCA (AMD). */
#define MCE_STATUS_CORE_VALID MCE_BIT(56)
#define MCE_STATUS_TCC	      MCE_BIT(55) /* the task's state may be corrupt */
#define MCE_STATUS_SYNDV      MCE_BIT(53) /* MCA_SYND is about it */
#define MCE_STATUS_SCRUB      MCE_BIT(40) /* found by scrubbing */

/* The error code's bit "F": reports of corrected errors of this structure are filtered (Intel). */
#define MCE_CODE_FILTER MCE_BIT(12)

/* ---- how bad ------------------------------------------------------------------------------ */

/*
 * From harmless to worst. The numbers are what BPF maps are indexed by: new ones go to the end.
 * UNCORRECTED is an uncorrected error of which the registers do not say which of the classes
 * around it applies: MCG_CAP is not known, the combination of bits is none of the manual's, or
 * the vendor has no such classes, or is not known.
 */
enum mce_severity {
	MCE_SEVERITY_NONE = 0, /* the register holds no valid error */
	MCE_SEVERITY_CORRECTED = 1,
	MCE_SEVERITY_DEFERRED = 2,
	MCE_SEVERITY_UCNA = 3, /* uncorrected, no action required */
	MCE_SEVERITY_SRAO = 4, /* software recoverable, action optional */
	MCE_SEVERITY_SRAR = 5, /* software recoverable, action required */
	MCE_SEVERITY_UNCORRECTED = 6,
	MCE_SEVERITY_FATAL = 7,
	MCE_NR_SEVERITIES
};

/*
 * The two errors that are SRAO also when they come as a corrected machine check interrupt, with
 * S clear: memory scrubbing and explicit write-back of L3 (SDM tables 15-15 and 15-16 with their
 * notes; bit F does not count).
 */
static inline int mce_code_is_srao(__u64 status)
{
	__u64 code = status & MCE_STATUS_CODE & ~MCE_CODE_FILTER;

	return (code & ~0xfULL) == 0xc0 || code == 0x17a;
}

/* SDM table 15-6, uncorrected errors of a processor with software recovery. */
static inline enum mce_severity mce_recovery_class(__u64 status)
{
	__u64 signalled = status & MCE_STATUS_S, required = status & MCE_STATUS_AR;

	if (status & MCE_STATUS_PCC)
		return status & MCE_STATUS_EN ? MCE_SEVERITY_FATAL : MCE_SEVERITY_UNCORRECTED;
	if (!signalled && !required)
		return mce_code_is_srao(status) ? MCE_SEVERITY_SRAO : MCE_SEVERITY_UCNA;
	if (!signalled || !(status & MCE_STATUS_EN))
		return MCE_SEVERITY_UNCORRECTED;
	return required ? MCE_SEVERITY_SRAR : MCE_SEVERITY_SRAO;
}

/**
 * mce_severity() - how bad an error is, by the architecture alone
 * @status: MCi_STATUS
 * @mcgcap: MCG_CAP; 0 if not known
 * @vendor: of mce_severity_vendor()
 *
 * What the kernel makes of it can be worse: it knows what was running. MCG_STATUS does not
 * count: it tells whether the interrupted program can go on, not what the error is.
 */
static inline enum mce_severity mce_severity(__u64 status, __u64 mcgcap, __u32 vendor)
{
	if (!(status & MCE_STATUS_VAL))
		return MCE_SEVERITY_NONE;
	if (!(status & MCE_STATUS_UC))
		return mce_vendor_is_amd(vendor) && (status & MCE_STATUS_DEFERRED)
			       ? MCE_SEVERITY_DEFERRED
			       : MCE_SEVERITY_CORRECTED;
	if (mce_vendor_is_intel(vendor) && (mcgcap & MCE_CAP_SER_P))
		return mce_recovery_class(status);
	/* Without software recovery there is none: SDM 15.6.1, 15.10.4.1. */
	if ((status & MCE_STATUS_PCC) || (mce_vendor_is_intel(vendor) && mcgcap))
		return MCE_SEVERITY_FATAL;
	return MCE_SEVERITY_UNCORRECTED;
}

/* ---- of what kind ------------------------------------------------------------------------- */

/* What the error code says is broken. New ones go to the end, as above. */
enum mce_error_kind {
	MCE_KIND_UNKNOWN = 0, /* a code that the vendor's manual does not define, or no error */
	MCE_KIND_UNCLASSIFIED = 1,
	MCE_KIND_MICROCODE_ROM = 2,
	MCE_KIND_EXTERNAL = 3,
	MCE_KIND_FRC = 4, /* functional redundancy check */
	MCE_KIND_INTERNAL_PARITY = 5,
	MCE_KIND_SMM_CODE_ACCESS = 6, /* SMM handler code access violation */
	MCE_KIND_INTERNAL_TIMER = 7,
	MCE_KIND_IO = 8,
	MCE_KIND_INTERNAL = 9,	       /* internal, not classified */
	MCE_KIND_CACHE_HIERARCHY = 10, /* generic: only the level is known */
	MCE_KIND_TLB = 11,
	MCE_KIND_MEMORY_CONTROLLER = 12,
	MCE_KIND_CACHE = 13,
	MCE_KIND_EXTENDED_MEMORY = 14, /* memory that serves as a cache of other memory */
	MCE_KIND_BUS = 15,
	MCE_NR_KINDS
};

/* SDM table 15-8, simple error codes. */
static inline enum mce_error_kind mce_simple_kind(__u64 code)
{
	switch (code) {
	case 0x0001:
		return MCE_KIND_UNCLASSIFIED;
	case 0x0002:
		return MCE_KIND_MICROCODE_ROM;
	case 0x0003:
		return MCE_KIND_EXTERNAL;
	case 0x0004:
		return MCE_KIND_FRC;
	case 0x0005:
		return MCE_KIND_INTERNAL_PARITY;
	case 0x0006:
		return MCE_KIND_SMM_CODE_ACCESS;
	case 0x0400:
		return MCE_KIND_INTERNAL_TIMER;
	case 0x0e0b:
		return MCE_KIND_IO;
	}
	return (code & 0xfc00) == 0x0400 ? MCE_KIND_INTERNAL : MCE_KIND_UNKNOWN;
}

/* The forms that Intel and AMD share: TLB, cache and bus (SDM table 15-9, Linux mce_amd.h). */
static inline enum mce_error_kind mce_shared_kind(__u64 code)
{
	if ((code & 0xfff0) == 0x0010)
		return MCE_KIND_TLB;
	if ((code & 0xff00) == 0x0100)
		return MCE_KIND_CACHE;
	if ((code & 0xf800) == 0x0800)
		return MCE_KIND_BUS;
	return MCE_KIND_UNKNOWN;
}

/* SDM table 15-9, compound error codes; bit F is a part of each. */
static inline enum mce_error_kind mce_intel_kind(__u64 code)
{
	enum mce_error_kind kind = mce_simple_kind(code);

	if (kind != MCE_KIND_UNKNOWN)
		return kind;
	code &= ~MCE_CODE_FILTER;
	if ((code & 0xfffc) == 0x000c)
		return MCE_KIND_CACHE_HIERARCHY;
	if ((code & 0xff80) == 0x0080)
		return MCE_KIND_MEMORY_CONTROLLER;
	if ((code & 0xff80) == 0x0280)
		return MCE_KIND_EXTENDED_MEMORY;
	return mce_shared_kind(code);
}

/* An internal error has 0000 01UU 0000 0000 (Linux mce_amd.h). */
static inline enum mce_error_kind mce_amd_kind(__u64 code)
{
	return (code & 0xfcff) == 0x0400 ? MCE_KIND_INTERNAL : mce_shared_kind(code);
}

/**
 * mce_error_kind() - what is broken, by the error code of MCi_STATUS
 * @status: MCi_STATUS
 * @vendor: of mce_kind_vendor()
 *
 * A kind is one of the architecture's. AMD's finer ones lie in the extended error code, whose
 * meaning depends on the unit.
 */
static inline enum mce_error_kind mce_error_kind(__u64 status, __u32 vendor)
{
	__u64 code = status & MCE_STATUS_CODE;

	if (!(status & MCE_STATUS_VAL))
		return MCE_KIND_UNKNOWN;
	if (mce_vendor_is_intel(vendor))
		return mce_intel_kind(code);
	if (mce_vendor_is_amd(vendor))
		return mce_amd_kind(code);
	return mce_shared_kind(code);
}

#endif
