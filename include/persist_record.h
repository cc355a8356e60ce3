/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * The formats that BPF programs write and readers read: records, the array ring, counters,
 * metadata, the registry and totals. One definition for both sides; a BPF program includes
 * vmlinux.h before this file, user space gets the same types from the kernel's exported headers.
 *
 * Everything here is little- or big-endian as the machine is: buffers live in the memory of a
 * running kernel, and a record says by its magic which order it has.
 */
#ifndef PERSIST_RECORD_H
#define PERSIST_RECORD_H

#ifndef __VMLINUX_H__
#include <linux/perf_event.h>
#include <linux/types.h>
#endif

/* Version of every structure below. A reader refuses a newer one and reads older ones. */
#define PERSIST_ABI_VERSION 1

#define PERSIST_NAME_SIZE 64
#define PERSIST_COMM_SIZE 16

/* Ids of events that are not named by a tracepoint's own id start here. */
#define PERSIST_FIRST_PRIVATE_ID 65536

/*
 * The kernel refuses to hand a tracepoint record of more than PERF_MAX_TRACE_SIZE bytes to perf
 * and so to BPF (include/linux/trace_events.h), so no payload is larger.
 */
#define PERSIST_PAYLOAD_MAX 8192

/* ---- records ---------------------------------------------------------------------------- */

#define PERSIST_RECORD_MAGIC   0x43524550u /* "PERC" in memory on a little-endian machine */
#define PERSIST_RECORD_VERSION 1

/*
 * The kernel did not let the program read the variable part of the payload (under
 * lockdown=confidentiality, for one); that part is zero.
 */
#define PERSIST_RECORD_INCOMPLETE 1

/*
 * The kernel's boot tracing recorded the event before it was attached, and the loader brought the
 * record in; see struct persist_imported.
 */
#define PERSIST_RECORD_IMPORTED 2

/**
 * struct persist_record - header of every record; @size bytes of payload follow it
 * @magic:       PERSIST_RECORD_MAGIC
 * @version:     PERSIST_RECORD_VERSION
 * @header_size: bytes from the start of the record to its payload
 * @flags:       PERSIST_RECORD_*
 * @size:        bytes of payload: the tracepoint record as its format text describes it
 * @event_id:    id of the event in its tree
 * @seq:         number of this event on this CPU, from 1 on; counts what was lost as well. Of an
 *               imported record: its number among the imported ones of this CPU, from 1 on
 * @time_ns:     CLOCK_BOOTTIME, in nanoseconds
 * @cpu:         CPU that recorded it
 * @pid:         process id (tgid), in the initial pid namespace
 * @tid:         thread id, in the initial pid namespace
 * @prev_units:  array ring: distance to the start of the record before, in units; else 0
 * @comm:        name of the thread, NUL padded
 */
struct persist_record {
	__u32 magic;
	__u8 version;
	__u8 header_size;
	__u16 flags;
	__u32 size;
	__u32 event_id;
	__u64 seq;
	__u64 time_ns;
	__u32 cpu;
	__u32 pid;
	__u32 tid;
	__u32 prev_units;
	char comm[PERSIST_COMM_SIZE];
};

/* ---- the array ring --------------------------------------------------------------------- */

#define PERSIST_ARRAY_RING_MAGIC  0x52415050u /* "PPAR" */
#define PERSIST_UNIT_SIZE	  64
#define PERSIST_ARRAY_RING_HEADER 128
/* The commit word keeps the newest record's length in its low bits, see below. */
#define PERSIST_COMMIT_LENGTH_BITS 8
#define PERSIST_COMMIT_LENGTH_MASK ((1u << PERSIST_COMMIT_LENGTH_BITS) - 1)

