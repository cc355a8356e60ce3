/* SPDX-License-Identifier: GPL-2.0-only */
/* The words that the records of perf consist of; they need not be aligned. */
#ifndef PERF_PUT_H
#define PERF_PUT_H

#include <stdint.h>
#include <string.h>

static inline char *perf_put(char *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	return to + size;
}

static inline char *perf_put_word(char *to, uint64_t word)
{
	return perf_put(to, &word, sizeof(word));
}

/* Two values of 32 bits, in this order in memory. */
static inline char *perf_put_pair(char *to, uint32_t first, uint32_t second)
{
	const uint32_t pair[2] = { first, second };

	return perf_put(to, pair, sizeof(pair));
}

#endif
