/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The writing side of perf's ring buffer, as perf_event_open(2) describes it under "MMAP layout":
 * a control page and behind it the records, in a power of two of bytes.
 *
 * data_head is the writer's: it counts bytes and never wraps. Records become visible by a release
 * store to it, with which the reader's load of data_head pairs. data_tail is the reader's: bytes
 * up to it may be overwritten. The reader stores it after it has read them; our acquire load keeps
 * the new bytes from being written before that. One writer at a time.
 */
#ifndef PERF_RING_H
#define PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct perf_ring - a ring that this process writes
 * @page:        its control page
 * @data:        its records
 * @size:        bytes of @data
 * @head:        end of what was written; the reader sees it with perf_ring__publish()
 * @watermark:   bytes that wake the reader
 * @woken_head:  @head when the reader was woken last
 * @nr_samples:  samples since the reader was woken by their number
 * @wakes:       the reader is to be woken
 */
struct perf_ring {
	struct perf_event_mmap_page *page;
	char *data;
	uint64_t size;
	uint64_t head;
	uint64_t watermark;
	uint64_t woken_head;
	uint32_t nr_samples;
	bool wakes;
};

/**
 * perf_ring__init() - make an empty ring
 * @ring:      set
 * @map:       zeroed memory: the control page, and behind it the data
 * @size:      bytes of @map
 * @page_size: of this machine
 *
 * The watermark is half of the ring, as the kernel has it for events that do not say anything else.
 *
 * Return: 0, or -EINVAL if there is no room for data, or no power of two of it.
 */
int perf_ring__init(struct perf_ring *ring, void *map, size_t size, size_t page_size);

/* By what the reader wants to be woken: perf_event_attr.watermark and the member behind it. */
void perf_ring__set_watermark(struct perf_ring *ring, const struct perf_event_attr *attr);

/* Bytes that can be written now. The ring never gets quite full, as in the kernel. */
uint64_t perf_ring__room(const struct perf_ring *ring);

/* Writes @size bytes, whole records; there is room for them. */
void perf_ring__put(struct perf_ring *ring, const void *records, size_t size);

/*
 * Tells the ring that one of the records was a sample of an event with this attr.
 * perf_event_attr.wakeup_events counts the samples of all events of the ring together.
 */
void perf_ring__count_sample(struct perf_ring *ring, const struct perf_event_attr *attr);

/* Lets the reader see what was written. */
void perf_ring__publish(struct perf_ring *ring);

/* Whether the reader is to be woken; it is told once. */
bool perf_ring__take_wakeup(struct perf_ring *ring);

#endif
