// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "run_command.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "json_output.h"
#include "line_writer.h"
#include "program_path.h"
#include "text_output.h"

/* How long a record may be on its way when the command has ended. */
#define LAST_RECORDS_MS 20

struct running {
	const struct run_command *run;
	struct persist_reader *reader; /* NULL: nothing is printed, or nothing more */
	struct line_writer writer;
	struct json_output *json;
	int signals; /* descriptor */
	pid_t child; /* -1: there is no command */
	bool is_over;
	int print_err; /* why printing ended */
	int exit_status;
};

/* ---- printing ---------------------------------------------------------------------------- */

static int open_output(struct running *running)
{
	const struct run_command *run = running->run;
	const struct persist_reader_options options = {
		.size = sizeof(options),
		.log_fn = run->log->fn,
		.log_level = run->log->level,
		.root = run->root,
		.follow = 1,
	};
	int err = 0;

	if (!run->print)
		return 0;
	running->reader = persist_reader__new(&options);
	if (!running->reader)
		return -errno;
	for (size_t i = 0; i < run->nr_events && !err; i++)
		err = persist_reader__add_attached(running->reader, run->events[i]);
	if (!err)
		err = line_writer__init(&running->writer, STDOUT_FILENO, NULL);
	if (!err && run->json) {
		running->json = json_output__new(&running->writer);
		err = running->json ? 0 : -ENOMEM;
	}
	return err;
}

static void close_output(struct running *running)
{
	if (!running->reader)
		return;
	json_output__free(running->json);
	line_writer__destroy(&running->writer);
	persist_reader__free(running->reader);
	running->reader = NULL;
}

/* Prints what there is at the moment. */
static int print_items(struct running *running)
{
	struct persist_item item;
	int err = 0, got = 0;

	while (!err && (got = persist_reader__next(running->reader, &item)) == 1) {
		err = running->json ? json_output__put(running->json, &item)
				    : text_output__put(&running->writer, &item);
		if (!err)
			err = line_writer__end_line(&running->writer, -1, 0);
	}
	if (!err)
		err = line_writer__flush(&running->writer);
	if (!err && got < 0 && got != -EAGAIN)
		err = got;
	return err;
}

/* The command does not end because its records cannot be printed; without one that is the end. */
static void print(struct running *running)
{
	if (!running->reader)
		return;
	running->print_err = print_items(running);
	if (!running->print_err)
		return;
	if (running->print_err != -EPIPE)
		log_error(running->run->log, "cannot print records any more: %s",
			  strerror(-running->print_err));
	close_output(running);
	if (running->child < 0)
		running->is_over = true;
}

/* A follower holds the newest records back for a moment. */
static void print_last(struct running *running)
{
	print(running);
	if (running->reader && persist_reader__wait(running->reader, LAST_RECORDS_MS) == 1)
		print(running);
}

/* ---- the command ------------------------------------------------------------------------- */

/* Signals are read from a descriptor, so that waiting for them and for records is one wait. */
static int take_signals(struct running *running, sigset_t *before)
{
	sigset_t taken;

	sigemptyset(&taken);
	sigaddset(&taken, SIGINT);
	sigaddset(&taken, SIGTERM);
	sigaddset(&taken, SIGHUP);
	sigaddset(&taken, SIGCHLD);
	sigprocmask(SIG_BLOCK, &taken, before);
	running->signals = signalfd(-1, &taken, SFD_CLOEXEC);
	return running->signals < 0 ? -errno : 0;
}

static int start_child(struct running *running, const sigset_t *signals)
{
	char **command = running->run->command;
	int err;

	running->child = -1;
	if (!*command)
		return 0;
	running->child = fork();
	if (running->child < 0)
		return -errno;
	if (running->child)
		return 0;
	sigprocmask(SIG_SETMASK, signals, NULL);
	signal(SIGPIPE, SIG_DFL);
	execvp(*command, command);
	err = -errno;
	log_error(running->run->log, "cannot run %s: %s", *command, strerror(-err));
	_exit(exit_status_of_exec(err));
}

static void handle_signal(struct running *running)
{
	struct signalfd_siginfo info;
	int status;

	if (read(running->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo != SIGCHLD) {
		/* The command gets an interrupt from the terminal itself. It decides when to end.
		 */
		if (running->child < 0)
			running->is_over = true;
		else if (info.ssi_signo != SIGINT)
			kill(running->child, (int)info.ssi_signo);
		return;
	}
	if (waitpid(running->child, &status, WNOHANG) != running->child)
		return;
	running->is_over = true;
	running->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int wait_for_end(struct running *running)
{
	struct pollfd fds[2] = {
		{ .fd = running->signals, .events = POLLIN },
		{ .events = POLLIN },
	};

	for (print(running); !running->is_over; print(running)) {
		fds[1].fd = running->reader ? persist_reader__fd(running->reader) : -1;
		if (poll(fds, 2, -1) < 0) {
			if (errno != EINTR)
				return -errno;
			continue;
		}
		if (fds[0].revents)
			handle_signal(running);
	}
	print_last(running);
	return 0;
}

/* ---- the end of the events --------------------------------------------------------------- */

static int detach_all(const struct run_command *run)
{
	int one, err = 0;

	for (size_t i = 0; i < run->nr_events; i++) {
		const struct persist_meta *meta = persist_attached__meta(run->events[i]);

		one = persist_attached__detach(run->events[i]);
		if (one)
			err = one;
		else
			fprintf(stderr, "%s:%s: persistent as %s, persistent,config=%u\n",
				meta->system, meta->tracepoint, meta->name, meta->event_id);
	}
	return err;
}

int run_command(const struct run_command *run)
{
	struct running running = { .run = run, .signals = -1 };
	sigset_t signals;
	int err;

	if (!run->print && !run->detach)
		log_warn(run->log, "%s, and nobody sees it: --print shows it, --detach keeps it",
			 *run->command ? "what is recorded ends with the command"
				       : "there is no command: what is recorded ends when this is "
					 "interrupted");
	err = take_signals(&running, &signals);
	if (!err)
		err = open_output(&running);
	if (!err)
		err = start_child(&running, &signals);
	if (!err)
		err = wait_for_end(&running);
	if (err)
		log_error(run->log, "cannot go on: %s", strerror(-err));
	else
		err = running.print_err == -EPIPE ? 0 : running.print_err;
	if (run->detach && detach_all(run))
		err = -EIO;
	close_output(&running);
	if (running.signals >= 0)
		close(running.signals);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	return err ? EXIT_FAILURE : running.exit_status;
}
