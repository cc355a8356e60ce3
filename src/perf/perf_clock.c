// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "perf/perf_clock.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "time_spec.h"

/* Of so many readings the one that took the least time is taken. */
#define NR_READINGS 16

/* Data of the ring; each sample is 16 bytes. */
#define RING_PAGES 1

/* How far an adjustment may set the clock back; it is held until time has caught up. */
#define MAX_HELD_NSEC (100 * NSEC_PER_USEC)

static uint64_t read_clock(clockid_t id)
{
	struct timespec time;

	clock_gettime(id, &time);
	return (uint64_t)time.tv_sec * NSEC_PER_SEC + (uint64_t)time.tv_nsec;
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* ---- local_clock() ----------------------------------------------------------------------- */

static int open_fault_event(struct perf_clock *clock)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	void *map;

	clock->fault_fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (clock->fault_fd < 0)
		return -errno;
	map = mmap(NULL, (1 + RING_PAGES) * page_size(), PROT_READ | PROT_WRITE, MAP_SHARED,
		   clock->fault_fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	clock->fault_ring = map;
	map = mmap(NULL, NR_READINGS * page_size(), PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return -errno;
	clock->fault_pages = map;
	/* One fault a page. */
	madvise(map, NR_READINGS * page_size(), MADV_NOHUGEPAGE);
	return 0;
}

/* The time of the newest sample, 0 if there is none. */
static uint64_t take_fault_time(struct perf_clock *clock)
{
	struct perf_event_mmap_page *page = clock->fault_ring;
	uint64_t head = __atomic_load_n((uint64_t *)&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail, time = 0;

	/* The time is the last word of a sample. Its size divides that of the ring. */
	if (head != tail)
		memcpy(&time,
		       (char *)clock->fault_ring + page_size() +
			       (head - sizeof(time)) % (RING_PAGES * page_size()),
		       sizeof(time));
	__atomic_store_n((uint64_t *)&page->data_tail, head, __ATOMIC_RELEASE);
	return time;
}

static void fault(struct perf_clock *clock, int reading)
{
	volatile char *touched = clock->fault_pages + (size_t)reading * page_size();

	*touched = 1;
}

/* ---- pairs of times ---------------------------------------------------------------------- */

/* Reads both clocks; returns by how much the pair may be wrong, UINT64_MAX if there is none. */
static uint64_t read_pair(struct perf_clock *clock, int reading, uint64_t *boot, uint64_t *perf)
{
	uint64_t begin, end;

	begin = boottime_now();
	if (clock->kind == PERF_CLOCK_LOCAL) {
		fault(clock, reading);
		end = boottime_now();
		*perf = take_fault_time(clock);
	} else {
		*perf = read_clock(clock->id);
		end = boottime_now();
	}
	*boot = begin + (end - begin) / 2;
	return *perf ? end - begin : UINT64_MAX;
}

/* How much faster a clock runs that NTP does not touch. */
static double raw_rate(void)
{
	double mono = (double)read_clock(CLOCK_MONOTONIC);

	return ((double)read_clock(CLOCK_MONOTONIC_RAW) - mono) / mono;
}

void perf_clock__adjust(struct perf_clock *clock)
{
	uint64_t best = UINT64_MAX;

	if (clock->kind == PERF_CLOCK_BOOTTIME)
		return;
	if (clock->kind == PERF_CLOCK_LOCAL) {
		/* Take the pages away again, and count only faults on them. */
		madvise(clock->fault_pages, NR_READINGS * page_size(), MADV_DONTNEED);
		ioctl(clock->fault_fd, PERF_EVENT_IOC_ENABLE, 0);
		take_fault_time(clock);
	}
	for (int i = 0; i < NR_READINGS; i++) {
		uint64_t boot, perf, took = read_pair(clock, i, &boot, &perf);

		if (took >= best)
			continue;
		best = took;
		clock->boot_ns = boot;
		clock->perf_ns = perf;
	}
	if (clock->kind == PERF_CLOCK_LOCAL) {
		ioctl(clock->fault_fd, PERF_EVENT_IOC_DISABLE, 0);
		/* Not one sample came: leave times as they are, if there was never any. */
		if (best == UINT64_MAX && !clock->perf_ns)
			clock->kind = PERF_CLOCK_BOOTTIME;
	}
	clock->rate = clock->kind == PERF_CLOCK_LOCAL || clock->id == CLOCK_MONOTONIC_RAW
			      ? raw_rate()
			      : 0;
}

int perf_clock__init(struct perf_clock *clock, const struct perf_event_attr *attr)
{
	int err = 0;

	*clock = (struct perf_clock){ .kind = PERF_CLOCK_LOCAL, .fault_fd = -1 };
	if (attr->use_clockid) {
		clock->kind = attr->clockid == CLOCK_BOOTTIME ? PERF_CLOCK_BOOTTIME : PERF_CLOCK_ID;
		clock->id = attr->clockid;
	} else {
		err = open_fault_event(clock);
		if (err)
			clock->kind = PERF_CLOCK_BOOTTIME;
	}
	perf_clock__adjust(clock);
	return err;
}

void perf_clock__destroy(struct perf_clock *clock)
{
	if (clock->fault_pages)
		munmap(clock->fault_pages, NR_READINGS * page_size());
	if (clock->fault_ring)
		munmap(clock->fault_ring, (1 + RING_PAGES) * page_size());
	if (clock->fault_fd >= 0)
		close(clock->fault_fd);
	*clock = (struct perf_clock){ .fault_fd = -1 };
}

uint64_t perf_clock__convert(struct perf_clock *clock, uint64_t boot_ns)
{
	int64_t since = (int64_t)(boot_ns - clock->boot_ns);
	int64_t time;

	if (clock->kind == PERF_CLOCK_BOOTTIME)
		return boot_ns;
	time = (int64_t)clock->perf_ns + since + (int64_t)((double)since * clock->rate);
	/* local_clock() may stand still while the machine sleeps: that is before its beginning. */
	if (time < 1)
		time = 1;
	if ((uint64_t)time < clock->last_perf_ns &&
	    clock->last_perf_ns - (uint64_t)time < MAX_HELD_NSEC)
		return clock->last_perf_ns;
	clock->last_perf_ns = (uint64_t)time;
	return clock->last_perf_ns;
}
