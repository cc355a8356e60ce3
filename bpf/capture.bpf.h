/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way of an event into a buffer, the same for every kind of event.
 *
 * Read this file from the bottom up: capture() is called once per event. record_any() numbers it
 * and chooses the buffer, write_ringbuf() and write_array_ring() write the record; record_plain()
 * is the short way through the same functions for what most events are most of the time.
 *
 * What the payload of the event is, the including file says:
 */

/* Bytes of this event's payload; more than PERSIST_PAYLOAD_MAX means that it cannot be had. */
static __always_inline __u32 payload_size(void *ctx);
/*
 * Writes them to @dst. False if a part of it could not be read; that part is then zero. With
 * @is_plain, known at compile time, direct loads get all of it.
 */
static __always_inline bool payload_copy(void *dst, void *ctx, __u32 size, bool is_plain);

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
static __always_inline void store_in_order(__u64 *to, __u64 value, bool is_plain)
{
	if (is_plain || constant(stores_are_ordered)) {
		barrier();
		*(volatile __u64 *)to = value;
		barrier();
	} else {
		/*
		 * An atomic exchange is a full barrier in the BPF memory model. The arm64 JIT makes
		 * SWPAL of it, whose store Arm's memory model orders before what follows.
		 */
		__sync_lock_test_and_set(to, value);
	}
}

/* A word whose first two bytes in memory are these, and the others 0. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FIRST_BYTES(first, second) ((first) | (second) << 8)
#else
#define FIRST_BYTES(first, second) ((first) << 24 | (second) << 16)
#endif

/* What a record has of struct task_struct; not in the target BTF where the kernel has no BTF. */
struct record_task {
	__u32 tgid;
	__u32 pid;
	__u64 comm_start;
	__u64 comm_end;
} __attribute__((preserve_access_index));

/* What a record says of the moment of its event. */
struct moment {
	__u64 time_ns;
	const struct record_task *task;
	__u32 cpu;
};

/* All that takes a call, so that what follows has the registers which a call does not preserve. */
static __always_inline struct moment read_moment(__u32 cpu, bool is_plain)
{
	struct moment now = { .time_ns = bpf_ktime_get_boot_ns(), .cpu = cpu };

	if (is_plain || bpf_core_field_exists(struct record_task, tgid))
		now.task = (const void *)bpf_get_current_task_btf();
	return now;
}

static __always_inline void fill_task(struct persist_record *rec, const struct record_task *task,
				      bool is_plain)
{
	if (!is_plain && !bpf_core_field_exists(struct record_task, tgid)) {
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
	rec->pid = task->tgid;
	rec->tid = task->pid;
	((__u64 *)rec->comm)[0] = task->comm_start;
	((__u64 *)rec->comm)[1] = task->comm_end;
}

/*
 * What can be filled in before the moment is known. Behind the calls of read_moment() the size
 * would be a copy on the stack, of which the verifier of Linux 6.1 does not know what it is of the
 * value that was compared with the limit.
 */
static __always_inline void begin_record(struct persist_record *rec, __u64 seq, __u32 size,
					 __u32 prev_units, bool is_plain)
{
	rec->magic = PERSIST_RECORD_MAGIC;
	/* version, header_size and flags in one store */
	*(__u32 *)&rec->version = FIRST_BYTES(PERSIST_RECORD_VERSION, sizeof(*rec));
	if (is_plain) {
		*(__u64 *)&rec->size = constant(size_and_id);
	} else {
		rec->size = size;
		rec->event_id = constant(record_id);
	}
	rec->seq = seq;
	rec->prev_units = prev_units;
}

static __always_inline void end_record(struct persist_record *rec, void *ctx,
				       const struct moment *now, __u32 size, bool is_plain)
{
	rec->time_ns = now->time_ns;
	rec->cpu = now->cpu;
	fill_task(rec, now->task, is_plain);
	if (!payload_copy(rec + 1, ctx, size, is_plain))
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
	struct moment now;
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
		 * overwrite_pos after the copy in ringbuf_cursor.c. An exchange, as atomic
		 * operations that do not fetch the old value order nothing.
		 */
		if (!constant(stores_are_ordered))
			__sync_lock_test_and_set(&rec->seq, 0);
		begin_record(rec, seq, constant(fixed_size), 0, false);
		now = read_moment(cpu, false);
		end_record(rec, ctx, &now, constant(fixed_size), false);
		bpf_ringbuf_submit(rec, BPF_RB_NO_WAKEUP);
		return RECORDED;
	}
	size = payload_size(ctx);
	if (size > PERSIST_PAYLOAD_MAX)
		return LOST_TOO_BIG;
	rec = bpf_map_lookup_elem(&scratch, &zero);
	if (!rec)
		return LOST_NO_BUFFER;
	begin_record(rec, seq, size, 0, false);
	now = read_moment(cpu, false);
	end_record(rec, ctx, &now, size, false);
	if (bpf_ringbuf_output(ring, rec, sizeof(*rec) + size, BPF_RB_NO_WAKEUP))
		return why_refused(ring, sizeof(*rec) + size, overwrites);
	return RECORDED;
}

/* A commit word without a position: the length in its low bits, and so much further the end is. */
static __always_inline __u64 commit_step(__u32 size)
{
	__u64 units =
		(sizeof(struct persist_record) + size + PERSIST_UNIT_SIZE - 1) / PERSIST_UNIT_SIZE;

	return units << PERSIST_COMMIT_LENGTH_BITS | units;
}

