// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "stop_signal.h"

static volatile sig_atomic_t has_come;
static int stop_pipe[2] = { -1, -1 };

static void stop(int signal)
{
	int saved_errno = errno;

	(void)signal;
	has_come = 1;
	/* Wakes the poll, also one that is about to begin. */
	if (write(stop_pipe[1], "", 1) < 0)
		errno = saved_errno;
	errno = saved_errno;
}

int stop_signal__catch(void)
{
	struct sigaction action = { .sa_handler = stop, .sa_flags = (int)SA_RESETHAND };

	if (pipe2(stop_pipe, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	if (sigaction(SIGINT, &action, NULL) || sigaction(SIGTERM, &action, NULL))
		return -errno;
	return 0;
}

bool stop_signal__has_come(void)
{
	return has_come;
}

int stop_signal__fd(void)
{
	return stop_pipe[0];
}
