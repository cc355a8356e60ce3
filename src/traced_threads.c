// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "traced_threads.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "time_spec.h"
#include "tracefs.h"

/* What is not known of a thread. */
static const char no_name[] = "<...>";

struct entry {
	struct traced_thread thread; /* as ftrace has saved it */
	struct traced_thread proc;   /* as /proc has it now */
	bool asked_proc;
	uint64_t started_ns; /* when that thread began; UINT64_MAX: there is none */
};

struct traced_threads {
	struct entry *entries; /* in the order of the ids */
	size_t nr, room;
};

/* ---- a table ------------------------------------------------------------------------------ */

static size_t find_place(const struct traced_threads *threads, uint32_t tid)
{
	size_t low = 0, high = threads->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (threads->entries[middle].thread.tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The entry of the thread, a new one if there is none. NULL: no memory. */
static struct entry *get_entry(struct traced_threads *threads, uint32_t tid)
{
	size_t place = find_place(threads, tid);
	struct entry *entries = threads->entries;

	if (place < threads->nr && entries[place].thread.tid == tid)
		return &entries[place];
	if (threads->nr == threads->room) {
		size_t room = threads->room ? 2 * threads->room : 256;

		entries = reallocarray(entries, room, sizeof(*entries));
		if (!entries)
			return NULL;
		threads->entries = entries;
		threads->room = room;
	}
	memmove(&entries[place + 1], &entries[place], (threads->nr - place) * sizeof(*entries));
	threads->nr++;
	entries[place] = (struct entry){ .thread.tid = tid };
	return &entries[place];
}

/* ---- what ftrace has saved ---------------------------------------------------------------- */

static void set_comm(struct traced_thread *thread, const char *comm, size_t len)
{
	if (len >= sizeof(thread->comm))
		len = sizeof(thread->comm) - 1;
	memset(thread->comm, 0, sizeof(thread->comm));
	memcpy(thread->comm, comm, len);
}

/* A line is "<tid> <name>"; a name can have spaces. */
static void take_name(struct traced_threads *threads, const char *line, size_t len)
{
	char *name;
	unsigned long tid = strtoul(line, &name, 10);
	struct entry *entry;

	if (name == line || *name != ' ' || tid > INT_MAX)
		return;
	name++;
	entry = get_entry(threads, (uint32_t)tid);
	/* "<...>" is no name. */
	if (entry && strncmp(name, no_name, len - (size_t)(name - line)))
		set_comm(&entry->thread, name, len - (size_t)(name - line));
}

/* A line is "<tid> <tgid>". */
static void take_tgid(struct traced_threads *threads, const char *line, size_t len)
{
	unsigned int tid, tgid;
	struct entry *entry;

	(void)len;
	if (sscanf(line, "%u %u", &tid, &tgid) != 2 || tid > INT_MAX || tgid > INT_MAX)
		return;
	entry = get_entry(threads, tid);
	if (entry)
		entry->thread.tgid = tgid;
}

static void read_lines(struct traced_threads *threads, const char *file,
		       void (*take)(struct traced_threads *threads, const char *line, size_t len))
{
	char *text, *line, *end;
	size_t len;

	if (tracefs__read_file(file, &text, &len))
		return;
	for (line = text; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		take(threads, line, (size_t)(end - line));
	}
	free(text);
}

struct traced_threads *traced_threads__new(void)
{
	struct traced_threads *threads = calloc(1, sizeof(*threads));

	if (!threads)
		return NULL;
	read_lines(threads, "saved_cmdlines", take_name);
	read_lines(threads, "saved_tgids", take_tgid);
	return threads;
}

void traced_threads__free(struct traced_threads *threads)
{
	if (!threads)
		return;
	free(threads->entries);
	free(threads);
}

/* ---- what /proc knows --------------------------------------------------------------------- */

/* Any thread's status can be had under its own id, although it is not listed. */
static bool read_status(struct entry *entry)
{
	char path[64], *text, *end;
	unsigned int tgid;
	const char *line;
	size_t len;
	bool is_good;

	snprintf(path, sizeof(path), "/proc/%u/status", entry->thread.tid);
	if (tracefs__read_path(path, &text, &len))
		return false;
	line = strstr(text, "\nTgid:");
	end = strchr(text, '\n');
	is_good = line && sscanf(line, "\nTgid:\t%u", &tgid) == 1 && !strncmp(text, "Name:\t", 6);
	if (is_good) {
		entry->proc.tgid = tgid;
		set_comm(&entry->proc, text + 6, (size_t)(end - text - 6));
	}
	free(text);
	return is_good;
}

/* Field 22 of /proc/PID/stat, in ticks since boot; the name before may hold anything. */
static bool read_start(uint32_t tid, uint64_t *start_ns)
{
	unsigned long long ticks;
	char path[64], *text;
	const char *rest;
	size_t len;
	bool is_good;

	snprintf(path, sizeof(path), "/proc/%u/stat", tid);
	if (tracefs__read_path(path, &text, &len))
		return false;
	rest = strrchr(text, ')');
	is_good = rest && sscanf(rest,
				 ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
				 "%*d %*d %*d %*d %llu",
				 &ticks) == 1;
	free(text);
	if (is_good)
		*start_ns = ticks * (NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK));
	return is_good;
}

static void ask_proc(struct entry *entry)
{
	uint64_t started_ns;

	entry->asked_proc = true;
	entry->started_ns = UINT64_MAX;
	if (read_start(entry->thread.tid, &started_ns) && read_status(entry))
		entry->started_ns = started_ns;
}

void traced_threads__find(struct traced_threads *threads, uint32_t tid, uint64_t time_ns,
			  struct traced_thread *thread)
{
	struct entry *entry = get_entry(threads, tid);
	bool is_alive;

	*thread = (struct traced_thread){ .tid = tid };
	if (entry) {
		if (!entry->asked_proc)
			ask_proc(entry);
		*thread = entry->thread;
		/* Else another thread has the id by now. */
		is_alive = entry->started_ns <= time_ns;
		if (!thread->tgid && is_alive)
			thread->tgid = entry->proc.tgid;
		if (!thread->comm[0] && is_alive)
			memcpy(thread->comm, entry->proc.comm, sizeof(thread->comm));
	}
	if (!thread->comm[0])
		memcpy(thread->comm, no_name, sizeof(no_name));
}
