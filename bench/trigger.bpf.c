// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes bpf_test_run:bpf_trigger_tp happen, a tracepoint that the kernel has for such tests (Linux
 * 6.10 and later), in a loop inside the kernel: the cost of an event without that of a system call.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

const volatile unsigned int events = 1;

extern int bpf_modify_return_test_tp(int nonce) __ksym;

SEC("raw_tp")
int trigger(void *ctx)
{
	for (unsigned int i = 0; i < events; i++)
		bpf_modify_return_test_tp(i);
	return 0;
}
