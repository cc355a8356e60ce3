// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any tracepoint, by name: the program is attached through a perf event and copies the record
 * that the kernel made for perf.
 *
 * Where things are in that record differs from event to event and from kernel to kernel. The
 * loader takes it from the event's format text and puts it into this program by CO-RE: sizes as
 * the values of event_constants.h, and the offsets of what has to be loaded by itself by
 * describing the record as struct event_context.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include "persist_record.h"
#include "event_constants.h"
#include "mce_status.h"
#include "page_set.h"
#include "totals_fields.h"
#include "capture.bpf.h"
#include "totals.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* A system call's record has at most its number, six arguments and a word for each of these. */
#define MAX_MISSING_BYTES 128

/* Members that do not apply to an event are not in the target BTF. */
struct event_context {
	__u32 rest_0; /* what is left of the fixed part behind its last whole 8 bytes: up to */
	__u32 rest_1; /* three pieces, each of the size that it has in the target BTF */
	__u32 rest_2;
	__u32 syscall_nr; /* where it is not at the place that the format text says */
	__u32 dynamic_0;  /* __data_loc words: length << 16 | offset of a piece of the variable part
			   */
	__u32 dynamic_1;
	__u32 dynamic_2;
	__u32 dynamic_3;
	__u32 dynamic_4;
	__u32 dynamic_5;
	__u32 dynamic_6;
	__u32 dynamic_7;
	__u32 relative_0; /* __rel_loc words: the offset counts from behind the word */
	__u32 relative_1;
	/* What totals are made of, each of the size that the event has it in. */
#define X(name) __u64 total_##name;
	TOTALS_RECORD_FIELDS(X)
#undef X
} __attribute__((preserve_access_index));

#define end_of_dynamic(member)                                \
	do {                                                  \
		if (bpf_core_field_exists(context->member)) { \
			__u32 loc = context->member;          \
			end = (loc & 0xffff) + (loc >> 16);   \
			if (end > size)                       \
				size = end;                   \
		}                                             \
	} while (0)

#define end_of_relative(member)                                           \
	do {                                                              \
		if (bpf_core_field_exists(context->member)) {             \
			__u32 loc = context->member;                      \
			end = (loc & 0xffff) + (loc >> 16) +              \
			      bpf_core_field_offset(context->member) + 4; \
			if (end > size)                                   \
				size = end;                               \
		}                                                         \
	} while (0)

/* The variable part follows the fixed one; its last piece ends where the record does. */
static __always_inline __u32 payload_size(void *ctx)
{
	struct event_context *context = ctx;
	__u32 size = constant(fixed_size), end;

	end_of_dynamic(dynamic_0);
	end_of_dynamic(dynamic_1);
	end_of_dynamic(dynamic_2);
	end_of_dynamic(dynamic_3);
	end_of_dynamic(dynamic_4);
	end_of_dynamic(dynamic_5);
	end_of_dynamic(dynamic_6);
	end_of_dynamic(dynamic_7);
	end_of_relative(relative_0);
	end_of_relative(relative_1);
	return size;
}

/*
 * A context may only be read at constant offsets, with the offset in the load itself: the
 * compiler must not compute an address.
 */
#define load_context_u64(ctx, offset)                                                           \
	({                                                                                      \
		__u64 __value;                                                                  \
		asm volatile("%0 = *(u64 *)(%1 + %2)" : "=r"(__value) : "r"(ctx), "i"(offset)); \
		__value;                                                                        \
	})

/*
 * What the format has and the context lacks: from 6.19 on, what the pointers of a system call
 * lead to, which perf and ftrace fetch for themselves.
 */
static __always_inline void clear_missing(void *dst, __u64 size)
{
	const __u64 end = constant(fields_end);

#pragma unroll
	for (int i = 8; i < MAX_MISSING_BYTES; i += 4)
		if (i >= size && i + 4 <= end)
			*(__u32 *)(dst + i) = 0;
}

