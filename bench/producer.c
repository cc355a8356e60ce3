// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes one kind of event happen as fast as it can, and prints what one costs: nanoseconds of CPU
 * time per event, one line for each batch and CPU.
 *
 * CPU time does not count what other processes do meanwhile. Batches are short, so that an
 * interrupt or a change of the machine's speed spoils one of many; and there is a pause behind
 * each, so that recorders that copy their buffers elsewhere come to do so.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <error.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "trigger.skel.h"

#define MAX_CPUS 1024

struct options {
	unsigned int cpus[MAX_CPUS];
	unsigned int nr_cpus;
	unsigned int batches;
	unsigned int warm_up; /* batches that are not measured */
	unsigned int events;  /* per batch */
	unsigned int pause_us;
};

struct producer {
	const char *name;
	void (*start)(struct producer *producer, unsigned int nr_events);
	void (*produce)(struct producer *producer, unsigned int nr_events);
	/* CPU time that was used by all who take part */
	uint64_t (*cpu_time)(const struct producer *producer);
	union {
		/* pipe */
		struct {
			pid_t partner;
			clockid_t partner_clock;
			int to_partner, from_partner;
		};
		/* trigger */
		int program;
	};
};

static uint64_t read_clock(clockid_t clock)
{
	struct timespec time;

	if (clock_gettime(clock, &time))
		error(1, errno, "clock_gettime");
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* ---- getppid: raw_syscalls:sys_enter, syscalls:sys_enter_getppid ---------------------------- */

static void getppid_start(struct producer *producer, unsigned int nr_events)
{
}

static void getppid_produce(struct producer *producer, unsigned int nr_events)
{
	while (nr_events--)
		syscall(SYS_getppid);
}

static uint64_t own_cpu_time(const struct producer *producer)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

/* ---- pipe: sched:sched_switch -------------------------------------------------------------- */

static void answer(int from, int to)
{
	char byte;

	while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1)
		;
}

/* On the same CPU, so that each byte that arrives means a switch. */
static void pipe_start(struct producer *producer, unsigned int nr_events)
{
	int there[2], back[2];

	if (pipe(there) || pipe(back))
		error(1, errno, "pipe");
	producer->partner = fork();
	if (producer->partner < 0)
		error(1, errno, "fork");
	if (!producer->partner) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(there[1]);
		close(back[0]);
		answer(there[0], back[1]);
		_exit(0);
	}
	close(there[0]);
	close(back[1]);
	producer->to_partner = there[1];
	producer->from_partner = back[0];
	if (clock_getcpuclockid(producer->partner, &producer->partner_clock))
		error(1, 0, "the partner's CPU time cannot be read");
}

static void pipe_produce(struct producer *producer, unsigned int nr_events)
{
	char byte = 0;

	for (unsigned int i = 0; i < nr_events; i += 2)
		if (write(producer->to_partner, &byte, 1) != 1 ||
		    read(producer->from_partner, &byte, 1) != 1)
			error(1, errno, "pipe");
}

static uint64_t pair_cpu_time(const struct producer *producer)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID) + read_clock(producer->partner_clock);
}

/* ---- trigger: bpf_test_run:bpf_trigger_tp -------------------------------------------------- */

static void trigger_start(struct producer *producer, unsigned int nr_events)
{
	struct trigger_bpf *skeleton = trigger_bpf__open();

	if (!skeleton)
		error(1, errno, "trigger");
	skeleton->rodata->events = nr_events;
	if (trigger_bpf__load(skeleton))
		error(1, errno, "trigger: this kernel has no bpf_modify_return_test_tp");
	/* The skeleton lives as long as the process does. */
	producer->program = bpf_program__fd(skeleton->progs.trigger);
}

/* One system call for all of them. */
static void trigger_produce(struct producer *producer, unsigned int nr_events)
{
	if (bpf_prog_test_run_opts(producer->program, NULL))
		error(1, errno, "trigger");
}

/* ------------------------------------------------------------------------------------------ */

static struct producer producers[] = {
	{ .name = "getppid", getppid_start, getppid_produce, own_cpu_time },
	{ .name = "pipe", pipe_start, pipe_produce, pair_cpu_time },
	{ .name = "trigger", trigger_start, trigger_produce, own_cpu_time },
};

