/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* Items as JSON, one object a line. */
#ifndef PERSIST_JSON_OUTPUT_H
#define PERSIST_JSON_OUTPUT_H

#include "json_generator.h"
#include "line_writer.h"
#include "persist_bpf.h"

struct json_output;

/* Puts its objects into @writer, which must outlive it. NULL without memory. */
struct json_output *json_output__new(struct line_writer *writer);
void json_output__free(struct json_output *output);

/*
 * A member that is put behind a record's fields: generates the object for @item->record and returns
 * its name, which needs no escapes, or NULL if this record has none.
 */
typedef const char *(*json_member_fn)(struct json_generator *generator,
				      const struct persist_item *item);
void json_output__set_member(struct json_output *output, json_member_fn fn);

/* Puts the line of @item, with its newline. Returns 0 or -errno. */
int json_output__put(struct json_output *output, const struct persist_item *item);

/* The same for an entry of the list of events. */
int json_output__put_info(struct json_output *output, const struct persist_event_info *info,
			  const struct persist_imported *imported);

#endif