/* The payload has everything where the context has it, so that both are the same structure. */
#define copy_member(member) \
	(((struct event_context *)dst)->member = ((const struct event_context *)ctx)->member)

#define member_exists(member) bpf_core_field_exists(((struct event_context *)ctx)->member)

static __always_inline void copy_rest(void *dst, void *ctx)
{
	if (!member_exists(rest_0))
		return;
	copy_member(rest_0);
	if (!member_exists(rest_1))
		return;
	copy_member(rest_1);
	if (member_exists(rest_2))
		copy_member(rest_2);
}

/*
 * Every load that an event could need stands here; the verifier knows the size and removes
 * those that do not apply. Nothing is read behind the event's last field: the kernel refuses
 * to attach such a program.
 */
static __always_inline void copy_direct(void *dst, void *ctx)
{
	const __u64 size = constant(copy_size);

#pragma unroll
	for (int i = 8; i < DIRECT_BYTES_MAX; i += 8)
		if (size >= i + 8)
			*(__u64 *)(dst + i) = load_context_u64(ctx, i);
	copy_rest(dst, ctx);
}

/* The context of a system call is a structure of its own. */
static __always_inline void correct_syscall(void *dst, void *ctx)
{
	struct event_context *context = ctx;

	if (bpf_core_field_exists(context->syscall_nr)) {
		*(__u32 *)(dst + 8) = 0; /* the rest of the common fields */
		*(__u32 *)(dst + constant(syscall_nr_offset)) = context->syscall_nr;
	}
	if (constant(fields_end) > constant(copy_size))
		clear_missing(dst, constant(copy_size));
}

/*
 * Fetches a string of the process that makes the system call, as ftrace does; but unlike that,
 * a program cannot wait for a page that is not in memory: then the string is empty.
 */
static __always_inline void copy_user_string(void *dst, __u64 pointer, __u64 loc, __u64 at)
{
	const void *from = *(const void **)(dst + pointer);
	long len;

#pragma unroll
	for (int i = 0; i < USER_STRING_ROOM; i += 4)
		*(volatile __u32 *)(dst + at + i) = 0;
	/* Room for one more than is shown tells a longer one. */
	len = bpf_probe_read_user_str(dst + at, USER_STRING_CHARS + 2, from);
	if (len <= 0) {
		len = 1;
	} else if (len == USER_STRING_CHARS + 2) {
		*(__u8 *)(dst + at + USER_STRING_CHARS) = '.';
		*(__u8 *)(dst + at + USER_STRING_CHARS + 1) = '.';
		*(__u8 *)(dst + at + USER_STRING_CHARS + 2) = '.';
		len += 2;
	}
	*(__u32 *)(dst + loc) = len << 16 | at;
}

