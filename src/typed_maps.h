/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Maps that are made without a program but carry their types, so that bpftool shows them with
 * the names of their fields; they are described in bpf/typed_maps.bpf.c.
 */
#ifndef PERSIST_TYPED_MAPS_H
#define PERSIST_TYPED_MAPS_H

struct bpf_object;

struct typed_maps {
	struct bpf_object *object;
};

/* Loads the types. Returns 0 or -errno. */
int typed_maps__open(struct typed_maps *maps);
void typed_maps__close(struct typed_maps *maps);

/* Makes a map as the one of that name, "registry" or "meta". Its descriptor, or -errno. */
int typed_maps__create(const struct typed_maps *maps, const char *name);

#endif
