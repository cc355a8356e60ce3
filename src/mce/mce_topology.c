// SPDX-License-Identifier: GPL-2.0-only
#include "mce/mce_topology.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

void mce_topology__find_core(struct mce_registers *registers, const char *directory)
{
	char path[PATH_MAX];
	unsigned int core;
	FILE *file;
	int len;

	if (!mce_registers__has(registers, MCE_CPU))
		return;
	len = snprintf(path, sizeof(path), "%s/cpu%" PRIu64 "/topology/core_id", directory,
		       mce_registers__get(registers, MCE_CPU));
	if (len < 0 || (size_t)len >= sizeof(path))
		return;
	file = fopen(path, "re");
	if (!file)
		return;
	if (fscanf(file, "%u", &core) == 1)
		mce_registers__set(registers, MCE_CORE, core);
	fclose(file);
}
