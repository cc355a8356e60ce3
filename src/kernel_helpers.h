/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * What print formats call by name: the helpers of the kernel's trace_events headers, and the
 * few functions that appear in TP_printk() of some event.
 */
#ifndef PERSIST_KERNEL_HELPERS_H
#define PERSIST_KERNEL_HELPERS_H

#include "expression_parser.h"

/**
 * kernel_helpers__parse() - parse a call.
 * @parser: stands behind the opening parenthesis
 * @name: what is called
 *
 * Return: the node, with the closing parenthesis read; NULL with the error set.
 */
const struct expression *kernel_helpers__parse(struct expression_parser *parser,
					       const struct c_token *name);

#endif /* PERSIST_KERNEL_HELPERS_H */
