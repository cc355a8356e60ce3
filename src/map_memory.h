/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* The memory that maps take, as the kernel charges it: `memlock` in their fdinfo. */
#ifndef PERSIST_MAP_MEMORY_H
#define PERSIST_MAP_MEMORY_H

#include <stdint.h>

#include "buffers.h"
#include "event_program.h"

/* Bytes of the map behind @fd; 0 if @fd is none. */
uint64_t map_memory__of(int fd);

/* Bytes of all the maps of an event. */
uint64_t map_memory__of_event(const struct event_program *program, const struct buffers *buffers);

#endif
