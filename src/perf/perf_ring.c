// SPDX-License-Identifier: GPL-2.0-only
#include "perf/perf_ring.h"

#include <errno.h>
#include <string.h>

int perf_ring__init(struct perf_ring *ring, void *map, size_t size, size_t page_size)
{
	struct perf_event_mmap_page *page = map;
	size_t data_size = size - page_size;

	if (size <= page_size || data_size & (data_size - 1))
		return -EINVAL;
	*ring = (struct perf_ring){
		.page = page,
		.data = (char *)map + page_size,
		.size = data_size,
		.watermark = data_size / 2,
	};
	page->data_offset = page_size;
	page->data_size = data_size;
	return 0;
}

void perf_ring__set_watermark(struct perf_ring *ring, const struct perf_event_attr *attr)
{
	if (attr->watermark && attr->wakeup_watermark && attr->wakeup_watermark < ring->size)
		ring->watermark = attr->wakeup_watermark;
}

uint64_t perf_ring__room(const struct perf_ring *ring)
{
	uint64_t tail = __atomic_load_n((const uint64_t *)&ring->page->data_tail, __ATOMIC_ACQUIRE);
	uint64_t used = ring->head - tail;

	/* A tail that cannot be: nothing is overwritten until it is right again. */
	return used < ring->size ? ring->size - used - 1 : 0;
}

void perf_ring__put(struct perf_ring *ring, const void *records, size_t size)
{
	uint64_t at = ring->head & (ring->size - 1);
	size_t first = ring->size - at < size ? ring->size - at : size;

	memcpy(ring->data + at, records, first);
	memcpy(ring->data, (const char *)records + first, size - first);
	ring->head += size;
	if (ring->head - ring->woken_head >= ring->watermark) {
		ring->woken_head = ring->head;
		ring->wakes = true;
	}
}

void perf_ring__count_sample(struct perf_ring *ring, const struct perf_event_attr *attr)
{
	if (attr->watermark || !attr->wakeup_events)
		return;
	if (++ring->nr_samples >= attr->wakeup_events) {
		ring->nr_samples = 0;
		ring->wakes = true;
	}
}

void perf_ring__publish(struct perf_ring *ring)
{
	__atomic_store_n((uint64_t *)&ring->page->data_head, ring->head, __ATOMIC_RELEASE);
}

bool perf_ring__take_wakeup(struct perf_ring *ring)
{
	bool wakes = ring->wakes;

	ring->wakes = false;
	return wakes;
}
