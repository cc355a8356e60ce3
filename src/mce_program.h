/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* Can mce:mce_record be recorded from its raw argument on this kernel, and how? */
#ifndef PERSIST_MCE_PROGRAM_H
#define PERSIST_MCE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "event_format.h"

struct btf;
struct event_constants;

/*
 * Fills in the constants of the record's layout, and the size of the payload, if
 * bpf/mce_record.bpf.c knows every field of @format and the tracepoint's argument is of a type
 * it knows; otherwise returns false.
 */
bool mce_program__find_layout(const struct btf *kernel, const struct event_format *format,
			      struct event_constants *constants, uint32_t *payload_size);

/*
 * Adds the types that the program relocates against to @target, as they are in @kernel.
 * Returns 0 or -errno.
 */
int mce_program__add_types(struct btf *target, const struct btf *kernel);

#endif
