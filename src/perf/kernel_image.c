// SPDX-License-Identifier: GPL-2.0-only
#include "perf/kernel_image.h"

#include <elf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf/perf_put.h"
#include "perf/perf_records.h"

/* SHA-1; perf has room for no longer one. */
#define BUILD_ID_MAX 20

/* Of the kernel, with the size of the build id (tools/lib/perf/include/perf/event.h). */
#define MISC_BUILD_ID (PERF_RECORD_MISC_KERNEL | 1 << 15)

/* As perf calls it; with the symbol at which it begins, by which perf notices another place. */
#define IMAGE_NAME "[kernel.kallsyms]"
#define MAP_NAME   IMAGE_NAME "_text"

/* ---- the build id ------------------------------------------------------------------------ */

/* The next note of @size bytes at @notes, or its descriptor if it is the build id; NULL: neither.
 */
static const unsigned char *find_build_id(const unsigned char *notes, size_t size, size_t *id_size)
{
	Elf64_Nhdr note; /* the same for 32 bits */

	while (size >= sizeof(note)) {
		size_t name, descriptor;

		memcpy(&note, notes, sizeof(note));
		name = (note.n_namesz + 3ul) & ~3ul;
		descriptor = (note.n_descsz + 3ul) & ~3ul;
		if (size - sizeof(note) < name || size - sizeof(note) - name < descriptor)
			break;
		notes += sizeof(note);
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp(notes, "GNU", sizeof("GNU"))) {
			*id_size = note.n_descsz;
			return notes + name;
		}
		notes += name + descriptor;
		size -= sizeof(note) + name + descriptor;
	}
	return NULL;
}

size_t kernel_image__put_build_id(void *to)
{
	/* struct perf_record_header_build_id: pid, build id, its size, name */
	struct {
		struct perf_event_header header;
		int32_t pid;
		unsigned char build_id[BUILD_ID_MAX];
		uint8_t size;
		uint8_t reserved[3];
		char name[28];
	} record = { .pid = -1, .name = IMAGE_NAME };
	FILE *file = fopen("/sys/kernel/notes", "re");
	unsigned char notes[4096];
	const unsigned char *id;
	size_t size = 0;

	if (!file)
		return 0;
	id = find_build_id(notes, fread(notes, 1, sizeof(notes), file), &size);
	fclose(file);
	if (!id || size > BUILD_ID_MAX)
		return 0;
	record.header = (struct perf_event_header){
		.type = PERF_RECORD_HEADER_BUILD_ID,
		.misc = MISC_BUILD_ID,
		.size = sizeof(record),
	};
	memcpy(record.build_id, id, size);
	record.size = (uint8_t)size;
	memcpy(to, &record, sizeof(record));
	return sizeof(record);
}

/* ---- its place --------------------------------------------------------------------------- */

static int find_code(uint64_t *start, uint64_t *end)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	unsigned long long address;
	char line[512], name[64];

	*start = *end = 0;
	while (symbols && !*end && fgets(line, sizeof(line), symbols)) {
		if (sscanf(line, "%llx %*c %63s", &address, name) != 2)
			continue;
		if (!strcmp(name, "_text"))
			*start = address;
		else if (!strcmp(name, "_etext"))
			*end = address;
	}
	if (symbols)
		fclose(symbols);
	/* Who may not see addresses is shown zeros. */
	return *start && *end > *start ? 0 : -1;
}

size_t kernel_image__put_map(size_t id_size, void *to)
{
	static const char name[(sizeof(MAP_NAME) + 7) / 8 * 8] = MAP_NAME;
	struct perf_event_header header = {
		.type = PERF_RECORD_MMAP,
		.misc = PERF_RECORD_MISC_KERNEL,
	};
	char *at = (char *)to + sizeof(header);
	uint64_t start, end;

	if (find_code(&start, &end))
		return 0;
	at = perf_put_pair(at, UINT32_MAX, 0); /* of all processes */
	at = perf_put_word(at, start);
	at = perf_put_word(at, end - start);
	at = perf_put_word(at, start);
	at = perf_put(at, name, sizeof(name));
	/* It is of no event, on no CPU, and has always been. */
	memset(at, 0, id_size);
	at += id_size;
	header.size = (uint16_t)(at - (char *)to);
	memcpy(to, &header, sizeof(header));
	return header.size;
}
