/* SPDX-License-Identifier: GPL-2.0-only */
/* What `reader attach` adds to a machine check's record: what its registers mean. */
#ifndef MCE_OUTPUT_H
#define MCE_OUTPUT_H

#include "json_output.h"
#include "line_writer.h"
#include "persist_bpf.h"

/*
 * Adds lines below that of @item, which begin with a tab, if it is a machine check. They belong to
 * the same line of @writer. Returns 0 or -ENOMEM.
 */
int mce_output__put_text(struct line_writer *writer, const struct persist_item *item);

/* For json_output__set_member(): "decoded", if @item is a machine check. */
const char *mce_output__generate(struct json_generator *generator, const struct persist_item *item);

#endif
