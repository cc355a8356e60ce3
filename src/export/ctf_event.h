/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How an event of ours is an event of CTF 1.8: what the metadata says of it, and its records in
 * exactly that form.
 */
#ifndef CTF_EVENT_H
#define CTF_EVENT_H

#include "export/ctf_buffer.h"
#include "persist_bpf.h"

/*
 * The type aliases that ctf_event__describe() uses. The clock that timestamps are of is named
 * CTF_CLOCK_NAME.
 */
#define CTF_CLOCK_NAME "boottime"
void ctf_event__describe_types(struct ctf_buffer *text);

/**
 * ctf_event__describe() - the stream and the event for the metadata
 * @text:      put there, as TSDL
 * @event:     the event
 * @stream_id: number of the stream class; it has this event only
 *
 * A field is named as in the format text, with one underscore before it: readers remove that one,
 * and it keeps apart what would be a keyword. Where names are not unique, more follow behind it.
 */
void ctf_event__describe(struct ctf_buffer *text, const struct persist_event *event,
			 uint32_t stream_id);

/**
 * ctf_event__write() - a record as an event of CTF
 * @buffer:  put there: header, context and fields
 * @event:   what the record is of
 * @record:  the record; a field that lies beyond it is zero or empty
 * @time_ns: the timestamp, never before that of the event before
 */
void ctf_event__write(struct ctf_buffer *buffer, const struct persist_event *event,
		      const struct persist_record *record, uint64_t time_ns);

#endif
