/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Which events have totals, and where in their records is what these are made of; and what the
 * numbers in a key mean.
 */
#ifndef PERSIST_TOTALS_LAYOUT_H
#define PERSIST_TOTALS_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event_format.h"
#include "totals_fields.h"

/* A field of the record; its size is 0 if the event has none for this. */
struct totals_field {
	uint16_t offset;
	uint16_t size;
};

struct totals_layout {
	enum totals_source source;
	uint32_t severities; /* TOTALS_SEVERITY_BITS for each number that the event has */
	uint32_t address_shift;
	uint32_t section_offset; /* of a GUID; 0: none */
#define X(name) struct totals_field name;
	TOTALS_RECORD_FIELDS(X)
#undef X
};

/*
 * Finds out what there is to count of an event with this format. False, and @layout->source is
 * TOTALS_NONE, if it is none that has totals, or if this kernel's format lacks a field without
 * which they would mean nothing.
 */
bool totals_layout__find(const char *system, const char *tracepoint,
			 const struct event_format *format, uint32_t page_shift,
			 struct totals_layout *layout);

/* How many totals there is room for, on so many CPUs. */
uint32_t totals_layout__max_entries(uint32_t nr_cpus);

/* The events that have totals, from 0 on; false behind the last one. */
bool totals_layout__event(size_t i, const char **system, const char **tracepoint);

/* What the number of a kind means; NULL if events of this tracepoint have no kind. */
const char *totals_layout__kind_name(const char *system, const char *tracepoint, uint32_t kind);

#endif
