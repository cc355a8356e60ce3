/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages of ftrace's ring buffer, put together as the kernel does it. */
#ifndef PERSIST_FAKE_TRACE_H
#define PERSIST_FAKE_TRACE_H

#include <stdint.h>
#include <string.h>

#define FAKE_PAGE_SIZE	 4096
#define FAKE_PAGE_HEADER 16
#define FAKE_MISSED	 (1ull << 31)
#define FAKE_STORED	 (1ull << 30)

struct fake_page {
	_Alignas(8) uint8_t bytes[FAKE_PAGE_SIZE];
	size_t len; /* of the data */
};

static inline void fake_page_set_commit(struct fake_page *page, uint64_t flags)
{
	uint64_t commit = page->len | flags;

	memcpy(page->bytes + 8, &commit, sizeof(commit));
}

static inline void fake_page_init(struct fake_page *page, uint64_t time)
{
	memset(page, 0, sizeof(*page));
	memcpy(page->bytes, &time, sizeof(time));
}

static inline void fake_page_put(struct fake_page *page, const void *bytes, size_t len)
{
	memcpy(page->bytes + FAKE_PAGE_HEADER + page->len, bytes, len);
	page->len += len;
	fake_page_set_commit(page, 0);
}

static inline void fake_page_word(struct fake_page *page, uint32_t type_len, uint32_t delta)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint32_t word = type_len | delta << 5;
#else
	uint32_t word = type_len << 27 | delta;
#endif

	fake_page_put(page, &word, sizeof(word));
}

/* @len is a multiple of 4. */
static inline void fake_page_event(struct fake_page *page, uint32_t delta, const void *data,
				   uint32_t len)
{
	uint32_t length = len + 4;

	if (len && len <= 28 * 4) {
		fake_page_word(page, len / 4, delta);
	} else {
		fake_page_word(page, 0, delta);
		fake_page_put(page, &length, sizeof(length));
	}
	fake_page_put(page, data, len);
}

static inline void fake_page_time(struct fake_page *page, uint32_t type, uint64_t time)
{
	uint32_t high = (uint32_t)(time >> 27);

	fake_page_word(page, type, time & ((1u << 27) - 1));
	fake_page_put(page, &high, sizeof(high));
}

#endif
