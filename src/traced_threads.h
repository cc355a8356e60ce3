/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Names and processes of the threads in a trace. ftrace's records have only the thread's id; its
 * names are in saved_cmdlines, of the latest threads, 128 unless told otherwise, and processes in
 * saved_tgids, if the option record-tgid was set. Of a thread that still runs /proc has both.
 */
#ifndef PERSIST_TRACED_THREADS_H
#define PERSIST_TRACED_THREADS_H

#include <stdint.h>

#include "persist_record.h"

struct traced_threads;

struct traced_thread {
	uint32_t tid;
	uint32_t tgid; /* 0: not known */
	char comm[PERSIST_COMM_SIZE];
};

/* What ftrace has saved by now. NULL with errno ENOMEM; that nothing can be read is no error. */
struct traced_threads *traced_threads__new(void);
void traced_threads__free(struct traced_threads *threads);

/*
 * What is known of the thread @tid, which did something at the time @time_ns (CLOCK_BOOTTIME). The
 * name is "<...>", as ftrace has it, if nobody knows it any more.
 */
void traced_threads__find(struct traced_threads *threads, uint32_t tid, uint64_t time_ns,
			  struct traced_thread *thread);

#endif
