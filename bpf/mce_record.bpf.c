// SPDX-License-Identifier: GPL-2.0-only
/*
 * mce:mce_record, by BTF raw tracepoint: cheaper than the detour over perf's record, and free of
 * helpers that a locked down kernel forbids. The record is put together here from the
 * tracepoint's argument, field by field, as the event's format text has it on this kernel:
 *
 *   6.1   struct mce *, no ppin and no microcode
 *   6.9   both added (6.12 has them)
 *   6.13  struct mce_hw_err *, and a variable field v_data with the vendor's registers
 *
 * The loader compares the format text with the fields below. A kernel that has others, or that
 * has no BTF, gets percpu_events.bpf.c instead, which needs to know nothing of them.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "persist_record.h"
#include "event_constants.h"
#include "mce_status.h"
#include "page_set.h"
#include "totals_fields.h"
#include "capture.bpf.h"
#include "totals.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* The longest record known has 120 bytes of fixed fields, or 128 on a kernel with PREEMPT_RT. */
#define MCE_RECORD_MAX 160

/* The parts of the kernel's types that are used; the kernel that builds this need not have any. */
struct mce___persist {
	__u64 status;
	__u64 misc;
	__u64 addr;
	__u64 mcgstatus;
	__u64 ip;
	__u64 tsc;
	__u64 time;
	__u8 cpuvendor;
	__u32 cpuid;
	__u8 cs;
	__u8 bank;
	__u32 extcpu;
	__u32 socketid;
	__u32 apicid;
	__u64 mcgcap;
	__u64 synd;
	__u64 ipid;
	__u64 ppin;
	__u32 microcode;
} __attribute__((preserve_access_index));

struct mce_vendor_amd___persist {
	__u64 synd1;
	__u64 synd2;
} __attribute__((preserve_access_index));

union vendor_info___persist {
	struct mce_vendor_amd___persist amd;
} __attribute__((preserve_access_index));

struct mce_hw_err___persist {
	struct mce___persist m;
	union vendor_info___persist vendor;
} __attribute__((preserve_access_index));

/* Every kernel has it: a comparison of constants that is always true would stay in the program. */
#define put(type, field, source) *(type *)(dst + constant(field)) = source

#define put_if_known(type, field, source)                             \
	do {                                                          \
		if (constant(field) && bpf_core_field_exists(source)) \
			put(type, field, source);                     \
	} while (0)

static __always_inline void put_registers(void *dst, struct mce___persist *m)
{
	put(__u64, mcgcap, m->mcgcap);
	put(__u64, mcgstatus, m->mcgstatus);
	put(__u64, status, m->status);
	put(__u64, addr, m->addr);
	put(__u64, misc, m->misc);
	put(__u64, synd, m->synd);
	put(__u64, ipid, m->ipid);
	put(__u64, ip, m->ip);
	put(__u64, tsc, m->tsc);
	put_if_known(__u64, ppin, m->ppin);
	put(__u64, walltime, m->time);
	put(__u32, mce_cpu, m->extcpu);
	put(__u32, cpuid, m->cpuid);
	put(__u32, apicid, m->apicid);
	put(__u32, socketid, m->socketid);
	put(__u8, cs, m->cs);
	put(__u8, bank, m->bank);
	put(__u8, cpuvendor, m->cpuvendor);
	put_if_known(__u32, microcode, m->microcode);
}

static __always_inline __u32 payload_size(void *ctx)
{
	return constant(fixed_size);
}

/* The gaps between the fields are not to show what the memory was used for before. */
static __always_inline void clear_gaps(void *dst, __u64 size)
{
	const __u64 from = constant(gaps_from);

#pragma unroll
	for (int i = 8; i < MCE_RECORD_MAX; i += 8) {
		if (i < from)
			continue;
		/* First this, so that the verifier removes the turns in front of the gaps whole. */
		barrier();
		if (i + 8 <= size)
			*(volatile __u64 *)(dst + i) = 0;
	}
	if (size & 4)
		*(volatile __u32 *)(dst + (size & ~7)) = 0;
}

static __always_inline bool payload_copy(void *dst, void *ctx, __u32 size, bool is_plain)
{
	const struct persist_record *rec = dst - sizeof(*rec);
	void *argument = (void *)((__u64 *)ctx)[0];
	struct mce_hw_err___persist *err = argument;

	clear_gaps(dst, constant(fixed_size));
	((__u32 *)dst)[0] = constant(common_type);
	((__u32 *)dst)[1] = rec->tid;

	if (!constant(argument_is_hw_err)) {
		put_registers(dst, argument);
		return true;
	}
	put_registers(dst, &err->m);
	if (constant(v_data)) {
		*(__u32 *)(dst + constant(v_data)) = sizeof(err->vendor) << 16 |
						     constant(v_data_offset);
		put_if_known(__u64, v_data_offset, err->vendor.amd.synd1);
		if (bpf_core_field_exists(err->vendor.amd.synd2))
			*(__u64 *)(dst + constant(v_data_offset) + 8) = err->vendor.amd.synd2;
	}
	return true;
}

#define take(to, source)                           \
	do {                                       \
		if (bpf_core_field_exists(source)) \
			mce.to = source;           \
	} while (0)

static __always_inline void describe_error(void *ctx, struct totals_scratch *scratch,
					   struct error_report *report)
{
	void *argument = (void *)((__u64 *)ctx)[0];
	struct mce_hw_err___persist *err = argument;
	struct mce___persist *m = argument;
	struct machine_check mce = {};

	if (constant(argument_is_hw_err))
		m = &err->m;
	take(status, m->status);
	take(mcgcap, m->mcgcap);
	take(addr, m->addr);
	take(misc, m->misc);
	take(vendor, m->cpuvendor);
	take(socket, m->socketid);
	take(cpu, m->extcpu);
	take(bank, m->bank);
	describe_machine_check(&mce, &scratch->key, report);
}

SEC("tp_btf/mce_record")
int mce_record_event(void *ctx)
{
	if (constant(totals) != TOTALS_NONE)
		count_error(ctx);
	capture(ctx, false);
	return 0;
}
