// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two processes that want the same persistent event:
 *
 *   attach_race ROOT NAME ROUNDS
 *
 * In each round both try to take it over at the same moment; who gets it looks whether its pins are
 * gone, and detaches it again. After as many rounds with no order between the two, the event has to
 * be in the tree. Prints what is wrong, and at the end how often each of them had the event.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "persist_bpf.h"

#define NR_PROCESSES 2

/* Shared by the processes */
struct race {
	pthread_barrier_t barrier;
	atomic_int nr_owners; /* at the moment */
	int results[NR_PROCESSES];
	int nr_owned[NR_PROCESSES];
	atomic_int nr_wrong;
};

static struct race *race;
static char event_path[PATH_MAX];
static const char *event_name;

static void complain(int round, const char *what, const char *detail)
{
	atomic_fetch_add(&race->nr_wrong, 1);
	printf("round %d: %s: %s\n", round, what, detail);
	fflush(stdout);
}

static void wait_for_others(void)
{
	pthread_barrier_wait(&race->barrier);
}

/* Returns the event, or NULL with errno. */
static struct persist_attached *take(struct persist_tree *tree, int round)
{
	struct persist_attached *event = persist_tree__attach(tree, event_name);
	int err = errno;

	if (event && atomic_fetch_add(&race->nr_owners, 1))
		complain(round, "taken over", "it has another owner");
	errno = err;
	return event;
}

static void give_back(struct persist_attached *event, int round)
{
	int err;

	atomic_fetch_sub(&race->nr_owners, 1);
	err = persist_attached__detach(event);
	if (err)
		complain(round, "cannot be detached", strerror(-err));
	persist_attached__free(event);
}

static void run_ordered_round(struct persist_tree *tree, int number, int round)
{
	struct persist_attached *event;
	int nr = 0;

	wait_for_others();
	event = take(tree, round);
	race->results[number] = event ? 0 : errno;
	wait_for_others();
	for (int i = 0; i < NR_PROCESSES; i++)
		nr += !race->results[i];
	if (number == 0 && nr != 1)
		complain(round, "owners", nr ? "more than one" : "none");
	if (race->results[number] && race->results[number] != ENOENT)
		complain(round, "the other got", strerrorname_np(race->results[number]));
	if (event && !access(event_path, F_OK))
		complain(round, "pins", "left while it is attached");
	wait_for_others();
	if (event) {
		give_back(event, round);
		race->nr_owned[number]++;
	}
	wait_for_others();
	if (number == 0 && access(event_path, F_OK))
		complain(round, "pins", "missing while it is detached");
}

static void run_free_round(struct persist_tree *tree, int number, int round)
{
	struct persist_attached *event = take(tree, round);

	if (!event) {
		if (errno != ENOENT)
			complain(round, "cannot be taken over", strerrorname_np(errno));
		return;
	}
	give_back(event, round);
	race->nr_owned[number]++;
}

static void run_process(const char *root, int number, int rounds)
{
	const struct persist_tree_options options = { .size = sizeof(options), .root = root };
	struct persist_tree *tree = persist_tree__new(&options);

	for (int round = 0; round < rounds; round++)
		run_ordered_round(tree, number, round);
	/* Nobody takes it over again while the other one looks for its pins. */
	wait_for_others();
	for (int round = 0; round < rounds; round++)
		run_free_round(tree, number, rounds + round);
	persist_tree__free(tree);
}

static void set_up(void)
{
	pthread_barrierattr_t attr;

	race = mmap(NULL, sizeof(*race), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (race == MAP_FAILED)
		exit(1);
	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&race->barrier, &attr, NR_PROCESSES);
}

int main(int argc, char **argv)
{
	int status, failed = 0;

	if (argc != 4) {
		fprintf(stderr, "usage: attach_race ROOT NAME ROUNDS\n");
		return 2;
	}
	set_up();
	event_name = argv[2];
	snprintf(event_path, sizeof(event_path), "%s/%s", argv[1], argv[2]);
	for (int i = 0; i < NR_PROCESSES; i++) {
		if (fork())
			continue;
		run_process(argv[1], i, atoi(argv[3]));
		return 0;
	}
	while (wait(&status) > 0)
		failed |= status;
	if (access(event_path, F_OK))
		complain(-1, "pins", "missing at the end");
	printf("owned %d %d\n", race->nr_owned[0], race->nr_owned[1]);
	return failed || race->nr_wrong;
}
