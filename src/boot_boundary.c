// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/*
 * Where the boot trace of a CPU ends for us: in front of the first event that our program saw.
 *
 * Both are called at the same tracepoint, one after the other, so that each event has the same
 * place among the events of its CPU, and nearly the same time, in both. (One that interrupts
 * another one between the two calls changes places with it.) Which of the two is called first
 * depends on who was attached first.
 *
 * The trace need not have what our program saw: it was collected before, has a filter, was off for
 * a while, or has lost it. So numbers alone say nothing; content and time have to agree.
 */
#include <string.h>

#include "boot_import.h"
#include "time_spec.h"

/* From the one call to the other it takes less than a microsecond, or an interrupt longer. */
#define CALLS_NSEC NSEC_PER_MSEC

/* From the attachment of the program to the time that is published as that of the attachment. */
#define ATTACH_NSEC (100 * NSEC_PER_MSEC)

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

static uint64_t distance(const struct boot_boundary *boundary, size_t i)
{
	uint64_t traced = time_of(boundary, i), own = boundary->own->time_ns;

	return traced < own ? own - traced : traced - own;
}

/* What our program has recorded as our oldest record can have a time so far from it. */
static uint64_t window(const struct boot_boundary *boundary)
{
	return CALLS_NSEC + trace_clock__error(boundary->clock, boundary->own->time_ns);
}

static bool field_is_same(const struct event_format_field *field, const uint8_t *one,
			  const uint8_t *other)
{
	one += field->offset;
	other += field->offset;
	/* The kernel need not clear what is behind the end of a string. */
	return field->is_string ? !strncmp((const char *)one, (const char *)other, field->size)
				: !memcmp(one, other, field->size);
}

static bool content_is_same(const struct boot_boundary *boundary, const uint8_t *one,
			    size_t one_size, const uint8_t *other, size_t other_size)
{
	size_t size = one_size < other_size ? one_size : other_size;

	for (size_t i = 0; i < boundary->nr_fields; i++) {
		const struct event_format_field *field = boundary->fields[i];

		if (field->offset > size || field->size > size - field->offset ||
		    !field_is_same(field, one, other))
			return false;
	}
	return true;
}

/* Is record @i what our program has recorded as our oldest? */
static bool is_own(const struct boot_boundary *boundary, size_t i)
{
	const struct trace_record *traced = boundary->traced[i];
	const struct persist_record *own = boundary->own;
	uint32_t tid;

	if (distance(boundary, i) > window(boundary))
		return false;
	if (traced->size < boundary->tid_offset + sizeof(tid))
		return false;
	memcpy(&tid, traced->data + boundary->tid_offset, sizeof(tid));
	return tid == own->tid &&
	       content_is_same(boundary, traced->data, traced->size,
			       (const uint8_t *)own + own->header_size, own->size);
}

/* Of those that are the same, the nearest in time. */
static bool find_nearest(const struct boot_boundary *boundary, size_t *place)
{
	uint64_t room = window(boundary), own = boundary->own->time_ns;
	bool found = false;

	for (size_t i = count_before(boundary, own > room ? own - room : 0);
	     i < boundary->nr && time_of(boundary, i) <= own + room; i++) {
		if (!is_own(boundary, i))
			continue;
		if (!found || distance(boundary, i) < distance(boundary, *place))
			*place = i;
		found = true;
	}
	return found;
}

/*
 * Where the boot trace has our oldest record. If no event came while the buffer was collected, as
 * many follow it there as our program has seen since, which tells apart what the clock cannot.
 */
static bool find_own(const struct boot_boundary *boundary, size_t *place)
{
	uint64_t since = boundary->seen_after - boundary->own->seq + 1;

	/* The kernel's tracing was called first for it, just before the end, or has not got it. */
	if (boundary->own->time_ns > boundary->collected_ns) {
		*place = boundary->nr - 1;
		return boundary->nr && is_own(boundary, *place);
	}
	if (boundary->seen_before == boundary->seen_after && since <= boundary->nr) {
		*place = boundary->nr - (size_t)since;
		if (is_own(boundary, *place))
			return true;
	}
	return find_nearest(boundary, place);
}

/*
 * Our oldest record is at @place of the trace, but our program had seen others before, which we
 * have no more. They are in front of it, unless the trace is without some of them: then the number
 * leads to where nothing was attached yet, or not for the first time.
 */
static size_t skip_overwritten(const struct boot_boundary *boundary, size_t place)
{
	uint64_t attached = boundary->attach_time_ns, before = boundary->own->seq - 1;
	uint64_t slack = ATTACH_NSEC + trace_clock__error(boundary->clock, attached);
	size_t first;

	if (!before)
		return place;
	if (before <= place) {
		first = place - (size_t)before;
		if (time_of(boundary, first) + slack >= attached &&
		    (!first || time_of(boundary, first - 1) <= attached + slack))
			return first;
	}
	first = count_before(boundary, attached);
	return first < place ? first : place;
}

/* The trace does not have our oldest record. */
static size_t order_by_time(const struct boot_boundary *boundary)
{
	if (boundary->own->seq > 1)
		return count_before(boundary, boundary->attach_time_ns);
	if (boundary->own->time_ns > boundary->collected_ns)
		return boundary->nr;
	return count_before(boundary, boundary->own->time_ns);
}

size_t boot_boundary__find(const struct boot_boundary *boundary)
{
	size_t place;

	/* Our program sees nothing before it is done with: nothing of this is its own. */
	if (!boundary->seen_after)
		return boundary->nr;
	if (!boundary->own)
		return count_before(boundary, boundary->attach_time_ns);
	return find_own(boundary, &place) ? skip_overwritten(boundary, place)
					  : order_by_time(boundary);
}
