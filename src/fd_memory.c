// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "fd_memory.h"

#include <stdio.h>

uint64_t fd_memory__locked(int fd)
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
