// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "typed_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "registry.skel.h"

int typed_map__create(const char *name)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "persist");
	struct bpf_object *object;
	const void *elf;
	struct bpf_map *map;
	size_t size;
	int err, fd;

	elf = registry_bpf__elf_bytes(&size);
	object = bpf_object__open_mem(elf, size, &opts);
	if (!object)
		return -errno;
	bpf_object__for_each_map(map, object)
		bpf_map__set_autocreate(map, !strcmp(bpf_map__name(map), name));
	err = bpf_object__load(object);
	fd = err;
	if (!err) {
		fd = bpf_object__find_map_fd_by_name(object, name);
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		if (fd < 0)
			fd = -errno;
	}
	bpf_object__close(object);
	return fd;
}
