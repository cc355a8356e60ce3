/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* The capabilities that loading and attaching programs takes. */
#ifndef PERSIST_CAPABILITIES_H
#define PERSIST_CAPABILITIES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes the names of those that this process lacks into @missing; returns whether there are
 * any. CAP_SYS_ADMIN stands for all of them, as it does in the kernel.
 */
bool capabilities__are_missing(char *missing, size_t size);

#endif
