// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tries everything that would change a pinned map, and prints for each attempt one line:
 *
 *   map_attacker PIN...
 *
 *   PIN ATTEMPT RESULT
 *
 * where RESULT is "succeeded" or the name of the error. The exit status is 0 if nothing that
 * changes the map succeeded.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

static int nr_changes;

static void report(const char *pin, const char *attempt, int err, bool is_change)
{
	printf("%s %s %s\n", pin, attempt, err ? strerrorname_np(err) : "succeeded");
	if (!err && is_change)
		nr_changes++;
}

/* Maps @len bytes of the map at @offset as @prot says, and then tries to make that writable. */
static void try_mmap(const char *pin, const char *what, int fd, size_t offset, size_t len)
{
	char attempt[64];
	void *start;

	snprintf(attempt, sizeof(attempt), "mmap-writable-%s", what);
	start = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	report(pin, attempt, start == MAP_FAILED ? errno : 0, true);
	if (start != MAP_FAILED)
		munmap(start, len);

	snprintf(attempt, sizeof(attempt), "mmap-read-only-%s", what);
	start = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, offset);
	report(pin, attempt, start == MAP_FAILED ? errno : 0, false);
	if (start == MAP_FAILED)
		return;
	snprintf(attempt, sizeof(attempt), "mprotect-writable-%s", what);
	report(pin, attempt, mprotect(start, len, PROT_READ | PROT_WRITE) ? errno : 0, true);
	munmap(start, len);
}

static void try_mappings(const char *pin, int fd, const struct bpf_map_info *info)
{
	size_t page = sysconf(_SC_PAGESIZE);

	if (info->type == BPF_MAP_TYPE_RINGBUF || info->type == BPF_MAP_TYPE_USER_RINGBUF) {
		try_mmap(pin, "consumer", fd, 0, page);
		try_mmap(pin, "producer", fd, page, page);
		if (info->type == BPF_MAP_TYPE_RINGBUF)
			try_mmap(pin, "data", fd, 2 * page, 2 * info->max_entries);
	} else {
		try_mmap(pin, "values", fd, 0, page);
	}
}

static void try_syscalls(const char *pin, int fd, const struct bpf_map_info *info)
{
	size_t size = info->value_size + 8;
	/* Per-CPU values: more than enough for every CPU there can be. */
	char *value = calloc(4096, size), *key = calloc(1, info->key_size + 8);
	__u32 count = 1;

	if (!value || !key)
		exit(1);
	report(pin, "update", bpf_map_update_elem(fd, key, value, BPF_ANY) ? errno : 0, true);
	report(pin, "delete", bpf_map_delete_elem(fd, key) ? errno : 0, true);
	report(pin, "lookup-and-delete", bpf_map_lookup_and_delete_elem(fd, key, value) ? errno : 0,
	       true);
	report(pin, "update-batch", bpf_map_update_batch(fd, key, value, &count, NULL) ? errno : 0,
	       true);
	free(value);
	free(key);
}

static void attack(const char *pin)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	LIBBPF_OPTS(bpf_obj_get_opts, read_only, .file_flags = BPF_F_RDONLY);
	LIBBPF_OPTS(bpf_obj_get_opts, write_only, .file_flags = BPF_F_WRONLY);
	int fd = bpf_obj_get_opts(pin, &write_only);

	/* Opening is no change, but where it fails, nothing that follows can be one. */
	report(pin, "open-write-only", fd < 0 ? errno : 0, false);
	if (fd >= 0)
		close(fd);
	fd = bpf_obj_get(pin);
	report(pin, "open-read-write", fd < 0 ? errno : 0, false);
	if (fd < 0) {
		fd = bpf_obj_get_opts(pin, &read_only);
		report(pin, "open-read-only", fd < 0 ? errno : 0, false);
	}
	if (fd < 0)
		return;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len)) {
		try_mappings(pin, fd, &info);
		try_syscalls(pin, fd, &info);
	}
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: map_attacker PIN...\n");
		return 2;
	}
	for (int i = 1; i < argc; i++)
		attack(argv[i]);
	return nr_changes ? 1 : 0;
}
