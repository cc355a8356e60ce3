/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a CPU of this machine is: what mce_record does not tell. */
#ifndef MCE_TOPOLOGY_H
#define MCE_TOPOLOGY_H

#include "mce/mce_registers.h"

/* Where the kernel describes its CPUs. */
#define MCE_CPU_DIRECTORY "/sys/devices/system/cpu"

/**
 * mce_topology__find_core() - the number of a CPU's core in its socket
 * @registers: with the CPU; gets MCE_CORE, unless the CPU is offline, or there is no sysfs
 * @directory: MCE_CPU_DIRECTORY
 *
 * Only for what this machine has recorded since it was booted: CPUs keep their numbers no longer.
 */
void mce_topology__find_core(struct mce_registers *registers, const char *directory);

#endif
