// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes exactly as many events as it is told to, on one CPU:
 *
 *   event_producer CPU COUNT [FIRST [MICROSECONDS [CALL]]]
 *
 * makes a system call with the first argument N = FIRST (1), FIRST + 1, ..., pausing for
 * MICROSECONDS after each. CALL is timer_getoverrun or remap_file_pages: nobody else makes these
 * calls, which fail, and their arguments number the events. A COUNT of 0 goes on until SIGTERM;
 * the number of calls made is printed at the end in any case.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t is_over;

static void end(int signal)
{
	is_over = 1;
}

static void pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (!sched_setaffinity(0, sizeof(set), &set))
		return;
	fprintf(stderr, "event_producer: CPU %d: %s\n", cpu, strerror(errno));
	exit(1);
}

/* A record of 24 bytes behind its header */
static void call_timer_getoverrun(unsigned long n)
{
	syscall(__NR_timer_getoverrun, (int)n);
}

/* A record of 56 bytes behind its header; a protection other than 0 is refused. */
static void call_remap_file_pages(unsigned long n)
{
	syscall(__NR_remap_file_pages, n, 0, 1, 0, 0);
}

static const struct {
	const char *name;
	void (*make)(unsigned long n);
} calls[] = {
	{ "timer_getoverrun", call_timer_getoverrun },
	{ "remap_file_pages", call_remap_file_pages },
};

int main(int argc, char **argv)
{
	unsigned long count, first, pause, made;
	size_t call = 0;

	if (argc < 3 || argc > 6) {
		fprintf(stderr, "usage: event_producer CPU COUNT [FIRST [MICROSECONDS [CALL]]]\n");
		return 2;
	}
	count = strtoul(argv[2], NULL, 10);
	first = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	pause = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
	if (argc > 5 && !strcmp(argv[5], calls[1].name))
		call = 1;
	signal(SIGTERM, end);
	pin_to(atoi(argv[1]));
	for (made = 0; !is_over && (!count || made < count); made++) {
		calls[call].make(first + made);
		if (pause)
			usleep(pause);
	}
	printf("%lu\n", made);
	return 0;
}
