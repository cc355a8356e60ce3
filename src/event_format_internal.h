/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* What the files of event_format share. */
#ifndef PERSIST_EVENT_FORMAT_INTERNAL_H
#define PERSIST_EVENT_FORMAT_INTERNAL_H

#include "arena.h"
#include "event_format.h"
#include "print_plan.h"
#include "syscall_text.h"

enum text_style {
	TEXT_PRINT_FORMAT, /* by the print plan */
	TEXT_SYSCALL,	   /* by the system call's description */
	TEXT_FIELDS,	   /* the print format is not understood */
};

struct event_format {
	struct arena arena;
	const char *name;
	unsigned int id;
	struct event_format_field *fields;
	size_t nr_fields;
	size_t fixed_size, common_size;
	enum text_style style;
	const char *print_format;   /* what follows "print fmt: ": a copy, NUL-terminated, ... */
	size_t print_format_offset; /* ... which begins here in the text */
	struct print_plan plan;
	struct syscall_text syscall;
	event_format_find_symbol_fn find_symbol;
	const char *inexact;
};

/* Where a record's array or string lies: of a fixed field, or what its location word says. */
struct memory event_format_field__memory(const struct event_format_field *field,
					 const struct record *record);

#endif /* PERSIST_EVENT_FORMAT_INTERNAL_H */
