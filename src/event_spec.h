/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Event specifications, as perf writes them: system:name, or system:name/option=value,.../
 *
 *   keep=both|oldest|latest   what to keep when there is more than fits (both)
 *   head=SIZE                 bytes per CPU for the first records (64K)
 *   tail=SIZE                 bytes per CPU for the latest records (256K)
 *   ring=auto|array|ringbuf   how the latest records are stored (auto)
 *   wakeup=N                  wake waiting readers at each N-th record; 0: they poll (0)
 *   name=NAME                 name in the tree (the tracepoint's)
 *
 * A SIZE is a number with an optional K, M or G. System and name may be shell patterns.
 */
#ifndef PERSIST_EVENT_SPEC_H
#define PERSIST_EVENT_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log.h"
#include "persist_record.h"

struct event_spec {
	char system[PERSIST_NAME_SIZE];
	char tracepoint[PERSIST_NAME_SIZE];
	char name[PERSIST_NAME_SIZE]; /* empty until chosen or resolved */
	enum persist_keep keep;
	enum persist_tail_type ring; /* PERSIST_TAIL_NONE: the best that this kernel has */
	uint64_t head_bytes;	     /* as asked for; see event_spec__round_sizes() */
	uint64_t tail_bytes;
	uint32_t wakeup_events;
	bool optional; /* from a set: skipped with a message where the kernel does not have it */
};

struct event_spec_list {
	struct event_spec *specs;
	size_t nr;
};

/* Is @name fit to be a name in the tree? bpffs allows no dot, and some names are taken. */
bool event_spec__name_is_valid(const char *name);

/* Parses @text. On an error logs what is wrong and where, and returns -EINVAL. */
int event_spec__parse(const struct log *log, const char *text, struct event_spec *spec);

/*
 * Appends what @text names to @list, every match if it is a pattern. A tracepoint that this
 * kernel does not have is -ENOENT, with a message, unless @optional: then it stays in the list
 * for the loader to report as skipped. Needs tracefs.
 */
int event_spec_list__add(struct event_spec_list *list, const struct log *log, const char *text,
			 bool optional);

void event_spec_list__free(struct event_spec_list *list);

/*
 * Sizes as the kernel wants them: a power of two, at least a page, of the page size that this
 * machine has. A tail also holds a whole record of @payload_max bytes.
 */
void event_spec__round_sizes(struct event_spec *spec, size_t payload_max);

const char *event_spec__keep_name(enum persist_keep keep);
const char *event_spec__tail_type_name(enum persist_tail_type type);

#endif
