// SPDX-License-Identifier: GPL-2.0-only
/* Hostile pages of ftrace's ring buffer: reading them ends, and stays inside. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trace_page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_page_layout layout = { .commit_offset = 8, .commit_size = 8 };
	struct trace_page_event event;
	struct trace_page page;
	uint8_t *copy, sum = 0;
	size_t nr = 0;

	if (!size)
		return 0;
	layout.commit_size = data[0] & 1 ? 4 : 8;
	layout.data_offset = layout.commit_offset + layout.commit_size;
	layout.size = --size;
	/* Exactly as long, so that the sanitizer notices what goes beyond. */
	copy = malloc(size ? size : 1);
	if (!copy)
		return 0;
	memcpy(copy, data + 1, size);
	if (!trace_page__begin(&page, &layout, copy, size))
		while (trace_page__next(&page, &event)) {
			/* Each takes a word of the page at least. */
			if (++nr > size / 4 || event.data < copy ||
			    event.size > (size_t)(copy + size - event.data))
				abort();
			for (size_t i = 0; i < event.size; i++)
				sum ^= event.data[i];
			__asm__ volatile("" : : "r"(sum));
		}
	free(copy);
	return 0;
}
