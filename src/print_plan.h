/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * A print format compiled to a list of steps, so that a record costs no parsing: literal text
 * as it stands, and conversions with their argument's expression.
 */
#ifndef PERSIST_PRINT_PLAN_H
#define PERSIST_PRINT_PLAN_H

#include "arena.h"
#include "event_format.h"
#include "expression.h"
#include "text_out.h"

struct print_step;

struct print_plan {
	struct arena arena;
	struct print_step *steps;
	size_t nr_steps;
	/* Why the text differs from ftrace's although the plan is complete; NULL: it does not. */
	const char *inexact;
	bool has_symbols; /* they are exact when the record comes with a way to find them */
	/* Names that were looked up; they point into the text the plan was made from. */
	const struct resolved_name *resolved;
};

/**
 * print_plan__compile() - compile what follows "print fmt: ".
 * @plan: filled on success, else left empty
 * @fields: the event's fields, @nr_fields of them; must outlive the plan
 * @text: a format in quotes, a comma and the arguments, @length bytes in all
 * @error: set to a static phrase when the format cannot be followed
 *
 * Return: 0; -EINVAL with *error set; -ENOMEM.
 */
int print_plan__compile(struct print_plan *plan, const struct event_format_field *fields,
			size_t nr_fields, const char *text, size_t length, const char **error);

/* Frees what the plan holds, but not the plan itself. */
void print_plan__free(struct print_plan *plan);

void print_plan__run(const struct print_plan *plan, const struct record *record,
		     struct text_out *out);

#endif /* PERSIST_PRINT_PLAN_H */
