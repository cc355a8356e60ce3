// SPDX-License-Identifier: GPL-2.0-only
#include "perf/thread_names.h"

#include <string.h>

/* Multiplicative hashing: neighbouring ids go to different entries (Knuth, TAOCP 3, 6.4). */
static uint32_t entry_of(uint32_t tid)
{
	return tid * 2654435761u >> (32 - THREAD_NAMES_BITS);
}

bool thread_names__is_new(struct thread_names *names, const struct persist_record *record)
{
	struct thread_name *entry = &names->entries[entry_of(record->tid)];

	if (!record->tid)
		return false;
	if (entry->tid == record->tid && entry->pid == record->pid &&
	    !memcmp(entry->comm, record->comm, sizeof(entry->comm)))
		return false;
	entry->pid = record->pid;
	entry->tid = record->tid;
	memcpy(entry->comm, record->comm, sizeof(entry->comm));
	return true;
}
