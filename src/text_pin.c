// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "text_pin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "bpffs.h"
#include "persist_record.h"

/* The kernel's buffer behind such a file has 32 KiB; whatever is longer is not ours. */
#define TEXT_MAX (64 << 10)

static ssize_t read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t got = 0;

	if (fd < 0)
		return -errno;
	while (len < size) {
		got = read(fd, text + len, size - len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		len += (size_t)got;
	}
	if (got < 0)
		got = -errno;
	close(fd);
	if (got < 0)
		return got;
	return len == size ? -EFBIG : (ssize_t)len;
}

static ssize_t read_chunks(int fd, uint32_t nr_chunks, char *text, size_t size)
{
	struct persist_text_chunk chunk;
	size_t len = 0;

	for (uint32_t i = 0; i < nr_chunks; i++) {
		if (bpf_map_lookup_elem(fd, &i, &chunk))
			return -errno;
		if (chunk.len > sizeof(chunk.text) || chunk.len > size - len)
			return -EBADMSG;
		memcpy(text + len, chunk.text, chunk.len);
		len += chunk.len;
	}
	return (ssize_t)len;
}

static ssize_t read_map(const char *path, char *text, size_t size)
{
	struct bpf_map_info info = {};
	uint32_t info_len = sizeof(info);
	int fd = bpffs__open_map(path, true);
	ssize_t len;

	if (fd < 0)
		return fd;
	if (bpf_obj_get_info_by_fd(fd, &info, &info_len))
		len = -errno;
	else if (info.type != BPF_MAP_TYPE_ARRAY ||
		 info.value_size != sizeof(struct persist_text_chunk))
		len = -EBADMSG;
	else
		len = read_chunks(fd, info.max_entries, text, size);
	close(fd);
	return len;
}

int text_pin__read(const char *path, char **text, size_t *len)
{
	char *buffer = malloc(TEXT_MAX + 1);
	ssize_t got;

	*text = NULL;
	if (!buffer)
		return -ENOMEM;
	got = read_file(path, buffer, TEXT_MAX);
	/* That there is no descriptor left does not say that it is a map. */
	if (got < 0 && got != -ENOENT && got != -EMFILE && got != -ENFILE)
		got = read_map(path, buffer, TEXT_MAX);
	if (got < 0) {
		free(buffer);
		return (int)got;
	}
	buffer[got] = '\0';
	*text = buffer;
	if (len)
		*len = (size_t)got;
	return 0;
}
