// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "libbpf_messages.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

/*
 * libbpf has one function for the whole process; whose message it is, only the thread tells. What
 * it says when it was not called by us goes to the function that was there before.
 */
static _Thread_local const struct log *log_of_thread;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static libbpf_print_fn_t print_before;

static int pass_on(enum libbpf_print_level level, const char *format, va_list args)
{
	char *text, *rest, *line;

	if (!log_of_thread)
		return print_before ? print_before(level, format, args) : 0;
	if (log_of_thread->level < PERSIST_LOG_DEBUG)
		return 0;
	/* The verifier's log is one message of thousands of lines. */
	if (vasprintf(&text, format, args) < 0)
		return 0;
	rest = text;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			log_debug(log_of_thread, "%s", line);
	free(text);
	return 0;
}

static void install(void)
{
	print_before = libbpf_set_print(pass_on);
}

void libbpf_messages__begin(const struct log *log)
{
	pthread_once(&once, install);
	log_of_thread = log;
}

void libbpf_messages__end(void)
{
	log_of_thread = NULL;
}
