// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "libbpf_messages.h"

#include <stdio.h>
#include <string.h>

#include <bpf/libbpf.h>

/* libbpf has one function for the whole process; whose message it is, only the thread tells. */
static _Thread_local const struct log *log_of_thread;

static int pass_on(enum libbpf_print_level level, const char *format, va_list args)
{
	char message[1024];

	if (!log_of_thread || log_of_thread->level < PERSIST_LOG_DEBUG)
		return 0;
	vsnprintf(message, sizeof(message), format, args);
	message[strcspn(message, "\n")] = '\0';
	log_debug(log_of_thread, "%s", message);
	return 0;
}

void libbpf_messages__to(const struct log *log)
{
	log_of_thread = log;
	libbpf_set_print(pass_on);
}
