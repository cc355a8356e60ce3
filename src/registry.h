/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* <root>/registry: a hash map, id to what the event is, for bpftool and for people. */
#ifndef PERSIST_REGISTRY_H
#define PERSIST_REGISTRY_H

#include <stdint.h>

#include "persist_record.h"
#include "pin_manager.h"
#include "typed_maps.h"

/* Makes the registry of a tree that has none. 0 or -errno, with a message. */
int registry__create(struct pin_tree *tree, const struct typed_maps *maps);

/*
 * The id for an event that asks for @wanted: that, or if another event of the tree has it, the
 * first free one from PERSIST_FIRST_PRIVATE_ID up.
 */
int registry__choose_id(struct pin_tree *tree, uint32_t wanted, uint32_t *id);

/* 0, or -errno without a message. */
int registry__get(const struct pin_tree *tree, uint32_t id, struct persist_registry_entry *entry);

int registry__put(struct pin_tree *tree, uint32_t id, const struct persist_registry_entry *entry);
int registry__remove(struct pin_tree *tree, uint32_t id);

/* Removes the entries of events that are not there. */
int registry__drop_dead(struct pin_tree *tree);

/* What an entry says about an event. @locked_bytes is the memory of all its maps. */
void registry__describe(const struct persist_meta *meta, uint64_t locked_bytes,
			struct persist_registry_entry *entry);

#endif
