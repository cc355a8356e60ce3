// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "ring_slots.h"

#include <errno.h>
#include <stdlib.h>

#include <bpf/bpf.h>

static uint32_t first_slot(uint32_t nr_cpus, uint32_t generation)
{
	return (generation & 1) * nr_cpus;
}

int ring_slots__create(const char *name, int inner, uint32_t nr_cpus)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .inner_map_fd = inner);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, name, sizeof(uint32_t),
				sizeof(uint32_t), 2 * nr_cpus, &opts);

	return fd < 0 ? -errno : fd;
}

static void *fill(void *context)
{
	struct slot_filling *filling = context;
	uint32_t nr = filling->nr_cpus;
	uint32_t *slots = malloc(nr * sizeof(*slots));

	if (!slots) {
		filling->err = -ENOMEM;
		return NULL;
	}
	for (uint32_t cpu = 0; cpu < nr; cpu++)
		slots[cpu] = first_slot(nr, filling->generation) + cpu;
	if (bpf_map_update_batch(filling->map, slots, filling->rings, &nr, NULL))
		filling->err = -errno;
	free(slots);
	return NULL;
}

static void begin(struct slot_filling *filling, int map, const int *rings, uint32_t nr_cpus,
		  uint32_t generation)
{
	*filling = (struct slot_filling){
		.map = map,
		.rings = rings,
		.nr_cpus = nr_cpus,
		.generation = generation,
	};
	if (rings)
		filling->has_thread = !pthread_create(&filling->thread, NULL, fill, filling);
}

static void end(struct slot_filling *filling)
{
	if (filling->has_thread)
		pthread_join(filling->thread, NULL);
	else if (filling->rings)
		fill(filling); /* no thread could be had */
	filling->rings = NULL;
	filling->has_thread = false;
}

void ring_slots__begin_filling(struct slots_filling *filling, int heads, int tails,
			       const struct buffers *buffers, uint32_t generation)
{
	begin(&filling->heads, heads, buffers->heads, buffers->nr_cpus, generation);
	begin(&filling->tails, tails, buffers->tails, buffers->nr_cpus, generation);
}

int ring_slots__end_filling(struct slots_filling *filling)
{
	end(&filling->heads);
	end(&filling->tails);
	return filling->heads.err ? filling->heads.err : filling->tails.err;
}

static int drop(int map, uint32_t nr_cpus, uint32_t generation)
{
	uint32_t slot = first_slot(nr_cpus, generation);

	for (uint32_t cpu = 0; map >= 0 && cpu < nr_cpus; cpu++, slot++)
		if (bpf_map_delete_elem(map, &slot) && errno != ENOENT)
			return -errno;
	return 0;
}

int ring_slots__drop(int heads, int tails, uint32_t nr_cpus, uint32_t generation)
{
	int err = drop(heads, nr_cpus, generation);

	return err ? err : drop(tails, nr_cpus, generation);
}
