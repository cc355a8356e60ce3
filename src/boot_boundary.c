// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/*
 * Where the boot trace of a CPU ends for us: in front of the first event that our program saw.
 *
 * Both are called at the same tracepoint, one after the other, so that each event has the same
 * place among the events of its CPU, and nearly the same time, in both. (One that interrupts
 * another one between the two calls changes places with it.)
 */
#include <string.h>

#include "boot_import.h"
#include "time_spec.h"

/*
 * From the one call to the other it takes microseconds, unless an interrupt comes or a virtual
 * machine stands still. Records of the same thread with the same content are told apart by less.
 */
#define WINDOW_NSEC (100 * NSEC_PER_MSEC)

static uint64_t time_of(const struct boot_boundary *boundary, size_t i)
{
	return trace_clock__to_boottime(boundary->clock, boundary->traced[i]->time);
}

/* Records from before @time_ns; they are in order. */
static size_t count_before(const struct boot_boundary *boundary, uint64_t time_ns)
{
	size_t nr = 0;

	while (nr < boundary->nr && time_of(boundary, nr) < time_ns)
		nr++;
	return nr;
}

/* Is record @i what our program has recorded as @own? */
static bool is_own(const struct boot_boundary *boundary, size_t i, uint64_t error)
{
	const struct trace_record *traced = boundary->traced[i];
	const struct persist_record *own = boundary->own;
	uint64_t time = time_of(boundary, i);
	uint32_t tid;

	if (time > own->time_ns + error || time + WINDOW_NSEC + error < own->time_ns)
		return false;
	if (traced->size < boundary->compare_to || own->size < boundary->compare_to ||
	    traced->size < boundary->tid_offset + sizeof(tid))
		return false;
	memcpy(&tid, traced->data + boundary->tid_offset, sizeof(tid));
	return tid == own->tid &&
	       !memcmp(traced->data + boundary->compare_from,
		       (const uint8_t *)own + own->header_size + boundary->compare_from,
		       boundary->compare_to - boundary->compare_from);
}

/*
 * Where the boot trace has our oldest record. If no event came while the buffer was collected, as
 * many follow it there as our program has seen since; else it is the last one that is the same.
 */
static bool find_own(const struct boot_boundary *boundary, size_t *place)
{
	uint64_t since = boundary->seen_after - boundary->own->seq + 1;
	uint64_t error = trace_clock__error(boundary->clock, boundary->own->time_ns);

	if (boundary->seen_before == boundary->seen_after && since <= boundary->nr) {
		*place = boundary->nr - (size_t)since;
		if (is_own(boundary, *place, error))
			return true;
	}
	for (size_t i = count_before(boundary, boundary->own->time_ns + error + 1); i-- > 0;) {
		*place = i;
		if (is_own(boundary, i, error))
			return true;
		if (time_of(boundary, i) + WINDOW_NSEC + error < boundary->own->time_ns)
			break;
	}
	return false;
}

size_t boot_boundary__find(const struct boot_boundary *boundary)
{
	size_t place;

	/* Our program sees nothing before it is done with: nothing of this is its own. */
	if (!boundary->seen_after)
		return boundary->nr;
	if (!boundary->own)
		return count_before(boundary, boundary->attach_time_ns);
	if (find_own(boundary, &place))
		/* Those in front of it that were seen, too, are not there any more. */
		return place >= boundary->own->seq - 1 ? place - (size_t)(boundary->own->seq - 1)
						       : 0;
	/* The boot tracing had ended by then, or has lost it. */
	return count_before(boundary, boundary->own->seq == 1 ? boundary->own->time_ns
							      : boundary->attach_time_ns);
}
