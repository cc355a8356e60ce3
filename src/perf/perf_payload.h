/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a record holds, as perf may take it. perf trusts what it takes to be the kernel's: it looks
 * up the event by the first field of the record without looking whether it has found one (perf 6.1
 * and its library then follow a NULL pointer), and goes to where a location word leads, up to a
 * NUL. A record comes from a buffer that may be damaged.
 */
#ifndef PERF_PAYLOAD_H
#define PERF_PAYLOAD_H

#include <stdint.h>

#include "persist_record.h"

struct event_format;

/**
 * perf_payload__write() - copy the payload of a record
 * @fields:      where location words and strings are; NULL: nobody knows, and perf is told of none
 * @common_type: the tracepoint's id by which perf knows the event; in a sound record it is what
 *               stands there
 * @record:      the record
 * @to:          record->size bytes, of any alignment
 *
 * A location word that leads out of the record, or to a string that does not end in it, becomes
 * that of an empty string. Everything else stays as it is.
 */
void perf_payload__write(const struct event_format *fields, uint16_t common_type,
			 const struct persist_record *record, char *to);

#endif
