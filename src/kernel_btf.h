/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * What names in a print format mean. The kernel replaces the enumerators in its format texts
 * by their values only where the event's author asked for it; its BTF knows the others.
 *
 * The running kernel's BTF is read when the first name is asked for, and kept.
 * Thread safety: any thread, at any time.
 */
#ifndef PERSIST_KERNEL_BTF_H
#define PERSIST_KERNEL_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "c_type.h"

/* Whether the kernel or one of its modules has an enumerator of this one value and name. */
bool kernel_btf__find_enumerator(const char *name, size_t length, int64_t *value);

/* Whether the kernel has a typedef of this name that is an integer. */
bool kernel_btf__find_integer_type(const char *name, size_t length, struct c_type *type);

#endif /* PERSIST_KERNEL_BTF_H */
