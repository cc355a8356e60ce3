/* SPDX-License-Identifier: GPL-2.0-only */
/* The metrics of a tree, as docs/metrics.md lists them. */
#ifndef METRICS_PAGE_H
#define METRICS_PAGE_H

#include <stddef.h>

#include "collector.h"
#include "metrics_text.h"

void metrics_page__write(FILE *out, enum metrics_format format, const struct tree_metrics *tree);

/*
 * Reads the tree and puts its metrics into a text, which the caller frees. Returns 0 or -ENOMEM.
 */
int metrics_page__make(struct metrics_collector *collector, enum metrics_format format, char **page,
		       size_t *size);

#endif