/**
 * struct persist_array_ring - the overwriting ring of one CPU, the value of a mmapable array
 * @magic:       PERSIST_ARRAY_RING_MAGIC
 * @version:     PERSIST_ABI_VERSION
 * @unit_size:   PERSIST_UNIT_SIZE
 * @nr_units:    units of the ring, a power of two
 * @spill_units: units behind the ring, into which a record that starts near the end runs on
 * @reserve_pos: end of what is written or being written, in units since the ring was made
 * @commit:      end of what is written, in units, shifted left by PERSIST_COMMIT_LENGTH_BITS,
 *               and in the low bits the length of the record that ends there (0: no record)
 *
 * A record occupies whole units and is contiguous: one that starts in the last units goes on
 * into the spill area instead of wrapping. The record at position P is at byte
 * PERSIST_ARRAY_RING_HEADER + (P % nr_units) * unit_size.
 *
 * The writer (one CPU) stores reserve_pos, then the record, then commit, each ordered before
 * the next. A reader loads commit, copies a record that ends at or before it, and then loads
 * reserve_pos: the copy is whole exactly if reserve_pos - P <= nr_units.
 */
struct persist_array_ring {
	__u32 magic;
	__u16 version;
	__u16 unit_size;
	__u64 nr_units;
	__u64 spill_units;
	__u64 reserved[5];
	__u64 reserve_pos;
	__u64 commit;
	__u64 reserved2[6];
#ifndef __cplusplus /* which has no such members */
	__u8 data[];
#endif
};

/* ---- imported records ------------------------------------------------------------------- */

#define PERSIST_IMPORTED_MAGIC 0x4d494550u /* "PEIM" */
#define PERSIST_CLOCK_SIZE     16

/**
 * struct persist_imported_cpu - what was imported of one CPU
 * @offset:         of its first record, from the start of the map's value
 * @bytes:          of its records; each begins where the one before ends, at a multiple of
 *                  PERSIST_UNIT_SIZE bytes from @offset
 * @records:        how many that are
 * @overrun:        events of any kind that the boot tracing overwrote on this CPU
 * @commit_overrun: events of any kind that it did not record, because they interrupted too many
 *                  others
 * @dropped:        events of any kind that it did not record, because its buffer was full
 */
struct persist_imported_cpu {
	__u64 offset;
	__u64 bytes;
	__u64 records;
	__u64 overrun;
	__u64 commit_overrun;
	__u64 dropped;
};

/**
 * struct persist_imported - value of the mmapable array `imported`, which nobody ever writes to
 * @magic:          PERSIST_IMPORTED_MAGIC
 * @version:        PERSIST_ABI_VERSION
 * @header_size:    bytes in front of @cpus
 * @cpu_size:       bytes of one of @cpus
 * @nr_cpus:        how many of these there are
 * @event_id:       id in the records
 * @records:        of all CPUs
 * @import_time_ns: CLOCK_BOOTTIME of the import
 * @first_time_ns:  CLOCK_BOOTTIME of the oldest record, 0 without one
 * @last_time_ns:   and of the newest
 * @time_error_ns:  so much the times of the records can be off, at most; 0: they are exact
 * @source:         instance of the tracing buffer, empty for the top-level one
 * @clock:          its clock (trace_clock), by which the times were taken
 * @cpus:           by the number of the CPU
 *
 * The losses are those of the whole buffer of a CPU, whatever the events were: how many of this
 * event are among them, nobody knows. They are as of the end of the import: events that had been
 * copied just before, or that our program recorded itself, are counted, too.
 */
struct persist_imported {
	__u32 magic;
	__u32 version;
	__u32 header_size;
	__u32 cpu_size;
	__u32 nr_cpus;
	__u32 event_id;
	__u64 records;
	__u64 import_time_ns;
	__u64 first_time_ns;
	__u64 last_time_ns;
	__u64 time_error_ns;
	char source[PERSIST_NAME_SIZE];
	char clock[PERSIST_CLOCK_SIZE];
#ifndef __cplusplus /* which has no such members */
	struct persist_imported_cpu cpus[];
#endif
};

/* ---- counters --------------------------------------------------------------------------- */

