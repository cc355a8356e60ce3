/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SPAN_H
#define SPAN_H

/* So many are kept, a power of two. */
#define MAX_SPANS 4096

#endif
