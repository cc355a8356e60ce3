// SPDX-License-Identifier: GPL-2.0-only
/*
 * A storm of errors, counted.
 *
 *	totals_storm add NAME            make the event NAME in the default tree
 *	totals_storm run EVENTS CPU...   that many events, evenly on these CPUs at the same time
 *	totals_storm check NAME EVENTS   compare its totals with what there has to be
 *
 * No tracepoint of the kernel's that reports errors can be made to fire ten million times. So this
 * takes one that can, bpf_test_run:bpf_trigger_tp, and describes its number to the loader as if it
 * were the fields of mc_event. Everything from the tracepoint on is as it is for mc_event: the same
 * program with other offsets, attached, pinned, fired by the kernel.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <error.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "event_manager.h"
#include "log.h"
#include "persist_totals.h"
#include "storm_nonce.h"
#include "totals_storm.skel.h"

/* In one system call: well below what the kernel takes for a lockup. */
#define EVENTS_AT_ONCE 100000

#define NR_PAGES  (1 << 16)
#define NUMBER(n) ((unsigned long long)(n))

/* include/linux/edac.h, in the order of its numbers */
static const uint32_t severities[STORM_SEVERITIES] = {
	PERSIST_SEVERITY_CORRECTED, PERSIST_SEVERITY_UNCORRECTED, PERSIST_SEVERITY_DEFERRED,
	PERSIST_SEVERITY_FATAL,	    PERSIST_SEVERITY_INFO,
};

static void print(void *ctx, enum persist_log_level level, const char *message)
{
	(void)ctx;
	(void)level;
	fprintf(stderr, "totals_storm: %s\n", message);
}

static const struct log log_to_stderr = { print, NULL, PERSIST_LOG_WARNING };

/* ---- add --------------------------------------------------------------------------------- */

/* Where in the number is what; see storm_nonce.h. */
static void describe_nonce(struct event_plan *plan)
{
	struct totals_layout *totals = &plan->request.totals;
	uint32_t nonce = event_format__find_field(plan->format, "nonce")->offset;

	*totals = (struct totals_layout){
		.source = TOTALS_FIELDS,
		.address_shift = plan->request.page_shift,
		.severity = { nonce, 1 },
		.controller = { nonce + 1, 1 },
		.address = { nonce + 2, 2 },
	};
	for (uint32_t i = 0; i < STORM_SEVERITIES; i++)
		totals->severities |= severities[i] << i * TOTALS_SEVERITY_BITS;
}

static int make_event(struct event_manager *manager, const char *name, struct attached_event *event)
{
	struct event_program program;
	struct event_spec spec;
	struct event_plan plan;
	char text[256];
	int err;

	snprintf(text, sizeof(text), "bpf_test_run:bpf_trigger_tp/name=%s,head=4K,tail=64K/", name);
	err = event_spec__parse(&log_to_stderr, text, &spec);
	if (!err)
		err = event_plan__make(&plan, &log_to_stderr, &manager->types, &spec,
				       manager->nr_cpus);
	if (err)
		return err;
	describe_nonce(&plan);
	err = attached_event__begin(event, &program, &log_to_stderr, &manager->types, &plan);
	if (!err)
		err = attached_event__finish(event, &program, &log_to_stderr, &plan);
	event_plan__free(&plan);
	return err;
}

static void add(const char *name)
{
	struct event_manager manager;
	struct attached_event event;
	struct pin_tree tree;

	if (event_manager__open(&manager, &log_to_stderr) || make_event(&manager, name, &event) ||
	    pin_tree__init(&tree, &log_to_stderr, NULL) || pin_tree__lock(&tree, true) ||
	    event_manager__detach(&manager, &tree, &event))
		error(1, 0, "cannot make the event");
	pin_tree__unlock(&tree);
	attached_event__close(&event);
	event_manager__close(&manager);
}

/* ---- run --------------------------------------------------------------------------------- */

static void run_on(int cpu, unsigned int first, unsigned int nr)
{
	struct totals_storm_bpf *skeleton;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		error(1, errno, "CPU %d", cpu);
	skeleton = totals_storm_bpf__open_and_load();
	if (!skeleton)
		error(1, errno, "this kernel has no bpf_modify_return_test_tp");
	for (unsigned int done = 0, now; done < nr; done += now) {
		uint64_t args[2] = { first + done };
		LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));

		now = nr - done < EVENTS_AT_ONCE ? nr - done : EVENTS_AT_ONCE;
		args[1] = now;
		if (bpf_prog_test_run_opts(bpf_program__fd(skeleton->progs.storm), &opts))
			error(1, errno, "the program cannot be run");
		if (opts.retval != now)
			error(1, 0, "%u of %u events", opts.retval, now);
	}
	totals_storm_bpf__destroy(skeleton);
}

/* CPU c of n makes the events from c * EVENTS / n on. */
static void run(unsigned int events, char **cpus, int nr_cpus)
{
	int status, failed = 0;

	for (int i = 0; i < nr_cpus; i++) {
		pid_t child = fork();

		if (child < 0)
			error(1, errno, "fork");
		if (!child) {
			run_on(atoi(cpus[i]), events / nr_cpus * i, events / nr_cpus);
			_exit(0);
		}
	}
	while (wait(&status) > 0)
		failed |= status;
	if (failed)
		exit(1);
}

