// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "libbpf_messages.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
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
	char message[1024];

	if (!log_of_thread)
		return print_before ? print_before(level, format, args) : 0;
	if (log_of_thread->level < PERSIST_LOG_DEBUG)
		return 0;
	vsnprintf(message, sizeof(message), format, args);
	message[strcspn(message, "\n")] = '\0';
	log_debug(log_of_thread, "%s", message);
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
