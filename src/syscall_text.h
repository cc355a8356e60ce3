/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * System-call events have a print format, but ftrace prints the call instead:
 * "sys_close(fd: 3)" and "sys_close -> 0x0".
 */
#ifndef PERSIST_SYSCALL_TEXT_H
#define PERSIST_SYSCALL_TEXT_H

#include "event_format.h"
#include "expression.h"

struct syscall_argument {
	const struct event_format_field *field;
	/* What the kernel read from user space for a pointer, or NULL. */
	const struct event_format_field *user_data;
	bool is_user_string;
};

struct syscall_text {
	const char *name; /* "close": part of the event's name */
	bool is_exit;
	bool has_hex_prefix; /* the style of kernels since 6.18 */
	bool is_openat;	     /* the kernel names the flags of this one, since 7.0 */
	struct syscall_argument arguments[6];
	size_t nr_arguments;
	const struct event_format_field *result;
};

/**
 * syscall_text__init() - recognize a system-call event.
 * @text: filled when it is one; points into the name and fields
 * @event: the event's name
 * @fields: the event's fields, @nr_fields of them
 * @print_format: tells how user data is meant, NUL-terminated
 *
 * Return: whether the event is one.
 */
bool syscall_text__init(struct syscall_text *text, const char *event,
			const struct event_format_field *fields, size_t nr_fields,
			const char *print_format);

void syscall_text__print(const struct syscall_text *text, const struct record *record,
			 struct text_out *out);

#endif /* PERSIST_SYSCALL_TEXT_H */
