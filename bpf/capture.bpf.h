/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way of an event into a buffer, the same for every kind of event.
 *
 * Read this file from the bottom up: capture() is called once per event and numbers it,
 * record_event() chooses the buffer, write_ringbuf() and write_array_ring() write the record.
 *
 * What the payload of the event is, the including file says:
 */

/* Bytes of this event's payload; more than PERSIST_PAYLOAD_MAX means that it cannot be had. */
static __always_inline __u32 payload_size(void *ctx);
/* Writes them to @dst. False if a part of it could not be read; that part is then zero. */
static __always_inline bool payload_copy(void *dst, void *ctx, __u32 size);

/* The constants of this event; see event_constants.h. */
#define X(name) EVENT_##name,
enum event_constant { EVENT_CONSTANTS(X) };
#undef X

#define constant(name) bpf_core_enum_value(enum event_constant, EVENT_##name)

/* Written by the loader only; see struct persist_control. */
volatile struct persist_control control SEC(".data.control");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct persist_counters);
} counters SEC(".maps");

/* The rings of both generations: index (generation % 2) * nr_cpus + cpu. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} heads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} tails SEC(".maps");

/* A record whose size is known only at run time is put together here for bpf_ringbuf_output(). */
struct scratch_record {
	struct persist_record header;
	__u8 payload[PERSIST_PAYLOAD_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch_record);
} scratch SEC(".maps");

/* Nothing is ever put into this ring: its wait queue is what readers sleep on. */
struct {
	__uint(type, BPF_MAP_TYPE_USER_RINGBUF);
	__uint(max_entries, 4096);
} wakeup SEC(".maps");

enum outcome {
	RECORDED,
	LOST_RING_FULL,
	LOST_RING_BUSY,
	LOST_TOO_BIG,
	LOST_NO_BUFFER,
};

/* Stores, so that every earlier and later store of this CPU is seen in program order. */
static __always_inline void store_in_order(__u64 *to, __u64 value)
{
	if (constant(stores_are_ordered)) {
		barrier();
		*(volatile __u64 *)to = value;
		barrier();
	} else {
		/* An atomic exchange is a full barrier in the BPF memory model. */
		__sync_lock_test_and_set(to, value);
	}
}

/* A word whose first two bytes in memory are these, and the others 0. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FIRST_BYTES(first, second) ((first) | (second) << 8)
#else
#define FIRST_BYTES(first, second) ((first) << 24 | (second) << 16)
#endif

static __always_inline void fill_task(struct persist_record *rec)
{
	struct task_struct *task;
	const __u64 *comm;

	if (!bpf_core_field_exists(struct task_struct, tgid)) {
		/* A kernel without BTF */
		__u64 pid_tgid = bpf_get_current_pid_tgid();

		rec->pid = pid_tgid >> 32;
		rec->tid = pid_tgid;
		bpf_get_current_comm(rec->comm, sizeof(rec->comm));
		return;
	}
	/*
	 * Direct loads cost half of what the helpers do. The name may be changed by another CPU
	 * in the middle of them, as it may under bpf_get_current_comm().
	 */
	task = bpf_get_current_task_btf();
	comm = (const __u64 *)__builtin_preserve_access_index(&task->comm);
	rec->pid = task->tgid;
	rec->tid = task->pid;
	((__u64 *)rec->comm)[0] = comm[0];
	((__u64 *)rec->comm)[1] = comm[1];
}

static __always_inline void fill_record(struct persist_record *rec, void *ctx, __u64 seq, __u32 cpu,
					__u32 size, __u32 prev_units)
{
	rec->magic = PERSIST_RECORD_MAGIC;
	/* version, header_size and flags in one store */
	*(__u32 *)&rec->version = FIRST_BYTES(PERSIST_RECORD_VERSION, sizeof(*rec));
	rec->size = size;
	rec->event_id = constant(record_id);
	rec->seq = seq;
	rec->time_ns = bpf_ktime_get_boot_ns();
	rec->cpu = cpu;
	rec->prev_units = prev_units;
	fill_task(rec);
	if (!payload_copy(rec + 1, ctx, size))
		rec->flags = PERSIST_RECORD_INCOMPLETE;
}

/*
 * The ring has no room, or its lock could not be had (a context that must not wait for it).
 * Only the first says something about the records to come. An overwriting ring has room.
 */
