// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "event_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "event_constants.h"
#include "nearest_name.h"
#include "tracefs.h"

static int offer_tracepoint(const char *system, const char *name, void *context)
{
	char text[NEAREST_NAME_SIZE];

	if (snprintf(text, sizeof(text), "%s:%s", system, name) < (int)sizeof(text))
		nearest_name__offer(context, text);
	return 0;
}

static void report_unknown(const struct log *log, const struct event_spec *spec, const char *remedy)
{
	char text[NEAREST_NAME_SIZE + 1];
	struct nearest_name nearest = { .wanted = text };

	snprintf(text, sizeof(text), "%s:%s", spec->system, spec->tracepoint);
	tracefs__match("*", "*", offer_tracepoint, &nearest);
	if (*nearest.best)
		log_error(log, "event %s: this kernel has no such tracepoint; did you mean %s?",
			  text, nearest.best);
	else
		log_error(log, "event %s: this kernel has no such tracepoint%s", text, remedy);
}

static int report_no_tracepoint(const struct log *log, const struct event_spec *spec, int err)
{
	const char *remedy, *wrong = tracefs__what_is_wrong();

	if (wrong || err != -ENOENT) {
		log_error(log, "event %s:%s: cannot read its format: %s", spec->system,
			  spec->tracepoint, wrong ?: strerror(-err));
		return err;
	}
	if (!strcmp(spec->system, "mce"))
		remedy = " (kernels for x86 have these, with CONFIG_X86_MCE)";
	else if (!strcmp(spec->system, "syscalls"))
		remedy = " (perf list 'syscalls:*' shows those it has)";
	else
		remedy = "; if a module has it, load the module first";
	if (log) /* The names of all tracepoints are looked at. */
		report_unknown(log, spec, remedy);
	return err;
}

static int read_format(struct event_plan *plan, const struct log *log)
{
	const struct event_spec *spec = &plan->spec;
	int err = tracefs__read_tracepoint(spec->system, spec->tracepoint, &plan->tracepoint_id,
					   &plan->format_text, &plan->format_len);

	if (err)
		return report_no_tracepoint(log, spec, err);
	err = event_format__parse(plan->format_text, plan->format_len, &plan->format);
	if (err)
		log_error(log, "event %s:%s: its format text cannot be understood: %s",
			  spec->system, spec->tracepoint, strerror(-err));
	return err;
}

/*
 * Where stores may pass each other, the kernel's overwriting ringbuf does not let a reader tell
 * reliably that a record was overwritten while it was copied: overwrite_pos may be seen late.
 * The array ring does.
 */
static int choose_tail_type(const struct event_spec *spec, const struct log *log,
			    enum persist_tail_type *type)
{
	bool has_overwrite = buffers__kernel_has_overwrite();

	*type = PERSIST_TAIL_NONE;
	if (spec->ring == PERSIST_TAIL_RINGBUF && !has_overwrite) {
		log_error(log,
			  "event %s: ring=ringbuf: this kernel has no ringbuf that overwrites "
			  "(Linux 6.19 has); leave it to ring=auto",
			  spec->name);
		return -EOPNOTSUPP;
	}
	if (spec->keep == PERSIST_KEEP_OLDEST)
		return 0;
	if (spec->ring != PERSIST_TAIL_NONE)
		*type = spec->ring;
	else
		*type = has_overwrite && STORES_ARE_ORDERED ? PERSIST_TAIL_RINGBUF
							    : PERSIST_TAIL_ARRAY;
	return 0;
}

static int decide(struct event_plan *plan, const struct log *log, const struct kernel_types *types,
		  uint32_t nr_cpus)
{
	struct event_spec *spec = &plan->spec;
	enum persist_tail_type tail_type;
	int err = choose_tail_type(spec, log, &tail_type);

	if (err)
		return err;
	plan->request = (struct event_request){
		.name = spec->name,
		.system = spec->system,
		.tracepoint = spec->tracepoint,
		.record_id = plan->tracepoint_id,
		.tracepoint_id = plan->tracepoint_id,
		.format = plan->format,
		.keep = spec->keep,
		.tail_type = tail_type,
		.wakeup_events = spec->wakeup_events,
		.nr_cpus = nr_cpus,
		.page_shift = __builtin_ctzl(sysconf(_SC_PAGESIZE)),
	};
	totals_layout__find(spec->system, spec->tracepoint, plan->format, plan->request.page_shift,
			    &plan->request.totals);
	plan->capture = event_program__plan(types, &plan->request, &plan->payload_max);
	event_spec__round_sizes(spec, plan->payload_max);
	plan->request.tail_bytes = spec->tail_bytes;
	return 0;
}

int event_plan__make(struct event_plan *plan, const struct log *log,
		     const struct kernel_types *types, const struct event_spec *spec,
		     uint32_t nr_cpus)
{
	int err;

	*plan = (struct event_plan){ .spec = *spec };
	if (!event_spec__name_is_valid(spec->name)) {
		log_error(log,
			  "event %s:%s: '%s' cannot be a name in the tree; choose another with "
			  "name=",
			  spec->system, spec->tracepoint, spec->name);
		return -EINVAL;
	}
	err = read_format(plan, log);
	if (!err)
		err = decide(plan, log, types, nr_cpus);
	if (err)
		event_plan__free(plan);
	return err;
}

void event_plan__free(struct event_plan *plan)
{
	event_format__free(plan->format);
	free(plan->format_text);
	*plan = (struct event_plan){};
}

void event_plan__describe(const struct event_plan *plan, struct persist_meta *meta)
{
	const struct event_spec *spec = &plan->spec;

	*meta = (struct persist_meta){
		.magic = PERSIST_META_MAGIC,
		.version = PERSIST_ABI_VERSION,
		.size = sizeof(*meta),
		.event_id = plan->request.record_id,
		.record_id = plan->request.record_id,
		.kind = PERSIST_KIND_TRACEPOINT,
		.keep = spec->keep,
		.tail_type = plan->request.tail_type,
		.capture = plan->capture,
		.nr_cpus = plan->request.nr_cpus,
		.wakeup_events = spec->wakeup_events,
		.head_bytes = spec->head_bytes,
		.tail_bytes = spec->tail_bytes,
		.generation = 1,
		.payload_max = plan->payload_max,
		.payload_min = event_format__fixed_size(plan->format),
		.config = plan->tracepoint_id,
	};
	/* How perf would open the tracepoint to get the same records. */
	meta->attr = (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(meta->attr),
		.config = plan->tracepoint_id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_TID,
		.wakeup_events = spec->wakeup_events,
		.use_clockid = 1,
		.clockid = CLOCK_BOOTTIME,
	};
	strcpy(meta->name, spec->name);
	strcpy(meta->system, spec->system);
	strcpy(meta->tracepoint, spec->tracepoint);
}

bool event_plan__is_met_by(const struct event_plan *plan, const struct persist_meta *meta)
{
	const struct event_spec *spec = &plan->spec;

	return !strcmp(meta->system, spec->system) && !strcmp(meta->tracepoint, spec->tracepoint) &&
	       meta->keep == spec->keep && meta->head_bytes == spec->head_bytes &&
	       meta->tail_bytes == spec->tail_bytes && meta->wakeup_events == spec->wakeup_events &&
	       (spec->ring == PERSIST_TAIL_NONE || spec->ring == meta->tail_type ||
		meta->tail_type == PERSIST_TAIL_NONE);
}
