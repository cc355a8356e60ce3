/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * libbpf prints by itself, unless told not to: its messages become ours, of the least level. Those
 * of a program that uses libbpf besides this library stay that program's.
 */
#ifndef PERSIST_LIBBPF_MESSAGES_H
#define PERSIST_LIBBPF_MESSAGES_H

#include "log.h"

/* Until the end, what libbpf says in this thread goes to @log. */
void libbpf_messages__begin(const struct log *log);
void libbpf_messages__end(void);

#endif
