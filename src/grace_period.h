/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
#ifndef PERSIST_GRACE_PERIOD_H
#define PERSIST_GRACE_PERIOD_H

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * After this, every program of a tracepoint that had begun before it is done. The command waits
 * for a grace period of RCU on every CPU.
 */
static inline void grace_period__wait(void)
{
	syscall(__NR_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

#endif
