/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers as they are in memory, into a stdio stream. */
#ifndef PUT_BINARY_H
#define PUT_BINARY_H

#include <stdint.h>
#include <stdio.h>

static inline void put_u32(FILE *out, uint32_t value)
{
	fwrite(&value, sizeof(value), 1, out);
}

static inline void put_u64(FILE *out, uint64_t value)
{
	fwrite(&value, sizeof(value), 1, out);
}

static inline void put_zeros(FILE *out, size_t nr)
{
	while (nr--)
		fputc(0, out);
}

#endif
