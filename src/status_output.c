// SPDX-License-Identifier: GPL-2.0-only
#include "status_output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <yajl/yajl_gen.h>

#include "event_spec.h"
#include "pin_manager.h"
#include "time_spec.h"
#include "imported.h"

/* ---- text -------------------------------------------------------------------------------- */

static void print_counters(const char *cpu, const struct persist_counters *c)
{
	printf("  %5s %12llu %12llu %12llu %10llu %10llu %10llu %10llu\n", cpu,
	       (unsigned long long)c->seen, (unsigned long long)c->recorded,
	       (unsigned long long)c->lost_ring_full, (unsigned long long)c->lost_ring_busy,
	       (unsigned long long)c->lost_nested, (unsigned long long)c->lost_too_big,
	       (unsigned long long)c->lost_no_buffer);
}

static void print_rings(const struct persist_meta *meta)
{
	printf("  keep      %s:", event_spec__keep_name(meta->keep));
	if (meta->head_bytes)
		printf(" head %llu bytes%s", (unsigned long long)meta->head_bytes,
		       meta->tail_bytes ? "," : "");
	if (meta->tail_bytes)
		printf(" tail %llu bytes (%s)", (unsigned long long)meta->tail_bytes,
		       event_spec__tail_type_name(meta->tail_type));
	printf(", on each of %u CPUs\n", meta->nr_cpus);
}

/* Who had traced what came before, how exact its times are, and what was lost of it. */
static void print_imported(const struct persist_imported *imported)
{
	const struct persist_imported_cpu sum = imported__sum(imported);

	printf("  imported  %llu events of before, from %s%s",
	       (unsigned long long)imported->records,
	       *imported->source ? "the tracing instance " : "the top-level tracing buffer",
	       imported->source);
	if (imported->records)
		/* Cut off, as in the lines of records. */
		printf("; the first at %llu.%06llu s",
		       (unsigned long long)(imported->first_time_ns / NSEC_PER_SEC),
		       (unsigned long long)(imported->first_time_ns % NSEC_PER_SEC /
					    NSEC_PER_USEC));
	if (imported->records && imported->time_error_ns)
		printf(", by the clock %s, give or take %.6f s", imported->clock,
		       imported->time_error_ns / 1e9);
	printf("\n");
	if (sum.overrun || sum.commit_overrun || sum.dropped)
		printf("            that buffer had lost events of whatever kind: overrun %llu, "
		       "commit overrun %llu, dropped %llu\n",
		       (unsigned long long)sum.overrun, (unsigned long long)sum.commit_overrun,
		       (unsigned long long)sum.dropped);
}

