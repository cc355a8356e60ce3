/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* Of the names there are, the one that was probably meant by one that there is not. */
#ifndef PERSIST_NEAREST_NAME_H
#define PERSIST_NEAREST_NAME_H

#include <stddef.h>

/* "SYSTEM:NAME", and all that can be names here; what is longer is near nothing. */
#define NEAREST_NAME_SIZE 130

/**
 * struct nearest_name - starts as { .wanted = NAME }
 * @wanted:   what was given; kept by the caller
 * @best:     what came nearest; "": nothing is near
 * @distance: how many letters have to be put in, taken out or changed for that
 */
struct nearest_name {
	const char *wanted;
	char best[NEAREST_NAME_SIZE];
	size_t distance;
};

/* Looks at one of those there are. Of several that are as near, the first one wins. */
void nearest_name__offer(struct nearest_name *nearest, const char *name);

#endif
