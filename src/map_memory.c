// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "map_memory.h"

#include <stdio.h>

uint64_t map_memory__of(int fd)
{
	unsigned long long bytes = 0;
	char path[64], line[128];
	FILE *info;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	info = fd >= 0 ? fopen(path, "re") : NULL;
	if (!info)
		return 0;
	while (fgets(line, sizeof(line), info))
		if (sscanf(line, "memlock: %llu", &bytes) == 1)
			break;
	fclose(info);
	return bytes;
}

uint64_t map_memory__of_event(const struct event_program *program, const struct buffers *buffers)
{
	uint64_t sum = map_memory__of(program->counters) + map_memory__of(program->meta) +
		       map_memory__of(program->control) + map_memory__of(program->heads) +
		       map_memory__of(program->tails) + map_memory__of(program->wakeup) +
		       map_memory__of(program->scratch) + map_memory__of(program->constants);

	for (uint32_t cpu = 0; cpu < buffers->nr_cpus; cpu++) {
		if (buffers->heads)
			sum += map_memory__of(buffers->heads[cpu]);
		if (buffers->tails)
			sum += map_memory__of(buffers->tails[cpu]);
	}
	return sum;
}
