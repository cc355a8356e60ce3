// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "workload.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int spawn(pid_t *pid, char *const *command, bool output_to_stderr)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t defaults;
	int err;

	err = posix_spawn_file_actions_init(&actions);
	if (err)
		return -err;
	err = posix_spawnattr_init(&attr);
	if (err) {
		posix_spawn_file_actions_destroy(&actions);
		return -err;
	}
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	if (output_to_stderr)
		err = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	if (!err)
		err = posix_spawnp(pid, command[0], &actions, &attr, command, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return -err;
}

int workload__start(struct workload *workload, char *const *command, bool output_to_stderr,
		    const struct log *log)
{
	int err = spawn(&workload->pid, command, output_to_stderr);

	if (err) {
		workload->pid = -1;
		log_error(log, "cannot run %s: %s", command[0], strerror(-err));
		return err;
	}
	workload->fd = pidfd_open(workload->pid, 0);
	if (workload->fd >= 0)
		return 0;
	err = -errno;
	log_error(log, "cannot watch %s: %s", command[0], strerror(-err));
	workload__end(workload, SIGTERM);
	return err;
}

bool workload__has_ended(struct workload *workload)
{
	struct pollfd pollfd = { .fd = workload->fd, .events = POLLIN };

	return workload->fd >= 0 && poll(&pollfd, 1, 0) == 1;
}

int workload__end(struct workload *workload, int signal)
{
	int status = 0;

	if (workload->pid < 0)
		return 0;
	if (signal)
		kill(workload->pid, signal);
	while (waitpid(workload->pid, &status, 0) < 0 && errno == EINTR)
		;
	workload->pid = -1;
	if (workload->fd >= 0)
		close(workload->fd);
	workload->fd = -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
