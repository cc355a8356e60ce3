// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the cost of recording is compared with: programs that record nothing.
 *
 * They return 1 as the capture programs do: the verdict of a perf-event program says whether other
 * users of the same tracepoint get to see the event.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

/* The compiler has to compute @value, and nothing is done with it. */
#define only_read(value) asm volatile("" : : "r"(value))

SEC("tp")
int empty(void *ctx)
{
	return 1;
}

/* What any recorder has to know: when it happened, and to whom. */
static __always_inline void read_clock_and_task(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const __u64 *comm = (const __u64 *)__builtin_preserve_access_index(&task->comm);

	only_read(bpf_ktime_get_boot_ns());
	only_read(task->tgid);
	only_read(task->pid);
	only_read(comm[0]);
	only_read(comm[1]);
}

SEC("tp")
int clock_and_task(void *ctx)
{
	read_clock_and_task();
	return 1;
}

SEC("raw_tp")
int empty_raw(void *ctx)
{
	return 0;
}

SEC("raw_tp")
int clock_and_task_raw(void *ctx)
{
	read_clock_and_task();
	return 0;
}