/* ---- check ------------------------------------------------------------------------------- */

/* What there has to be. */
static struct {
	uint64_t total[STORM_SEVERITIES][STORM_CONTROLLERS];
	uint64_t page[NR_PAGES];
	uint64_t uncorrected[NR_PAGES];
} expected;

static int failures;

static void is(uint64_t is, uint64_t expected_value, const char *what)
{
	if (is == expected_value)
		return;
	printf("%s: %llu, where %llu are expected\n", what, NUMBER(is), NUMBER(expected_value));
	failures++;
}

static void expect(unsigned int events)
{
	for (unsigned int i = 0; i < events; i++) {
		unsigned int severity = storm_severity(i);

		expected.total[severity][storm_controller(i)]++;
		expected.page[storm_page(i)]++;
		/* All but corrected and info. */
		if (severity != 0 && severity != 4)
			expected.uncorrected[storm_page(i)]++;
	}
}

static uint64_t expected_total(const struct persist_total_key *key)
{
	for (uint32_t i = 0; i < STORM_SEVERITIES; i++)
		if (severities[i] == key->severity && key->controller >= 0 &&
		    key->controller < STORM_CONTROLLERS)
			return expected.total[i][key->controller];
	return 0;
}

static void check_totals(const struct persist_totals *totals, unsigned int events)
{
	uint64_t by_severity[PERSIST_SEVERITIES_MAX] = {};
	uint64_t sum = 0;

	is(totals->nr_entries, STORM_SEVERITIES * STORM_CONTROLLERS, "totals");
	for (size_t i = 0; i < totals->nr_entries; i++) {
		const struct persist_total_entry *entry = &totals->entries[i];

		is(entry->total.errors, expected_total(&entry->key), "errors of a total");
		is(entry->total.events, entry->total.errors, "events of a total");
		sum += entry->total.errors;
		by_severity[entry->key.severity] += entry->total.errors;
	}
	is(sum, events, "all totals");
	for (uint32_t i = 0; i < PERSIST_SEVERITIES_MAX; i++)
		is(totals->sums.by_severity[i], by_severity[i], "a severity");
}

/* No page has fewer errors than it shows, nor more than those and what it can have missed. */
static void check_pages(const struct persist_totals *totals, unsigned int events)
{
	uint64_t sum = 0, hot = 0;

	for (size_t i = 0; i < totals->nr_pages; i++) {
		const struct persist_page *page = &totals->pages[i];
		uint64_t number = page->address / totals->sums.page_size;
		uint64_t real = number < NR_PAGES ? expected.page[number] : 0;

		sum += page->errors;
		hot += number <= STORM_HOT_PAGES;
		if (page->errors > real || page->errors + page->missed < real ||
		    page->uncorrected > page->errors ||
		    page->uncorrected > expected.uncorrected[number % NR_PAGES]) {
			printf("page %#llx: %llu errors and %llu at most missed, in fact %llu\n",
			       NUMBER(number), NUMBER(page->errors), NUMBER(page->missed),
			       NUMBER(real));
			failures++;
		}
		/* Nothing else has come near to what these have. */
		if (i < STORM_HOT_PAGES)
			is(number >= 1 && number <= STORM_HOT_PAGES, 1,
			   "a worst page is a hot one");
	}
	is(hot, STORM_HOT_PAGES, "hot pages");
	is(totals->sums.errors_in_pages, events, "errors in pages");
	is(sum + totals->sums.evicted_errors, events, "errors of all pages, and evicted ones");
	is(totals->sums.evicted_pages > 0, 1, "pages were evicted");
}

static void check(const char *name, unsigned int events)
{
	struct persist_totals *totals = persist_totals__read(NULL, name, print, NULL);

	if (!totals)
		error(1, errno, "%s", name);
	expect(events);
	is(totals->seen, events, "seen");
	is(totals->sums.events, events, "events");
	is(totals->sums.errors, events, "errors");
	is(totals->sums.nested_events + totals->sums.no_room_events + totals->sums.busy_events, 0,
	   "events that could not be counted");
	is(totals->missed, 0, "events that the kernel withheld");
	is(totals->is_settled, 1, "is settled");
	check_totals(totals, events);
	check_pages(totals, events);
	printf("%llu events, %zu totals, %zu pages, %llu evicted with %llu errors\n",
	       NUMBER(totals->sums.events), totals->nr_entries, totals->nr_pages,
	       NUMBER(totals->sums.evicted_pages), NUMBER(totals->sums.evicted_errors));
	persist_totals__free(totals);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "add"))
		add(argv[2]);
	else if (argc > 3 && !strcmp(argv[1], "run"))
		run(strtoul(argv[2], NULL, 10), argv + 3, argc - 3);
	else if (argc == 4 && !strcmp(argv[1], "check"))
		check(argv[2], strtoul(argv[3], NULL, 10));
	else
		error(2, 0, "usage: totals_storm add NAME | run EVENTS CPU... | check NAME EVENTS");
	return failures ? 1 : 0;
}