static __always_inline enum outcome why_refused(void *ring, __u32 record_size, bool overwrites)
{
	__u64 ring_size = bpf_ringbuf_query(ring, BPF_RB_RING_SIZE);
	/* Nobody consumes, so that what is there to be read is all that was ever written. */
	__u64 used = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);
	__u64 wanted = (record_size + BPF_RINGBUF_HDR_SZ + 7) & ~7u;

	/* The kernel leaves at least one byte free. */
	if (wanted >= ring_size)
		return LOST_TOO_BIG;
	return !overwrites && used + wanted >= ring_size ? LOST_RING_FULL : LOST_RING_BUSY;
}

static __always_inline enum outcome write_ringbuf(void *rings, bool overwrites, void *ctx,
						  __u32 slot, __u64 seq, __u32 cpu)
{
	void *ring = bpf_map_lookup_elem(rings, &slot);
	struct persist_record *rec;
	__u32 zero = 0, size;

	if (!ring)
		return LOST_NO_BUFFER;
	if (!constant(is_dynamic)) {
		rec = bpf_ringbuf_reserve(ring, sizeof(*rec) + constant(fixed_size), 0);
		if (!rec)
			return why_refused(ring, sizeof(*rec) + constant(fixed_size), overwrites);
		/*
		 * An overwrite ring moves overwrite_pos in the reserve. Where stores may pass each
		 * other, that has to be seen before the record is: pairs with the read of
		 * overwrite_pos after the copy in ringbuf_cursor.c.
		 */
		if (!constant(stores_are_ordered))
			__sync_fetch_and_add(&rec->seq, 0);
		fill_record(rec, ctx, seq, cpu, constant(fixed_size), 0);
		bpf_ringbuf_submit(rec, BPF_RB_NO_WAKEUP);
		return RECORDED;
	}
	size = payload_size(ctx);
	if (size > PERSIST_PAYLOAD_MAX)
		return LOST_TOO_BIG;
	rec = bpf_map_lookup_elem(&scratch, &zero);
	if (!rec)
		return LOST_NO_BUFFER;
	fill_record(rec, ctx, seq, cpu, size, 0);
	if (bpf_ringbuf_output(ring, rec, sizeof(*rec) + size, BPF_RB_NO_WAKEUP))
		return why_refused(ring, sizeof(*rec) + size, overwrites);
	return RECORDED;
}

static __always_inline enum outcome write_array_ring(void *ctx, __u32 slot, __u64 seq, __u32 cpu)
{
	__u32 size = constant(is_dynamic) ? payload_size(ctx) : constant(fixed_size);
	__u32 zero = 0, units;
	struct persist_array_ring *ring;
	struct persist_record *rec;
	void *array = bpf_map_lookup_elem(&tails, &slot);
	__u64 commit, pos;

	if (size > PERSIST_PAYLOAD_MAX)
		return LOST_TOO_BIG;
	if (!array)
		return LOST_NO_BUFFER;
	ring = bpf_map_lookup_elem(array, &zero);
	if (!ring)
		return LOST_NO_BUFFER;

	units = (sizeof(*rec) + size + PERSIST_UNIT_SIZE - 1) / PERSIST_UNIT_SIZE;
	commit = ring->commit;
	pos = commit >> PERSIST_COMMIT_LENGTH_BITS;
	/*
	 * First say what is about to be overwritten, then overwrite it, then say what is there.
	 * Pairs with the loads of commit and reserve_pos in array_cursor.c.
	 */
	store_in_order(&ring->reserve_pos, pos + units);
	rec = (void *)ring + PERSIST_ARRAY_RING_HEADER +
	      (pos & constant(unit_mask)) * PERSIST_UNIT_SIZE;
	fill_record(rec, ctx, seq, cpu, size, commit & PERSIST_COMMIT_LENGTH_MASK);
	store_in_order(&ring->commit, (pos + units) << PERSIST_COMMIT_LENGTH_BITS | units);
	return RECORDED;
}

static __always_inline enum outcome write_tail(void *ctx, __u32 slot, __u64 seq, __u32 cpu)
{
	if (constant(tail_type) == PERSIST_TAIL_ARRAY)
		return write_array_ring(ctx, slot, seq, cpu);
	return write_ringbuf(&tails, true, ctx, slot, seq, cpu);
}

