/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Memory that is given back all at once: a parsed format is hundreds of small nodes which
 * live and die together, and a parse that fails half-way has nothing to unwind.
 */
#ifndef PERSIST_ARENA_H
#define PERSIST_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks; /* newest first */
	size_t left;		    /* bytes left in the newest block */
};

/**
 * arena__alloc() - zeroed memory, aligned for any type.
 * @arena: starts as {0}
 * @size: bytes wanted
 *
 * Return: the memory, owned by the arena, or NULL when there is none.
 */
void *arena__alloc(struct arena *arena, size_t size);

/* A NUL-terminated copy of n bytes, owned by the arena; NULL when there is no memory. */
char *arena__copy_text(struct arena *arena, const char *text, size_t n);

void arena__free(struct arena *arena);

#endif /* PERSIST_ARENA_H */
