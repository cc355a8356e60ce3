// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures what is attached to a raw tracepoint, on a machine with one CPU:
 *
 *   span TRACEPOINT
 *
 * attaches a program that takes the time, says "begun", and waits for a line on standard input.
 * Meanwhile the caller attaches what is to be measured. Then it attaches one that takes the time
 * again, says "measuring", and waits for the end of the input. In the end it prints how many events
 * there were, and the median of the nanoseconds between the two.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "span.h"
#include "span.skel.h"

static int compare(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}

/* Returns the link, which ends with the process, or -1 after a message. */
static int attach(const struct bpf_program *program, const char *tracepoint)
{
	int link = bpf_raw_tracepoint_open(tracepoint, bpf_program__fd(program));

	if (link < 0)
		fprintf(stderr, "span: cannot be attached to %s: %s\n", tracepoint,
			strerror(errno));
	return link;
}

static void say(const char *what)
{
	puts(what);
	fflush(stdout);
}

static int measure(const struct span_bpf *skeleton, const char *tracepoint)
{
	char line[16];

	if (attach(skeleton->progs.begin, tracepoint) < 0)
		return 1;
	say("begun");
	if (!fgets(line, sizeof(line), stdin) || attach(skeleton->progs.end, tracepoint) < 0)
		return 1;
	say("measuring");
	while (fgets(line, sizeof(line), stdin))
		;
	return 0;
}

static void print_result(struct span_bpf *skeleton)
{
	uint64_t nr = skeleton->bss->nr_spans;

	qsort((void *)skeleton->bss->spans, nr, sizeof(skeleton->bss->spans[0]), compare);
	printf("%" PRIu64 " %" PRIu64 "\n", nr,
	       nr ? (uint64_t)skeleton->bss->spans[nr / 2] : UINT64_C(0));
}

int main(int argc, char **argv)
{
	struct span_bpf *skeleton;
	int err;

	if (argc != 2) {
		fprintf(stderr, "usage: span TRACEPOINT\n");
		return 2;
	}
	skeleton = span_bpf__open_and_load();
	if (!skeleton) {
		fprintf(stderr, "span: its programs cannot be loaded: %s\n", strerror(errno));
		return 1;
	}
	err = measure(skeleton, argv[1]);
	if (!err)
		print_result(skeleton);
	span_bpf__destroy(skeleton);
	return err;
}
