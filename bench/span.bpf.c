// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long the programs take that are attached to a raw tracepoint between these two: the kernel
 * calls them in the order in which they were attached.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "span.h"

char LICENSE[] SEC("license") = "GPL";

__u64 begin_ns;
__u64 nr_spans;
__u64 spans[MAX_SPANS];

SEC("raw_tp")
int begin(void *ctx)
{
	begin_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("raw_tp")
int end(void *ctx)
{
	__u64 now = bpf_ktime_get_ns();

	if (!begin_ns || nr_spans >= MAX_SPANS)
		return 0;
	spans[nr_spans & (MAX_SPANS - 1)] = now - begin_ns;
	nr_spans++;
	begin_ns = 0;
	return 0;
}