static void print_status_page(const struct persist_status *status)
{
	const struct persist_meta *meta = &status->meta;
	char wall[LOCAL_TIME_SIZE], cpu[16];

	local_time__format((int64_t)meta->attach_wall_ns, wall);
	printf("%s\n  source    %s:%s, id %u\n", meta->name, meta->system, meta->tracepoint,
	       meta->event_id);
	printf("  state     recording since %s, %.3f s after boot%s\n", wall,
	       meta->attach_time_ns / 1e9,
	       status->imported ? "" : "; what came before was not seen");
	if (status->imported)
		print_imported(status->imported);
	if (meta->clear_time_ns)
		printf("  cleared   %.3f s after boot\n", meta->clear_time_ns / 1e9);
	printf("  program   %s\n",
	       meta->capture == PERSIST_CAPTURE_RAW_BTF ? "BTF raw tracepoint" : "tracepoint");
	print_rings(meta);
	if (meta->wakeup_events == 1)
		printf("  wakeup    at each record\n");
	else if (meta->wakeup_events)
		printf("  wakeup    at each %u-th record\n", meta->wakeup_events);
	else
		printf("  wakeup    never, readers poll\n");
	printf("  locked    %llu bytes, %llu of them beyond the rings\n",
	       (unsigned long long)status->locked_bytes,
	       (unsigned long long)(status->locked_bytes - status->ring_bytes));
	if (status->missed)
		printf("  missed    %llu, in which the kernel did not run the program because one was "
		       "running on that CPU\n",
		       (unsigned long long)status->missed);
	printf("    cpu         seen     recorded    ring_full  ring_busy     nested    too_big  "
	       "no_buffer\n");
	for (uint32_t i = 0; i < status->nr_cpus; i++) {
		snprintf(cpu, sizeof(cpu), "%u", i);
		if (status->cpus[i].seen)
			print_counters(cpu, &status->cpus[i]);
	}
	print_counters("all", &status->sum);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void put_string(yajl_gen gen, const char *string)
{
	yajl_gen_string(gen, (const unsigned char *)string, strlen(string));
}

static void put_text(yajl_gen gen, const char *key, const char *value)
{
	put_string(gen, key);
	put_string(gen, value);
}

static void put_number(yajl_gen gen, const char *key, uint64_t value)
{
	char digits[24];

	/* As text: yajl_gen_integer() has no unsigned 64-bit numbers. */
	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
	put_string(gen, key);
	yajl_gen_number(gen, digits, strlen(digits));
}

static void put_counts(yajl_gen gen, const struct persist_counters *c)
{
	put_number(gen, "seen", c->seen);
	put_number(gen, "recorded", c->recorded);
	put_string(gen, "lost");
	yajl_gen_map_open(gen);
	put_number(gen, "ring_full", c->lost_ring_full);
	put_number(gen, "ring_busy", c->lost_ring_busy);
	put_number(gen, "nested", c->lost_nested);
	put_number(gen, "too_big", c->lost_too_big);
	put_number(gen, "no_buffer", c->lost_no_buffer);
	yajl_gen_map_close(gen);
}

static void put_import_losses(yajl_gen gen, const struct persist_imported_cpu *cpu)
{
	put_string(gen, "lost_of_any_event");
	yajl_gen_map_open(gen);
	put_number(gen, "overrun", cpu->overrun);
	put_number(gen, "commit_overrun", cpu->commit_overrun);
	put_number(gen, "dropped", cpu->dropped);
	yajl_gen_map_close(gen);
}

static void put_imported(yajl_gen gen, const struct persist_imported *imported)
{
	const struct persist_imported_cpu sum = imported__sum(imported);

	put_string(gen, "imported");
	yajl_gen_map_open(gen);
	put_number(gen, "records", imported->records);
	put_text(gen, "source", imported->source);
	put_text(gen, "clock", imported->clock);
	put_number(gen, "import_time_ns", imported->import_time_ns);
	put_number(gen, "first_time_ns", imported->first_time_ns);
	put_number(gen, "last_time_ns", imported->last_time_ns);
	put_number(gen, "time_error_ns", imported->time_error_ns);
	put_import_losses(gen, &sum);
	put_string(gen, "cpus");
	yajl_gen_array_open(gen);
	for (uint32_t cpu = 0; cpu < imported->nr_cpus; cpu++) {
		const struct persist_imported_cpu one = imported__cpu(imported, cpu);

		yajl_gen_map_open(gen);
		put_number(gen, "cpu", cpu);
		put_number(gen, "records", one.records);
		put_import_losses(gen, &one);
		yajl_gen_map_close(gen);
	}
	yajl_gen_array_close(gen);
	yajl_gen_map_close(gen);
}

static void put_cpus(yajl_gen gen, const struct persist_status *status)
{
	put_string(gen, "cpus");
	yajl_gen_array_open(gen);
	for (uint32_t cpu = 0; cpu < status->nr_cpus; cpu++) {
		yajl_gen_map_open(gen);
		put_number(gen, "cpu", cpu);
		put_counts(gen, &status->cpus[cpu]);
		yajl_gen_map_close(gen);
	}
	yajl_gen_array_close(gen);
}

static void put_event(yajl_gen gen, const struct persist_status *status)
{
	const struct persist_meta *meta = &status->meta;

	yajl_gen_map_open(gen);
	put_text(gen, "event", meta->name);
	put_text(gen, "system", meta->system);
	put_text(gen, "tracepoint", meta->tracepoint);
	put_number(gen, "id", meta->event_id);
	put_text(gen, "state", "recording");
	put_text(gen, "keep", event_spec__keep_name(meta->keep));
	put_number(gen, "head_bytes", meta->head_bytes);
	put_number(gen, "tail_bytes", meta->tail_bytes);
	put_text(gen, "tail_type", event_spec__tail_type_name(meta->tail_type));
	put_number(gen, "wakeup_events", meta->wakeup_events);
	put_text(gen, "program",
		 meta->capture == PERSIST_CAPTURE_RAW_BTF ? "raw_btf" : "tracepoint");
	put_number(gen, "attach_time_ns", meta->attach_time_ns);
	put_number(gen, "attach_wall_ns", meta->attach_wall_ns);
	put_number(gen, "clear_time_ns", meta->clear_time_ns);
	put_number(gen, "generation", meta->generation);
	put_number(gen, "locked_bytes", status->locked_bytes);
	put_number(gen, "ring_bytes", status->ring_bytes);
	put_number(gen, "missed", status->missed);
	put_counts(gen, &status->sum);
	if (status->imported)
		put_imported(gen, status->imported);
	put_cpus(gen, status);
	yajl_gen_map_close(gen);
}

static void print_json(yajl_gen gen)
{
	const unsigned char *text;
	size_t len;

	yajl_gen_get_buf(gen, &text, &len);
	printf("%.*s\n", (int)len, text);
}

/* ---- walking ----------------------------------------------------------------------------- */

struct output {
	struct persist_tree *tree;
	const struct log *log;
	const char *root;
	const char *only; /* NULL: all */
	yajl_gen gen;	  /* NULL: text */
	uint32_t nr;
	uint64_t locked_bytes;
};

static int output_event(struct output *output, const char *name)
{
	struct persist_status *status = persist_tree__status(output->tree, name);
	int err = errno;

	if (!status) {
		/* Of those that were listed, one may have been removed meanwhile. */
		if (err != ENOENT || output->only)
			pin_tree__log_meta_error(output->log, output->root, name, -err);
		return -err;
	}
	if (output->gen)
		put_event(output->gen, status);
	else
		print_status_page(status);
	output->nr++;
	output->locked_bytes += status->locked_bytes;
	persist_status__free(status);
	return 0;
}

static int output_events(struct output *output)
{
	struct persist_event_info *infos;
	int one, nr, err = 0;

	if (output->only)
		return output_event(output, output->only);
	nr = persist_list_events(output->root, output->log->fn, output->log->ctx, &infos);
	for (int i = 0; i < nr; i++) {
		/* What is wrong with it was logged. */
		one = infos[i].error ? infos[i].error : output_event(output, infos[i].meta.name);
		if (one && one != -ENOENT)
			err = one;
	}
	if (nr >= 0)
		free(infos);
	return nr < 0 ? nr : err;
}

static int output_json(struct output *output)
{
	int err;

	output->gen = yajl_gen_alloc(NULL);
	if (!output->gen)
		return -ENOMEM;
	yajl_gen_config(output->gen, yajl_gen_beautify, 1);
	yajl_gen_map_open(output->gen);
	put_text(output->gen, "root", output->root);
	put_string(output->gen, "events");
	yajl_gen_array_open(output->gen);
	err = output_events(output);
	yajl_gen_array_close(output->gen);
	put_number(output->gen, "locked_bytes", output->locked_bytes);
	yajl_gen_map_close(output->gen);
	if (!err || output->nr)
		print_json(output->gen);
	yajl_gen_free(output->gen);
	return err;
}

int status_output__status(struct persist_tree *tree, const struct log *log, const char *root,
			  const char *only, bool json)
{
	struct output output = { .tree = tree, .log = log, .root = root, .only = only };
	int err;

	if (json)
		return output_json(&output);
	err = output_events(&output);
	if (!err && !only)
		printf("%u events, %llu bytes locked in all\n", output.nr,
		       (unsigned long long)output.locked_bytes);
	return err;
}
