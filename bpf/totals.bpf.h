/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hardware errors counted: by place, kind and severity, and by page of memory, in maps that never
 * grow. Whatever does not fit is counted as such.
 *
 * The map of totals is shared by all CPUs. Finding what is there takes no lock; only a new key can
 * fail, for lack of room, or because its bucket is being changed where this program interrupts. All
 * else belongs to the CPU. The kernel does not let a program interrupt itself there (it counts a
 * miss instead); should one come through all the same, it finds @busy set and counts itself only.
 *
 * What the event says of the error, the including file knows:
 */

/* What an event reports, besides the key under which it is counted. */
struct error_report {
	__u64 errors;
	__u64 address;
	__u32 has_address;
	__u32 overflow; /* the hardware had lost others before */
};

/* Memory of this CPU in which the key is put together: a stack has no room for it. */
struct totals_scratch {
	struct persist_total_key key;
	struct persist_total fresh;
	__u64 busy;
	__u64 text[PERSIST_LABEL_READ / 8];
};

/* Fills in @scratch->key, all of which is 0 or -1 for "does not say", and @report. */
static __always_inline void describe_error(void *ctx, struct totals_scratch *scratch,
					   struct error_report *report);

/* The loader says how many. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct persist_total_key);
	__type(value, struct persist_total);
} totals SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, PERSIST_PAGE_SETS);
	__type(key, __u32);
	__type(value, struct persist_page_set);
} pages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct persist_totals_sums);
} sums SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct totals_scratch);
} totals_scratch SEC(".maps");

#define NSEC_PER_HOUR (3600ULL * 1000000000)

static __always_inline bool is_uncorrected(__u32 severity)
{
	switch (severity) {
	case PERSIST_SEVERITY_UNKNOWN:
	case PERSIST_SEVERITY_CORRECTED:
	case PERSIST_SEVERITY_INFO:
		return false;
	}
	return true;
}

/* ---- machine checks ---------------------------------------------------------------------- */

struct machine_check {
	__u64 status;
	__u64 mcgcap;
	__u64 addr;
	__u64 misc;
	__u32 vendor;
	__u32 socket;
	__u32 cpu;
	__u32 bank;
};

/* SDM table 15-3, address mode in MCi_MISC: an offset in a segment, and a linear address. */
#define MISC_ADDRESS_MODE(misc) ((misc) >> 6 & 7)
#define MISC_MODE_LINEAR	1

/* Intel's address can be of another kind than a physical one; AMD's MISC says nothing of it. */
static __always_inline bool address_is_physical(const struct machine_check *mce)
{
	if (!(mce->status & MCE_STATUS_ADDRV))
		return false;
	return !mce_vendor_is_intel(mce->vendor) || !(mce->status & MCE_STATUS_MISCV) ||
	       MISC_ADDRESS_MODE(mce->misc) > MISC_MODE_LINEAR;
}

/*
 * How many errors one record stands for. Intel counts the corrected ones in bits 52:38 of the
 * register (SDM 15.3.2.2.1), which the kernel clears when it reads it.
 */
static __always_inline __u64 errors_of(const struct machine_check *mce)
{
	__u64 corrected = mce->status >> 38 & 0x7fff;

	if (!mce_vendor_is_intel(mce->vendor) || !(mce->mcgcap & MCE_CAP_CMCI_P) ||
	    (mce->status & MCE_STATUS_UC) || !corrected)
		return 1;
	return corrected;
}

static __always_inline void describe_machine_check(const struct machine_check *mce,
						   struct persist_total_key *key,
						   struct error_report *report)
{
	key->severity =
		mce_severity(mce->status, mce->mcgcap, mce_severity_vendor(mce->vendor, mce->bank));
	key->kind = mce_error_kind(mce->status, mce_kind_vendor(mce->vendor, mce->bank));
	key->socket = mce->socket;
	key->cpu = mce->cpu;
	key->bank = mce->bank;
	report->errors = errors_of(mce);
	report->overflow = !!(mce->status & MCE_STATUS_OVER);
	report->has_address = address_is_physical(mce);
	report->address = mce->addr;
}

/* ---- labels ------------------------------------------------------------------------------ */

