// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "nearest_name.h"

#include <stdio.h>
#include <string.h>

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Levenshtein's, with one row of the table; both are shorter than NEAREST_NAME_SIZE. */
static size_t distance(const char *a, const char *b)
{
	size_t row[NEAREST_NAME_SIZE], len = strlen(b);

	for (size_t j = 0; j <= len; j++)
		row[j] = j;
	for (size_t i = 1; *a; i++, a++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= len; j++) {
			size_t changed = diagonal + (*a != b[j - 1]);

			diagonal = row[j];
			row[j] = min(changed, min(row[j], row[j - 1]) + 1);
		}
	}
	return row[len];
}

void nearest_name__offer(struct nearest_name *nearest, const char *name)
{
	size_t len = strlen(nearest->wanted), far;

	if (len >= NEAREST_NAME_SIZE || strlen(name) >= NEAREST_NAME_SIZE)
		return;
	far = distance(nearest->wanted, name);
	/* A third of the letters is no slip of a finger any more. */
	if (3 * far > len || (*nearest->best && far >= nearest->distance))
		return;
	snprintf(nearest->best, sizeof(nearest->best), "%s", name);
	nearest->distance = far;
}
