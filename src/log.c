// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "utf8.h"

const char *log_escape(const char *text, char escaped[LOG_ESCAPED_SIZE])
{
	size_t size = strnlen(text, LOG_MESSAGE_MAX - 1);

	escaped[utf8__escape_controls(escaped, text, size)] = '\0';
	return escaped;
}

void log_message(const struct log *log, enum persist_log_level level, const char *format, ...)
{
	int saved_errno = errno;
	char message[LOG_MESSAGE_MAX], escaped[LOG_ESCAPED_SIZE];
	va_list args;

	if (!log || !log->fn || level > log->level)
		return;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	log->fn(log->ctx, level, log_escape(message, escaped));
	errno = saved_errno;
}
