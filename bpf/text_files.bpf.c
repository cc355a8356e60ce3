// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of the tree that cat reads: iterators, pinned. Reading one is read(2), so that it
 * takes neither bpf(2) nor any privilege, nor a container with a seccomp profile of its own.
 *
 * An iterator over the elements of a map would be the obvious choice, but there are kernels that
 * refuse to load one (EPERM, seen with 6.18) while they do load one over tasks. So these walk
 * tasks, one at the most, and print what they have to say at the end of the walk, which every
 * walk has. Each file has a program of its own, with maps of its own: src/text_file.c makes
 * copies of these two.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "persist_record.h"
#include "text_file_limits.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct persist_text_chunk);
} text SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct persist_counters);
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct persist_meta);
} meta SEC(".maps");

/* What such a program is given, without the relocations that vmlinux.h would bring. */
struct task_iterator {
	struct {
		struct seq_file *seq;
	} * info;
	void *task; /* NULL: the walk is at its end */
};

static __always_inline struct seq_file *file_to_print(struct task_iterator *ctx)
{
	return ctx->task ? NULL : ctx->info->seq;
}

/* A fixed text, as many chunks of it as its map has elements. */
SEC("iter/task")
int text_file(struct task_iterator *ctx)
{
	struct seq_file *seq = file_to_print(ctx);
	struct persist_text_chunk *chunk;

	if (!seq)
		return 0;
	for (int i = 0; i < TEXT_CHUNKS_MAX; i++) {
		__u32 key = i;

		chunk = bpf_map_lookup_elem(&text, &key);
		if (!chunk || chunk->len > sizeof(chunk->text))
			break;
		bpf_seq_write(seq, chunk->text, chunk->len);
	}
	return 0;
}

static __always_inline void print_policy(struct seq_file *seq)
{
	__u32 zero = 0;
	struct persist_meta *m = bpf_map_lookup_elem(&meta, &zero);

	if (!m)
		return;
	BPF_SEQ_PRINTF(seq, "event     %s\n", m->name);
	BPF_SEQ_PRINTF(seq, "source    %s:%s\n", m->system, m->tracepoint);
	BPF_SEQ_PRINTF(seq, "config    persistent,config=%u\n", m->event_id);
	BPF_SEQ_PRINTF(
		seq,
		"state     recording; what came before %llu.%09llu s after boot was not seen\n",
		m->attach_time_ns / 1000000000, m->attach_time_ns % 1000000000);
	if (m->clear_time_ns)
		BPF_SEQ_PRINTF(seq, "cleared   %llu.%09llu s after boot\n",
			       m->clear_time_ns / 1000000000, m->clear_time_ns % 1000000000);
	if (m->keep == PERSIST_KEEP_BOTH)
		BPF_SEQ_PRINTF(seq, "keep      both: head %llu bytes, tail %llu bytes per CPU\n",
			       m->head_bytes, m->tail_bytes);
	else if (m->keep == PERSIST_KEEP_OLDEST)
		BPF_SEQ_PRINTF(seq, "keep      oldest: head %llu bytes per CPU\n", m->head_bytes);
	else
		BPF_SEQ_PRINTF(seq, "keep      latest: tail %llu bytes per CPU\n", m->tail_bytes);
	BPF_SEQ_PRINTF(seq, "wakeup    %u\n", m->wakeup_events);
}

#define PRINT_COUNTERS(seq, c)                                                                    \
	BPF_SEQ_PRINTF(seq, "%12llu %12llu %12llu %10llu %10llu %10llu %10llu\n", (c)->seen,      \
		       (c)->recorded, (c)->lost_ring_full, (c)->lost_ring_busy, (c)->lost_nested, \
		       (c)->lost_too_big, (c)->lost_no_buffer)

/* One page about an event: its policy, and the counters of each CPU that has seen it. */
SEC("iter/task")
int status_file(struct task_iterator *ctx)
{
	struct seq_file *seq = file_to_print(ctx);
	struct persist_counters sum = {}, *c;
	__u32 zero = 0;

	if (!seq)
		return 0;
	print_policy(seq);
	BPF_SEQ_PRINTF(seq, "  cpu         seen     recorded    ring_full  ring_busy     nested    "
			    "too_big  no_buffer\n");
	for (__u32 cpu = 0; cpu < STATUS_CPUS_MAX; cpu++) {
		c = bpf_map_lookup_percpu_elem(&counters, &zero, cpu);
		if (!c)
			break; /* no such CPU, and so none behind it */
		if (!c->seen)
			continue;
		BPF_SEQ_PRINTF(seq, "%5u ", cpu);
		PRINT_COUNTERS(seq, c);
		sum.seen += c->seen;
		sum.recorded += c->recorded;
		sum.lost_ring_full += c->lost_ring_full;
		sum.lost_ring_busy += c->lost_ring_busy;
		sum.lost_nested += c->lost_nested;
		sum.lost_too_big += c->lost_too_big;
		sum.lost_no_buffer += c->lost_no_buffer;
	}
	BPF_SEQ_PRINTF(seq, "  all ");
	PRINT_COUNTERS(seq, &sum);
	return 0;
}
