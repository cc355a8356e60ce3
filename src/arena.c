// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE 4096

struct arena_block {
	struct arena_block *next;
	size_t size;
	alignas(max_align_t) unsigned char bytes[];
};

static int add_block(struct arena *arena, size_t size)
{
	struct arena_block *block;

	if (size < BLOCK_SIZE)
		size = BLOCK_SIZE;
	block = calloc(1, sizeof(*block) + size);
	if (!block)
		return -1;
	block->size = size;
	block->next = arena->blocks;
	arena->blocks = block;
	arena->left = size;
	return 0;
}

void *arena__alloc(struct arena *arena, size_t size)
{
	const size_t align = alignof(max_align_t);
	void *memory;

	if (size > (size_t)-1 / 2)
		return NULL;
	size = (size + align - 1) / align * align;
	if (arena->left < size && add_block(arena, size))
		return NULL;
	memory = arena->blocks->bytes + arena->blocks->size - arena->left;
	arena->left -= size;
	return memory;
}

char *arena__copy_text(struct arena *arena, const char *text, size_t n)
{
	char *copy = arena__alloc(arena, n + 1);

	if (copy)
		memcpy(copy, text, n);
	return copy;
}

void arena__free(struct arena *arena)
{
	struct arena_block *block = arena->blocks;

	while (block) {
		struct arena_block *next = block->next;

		free(block);
		block = next;
	}
	*arena = (struct arena){ 0 };
}
