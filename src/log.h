/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Messages of the library. It never prints: each handle carries where its messages go, so that
 * two users in one process do not share anything.
 *
 * Arguments, names and file contents go into messages, and messages to terminals. So bytes that are
 * no UTF-8, and control characters, are \xNN in each message: it is one line and nothing more.
 *
 * Logging keeps errno, so that an error may be logged between the failing call and its report.
 */
#ifndef PERSIST_LOG_H
#define PERSIST_LOG_H

#include "persist_bpf.h"

struct log {
	persist_log_fn fn; /* NULL: messages are dropped */
	void *ctx;
	enum persist_log_level level; /* the least important level that is passed on */
};

/* The longest message, its NUL included; what is longer is cut before it is escaped. */
#define LOG_MESSAGE_MAX	 1024
#define LOG_ESCAPED_SIZE (4 * LOG_MESSAGE_MAX)

/* Escapes a text that is to be a message, or part of one; longer ones than a message are cut. */
const char *log_escape(const char *text, char escaped[LOG_ESCAPED_SIZE]);

/* @log may be NULL. */
void log_message(const struct log *log, enum persist_log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#define log_error(log, ...) log_message(log, PERSIST_LOG_ERROR, __VA_ARGS__)
#define log_warn(log, ...)  log_message(log, PERSIST_LOG_WARNING, __VA_ARGS__)
#define log_info(log, ...)  log_message(log, PERSIST_LOG_INFO, __VA_ARGS__)
#define log_debug(log, ...) log_message(log, PERSIST_LOG_DEBUG, __VA_ARGS__)

#endif
