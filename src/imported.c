// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "imported.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu_list.h"
#include "map_pin.h"
#include "pin_manager.h"

/* ---- what it says of itself --------------------------------------------------------------- */

static const struct persist_imported_cpu *cpu_at(const struct persist_imported *header,
						 uint32_t cpu)
{
	return (const void *)((const char *)header + header->header_size +
			      (size_t)cpu * header->cpu_size);
}

struct persist_imported_cpu imported__cpu(const struct persist_imported *header, uint32_t cpu)
{
	static const struct persist_imported_cpu none;

	return cpu < header->nr_cpus ? *cpu_at(header, cpu) : none;
}

struct persist_imported_cpu imported__sum(const struct persist_imported *header)
{
	struct persist_imported_cpu sum = { 0 };

	for (uint32_t cpu = 0; cpu < header->nr_cpus; cpu++) {
		const struct persist_imported_cpu one = imported__cpu(header, cpu);

		sum.bytes += one.bytes;
		sum.records += one.records;
		sum.overrun += one.overrun;
		sum.commit_overrun += one.commit_overrun;
		sum.dropped += one.dropped;
	}
	return sum;
}

static bool cpu_is_sound(const struct persist_imported_cpu *cpu, uint64_t begin, uint64_t size)
{
	return !cpu->bytes || (cpu->offset >= begin && cpu->offset % PERSIST_UNIT_SIZE == 0 &&
			       cpu->bytes % PERSIST_UNIT_SIZE == 0 && cpu->offset <= size &&
			       cpu->bytes <= size - cpu->offset);
}

bool imported__is_sound(const struct persist_imported *header, uint64_t size,
			const struct persist_meta *meta)
{
	uint64_t begin;

	if (size < sizeof(*header) || header->magic != PERSIST_IMPORTED_MAGIC ||
	    header->version != PERSIST_ABI_VERSION || header->header_size < sizeof(*header) ||
	    header->cpu_size < sizeof(struct persist_imported_cpu) ||
	    header->header_size % sizeof(uint64_t) || header->cpu_size % sizeof(uint64_t) ||
	    header->nr_cpus > CPU_LIST_MAX || header->event_id != meta->record_id)
		return false;
	begin = header->header_size + (uint64_t)header->nr_cpus * header->cpu_size;
	if (begin > size || !memchr(header->source, '\0', sizeof(header->source)) ||
	    !memchr(header->clock, '\0', sizeof(header->clock)))
		return false;
	for (uint32_t cpu = 0; cpu < header->nr_cpus; cpu++)
		if (!cpu_is_sound(cpu_at(header, cpu), begin, size))
			return false;
	return true;
}

/* ---- opening it --------------------------------------------------------------------------- */

/*
 * The flag keeps programs from writing, and being frozen user space; only the latter makes the
 * kernel refuse this mapping with EPERM.
 */
static bool can_be_written(int fd, const struct bpf_map_info *info)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	void *start;

	if (!(info->map_flags & BPF_F_RDONLY_PROG))
		return true;
	start = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (start == MAP_FAILED)
		return errno != EPERM;
	munmap(start, page_size);
	return true;
}

static int map_value(struct imported *imported, const struct log *log, const char *directory,
		     int fd, const struct bpf_map_info *info, const struct persist_meta *meta)
{
	void *start;
	int err;

	if (!(info->map_flags & BPF_F_MMAPABLE)) {
		log_error(log, "%s/%s: not mmapable; not ours", directory, PIN_IMPORTED);
		return -EBADMSG;
	}
	if (can_be_written(fd, info)) {
		log_error(log,
			  "%s/%s: not frozen, so that anybody may have written to it; not ours",
			  directory, PIN_IMPORTED);
		return -EBADMSG;
	}
	start = mmap(NULL, info->value_size, PROT_READ, MAP_SHARED, fd, 0);
	if (start == MAP_FAILED) {
		err = -errno;
		log_error(log, "%s/%s: cannot map %u bytes: %s", directory, PIN_IMPORTED,
			  info->value_size, strerror(-err));
		return err;
	}
	imported->header = start;
	imported->len = info->value_size;
	if (imported__is_sound(start, info->value_size, meta))
		return 0;
	log_error(log, "%s/%s: damaged, or written by a newer loader; `loader clear %s` removes it",
		  directory, PIN_IMPORTED, meta->name);
	imported__close(imported);
	return -EBADMSG;
}

int imported__open(struct imported *imported, const struct log *log, const char *directory, int fd,
		   const struct persist_meta *meta)
{
	struct bpf_map_info info;
	int err, pinned = -1;

	*imported = (struct imported){ 0 };
	if (fd < 0) {
		fd = pinned = map_pin__open(log, directory, PIN_IMPORTED, false, BPF_MAP_TYPE_ARRAY,
					    1, &info);
		if (fd == -EMEDIUMTYPE) /* not even a map */
			return -EBADMSG;
		if (fd < 0)
			return fd == -ENOENT ? 0 : fd;
		err = 0;
	} else {
		err = map_pin__check(log, directory, PIN_IMPORTED, fd, BPF_MAP_TYPE_ARRAY, 1,
				     &info);
	}
	if (!err)
		err = map_value(imported, log, directory, fd, &info, meta);
	if (pinned >= 0)
		close(pinned);
	return err;
}

void imported__close(struct imported *imported)
{
	if (imported->header)
		munmap((void *)imported->header, imported->len);
	*imported = (struct imported){ 0 };
}
