/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* The memory that a map or program takes, as the kernel says it: `memlock` in its fdinfo. */
#ifndef PERSIST_FD_MEMORY_H
#define PERSIST_FD_MEMORY_H

#include <stdint.h>

/* In bytes; 0 if @fd is none. */
uint64_t fd_memory__locked(int fd);

#endif
