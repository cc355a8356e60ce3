/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* The pin `imported` of an event: what the kernel's boot tracing had recorded before it. */
#ifndef PERSIST_IMPORTED_H
#define PERSIST_IMPORTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log.h"
#include "persist_record.h"

/* The pin's map, mapped read-only. Neither user space nor a program can write to it. */
struct imported {
	const struct persist_imported *header; /* NULL: the event has none */
	size_t len;
};

/**
 * imported__open() - map what was imported for an event
 * @imported:  set to the mapping; empty if there is none
 * @log:       gets messages
 * @directory: of the event
 * @fd:        descriptor of the map; -1: that of the pin, if there is one
 * @meta:      of the event
 *
 * Return: 0; -EBADMSG if what is there is not such a map, or damaged; or another -errno, with a
 * message.
 */
int imported__open(struct imported *imported, const struct log *log, const char *directory, int fd,
		   const struct persist_meta *meta);
void imported__close(struct imported *imported);

/*
 * Whether all that the header in @size bytes says of the rest is true, so that nothing outside of
 * it will be touched.
 */
bool imported__is_sound(const struct persist_imported *header, uint64_t size,
			const struct persist_meta *meta);

/* What the header says of one CPU; zeros for one that it does not know. */
struct persist_imported_cpu imported__cpu(const struct persist_imported *header, uint32_t cpu);

/* What the boot tracing lost of events of any kind: on all CPUs, by reason, in the sums alone. */
struct persist_imported_cpu imported__sum(const struct persist_imported *header);

#endif
