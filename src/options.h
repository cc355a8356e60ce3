/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* Options structures, which begin with their size as the caller knows it. */
#ifndef PERSIST_OPTIONS_H
#define PERSIST_OPTIONS_H

#include <stddef.h>

/*
 * Copies what the caller has of an options structure into @to, of which this library knows @size
 * bytes; the rest of it is zero. @from may be NULL. Returns 0, or -E2BIG if the caller sets what
 * this library does not know, or -EINVAL if the size cannot be one.
 */
int options__copy(void *to, size_t size, const void *from);

#endif