/**
 * struct persist_counters - value of the per-CPU map `counters`
 * @seen:           events that reached the program on this CPU; the last sequence number. Those
 *                  that are being lost to nesting are seen when the one that they interrupt is done
 * @recorded:       of these, written into a buffer (which may have overwritten them since)
 * @lost_ring_full: of these, not written because the head ring was full (keep=oldest)
 * @lost_ring_busy: of these, not written because the ring's lock could not be had
 * @lost_nested:    of these, not written because they interrupted the writing of another one
 * @lost_too_big:   of these, not written because the record does not fit into any buffer
 * @lost_no_buffer: of these, not written because this CPU had no buffer
 * @numbered:       of these, all but the nested ones
 * @first_seq:      first sequence number that belongs to the current buffers (after a clear)
 * @generation:     generation of the buffers that this CPU wrote last
 * @head_full:      the head ring of this generation has refused a record
 * @busy:           a record is being written on this CPU
 * @event_id:       id of the event, so that the counters explain themselves
 *
 * seen = recorded + lost_ring_full + lost_ring_busy + lost_nested + lost_too_big +
 * lost_no_buffer whenever no record is just being written.
 */
struct persist_counters {
	__u64 seen;
	__u64 recorded;
	__u64 lost_ring_full;
	__u64 lost_ring_busy;
	__u64 lost_nested;
	__u64 lost_too_big;
	__u64 lost_no_buffer;
	__u64 numbered;
	__u64 first_seq;
	__u32 generation;
	__u32 head_full;
	__u32 busy;
	__u32 event_id;
};

/**
 * struct persist_control - what the loader tells a running program
 * @generation: which buffers to write: the set (generation % 2), counted up by each clear
 */
struct persist_control {
	__u32 generation;
	__u32 reserved;
};

/* ---- metadata --------------------------------------------------------------------------- */

#define PERSIST_META_MAGIC 0x544d4550u /* "PEMT" */

enum persist_kind {
	PERSIST_KIND_TRACEPOINT = 1,
};

enum persist_keep {
	PERSIST_KEEP_BOTH = 0,
	PERSIST_KEEP_OLDEST = 1,
	PERSIST_KEEP_LATEST = 2,
};

enum persist_tail_type {
	PERSIST_TAIL_NONE = 0,
	PERSIST_TAIL_ARRAY = 1,	  /* mmapable array, struct persist_array_ring */
	PERSIST_TAIL_RINGBUF = 2, /* BPF_MAP_TYPE_RINGBUF with BPF_F_RB_OVERWRITE, Linux 6.19 */
};

enum persist_capture {
	PERSIST_CAPTURE_TRACEPOINT =
		1,		     /* BPF_PROG_TYPE_TRACEPOINT, record copied from its context */
	PERSIST_CAPTURE_RAW_BTF = 2, /* BTF raw tracepoint, record built from the arguments */
};

/* Room for struct perf_event_attr of this and of later kernels; attr.size says how much is used. */
#define PERSIST_ATTR_ROOM 192

/**
 * struct persist_meta - the one element of the array `meta`
 * @magic:           PERSIST_META_MAGIC
 * @version:         PERSIST_ABI_VERSION
 * @size:            bytes of this structure that its writer knew
 * @event_id:        id of the event in its tree; `config` of the published attr
 * @kind:            enum persist_kind
 * @keep:            enum persist_keep
 * @tail_type:       enum persist_tail_type
 * @capture:         enum persist_capture
 * @nr_cpus:         possible CPUs, each with buffers of its own
 * @head_bytes:      bytes of each CPU's head ring, 0 without one
 * @tail_bytes:      bytes of each CPU's tail ring, 0 without one
 * @wakeup_events:   wake readers at each N-th record; 0: readers poll
 * @generation:      generation of the buffers beside this element; see struct persist_control
 * @payload_max:     bytes of the longest payload that this event can have
 * @instance:        random number of this attachment: sequence numbers of another are unrelated
 * @attach_time_ns:  CLOCK_BOOTTIME of the attachment: what came before was not seen
 * @attach_wall_ns:  the same moment as CLOCK_REALTIME
 * @clear_time_ns:   CLOCK_BOOTTIME of the last clear, 0 without one
 * @config:          the kernel's id of the tracepoint
 * @record_id:       what the records of this event carry as their event_id
 * @payload_min:     bytes of the shortest payload that this event can have: its fixed fields
 * @name:            name of the event in its tree
 * @system:          tracepoint system
 * @tracepoint:      tracepoint name
 * @attr:            struct perf_event_attr as perf would open the event
 */
