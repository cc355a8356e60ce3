/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* What it takes to record an event as it was asked for, on the running kernel. */
#ifndef PERSIST_EVENT_PLAN_H
#define PERSIST_EVENT_PLAN_H

#include "event_program.h"
#include "event_spec.h"

struct event_plan {
	struct event_spec spec; /* with the sizes that the rings will have */
	struct event_format *format;
	char *format_text;
	size_t format_len;
	uint32_t tracepoint_id;
	enum persist_capture capture;
	uint32_t payload_max;
	struct event_request request; /* points into the plan, which is not to be moved */
};

/*
 * Reads what the kernel says about the tracepoint and decides how it will be recorded.
 * Returns 0; -ENOENT if there is no such tracepoint; or -errno, each with a message.
 */
int event_plan__make(struct event_plan *plan, const struct log *log,
		     const struct kernel_types *types, const struct event_spec *spec,
		     uint32_t nr_cpus);
void event_plan__free(struct event_plan *plan);

/* The event's metadata, but for what is known only when it is attached. */
void event_plan__describe(const struct event_plan *plan, struct persist_meta *meta);

/* Is this what an event that is there already does? */
bool event_plan__is_met_by(const struct event_plan *plan, const struct persist_meta *meta);

#endif