static __always_inline void write_array_ring(struct persist_array_ring *ring, void *ctx,
					     const struct moment *now, __u64 seq, __u32 size,
					     bool is_plain)
{
	__u64 commit = ring->commit, prev_units = commit & PERSIST_COMMIT_LENGTH_MASK;
	__u64 next = commit - prev_units + (is_plain ? constant(commit_step) : commit_step(size));
	struct persist_record *rec;
	void *payload;

	/*
	 * First say what is about to be overwritten, then overwrite it, then say what is there.
	 * Pairs with the loads of commit and reserve_pos in array_cursor.c.
	 */
	store_in_order(&ring->reserve_pos, next >> PERSIST_COMMIT_LENGTH_BITS, is_plain);
	payload = (void *)ring + PERSIST_ARRAY_RING_HEADER + sizeof(*rec) +
		  (commit >> PERSIST_COMMIT_LENGTH_BITS & constant(unit_mask)) * PERSIST_UNIT_SIZE;
	/* One register is the base of every store. */
	asm volatile("" : "+r"(payload));
	rec = payload - sizeof(*rec);
	begin_record(rec, seq, size, prev_units, is_plain);
	end_record(rec, ctx, now, size, is_plain);
	store_in_order(&ring->commit, next, is_plain);
}

static __always_inline enum outcome write_tail(void *ctx, __u32 slot, __u64 seq, __u32 cpu)
{
	__u32 zero = 0, size;
	struct persist_array_ring *ring;
	struct moment now;
	void *array;

	if (constant(tail_type) != PERSIST_TAIL_ARRAY)
		return write_ringbuf(&tails, true, ctx, slot, seq, cpu);
	size = constant(is_dynamic) ? payload_size(ctx) : constant(fixed_size);
	array = bpf_map_lookup_elem(&tails, &slot);
	if (size > PERSIST_PAYLOAD_MAX)
		return LOST_TOO_BIG;
	ring = array ? bpf_map_lookup_elem(array, &zero) : NULL;
	if (!ring)
		return LOST_NO_BUFFER;
	now = read_moment(cpu, false);
	write_array_ring(ring, ctx, &now, seq, size, false);
	return RECORDED;
}

/* One write per event in every case: into the head until that is full, then into the tail. */
static __always_inline enum outcome write_record(void *ctx, struct persist_counters *count,
						 __u64 seq)
{
	__u32 cpu = bpf_get_smp_processor_id(), generation = control.generation;
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

static __always_inline void end_recording(struct persist_counters *count, __u64 nested)
{
	barrier();
	*(volatile __u32 *)&count->busy = 0;
	barrier();
	if (*(volatile __u64 *)&count->lost_nested != nested)
		count_nested(count);
}

static __always_inline void record_any(void *ctx, struct persist_counters *count)
{
	__u64 nested = number_event(count), seq = count->seen;

	count_outcome(count, write_record(ctx, count, seq));
	end_recording(count, nested);
	wake_readers(seq);
}

/* A function of its own, so that record_plain() does not have to keep values out of its way. */
static __noinline int record_unusual(void *ctx, struct persist_counters *count)
{
	if (count)
		record_any(ctx, count);
	return 0;
}

/*
 * The array with the ring that a plain event goes to without more being asked; NULL until the first
 * event of a generation has been recorded, and the head is full.
 */
static __always_inline void *find_plain_tail(const struct persist_counters *count, __u32 cpu)
{
	__u32 generation = control.generation;
	__u32 slot = (generation & 1) * constant(nr_cpus) + cpu;

	if (count->generation != generation)
		return NULL;
	if (constant(keep) != PERSIST_KEEP_LATEST && !count->head_full)
		return NULL;
	return bpf_map_lookup_elem(&tails, &slot);
}

/*
 * Records what record_any() would record in the same way, in two thirds of its instructions: most
 * of what could be different is known when this is compiled. False if that is to do it.
 *
 * The clock waits for all instructions before it. So not all of the loads that depend on each other
 * come before it, and not all behind it, where the next event's would wait for them.
 */
static __always_inline bool record_plain(void *ctx, struct persist_counters *count, __u32 *zero)
{
	__u32 cpu = bpf_get_smp_processor_id();
	void *array = find_plain_tail(count, cpu);
	struct persist_array_ring *ring;
	struct moment now;
	__u64 nested;

	if (!array)
		return false;
	now = read_moment(cpu, true);
	ring = bpf_map_lookup_elem(array, zero);
	if (!ring)
		return false;
	nested = number_event(count);
	write_array_ring(ring, ctx, &now, count->seen, 0, true);
	count->recorded++;
	end_recording(count, nested);
	return true;
}

/*
 * Returns 1, always: the verdict of a perf-event program says whether other users of the same
 * tracepoint, perf itself for one, get to see the event. @is_plain is known at compile time, see
 * record_plain().
 */
static __always_inline int capture(void *ctx, bool is_plain)
{
	__u32 zero = 0;
	struct persist_counters *count = bpf_map_lookup_elem(&counters, &zero);

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
	if (!is_plain)
		record_any(ctx, count);
	else if (!record_plain(ctx, count, &zero))
		record_unusual(ctx, count);
	return 1;
}
