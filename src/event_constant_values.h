/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* The constants of bpf/event_constants.h as the loader fills them in. */
#ifndef PERSIST_EVENT_CONSTANT_VALUES_H
#define PERSIST_EVENT_CONSTANT_VALUES_H

#include <stdint.h>

#include "event_constants.h"

struct event_constants {
#define X(name) uint64_t name;
	EVENT_CONSTANTS(X)
#undef X
};

#endif
