/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
#ifndef PERSIST_TREE_INTERNAL_H
#define PERSIST_TREE_INTERNAL_H

#include <stdbool.h>

#include "attached_event.h"

struct persist_attached {
	struct persist_tree *tree; /* to which it will be detached */
	struct attached_event event;
	bool is_detached;
};

#endif
