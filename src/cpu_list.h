/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* Lists of CPUs as the kernel and perf write them: "0-3,8", and for a user also "all". */
#ifndef PERSIST_CPU_LIST_H
#define PERSIST_CPU_LIST_H

#include <stdbool.h>
#include <stdint.h>

/* The largest NR_CPUS that a kernel can be configured with (x86, MAXSMP). */
#define CPU_LIST_MAX 8192

struct cpu_list {
	uint64_t bits[CPU_LIST_MAX / 64];
};

/* Returns 0, or -EINVAL for what is no list, -ERANGE for a CPU of CPU_LIST_MAX or more. */
int cpu_list__parse(struct cpu_list *list, const char *text);

/* The CPUs that this machine can have. Returns 0 or -errno (no sysfs). */
int cpu_list__read_possible(struct cpu_list *list);

/* The first @nr CPUs. */
void cpu_list__set_first(struct cpu_list *list, uint32_t nr);

static inline bool cpu_list__has(const struct cpu_list *list, uint32_t cpu)
{
	return cpu < CPU_LIST_MAX && list->bits[cpu / 64] >> (cpu % 64) & 1;
}

#endif