struct persist_meta {
	__u32 magic;
	__u32 version;
	__u32 size;
	__u32 event_id;
	__u32 kind;
	__u32 keep;
	__u32 tail_type;
	__u32 capture;
	__u32 nr_cpus;
	__u32 wakeup_events;
	__u64 head_bytes;
	__u64 tail_bytes;
	__u32 generation;
	__u32 payload_max;
	__u64 instance;
	__u64 attach_time_ns;
	__u64 attach_wall_ns;
	__u64 clear_time_ns;
	__u64 config;
	__u32 record_id;
	__u32 payload_min;
	char name[PERSIST_NAME_SIZE];
	char system[PERSIST_NAME_SIZE];
	char tracepoint[PERSIST_NAME_SIZE];
	__extension__ union {
		struct perf_event_attr attr;
		__u8 attr_room[PERSIST_ATTR_ROOM];
	};
};

/* struct persist_registry_entry - value of the hash map `registry`, the key is the event id */
struct persist_registry_entry {
	char name[PERSIST_NAME_SIZE];
	char system[PERSIST_NAME_SIZE];
	char tracepoint[PERSIST_NAME_SIZE];
	enum persist_kind kind;
	enum persist_keep keep;
	enum persist_tail_type tail_type;
	enum persist_capture capture;
	__u32 attr_type;
	__u32 attr_wakeup_events;
	__u64 attr_config;
	__u64 attr_sample_type;
	__u64 head_bytes;
	__u64 tail_bytes;
	__u64 locked_bytes;
	__u64 attach_time_ns;
	__u64 attach_wall_ns;
	__u32 abi_version;
	__u32 nr_cpus;
};

/* ---- totals ----------------------------------------------------------------------------- */

/*
 * Events that report hardware errors are counted as well as recorded, in three maps that never
 * grow; docs/summary.md says what is in them for which event. One event
 * can report several errors. Whenever no event is just being counted:
 *
 *	counters.seen = sums.events + sums.nested_events
 *	sums.events   = all totals' events + sums.no_room_events + sums.busy_events
 *	sums.errors   = all totals' errors + sums.no_room_errors + sums.busy_errors
 *	              = all of sums.by_severity
 *	sums.errors_in_pages = all pages' errors + sums.evicted_errors
 */

/**
 * enum persist_severity - how bad an error is
 * @PERSIST_SEVERITY_UNKNOWN:     the event does not say, or says what is not known
 * @PERSIST_SEVERITY_CORRECTED:   nothing was lost
 * @PERSIST_SEVERITY_DEFERRED:    not corrected, and nothing has used the data yet
 * @PERSIST_SEVERITY_UCNA:        machine checks: uncorrected, no action required
 * @PERSIST_SEVERITY_SRAO:        machine checks: software recoverable, action optional
 * @PERSIST_SEVERITY_SRAR:        machine checks: software recoverable, action required
 * @PERSIST_SEVERITY_UNCORRECTED: not corrected, without more being known; also what other events
 *                                call recoverable or non-fatal
 * @PERSIST_SEVERITY_FATAL:       the system, or the link, cannot go on
 * @PERSIST_SEVERITY_INFO:        no error
 *
 * The first eight are those of enum mce_severity. New ones go to the end.
 */
