// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "log.h"

void log_message(const struct log *log, enum persist_log_level level, const char *format, ...)
{
	int saved_errno = errno;
	char message[1024];
	va_list args;

	if (!log || !log->fn || level > log->level)
		return;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	log->fn(log->ctx, level, message);
	errno = saved_errno;
}
