/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* libbpf prints by itself, unless told not to: its messages become ours, of the least level. */
#ifndef PERSIST_LIBBPF_MESSAGES_H
#define PERSIST_LIBBPF_MESSAGES_H

#include "log.h"

/* From now on what libbpf says in this thread goes to @log; NULL: nowhere. */
void libbpf_messages__to(const struct log *log);

#endif
