// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "persist_bpf.h"

const char *persist_loss_reason__name(enum persist_loss_reason reason)
{
	static const char *const names[] = {
		[PERSIST_LOSS_UNKNOWN] = "unknown",	[PERSIST_LOSS_OVERWRITTEN] = "overwritten",
		[PERSIST_LOSS_RING_FULL] = "ring_full", [PERSIST_LOSS_RING_BUSY] = "ring_busy",
		[PERSIST_LOSS_NESTED] = "nested",	[PERSIST_LOSS_TOO_BIG] = "too_big",
		[PERSIST_LOSS_NO_BUFFER] = "no_buffer", [PERSIST_LOSS_CLEARED] = "cleared",
	};

	if ((unsigned int)reason >= sizeof(names) / sizeof(names[0]))
		return names[PERSIST_LOSS_UNKNOWN];
	return names[reason];
}
