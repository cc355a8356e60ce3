/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Messages of the library. It never prints: each handle carries where its messages go, so that
 * two users in one process do not share anything.
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

/* @log may be NULL. */
void log_message(const struct log *log, enum persist_log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#define log_error(log, ...) log_message(log, PERSIST_LOG_ERROR, __VA_ARGS__)
#define log_warn(log, ...)  log_message(log, PERSIST_LOG_WARNING, __VA_ARGS__)
#define log_info(log, ...)  log_message(log, PERSIST_LOG_INFO, __VA_ARGS__)
#define log_debug(log, ...) log_message(log, PERSIST_LOG_DEBUG, __VA_ARGS__)

#endif
