// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches one of the programs in reference.bpf.c to a tracepoint, until standard input ends.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "reference.skel.h"

static int tracepoint_id(const char *system, const char *name)
{
	char path[256];
	FILE *file;
	int id;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/%s/id", system, name);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	if (fscanf(file, "%d", &id) != 1)
		id = -EIO;
	fclose(file);
	return id;
}

/*
 * As the loader attaches: through a perf event that stays disabled, so that perf itself does
 * nothing with the event. bpf_program__attach_tracepoint() would enable it.
 */
static int attach_tracepoint(int prog_fd, const char *system, const char *name)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.disabled = 1,
	};
	int id = tracepoint_id(system, name);
	int perf_fd, link_fd;

	if (id < 0)
		return id;
	attr.config = (unsigned int)id;
	perf_fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (perf_fd < 0)
		return -errno;
	link_fd = bpf_link_create(prog_fd, perf_fd, BPF_PERF_EVENT, NULL);
	if (link_fd < 0)
		close(perf_fd);
	return link_fd;
}

static int attach(const struct bpf_program *program, const char *system, const char *name)
{
	int prog_fd = bpf_program__fd(program);

	if (bpf_program__type(program) == BPF_PROG_TYPE_RAW_TRACEPOINT)
		return bpf_raw_tracepoint_open(name, prog_fd);
	return attach_tracepoint(prog_fd, system, name);
}

static void wait_for_end_of_input(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
}

int main(int argc, char **argv)
{
	const struct bpf_program *program;
	struct reference_bpf *skeleton;
	char *system, *name;
	int link_fd;

	if (argc != 3 || !strchr(argv[2], ':')) {
		fprintf(stderr, "usage: reference PROGRAM SYSTEM:TRACEPOINT\n");
		return 2;
	}
	system = strtok(argv[2], ":");
	name = strtok(NULL, ":");
	skeleton = reference_bpf__open_and_load();
	if (!skeleton) {
		fprintf(stderr, "the reference programs cannot be loaded: %s\n", strerror(errno));
		return 1;
	}
	program = bpf_object__find_program_by_name(skeleton->obj, argv[1]);
	if (!program) {
		fprintf(stderr, "%s: there is no such program\n", argv[1]);
		return 2;
	}
	link_fd = attach(program, system, name);
	if (link_fd < 0) {
		fprintf(stderr, "%s cannot be attached to %s:%s: %s\n", argv[1], system, name,
			strerror(-link_fd));
		return 1;
	}
	puts("attached");
	fflush(stdout);
	wait_for_end_of_input();
	reference_bpf__destroy(skeleton);
	return 0;
}
