/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a capture program knows about its event, as constants in its instructions.
 *
 * In the program they are values of an enumeration, each use of which is a CO-RE relocation; the
 * loader describes the enumeration with the event's values in the target BTF (src/target_btf.c).
 * So there is no memory to read them from, and the verifier removes code that does not apply.
 *
 * This list is the one definition for both sides.
 */
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

/* As far as this, a record is copied by loads from the context; behind it, by a helper. */
#define DIRECT_BYTES_MAX 512

/*
 * The CPU does not let a store be seen before an earlier one: the order in which the compiler
 * puts them is enough. Elsewhere full barriers are used.
 */
#if defined(__x86_64__) || defined(__s390x__)
#define STORES_ARE_ORDERED 1
#else
#define STORES_ARE_ORDERED 0
#endif

/* clang-format off */
#define EVENT_CONSTANTS(X)                                                                  \
	X(record_id)          /* what records carry as event_id */                          \
	X(nr_cpus)            /* possible ones */                                           \
	X(keep)               /* enum persist_keep */                                       \
	X(tail_type)          /* enum persist_tail_type */                                  \
	X(wakeup_events)                                                                    \
	X(unit_mask)          /* units of an array ring - 1 */                              \
	X(fixed_size)         /* payload bytes that every record of this event has */       \
	X(is_dynamic)         /* some records have more than these */                       \
	X(is_incomplete)      /* they have, but the kernel does not let it be read */       \
	X(stores_are_ordered) /* STORES_ARE_ORDERED of the loader: BPF code has no CPU */   \
	X(size_and_id)        /* of plain_event: size and event_id of its records */        \
	X(commit_step)        /* and what each adds to the commit word of an array ring */  \
	X(common_type)        /* the tracepoint's id, first field of its record */          \
	/* Of a tracepoint's context, see percpu_events.bpf.c: */                           \
	X(copy_size)          /* bytes of the fixed fields that it has */                   \
	X(fields_end)         /* where the fixed fields end, and a call's strings begin */  \
	X(syscall_nr_offset)  /* of a call whose context has its number elsewhere */        \
	X(nr_user_strings)                                                                  \
	X(pointer_0) X(string_0) /* a pointer, and the __data_loc of what it leads to */    \
	X(pointer_1) X(string_1)                                                            \
	X(pointer_2) X(string_2)                                                            \
	/* Of an event that has totals, see totals.bpf.h: */                                  \
	X(totals)             /* enum totals_source */                                      \
	X(severities)         /* TOTALS_SEVERITY_BITS for each number of the event's */     \
	X(address_shift)      /* by which its address is to be shifted to get bytes */      \
	X(section_offset)     /* where a GUID of the section type is; 0: it has none */     \
	X(page_shift)                                                                       \
	/* Of mce_record, see mce_record.bpf.c: offsets of the fields, 0 for none */        \
	X(mcgcap) X(mcgstatus) X(status) X(addr) X(misc) X(synd) X(ipid) X(ip) X(tsc)       \
	X(ppin) X(walltime) X(mce_cpu) X(cpuid) X(apicid) X(socketid) X(cs) X(bank)         \
	X(cpuvendor) X(microcode) X(v_data)                                                 \
	X(v_data_offset)      /* where the bytes of v_data are */                           \
	X(gaps_from)          /* only behind this, 8 bytes can be in part no field */       \
	X(argument_is_hw_err)
/* clang-format on */

#endif
