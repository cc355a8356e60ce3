// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long after an event a follower has it: prints, for each event, the nanoseconds from the
 * record's time to the moment when the library gave it out.
 *
 * A second process on a CPU of its own makes the events, with getppid() at irregular distances, so
 * that they do not keep step with a reader that polls.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <error.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "persist_bpf.h"

#define SHORTEST_PAUSE_US 500
#define PAUSE_RANGE_US	  3000
#define TIME_LIMIT_MS	  5000

static void print_message(void *ctx, enum persist_log_level level, const char *message)
{
	fprintf(stderr, "%s\n", message);
}

static uint64_t boottime(void)
{
	struct timespec time;

	clock_gettime(CLOCK_BOOTTIME, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static pid_t start_producer(unsigned int cpu)
{
	pid_t child = fork();
	cpu_set_t set;

	if (child < 0)
		error(1, errno, "fork");
	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (;;) {
		usleep(SHORTEST_PAUSE_US + (unsigned int)random() % PAUSE_RANGE_US);
		syscall(SYS_getppid);
	}
}

static struct persist_reader *new_follower(const char *target)
{
	const struct persist_reader_options options = {
		.size = sizeof(options),
		.log_fn = print_message,
		.since_ns = boottime(),
		.follow = 1,
	};
	struct persist_reader *reader = persist_reader__new(&options);
	int err;

	if (!reader)
		error(1, errno, "reader");
	err = persist_reader__add(reader, target);
	if (err)
		error(1, -err, "%s", target);
	return reader;
}

int main(int argc, char **argv)
{
	struct persist_reader *reader;
	struct persist_item item;
	unsigned long wanted;
	pid_t producer;
	int err;

	if (argc != 4) {
		fprintf(stderr, "usage: wakeup_latency PIN-PATH CPU-OF-PRODUCER EVENTS\n");
		return 2;
	}
	wanted = strtoul(argv[3], NULL, 10);
	reader = new_follower(argv[1]);
	producer = start_producer((unsigned int)strtoul(argv[2], NULL, 10));
	while (wanted) {
		err = persist_reader__next(reader, &item);
		if (err == 1 && item.record && item.record->pid == (uint32_t)producer) {
			printf("%llu\n", (unsigned long long)(boottime() - item.record->time_ns));
			wanted--;
		} else if (err == -EAGAIN && !persist_reader__wait(reader, TIME_LIMIT_MS)) {
			error(1, 0, "no event for %d ms", TIME_LIMIT_MS);
		} else if (err <= 0 && err != -EAGAIN) {
			error(1, -err, "%s", argv[1]);
		}
	}
	kill(producer, SIGKILL);
	waitpid(producer, NULL, 0);
	persist_reader__free(reader);
	return 0;
}
