// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "stop_signal.h"

static volatile sig_atomic_t has_come;
static int stop_pipe[2] = { -1, -1 };
static void (*last_act)(void);

static void stop(int signal_number)
{
	int saved_errno = errno;

	if (has_come) {
		if (last_act)
			last_act();
		signal(signal_number, SIG_DFL);
		raise(signal_number); /* which ends the program when this handler returns */
		return;
	}
	has_come = 1;
	/* Wakes the poll, also one that is about to begin. */
	if (write(stop_pipe[1], "", 1) < 0)
		errno = saved_errno;
	errno = saved_errno;
}

int stop_signal__catch(void)
{
	int err;

	if (pipe2(stop_pipe, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	err = stop_signal__catch_also(SIGINT);
	return err ? err : stop_signal__catch_also(SIGTERM);
}

int stop_signal__catch_also(int signal_number)
{
	struct sigaction action = { .sa_handler = stop };

	return sigaction(signal_number, &action, NULL) ? -errno : 0;
}

void stop_signal__set_last_act(void (*act)(void))
{
	last_act = act;
}

bool stop_signal__has_come(void)
{
	return has_come;
}

int stop_signal__fd(void)
{
	return stop_pipe[0];
}
