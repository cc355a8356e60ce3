// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "perf/perf_relay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* What perf reads there beside the positions: how to convert times. Counters are read(2). */
static void copy_control_page(struct perf_relay *relay)
{
	struct perf_event_mmap_page *page = relay->ring.page;
	const struct perf_event_mmap_page *kernel = relay->kernel;

	memcpy(page, kernel, offsetof(struct perf_event_mmap_page, data_head));
	page->index = 0;
	page->cap_user_rdpmc = 0;
}

/* @kernel, of this size or NULL, becomes the relay's if this succeeds. */
static int make_relay(void *view, size_t size, void *kernel, struct perf_relay **result)
{
	struct perf_relay *relay = calloc(1, sizeof(*relay));
	int err;

	if (!relay)
		return -ENOMEM;
	err = perf_ring__init(&relay->ring, view, size, page_size());
	if (err) {
		free(relay);
		return err;
	}
	relay->view = view;
	relay->size = size;
	relay->kernel = kernel;
	if (kernel)
		copy_control_page(relay);
	*result = relay;
	return 0;
}

int perf_relay__new(int fd, size_t size, struct perf_relay **relay)
{
	void *view, *kernel = NULL;
	int err;

	view = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (view == MAP_FAILED)
		return -errno;
	if (fd >= 0) {
		kernel = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (kernel == MAP_FAILED) {
			err = -errno;
			munmap(view, size);
			return err;
		}
	}
	err = make_relay(view, size, kernel, relay);
	if (err) {
		munmap(view, size);
		if (kernel)
			munmap(kernel, size);
	}
	return err;
}

int perf_relay__take_over(void *view, size_t size, struct perf_relay **relay)
{
	void *place, *kernel;
	int err;

	/* A place for the kernel's ring, which goes there as it is: no event loses its output. */
	place = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (place == MAP_FAILED)
		return -errno;
	kernel = mremap(view, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, place);
	if (kernel == MAP_FAILED) {
		err = -errno;
		munmap(place, size);
		return err;
	}
	if (mmap(view, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED) {
		err = -errno;
		mremap(kernel, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, view);
		return err;
	}
	err = make_relay(view, size, kernel, relay);
	if (err)
		mremap(kernel, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, view);
	return err;
}

/* The longest record that a header can tell of. */
#define RECORD_MAX 65536

struct wanted {
	bool (*is_wanted)(void *context, const struct perf_event_header *record);
	void *context;
};

static bool wants(const struct perf_relay *relay, const struct wanted *wanted, const char *data,
		  uint64_t at)
{
	uint64_t offset = at & (relay->ring.size - 1), first = relay->ring.size - offset;
	/* Records are multiples of 8 bytes: a header does not wrap around. */
	const struct perf_event_header *header = (const void *)(data + offset);
	char whole[RECORD_MAX];

	if (!wanted->is_wanted)
		return true;
	if (header->size <= first)
		return wanted->is_wanted(wanted->context, header);
	memcpy(whole, header, first);
	memcpy(whole + first, data, header->size - first);
	return wanted->is_wanted(wanted->context, (const struct perf_event_header *)whole);
}

/* Bytes of whole records between two positions of the kernel's ring for which there is room. */
static uint64_t whole_records(const struct perf_relay *relay, const struct wanted *wanted,
			      const char *data, uint64_t from, uint64_t to)
{
	uint64_t at = from, room = perf_ring__room(&relay->ring);

	while (at < to) {
		const struct perf_event_header *header =
			(const void *)(data + (at & (relay->ring.size - 1)));

		if (!header->size || at + header->size - from > room ||
		    !wants(relay, wanted, data, at))
			break;
		at += header->size;
	}
	return at - from;
}

bool perf_relay__is_pressing(const struct perf_relay *relay)
{
	const struct perf_event_mmap_page *kernel = relay->kernel;

	return kernel && __atomic_load_n((const uint64_t *)&kernel->data_head, __ATOMIC_ACQUIRE) -
					 kernel->data_tail >
				 relay->ring.size / 2;
}

void perf_relay__copy(struct perf_relay *relay,
		      bool (*is_wanted)(void *context, const struct perf_event_header *record),
		      void *context)
{
	const struct wanted wanted = { is_wanted, context };
	struct perf_event_mmap_page *kernel = relay->kernel;
	uint64_t head, tail, size, offset, first;
	const char *data;

	if (!kernel)
		return;
	data = (const char *)kernel + page_size();
	head = __atomic_load_n((uint64_t *)&kernel->data_head, __ATOMIC_ACQUIRE);
	tail = kernel->data_tail;
	if (head == tail)
		return;
	size = whole_records(relay, &wanted, data, tail, head);
	offset = tail & (relay->ring.size - 1);
	first = relay->ring.size - offset < size ? relay->ring.size - offset : size;
	perf_ring__put(&relay->ring, data + offset, first);
	perf_ring__put(&relay->ring, data, size - first);
	__atomic_store_n((uint64_t *)&kernel->data_tail, tail + size, __ATOMIC_RELEASE);
}

void perf_relay__free(struct perf_relay *relay)
{
	if (!relay)
		return;
	munmap(relay->view, relay->size);
	if (relay->kernel)
		munmap(relay->kernel, relay->size);
	free(relay);
}
