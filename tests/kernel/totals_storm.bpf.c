// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes bpf_test_run:bpf_trigger_tp happen in a loop inside the kernel (Linux 6.10 and later), with
 * the numbers of storm_nonce.h: arguments are the first of them, and how many.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "storm_nonce.h"

char LICENSE[] SEC("license") = "GPL";

extern int bpf_modify_return_test_tp(int nonce) __ksym;

static long one_event(__u32 index, __u64 *first)
{
	bpf_modify_return_test_tp(storm_nonce(*first + index));
	return 0;
}

SEC("raw_tp")
int storm(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 first = ctx->args[0];

	return bpf_loop(ctx->args[1], one_event, &first, 0);
}