static void pin_to(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		error(1, errno, "CPU %u", cpu);
}

/* Where all CPUs wait for each other in front of each batch. */
static pthread_barrier_t *new_barrier(unsigned int nr)
{
	pthread_barrier_t *barrier = mmap(NULL, sizeof(*barrier), PROT_READ | PROT_WRITE,
					  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_barrierattr_t attr;

	if (barrier == MAP_FAILED)
		error(1, errno, "mmap");
	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(barrier, &attr, nr);
	return barrier;
}

static void run_on(unsigned int cpu, struct producer *producer, const struct options *options,
		   pthread_barrier_t *barrier)
{
	unsigned int nr = options->warm_up + options->batches;
	double *costs = calloc(nr, sizeof(*costs));

	if (!costs)
		error(1, errno, "batches");
	pin_to(cpu);
	producer->start(producer, options->events);
	for (unsigned int i = 0; i < nr; i++) {
		uint64_t before;

		if (options->pause_us)
			usleep(options->pause_us);
		pthread_barrier_wait(barrier);
		before = producer->cpu_time(producer);
		producer->produce(producer, options->events);
		costs[i] = (double)(producer->cpu_time(producer) - before) / options->events;
	}
	/* One write, so that lines of several CPUs do not mix. */
	static char text[1 << 20];
	size_t len = 0;

	for (unsigned int i = options->warm_up; i < nr && len < sizeof(text) - 64; i++)
		len += (size_t)sprintf(text + len, "%.2f\n", costs[i]);
	if (write(STDOUT_FILENO, text, len) != (ssize_t)len)
		error(1, errno, "standard output");
	free(costs);
}

/* One process for each CPU; returns when all are done. */
static void run(struct producer *producer, const struct options *options)
{
	pthread_barrier_t *barrier = new_barrier(options->nr_cpus);
	int status, is_failed = 0;

	for (unsigned int i = 0; i < options->nr_cpus; i++) {
		pid_t child = fork();

		if (child < 0)
			error(1, errno, "fork");
		if (!child) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			run_on(options->cpus[i], producer, options, barrier);
			_exit(0);
		}
	}
	while (wait(&status) > 0)
		is_failed |= status;
	if (is_failed)
		exit(1);
}

static void usage(void)
{
	fprintf(stderr, "usage: producer getppid|pipe|trigger --cpus N,... [--batches N]\n"
			"                [--warm-up N] [--events N] [--pause-us N]\n");
	exit(2);
}

static struct producer *find_producer(const char *name)
{
	for (size_t i = 0; name && i < sizeof(producers) / sizeof(producers[0]); i++)
		if (!strcmp(producers[i].name, name))
			return &producers[i];
	usage();
	return NULL;
}

static void parse_cpus(struct options *options, char *list)
{
	for (char *cpu = strtok(list, ","); cpu; cpu = strtok(NULL, ",")) {
		if (options->nr_cpus == MAX_CPUS)
			error(2, 0, "too many CPUs");
		options->cpus[options->nr_cpus++] = (unsigned int)strtoul(cpu, NULL, 10);
	}
}

static void parse_options(struct options *options, int argc, char **argv)
{
	static const struct option known[] = {
		{ "cpus", required_argument, NULL, 'c' },
		{ "batches", required_argument, NULL, 'b' },
		{ "warm-up", required_argument, NULL, 'w' },
		{ "events", required_argument, NULL, 'e' },
		{ "pause-us", required_argument, NULL, 'p' },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (option == 'c')
			parse_cpus(options, optarg);
		else if (option == 'b')
			options->batches = (unsigned int)strtoul(optarg, NULL, 10);
		else if (option == 'w')
			options->warm_up = (unsigned int)strtoul(optarg, NULL, 10);
		else if (option == 'e')
			options->events = (unsigned int)strtoul(optarg, NULL, 10);
		else if (option == 'p')
			options->pause_us = (unsigned int)strtoul(optarg, NULL, 10);
		else
			usage();
	}
	if (!options->nr_cpus || !options->events || !options->batches)
		usage();
}

int main(int argc, char **argv)
{
	struct options options = { .batches = 100, .warm_up = 10, .events = 1000 };

	parse_options(&options, argc, argv);
	run(find_producer(argv[optind]), &options);
	return 0;
}
