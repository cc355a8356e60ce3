// SPDX-License-Identifier: GPL-2.0-only
#include "perf/thread_names.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* What the thread is called now. False if there is no such thread. */
static bool read_comm(struct thread_name *name)
{
	char path[64], comm[PERSIST_COMM_SIZE];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", name->pid, name->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, comm, sizeof(comm));
	close(fd);
	if (got <= 0)
		return false;
	/* Behind the name there is a newline, at most at the end of the room. */
	memset(name->comm, 0, sizeof(name->comm));
	memcpy(name->comm, comm, (size_t)got - 1);
	return true;
}

void thread_names__refresh(struct thread_names *names,
			   void (*found)(void *context, const struct thread_name *now),
			   void *context)
{
	for (size_t i = 0; i < THREAD_NAMES_SIZE; i++) {
		struct thread_name *entry = &names->entries[i];
		const struct thread_name before = *entry;

		if (entry->tid && read_comm(entry) &&
		    memcmp(before.comm, entry->comm, sizeof(entry->comm)) != 0)
			found(context, entry);
	}
}
