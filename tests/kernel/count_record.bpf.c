// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program of an event that has totals, to be run on a record that a test made: a raw tracepoint
 * program can be run so, a tracepoint program cannot.
 */
#include "../../bpf/percpu_events.bpf.c"

SEC("raw_tp")
int count_record(void *ctx)
{
	count_error(ctx);
	return record(ctx);
}
