/* SPDX-License-Identifier: GPL-2.0-only */
/* What the running kernel and this machine can do for persistent events. */
#ifndef PERSIST_PROBE_H
#define PERSIST_PROBE_H

#include <stdbool.h>

/* Prints one line, or one JSON member, for each; 0 or -errno. @root says which bpffs is meant. */
int probe__print(const char *root, bool json);

#endif