/* One write per event in every case: into the head until that is full, then into the tail. */
static __always_inline enum outcome record_event(void *ctx, struct persist_counters *count,
						 __u64 seq, __u32 cpu)
{
	__u32 generation = control.generation;
	__u32 slot = (generation & 1) * constant(nr_cpus) + cpu;
	enum outcome outcome = LOST_RING_FULL;

	if (count->generation != generation) {
		count->generation = generation;
		count->first_seq = seq;
		count->head_full = 0;
	}
	if (constant(keep) != PERSIST_KEEP_LATEST && !count->head_full) {
		outcome = write_ringbuf(&heads, false, ctx, slot, seq, cpu);
		if (outcome == RECORDED)
			return outcome;
		/*
		 * From now on the head is left alone, also by shorter records, so that it holds the
		 * first records without a gap.
		 */
		if (outcome == LOST_RING_FULL)
			count->head_full = 1;
	}
	if (constant(keep) == PERSIST_KEEP_OLDEST)
		return outcome;
	return write_tail(ctx, slot, seq, cpu);
}

static __always_inline void count_outcome(struct persist_counters *count, enum outcome outcome)
{
	switch (outcome) {
	case RECORDED:
		count->recorded++;
		break;
	case LOST_RING_FULL:
		count->lost_ring_full++;
		break;
	case LOST_RING_BUSY:
		count->lost_ring_busy++;
		break;
	case LOST_TOO_BIG:
		count->lost_too_big++;
		break;
	case LOST_NO_BUFFER:
		count->lost_no_buffer++;
		break;
	}
}

/* bpf_user_ringbuf_drain() wants a callback; the ring is empty, so that it is never called. */
static long nothing_to_drain(struct bpf_dynptr *dynptr, void *context)
{
	return 1;
}

static __always_inline void wake_readers(__u64 seq)
{
	if (constant(wakeup_events) && seq % constant(wakeup_events) == 0)
		bpf_user_ringbuf_drain(&wakeup, nothing_to_drain, NULL, BPF_RB_FORCE_WAKEUP);
}

/*
 * What has interrupted the recording of others has taken numbers as well. Only what holds @busy
 * stores @seen, so that no atomic operation is needed, which would cost more than everything else
 * here. Returns how many of the interrupting ones are in it.
 */
static __always_inline __u64 see(struct persist_counters *count, __u64 numbered)
{
	__u64 nested = *(volatile __u64 *)&count->lost_nested;

	*(volatile __u64 *)&count->seen = numbered + nested;
	return nested;
}

static __always_inline __u64 number_event(struct persist_counters *count)
{
	return see(count, ++count->numbered);
}

/* Each turn can only be too early if there was one more; what is left then, the next event sees. */
#define COUNT_NESTED_TURNS 8

static __noinline int count_nested(struct persist_counters *count)
{
	if (!count)
		return 0;
	for (int i = 0; i < COUNT_NESTED_TURNS; i++) {
		__u64 nested;

		*(volatile __u32 *)&count->busy = 1;
		barrier();
		nested = see(count, count->numbered);
		barrier();
		*(volatile __u32 *)&count->busy = 0;
		barrier();
		if (*(volatile __u64 *)&count->lost_nested == nested)
			break;
	}
	return 0;
}

/*
 * Returns 1, always: the verdict of a perf-event program says whether other users of the same
 * tracepoint, perf itself for one, get to see the event.
 */
static __always_inline int capture(void *ctx)
{
	__u32 zero = 0, cpu = bpf_get_smp_processor_id();
	struct persist_counters *count = bpf_map_lookup_elem(&counters, &zero);
	__u64 seq, nested;

	if (!count)
		return 1;
	/*
	 * The kernel does not let a program interrupt itself (it counts a miss instead). Should
	 * one come through all the same, from an interrupt or NMI, it finds @busy set and leaves
	 * everything but one atomic counter alone. @busy comes before the number, so that numbers
	 * are in the order of the records.
	 */
	if (count->busy) {
		__sync_fetch_and_add(&count->lost_nested, 1);
		return 1;
	}
	*(volatile __u32 *)&count->busy = 1;
	barrier();
	nested = number_event(count);
	seq = count->seen;
	count_outcome(count, record_event(ctx, count, seq, cpu));
	barrier();
	*(volatile __u32 *)&count->busy = 0;
	barrier();
	if (*(volatile __u64 *)&count->lost_nested != nested)
		count_nested(count);
	wake_readers(seq);
	return 1;
}
