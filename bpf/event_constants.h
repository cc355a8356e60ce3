/* SPDX-License-Identifier: GPL-2.0-only */
/* What the capture programs know about their event; shared with the loader. */
#ifndef EVENT_CONSTANTS_H
#define EVENT_CONSTANTS_H

/*
 * From 6.19 on the format of a system call has the strings behind its pointers: at most three
 * (SYSCALL_FAULT_MAX_CNT in kernel/trace/trace_syscalls.c), of up to 63 characters by default
 * (CONFIG_TRACE_SYSCALL_BUF_SIZE_DEFAULT), with "..." behind a longer one.
 */
#define USER_STRINGS_MAX  3
#define USER_STRING_CHARS 63
#define USER_STRING_ROOM  68

/* The string to which the pointer at offset @pointer leads; @loc is where its __data_loc is. */
struct user_string {
	__u32 pointer;
	__u32 loc;
};

/*
 * The CPU does not let a store be seen before an earlier one: the order in which the compiler
 * puts them is enough. Elsewhere full barriers are used.
 */
#if defined(__x86_64__) || defined(__s390x__)
#define STORES_ARE_ORDERED 1
#else
#define STORES_ARE_ORDERED 0
#endif

struct event_constants {
	__u32 event_id;
	__u32 nr_cpus;	 /* possible ones */
	__u32 keep;	 /* enum persist_keep */
	__u32 tail_type; /* enum persist_tail_type */
	__u32 wakeup_events;
	__u32 unit_mask;	  /* units of an array ring - 1 */
	__u32 fixed_size;	  /* payload bytes that every record of this event has */
	__u32 is_dynamic;	  /* some records have more than these */
	__u32 is_incomplete;	  /* they have, but the kernel does not let it be read */
	__u32 stores_are_ordered; /* STORES_ARE_ORDERED of the loader: BPF code has no CPU */
	__u32 common_type;	  /* the tracepoint's id, first field of its record */
	/* For the copy from a tracepoint's context, see percpu_events.bpf.c */
	__u32 copy_size;
	__u32 syscall_nr_offset;
	__u32 fields_end; /* where the fixed fields end, and the strings of a system call begin */
	__u32 nr_user_strings;
	struct user_string user_strings[USER_STRINGS_MAX];
};

#endif
