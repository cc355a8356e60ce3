// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "typed_maps.h"

#include <errno.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "typed_maps.skel.h"

int typed_maps__open(struct typed_maps *maps)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "persist");
	struct bpf_map *map;
	const void *elf;
	size_t size;
	int err;

	elf = typed_maps_bpf__elf_bytes(&size);
	maps->object = bpf_object__open_mem(elf, size, &opts);
	if (!maps->object)
		return -errno;
	/* What is wanted of the object are its types; maps are made when they are needed. */
	bpf_object__for_each_map(map, maps->object) bpf_map__set_autocreate(map, false);
	err = bpf_object__load(maps->object);
	if (err)
		typed_maps__close(maps);
	return err;
}

void typed_maps__close(struct typed_maps *maps)
{
	bpf_object__close(maps->object);
	maps->object = NULL;
}

int typed_maps__create(const struct typed_maps *maps, const char *name)
{
	const struct bpf_map *like = bpf_object__find_map_by_name(maps->object, name);
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = bpf_map__map_flags(like),
		    .btf_fd = bpf_object__btf_fd(maps->object),
		    .btf_key_type_id = bpf_map__btf_key_type_id(like),
		    .btf_value_type_id = bpf_map__btf_value_type_id(like));
	int fd = bpf_map_create(bpf_map__type(like), name, bpf_map__key_size(like),
				bpf_map__value_size(like), bpf_map__max_entries(like), &opts);

	return fd < 0 ? -errno : fd;
}