#define copy_user_string_nr(n)                                                             \
	do {                                                                               \
		if (constant(nr_user_strings) > n)                                         \
			copy_user_string(dst, constant(pointer_##n), constant(string_##n), \
					 constant(fields_end) + n * USER_STRING_ROOM);     \
	} while (0)

static __always_inline void copy_user_strings(void *dst)
{
	copy_user_string_nr(0);
	copy_user_string_nr(1);
	copy_user_string_nr(2);
}

/*
 * The kernel overwrites the first 8 bytes of a program's context, the common fields: type, flags
 * and preempt count, pid. What is not known of them is 0.
 */
static __always_inline void rebuild_common(void *dst)
{
	const struct persist_record *rec = dst - sizeof(*rec);

	((__u32 *)dst)[0] = constant(common_type);
	((__u32 *)dst)[1] = rec->tid;
}

static __always_inline bool payload_copy(void *dst, void *ctx, __u32 size, bool is_plain)
{
	__u32 rest;

	rebuild_common(dst);
	copy_direct(dst, ctx);
	if (is_plain)
		return true;
	correct_syscall(dst, ctx);
	if (constant(copy_size) > DIRECT_BYTES_MAX &&
	    bpf_probe_read_kernel(dst + DIRECT_BYTES_MAX, constant(copy_size) - DIRECT_BYTES_MAX,
				  ctx + DIRECT_BYTES_MAX))
		return false;
	copy_user_strings(dst);
	if (!constant(is_dynamic))
		return !constant(is_incomplete);
	rest = size - constant(fixed_size);
	if (rest > PERSIST_PAYLOAD_MAX - constant(fixed_size))
		return false;
	return !bpf_probe_read_kernel(dst + constant(fixed_size), rest, ctx + constant(fixed_size));
}

/* ---- totals ------------------------------------------------------------------------------ */

/* The field of this name; @or if the event has none. */
#define total_field(name, or) \
	(bpf_core_field_exists(context->total_##name) ? context->total_##name : (or))

static __always_inline __u32 severity_of(__u64 number)
{
	if (number >= TOTALS_SEVERITY_NRS)
		return PERSIST_SEVERITY_UNKNOWN;
	return constant(severities) >> number * TOTALS_SEVERITY_BITS &
	       ((1 << TOTALS_SEVERITY_BITS) - 1);
}

static __always_inline void describe_registers(const struct event_context *context,
					       struct persist_total_key *key,
					       struct error_report *report)
{
	const struct machine_check mce = {
		.status = total_field(mce_status, 0),
		.mcgcap = total_field(mcgcap, 0),
		.addr = total_field(mce_addr, 0),
		.misc = total_field(mce_misc, 0),
		.vendor = total_field(cpuvendor, 0),
		.socket = total_field(socket, -1),
		.cpu = total_field(cpu, -1),
		.bank = total_field(bank, -1),
	};

	describe_machine_check(&mce, key, report);
}

/* Addresses of 0 and of all ones are what events have that do not know one. */
static __always_inline void describe_address(__u64 address, struct error_report *report)
{
	report->has_address = address != 0 && address != ~0ULL;
	report->address = address << constant(address_shift);
}

static __always_inline void describe_error(void *ctx, struct totals_scratch *scratch,
					   struct error_report *report)
{
	struct persist_total_key *key = &scratch->key;
	struct event_context *context = ctx;

	if (constant(totals) == TOTALS_MACHINE) {
		describe_registers(context, key, report);
		return;
	}
	key->severity = severity_of(total_field(severity, 0));
	key->kind = total_field(kind, 0);
	key->status = total_field(status, 0);
	key->mpidr = total_field(mpidr, 0);
	key->cpu = total_field(cpu, -1);
	key->controller = total_field(controller, -1);
	/* Eight bits with a sign. */
	key->layer[0] = (__s8)total_field(top_layer, -1);
	key->layer[1] = (__s8)total_field(middle_layer, -1);
	key->layer[2] = (__s8)total_field(lower_layer, -1);
	report->errors = total_field(errors, 1);
	describe_address(total_field(address, 0), report);
	if (constant(section_offset))
		bpf_probe_read_kernel(key->section, sizeof(key->section),
				      ctx + constant(section_offset));
	if (bpf_core_field_exists(context->total_label))
		read_label(ctx, context->total_label, scratch);
}

/*
 * The loader takes one of the three. They are three, so that whatever is done about totals cannot
 * make any other event slower, and what is known of plain events helps with these.
 */
SEC("tp")
int percpu_event(void *ctx)
{
	return capture(ctx, false);
}

SEC("tp")
int plain_event(void *ctx)
{
	return capture(ctx, true);
}

/*
 * A function by itself is compiled as the first program is. Put into the one below it would have
 * its values in other places, and the verifier of Linux 6.1 does not know that a value and a copy
 * of it on the stack are the same.
 */
static __noinline int record(void *ctx)
{
	return capture(ctx, false);
}

SEC("tp")
int counted_event(void *ctx)
{
	count_error(ctx);
	return record(ctx);
}
