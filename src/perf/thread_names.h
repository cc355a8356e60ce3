/* SPDX-License-Identifier: GPL-2.0-only */
/* The names that the threads had last, as far as a table of a fixed size can remember. */
#ifndef THREAD_NAMES_H
#define THREAD_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "persist_record.h"

#define THREAD_NAMES_BITS 12
#define THREAD_NAMES_SIZE (1u << THREAD_NAMES_BITS)

struct thread_name {
	uint32_t pid;
	uint32_t tid; /* 0: the entry is free. The idle threads, which all have it, are not kept. */
	char comm[PERSIST_COMM_SIZE];
};

/* A thread takes the place of another one that has the same entry. All zero to begin with. */
struct thread_names {
	struct thread_name entries[THREAD_NAMES_SIZE];
};

/*
 * Whether the record's thread is not known by the name that it has there; from now on it is. Never
 * for an idle thread: perf knows them all, as thread 0, by one name.
 */
bool thread_names__is_new(struct thread_names *names, const struct persist_record *record);

/*
 * Calls @found for each thread that is there and has another name by now, with that name, which it
 * is known by from then on.
 */
void thread_names__refresh(struct thread_names *names,
			   void (*found)(void *context, const struct thread_name *now),
			   void *context);

#endif