enum persist_severity {
	PERSIST_SEVERITY_UNKNOWN = 0,
	PERSIST_SEVERITY_CORRECTED = 1,
	PERSIST_SEVERITY_DEFERRED = 2,
	PERSIST_SEVERITY_UCNA = 3,
	PERSIST_SEVERITY_SRAO = 4,
	PERSIST_SEVERITY_SRAR = 5,
	PERSIST_SEVERITY_UNCORRECTED = 6,
	PERSIST_SEVERITY_FATAL = 7,
	PERSIST_SEVERITY_INFO = 8,
	PERSIST_NR_SEVERITIES
};

/* Room for more severities. */
#define PERSIST_SEVERITIES_MAX 16

#define PERSIST_LABEL_SIZE 40
/* So much of a label is looked at; of a longer one the rest does not count. */
#define PERSIST_LABEL_READ 256

/**
 * struct persist_total_key - key of the hash map `totals`: errors that are counted together
 * @severity:   enum persist_severity
 * @kind:       what the event calls the kind of error; persist_totals__kind_name() names it
 * @socket:     physical package, -1 if the event does not say; so are the following
 * @cpu:        CPU that the error is about, which need not be the one that reported it
 * @bank:       machine check bank
 * @controller: memory controller
 * @layer:      place below the memory controller, such as channel and slot; top, middle, lower
 * @status:     status register of a device, or the result of what the kernel did; else 0
 * @mpidr:      ARM: MPIDR of the processor; else 0
 * @label_hash: of the label, as far as PERSIST_LABEL_READ; 0 without one
 * @section:    non-standard errors: GUID of the section type as firmware stores it; else 0
 * @label:      the name that the event gives: of a DIMM, a device, a unit; as much of it as there
 *              is room for, NUL padded
 */
struct persist_total_key {
	__u32 severity;
	__u32 kind;
	__s32 socket;
	__s32 cpu;
	__s32 bank;
	__s32 controller;
	__s32 layer[3];
	__u32 status;
	__u64 mpidr;
	__u64 label_hash;
	__u8 section[16];
	char label[PERSIST_LABEL_SIZE];
};

/**
 * struct persist_total - value of the hash map `totals`
 * @events:    how often it was reported
 * @errors:    how many errors that were
 * @overflows: events of these which said that the hardware had lost others before
 * @first_ns:  CLOCK_BOOTTIME of the first event
 * @last_ns:   CLOCK_BOOTTIME of the last event
 */
struct persist_total {
	__u64 events;
	__u64 errors;
	__u64 overflows;
	__u64 first_ns;
	__u64 last_ns;
};

/**
 * struct persist_page - errors in one page of memory
 * @address:     of the page's first byte, as the event has it: most often a physical address
 * @errors:      errors counted since the page is in the map
 * @uncorrected: of these, not corrected
 * @missed:      at most so many more there may have been before it came into the map
 * @first_ns:    CLOCK_BOOTTIME of the first one counted; 0: the place is free
 * @last_ns:     CLOCK_BOOTTIME of the last one
 * @label_hash:  that of the last one's key; 0 if the event has no labels
 * @reserved:    0
 */
struct persist_page {
	__u64 address;
	__u64 errors;
	__u64 uncorrected;
	__u64 missed;
	__u64 first_ns;
	__u64 last_ns;
	__u64 label_hash;
	__u64 reserved;
};

#define PERSIST_PAGE_WAYS     8
#define PERSIST_PAGE_SET_BITS 6
#define PERSIST_PAGE_SETS     (1u << PERSIST_PAGE_SET_BITS)

/* Value of the per-CPU array `pages`; a page can be in the set that its address chooses. */
struct persist_page_set {
	struct persist_page way[PERSIST_PAGE_WAYS];
};