/* Of @text, which is zero behind the label. */
static __always_inline __u64 hash_of_text(const __u64 *text)
{
	__u64 hash = 0xcbf29ce484222325ULL;

#pragma unroll
	for (int i = 0; i < PERSIST_LABEL_READ / 8; i++) {
		hash = (hash ^ text[i]) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	return hash;
}

/* The string at @loc, as __data_loc has it; none if the kernel does not let it be read. */
static __always_inline void read_label(void *ctx, __u32 loc, struct totals_scratch *scratch)
{
	__u32 len = loc >> 16, offset = loc & 0xffff;

	__builtin_memset(scratch->text, 0, sizeof(scratch->text));
	if (len > sizeof(scratch->text))
		len = sizeof(scratch->text);
	if (bpf_probe_read_kernel(scratch->text, len, ctx + offset) || !(__u8)scratch->text[0])
		return;
	scratch->key.label_hash = hash_of_text(scratch->text);
	__builtin_memcpy(scratch->key.label, scratch->text, PERSIST_LABEL_SIZE - 8);
	/* One byte less, so that there is a NUL. */
	__builtin_memcpy(scratch->key.label + PERSIST_LABEL_SIZE - 8,
			 (char *)scratch->text + PERSIST_LABEL_SIZE - 8, 7);
}

/* ---- counting ---------------------------------------------------------------------------- */

static __always_inline void clear_key(struct persist_total_key *key)
{
	__builtin_memset(key, 0, sizeof(*key));
	key->socket = -1;
	key->cpu = -1;
	key->bank = -1;
	key->controller = -1;
	key->layer[0] = -1;
	key->layer[1] = -1;
	key->layer[2] = -1;
}

/* The total of this key, which is made if there is none yet. NULL and *@err: it cannot be. */
static __always_inline struct persist_total *find_total(struct totals_scratch *scratch, __u64 now,
							long *err)
{
	struct persist_total *total = bpf_map_lookup_elem(&totals, &scratch->key);

	if (total)
		return total;
	__builtin_memset(&scratch->fresh, 0, sizeof(scratch->fresh));
	scratch->fresh.first_ns = now;
	/* Another CPU may have been faster. */
	*err = bpf_map_update_elem(&totals, &scratch->key, &scratch->fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&totals, &scratch->key);
}

#define E2BIG 7

static __always_inline void count_total(struct totals_scratch *scratch,
					const struct error_report *report,
					struct persist_totals_sums *sum, __u64 now)
{
	long err = 0;
	struct persist_total *total = find_total(scratch, now, &err);

	if (total) {
		__sync_fetch_and_add(&total->events, 1);
		__sync_fetch_and_add(&total->errors, report->errors);
		if (report->overflow)
			__sync_fetch_and_add(&total->overflows, 1);
		/* Of two CPUs at the same moment either may be the last. */
		total->last_ns = now;
	} else if (err == -E2BIG) {
		sum->no_room_events++;
		sum->no_room_errors += report->errors;
	} else {
		sum->busy_events++;
		sum->busy_errors += report->errors;
	}
}

static __always_inline void count_page(const struct persist_total_key *key,
				       const struct error_report *report,
				       struct persist_totals_sums *sum, __u64 now)
{
	__u64 number = report->address >> constant(page_shift);
	const struct page_errors errors = {
		.address = number << constant(page_shift),
		.errors = report->errors,
		.uncorrected = is_uncorrected(key->severity) ? report->errors : 0,
		.label_hash = key->label_hash,
		.time_ns = now,
	};
	__u32 index = page_set__index(number);
	struct persist_page_set *set = bpf_map_lookup_elem(&pages, &index);
	__u64 evicted;

	if (!set || !report->errors)
		return;
	evicted = page_set__count(set, &errors);
	if (evicted) {
		sum->evicted_pages++;
		sum->evicted_errors += evicted;
	}
	sum->errors_in_pages += report->errors;
}

static __always_inline void count_hour(struct persist_totals_sums *sum, __u64 errors, __u64 now)
{
	__u64 hour = now / NSEC_PER_HOUR;

	if (hour != sum->hour) {
		sum->errors_in_hour_before = hour == sum->hour + 1 ? sum->errors_in_hour : 0;
		sum->errors_in_hour = 0;
		sum->hour = hour;
	}
	sum->errors_in_hour += errors;
}

/* Called for each event that has totals, before it is recorded. */
static __noinline int count_error(void *ctx)
{
	__u32 zero = 0;
	struct totals_scratch *scratch = bpf_map_lookup_elem(&totals_scratch, &zero);
	struct persist_totals_sums *sum = bpf_map_lookup_elem(&sums, &zero);
	struct error_report report = { .errors = 1 };
	__u64 now = bpf_ktime_get_boot_ns();

	if (!scratch || !sum)
		return 0;
	if (scratch->busy) {
		__sync_fetch_and_add(&sum->nested_events, 1);
		return 0;
	}
	*(volatile __u64 *)&scratch->busy = 1;
	barrier();
	clear_key(&scratch->key);
	describe_error(ctx, scratch, &report);
	count_total(scratch, &report, sum, now);
	if (report.has_address)
		count_page(&scratch->key, &report, sum, now);
	count_hour(sum, report.errors, now);
	sum->by_severity[scratch->key.severity & (PERSIST_SEVERITIES_MAX - 1)] += report.errors;
	sum->overflows += report.overflow;
	if (!sum->first_ns)
		sum->first_ns = now;
	sum->last_ns = now;
	sum->errors += report.errors;
	/* After the rest: a reader takes it for the sign that the event is counted throughout. */
	barrier();
	sum->events++;
	barrier();
	*(volatile __u64 *)&scratch->busy = 0;
	return 0;
}
