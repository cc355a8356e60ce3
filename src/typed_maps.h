/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* Maps of bpf/registry.bpf.c, which have their types with them. */
#ifndef PERSIST_TYPED_MAPS_H
#define PERSIST_TYPED_MAPS_H

/* Makes the map of that name ("registry" or "meta"). Returns its descriptor or -errno. */
int typed_map__create(const char *name);

#endif
