// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "buffers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "capabilities.h"
#include "fd_memory.h"

/* include/uapi/linux/bpf.h of Linux 6.19; the build machine's headers may be older. */
#define RB_OVERWRITE (1u << 19)

bool buffers__kernel_has_overwrite(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = RB_OVERWRITE);
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "probe", 0, 0, sysconf(_SC_PAGESIZE), &opts);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int create_ringbuf(const char *name, uint64_t bytes, uint32_t flags)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = flags);
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, name, 0, 0, bytes, &opts);

	return fd < 0 ? -errno : fd;
}

static uint64_t array_ring_spill_units(uint32_t payload_max)
{
	/* A record that starts in the ring's last unit has all but one of its units behind it. */
	return (sizeof(struct persist_record) + payload_max - 1) / PERSIST_UNIT_SIZE;
}

/* Says in the ring what it is, through a mapping that is gone before the map is frozen. */
static int describe_array_ring(int fd, uint64_t bytes, uint64_t spill_units)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct persist_array_ring *ring;

	ring = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		return -errno;
	ring->magic = PERSIST_ARRAY_RING_MAGIC;
	ring->version = PERSIST_ABI_VERSION;
	ring->unit_size = PERSIST_UNIT_SIZE;
	ring->nr_units = bytes / PERSIST_UNIT_SIZE;
	ring->spill_units = spill_units;
	munmap(ring, page);
	return 0;
}

static int create_array_ring(const char *name, uint64_t bytes, uint32_t payload_max)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	uint64_t spill_units = array_ring_spill_units(payload_max);
	int err, fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, name, sizeof(uint32_t),
				     PERSIST_ARRAY_RING_HEADER + bytes +
					     spill_units * PERSIST_UNIT_SIZE,
				     1, &opts);

	if (fd < 0)
		return -errno;
	err = describe_array_ring(fd, bytes, spill_units);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

static int create_tail(const struct buffer_sizes *sizes)
{
	if (sizes->tail_type == PERSIST_TAIL_ARRAY)
		return create_array_ring("persist_tail", sizes->tail_bytes, sizes->payload_max);
	return create_ringbuf("persist_tail", sizes->tail_bytes, RB_OVERWRITE);
}

static int freeze(int fd)
{
	int err;

	if (fd < 0 || !bpf_map_freeze(fd))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static int *new_descriptors(uint32_t nr)
{
	int *fds = malloc(nr * sizeof(*fds));

	if (fds)
		memset(fds, -1, nr * sizeof(*fds));
	return fds;
}

int buffers__create(struct buffers *buffers, const struct log *log, const char *name,
		    const struct buffer_sizes *sizes)
{
	uint32_t cpu = 0;
	int err = -ENOMEM;

	*buffers = (struct buffers){ .nr_cpus = sizes->nr_cpus };
	if (sizes->head_bytes) {
		buffers->heads = new_descriptors(sizes->nr_cpus);
		if (!buffers->heads)
			goto failed;
	}
	if (sizes->tail_bytes) {
		buffers->tails = new_descriptors(sizes->nr_cpus);
		if (!buffers->tails)
			goto failed;
	}
	for (cpu = 0; cpu < sizes->nr_cpus; cpu++) {
		if (buffers->heads) {
			err = freeze(create_ringbuf("persist_head", sizes->head_bytes, 0));
			if (err < 0)
				goto failed;
			buffers->heads[cpu] = err;
		}
		if (buffers->tails) {
			err = freeze(create_tail(sizes));
			if (err < 0)
				goto failed;
			buffers->tails[cpu] = err;
		}
	}
	return 0;
failed:
	log_error(log,
		  "event %s: cannot create the rings of CPU %u (head %llu, tail %llu bytes): "
		  "%s%s",
		  name, cpu, (unsigned long long)sizes->head_bytes,
		  (unsigned long long)sizes->tail_bytes, strerror(-err),
		  err == -ENOMEM ? "; ask for smaller ones with head= and tail="
				 : capabilities__explain(err));
	buffers__close(buffers);
	return err;
}

uint64_t buffers__locked_bytes(const struct buffers *buffers)
{
	uint64_t sum = 0;

	for (uint32_t cpu = 0; cpu < buffers->nr_cpus; cpu++) {
		if (buffers->heads)
			sum += fd_memory__locked(buffers->heads[cpu]);
		if (buffers->tails)
			sum += fd_memory__locked(buffers->tails[cpu]);
	}
	return sum;
}

static void close_all(int *fds, uint32_t nr)
{
	for (uint32_t i = 0; fds && i < nr; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(fds);
}

void buffers__close(struct buffers *buffers)
{
	close_all(buffers->heads, buffers->nr_cpus);
	close_all(buffers->tails, buffers->nr_cpus);
	*buffers = (struct buffers){};
}