/**
 * struct persist_totals_sums - value of the per-CPU map `sums`
 * @events:          events that were counted on this CPU
 * @errors:          how many errors that were
 * @by_severity:     these, by enum persist_severity
 * @nested_events:   events that are counted nowhere else, because they interrupted the counting of
 *                   another one
 * @no_room_events:  events that are in no total, because the map was full
 * @no_room_errors:  and their errors
 * @busy_events:     events that are in no total, because the map could not be changed just then
 * @busy_errors:     and their errors
 * @overflows:       events which said that the hardware had lost others before
 * @errors_in_pages: errors of which the event gave an address
 * @evicted_pages:   pages that had to leave the map for others
 * @evicted_errors:  errors that had been counted in these
 * @first_ns:        CLOCK_BOOTTIME of the first event, 0 without one
 * @last_ns:         CLOCK_BOOTTIME of the last event
 * @hour:            the hour since boot in which the last event was, from 0
 * @errors_in_hour:  errors in that hour
 * @errors_in_hour_before: and in the one before it
 * @page_size:       bytes of a page
 * @event_id:        id of the event, so that the sums explain themselves
 */
struct persist_totals_sums {
	__u64 events;
	__u64 errors;
	__u64 by_severity[PERSIST_SEVERITIES_MAX];
	__u64 nested_events;
	__u64 no_room_events;
	__u64 no_room_errors;
	__u64 busy_events;
	__u64 busy_errors;
	__u64 overflows;
	__u64 errors_in_pages;
	__u64 evicted_pages;
	__u64 evicted_errors;
	__u64 first_ns;
	__u64 last_ns;
	__u64 hour;
	__u64 errors_in_hour;
	__u64 errors_in_hour_before;
	__u32 page_size;
	__u32 event_id;
};

/* ---- text files ------------------------------------------------------------------------- */

/* One element of the array behind a text file: the file is their @len bytes of @text, in order. */
struct persist_text_chunk {
	__u32 len;
	char text[4092];
};

#ifdef __cplusplus
#define PERSIST_STATIC_ASSERT static_assert
#else
#define PERSIST_STATIC_ASSERT __extension__ _Static_assert
#endif

PERSIST_STATIC_ASSERT(sizeof(struct persist_record) == 64, "record header is one cache line");
PERSIST_STATIC_ASSERT(sizeof(struct persist_record) % PERSIST_UNIT_SIZE == 0, "units");
PERSIST_STATIC_ASSERT(sizeof(struct persist_array_ring) == PERSIST_ARRAY_RING_HEADER, "layout");
PERSIST_STATIC_ASSERT((sizeof(struct persist_record) + PERSIST_PAYLOAD_MAX) / PERSIST_UNIT_SIZE <=
			      PERSIST_COMMIT_LENGTH_MASK,
		      "the longest record's length fits into the commit word");
PERSIST_STATIC_ASSERT(sizeof(struct persist_imported_cpu) == 48, "layout");
PERSIST_STATIC_ASSERT(sizeof(struct persist_imported) == 144, "layout");
PERSIST_STATIC_ASSERT(sizeof(struct persist_counters) == 88, "layout");
PERSIST_STATIC_ASSERT(sizeof(struct persist_meta) == 496, "layout");
PERSIST_STATIC_ASSERT(sizeof(struct perf_event_attr) <= PERSIST_ATTR_ROOM, "attr fits");
PERSIST_STATIC_ASSERT(sizeof(struct persist_text_chunk) == 4096, "layout");
PERSIST_STATIC_ASSERT(sizeof(struct persist_total_key) == 112, "no hidden padding in a key");
PERSIST_STATIC_ASSERT(sizeof(struct persist_total) == 40, "layout");
PERSIST_STATIC_ASSERT(sizeof(struct persist_page) == 64, "a page is one cache line");
PERSIST_STATIC_ASSERT(PERSIST_NR_SEVERITIES <= PERSIST_SEVERITIES_MAX, "severities fit");
PERSIST_STATIC_ASSERT(sizeof(struct persist_totals_sums) == 264, "layout");

#endif
