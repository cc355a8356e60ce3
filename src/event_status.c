// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "event_status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "cpu_list.h"
#include "fd_memory.h"
#include "imported.h"
#include "registry.h"

uint64_t persist_counters__lost(const struct persist_counters *counters)
{
	return counters->lost_ring_full + counters->lost_ring_busy + counters->lost_nested +
	       counters->lost_too_big + counters->lost_no_buffer;
}

void persist_counters__add(struct persist_counters *sum, const struct persist_counters *counters)
{
	sum->seen += counters->seen;
	sum->recorded += counters->recorded;
	sum->lost_ring_full += counters->lost_ring_full;
	sum->lost_ring_busy += counters->lost_ring_busy;
	sum->lost_nested += counters->lost_nested;
	sum->lost_too_big += counters->lost_too_big;
	sum->lost_no_buffer += counters->lost_no_buffer;
}

/* The kernel gives one value for each possible CPU, without gaps: they are put at their CPUs. */
static int spread_counters(const struct persist_counters *values, struct persist_status *status,
			   struct persist_counters *cpus)
{
	struct cpu_list possible;
	int err = cpu_list__read_possible(&possible);

	for (uint32_t cpu = 0; !err && cpu < status->nr_cpus; cpu++)
		if (cpu_list__has(&possible, cpu)) {
			cpus[cpu] = *values++;
			persist_counters__add(&status->sum, &cpus[cpu]);
		}
	return err;
}

static int look_up_counters(int fd, struct persist_status *status)
{
	struct persist_counters *values, *cpus;
	struct bpf_map_info info = {};
	uint32_t zero = 0, len = sizeof(info);
	int err, nr = libbpf_num_possible_cpus();

	if (nr < 0)
		return nr;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	if (info.type != BPF_MAP_TYPE_PERCPU_ARRAY || info.value_size != sizeof(*values))
		return -EINVAL;
	values = calloc(nr, sizeof(*values));
	status->cpus = cpus = calloc(status->meta.nr_cpus, sizeof(*cpus));
	status->nr_cpus = status->meta.nr_cpus;
	if (!values || !cpus)
		err = -ENOMEM;
	else if (bpf_map_lookup_elem(fd, &zero, values))
		err = -errno;
	else
		err = spread_counters(values, status, cpus);
	free(values);
	return err;
}

static int read_counters(const struct pin_tree *tree, const char *name,
			 struct persist_status *status)
{
	int err, fd = pin_tree__open_map(tree, name, PIN_COUNTERS, true);

	if (fd < 0)
		return fd;
	err = look_up_counters(fd, status);
	close(fd);
	return err;
}

static void add_map(const struct pin_tree *tree, const char *name, const char *pin, uint64_t *sum)
{
	int fd = pin_tree__open_map(tree, name, pin, true);

	if (fd < 0)
		return;
	*sum += fd_memory__locked(fd);
	close(fd);
}

/* What lies beyond the rings has no pins of its own throughout: the loader summed it up. */
static void read_memory(const struct pin_tree *tree, const char *name,
			struct persist_status *status)
{
	struct persist_registry_entry entry;
	uint64_t imported = 0;
	char pin[32];

	for (uint32_t cpu = 0; cpu < status->meta.nr_cpus; cpu++) {
		snprintf(pin, sizeof(pin), PIN_HEAD_DIR "/cpu%u", cpu);
		add_map(tree, name, pin, &status->ring_bytes);
		snprintf(pin, sizeof(pin), PIN_TAIL_DIR "/cpu%u", cpu);
		add_map(tree, name, pin, &status->ring_bytes);
	}
	/* The registry does not know of what was imported: that can come and go. */
	add_map(tree, name, PIN_IMPORTED, &imported);
	status->locked_bytes = status->ring_bytes;
	if (!registry__get(tree, status->meta.event_id, &entry))
		status->locked_bytes = entry.locked_bytes;
	status->ring_bytes += imported;
	status->locked_bytes += imported;
}

int event_status__missed(const char *path, uint64_t *missed)
{
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);
	int err = 0, fd = bpf_obj_get(path);

	if (fd < 0)
		return -errno;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		err = -errno;
	else
		*missed = info.recursion_misses;
	close(fd);
	return err;
}

static void read_missed(const struct pin_tree *tree, const char *name,
			struct persist_status *status)
{
	char path[PATH_MAX];

	if (pin_tree__path(tree, path, "%s/%s", name, PIN_PROGRAM))
		event_status__missed(path, &status->missed);
}

/* What its header says, with that of the CPUs; the records are for readers. */
static struct persist_imported *copy_header(const struct persist_imported *header)
{
	struct persist_imported *copy =
		calloc(1, sizeof(*copy) + header->nr_cpus * sizeof(copy->cpus[0]));

	if (!copy)
		return NULL;
	*copy = *header;
	copy->header_size = sizeof(*copy);
	copy->cpu_size = sizeof(copy->cpus[0]);
	for (uint32_t cpu = 0; cpu < header->nr_cpus; cpu++)
		copy->cpus[cpu] = imported__cpu(header, cpu);
	return copy;
}

static int read_imported(const struct pin_tree *tree, const char *name,
			 struct persist_status *status)
{
	struct imported imported;
	char directory[PATH_MAX];

	if (!pin_tree__path(tree, directory, "%s", name))
		return -ENAMETOOLONG;
	/* A damaged one is as good as none. */
	if (imported__open(&imported, tree->log, directory, -1, &status->meta) || !imported.header)
		return 0;
	status->imported = copy_header(imported.header);
	imported__close(&imported);
	return status->imported ? 0 : -ENOMEM;
}

int event_status__read(const struct pin_tree *tree, const char *name, struct persist_status *status)
{
	int err;

	err = pin_tree__read_meta(tree, name, &status->meta);
	if (!err)
		err = read_counters(tree, name, status);
	if (err)
		return err;
	read_memory(tree, name, status);
	read_missed(tree, name, status);
	return read_imported(tree, name, status);
}

void persist_status__free(struct persist_status *status)
{
	if (!status)
		return;
	free((void *)status->cpus);
	free((void *)status->imported);
	free(status);
}
