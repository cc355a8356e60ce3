// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes pins that look like ours and are not right:
 *
 *   forge meta FROM TO FIELD=VALUE...      metadata with other values in some fields
 *   forge array FROM TO OFFSET=VALUE...    an array ring with other 64-bit words
 *   forge ring FROM TO FIELD=VALUE...      a ringbuf with three copies of FROM's first record,
 *                                          the second of them with other values in some fields
 *
 * A field is one of struct persist_meta or struct persist_record, or the offset of a 64-bit word,
 * which may be one of a record's payload; bytes=N makes an array or a ring of another size than
 * FROM's.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "persist_record.h"

struct field {
	const char *name;
	size_t offset, size;
};

#define FIELD(type, member)                                                                \
	{                                                                                  \
#member, offsetof(struct type, member), sizeof(((struct type *)0)->member) \
	}

static const struct field meta_fields[] = {
	FIELD(persist_meta, magic),
	FIELD(persist_meta, version),
	FIELD(persist_meta, size),
	FIELD(persist_meta, event_id),
	FIELD(persist_meta, record_id),
	FIELD(persist_meta, keep),
	FIELD(persist_meta, tail_type),
	FIELD(persist_meta, nr_cpus),
	FIELD(persist_meta, head_bytes),
	FIELD(persist_meta, tail_bytes),
	FIELD(persist_meta, generation),
	FIELD(persist_meta, payload_max),
	{},
};

static const struct field record_fields[] = {
	FIELD(persist_record, magic),
	FIELD(persist_record, version),
	FIELD(persist_record, header_size),
	FIELD(persist_record, flags),
	FIELD(persist_record, size),
	FIELD(persist_record, event_id),
	FIELD(persist_record, seq),
	FIELD(persist_record, cpu),
	{},
};

static void die(const char *what)
{
	fprintf(stderr, "forge: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int open_pin(const char *pin, struct bpf_map_info *info)
{
	__u32 len = sizeof(*info);
	int fd = bpf_obj_get(pin);

	memset(info, 0, len);
	if (fd < 0 || bpf_obj_get_info_by_fd(fd, info, &len))
		die(pin);
	return fd;
}

static unsigned long long number_of(const char *assignment)
{
	return strtoull(strchr(assignment, '=') + 1, NULL, 0);
}

/* Values are stored as this machine does; a field of fewer than 8 bytes gets the lower ones. */
static void assign(void *where, size_t size, unsigned long long value)
{
	__u8 u8 = value;
	__u16 u16 = value;
	__u32 u32 = value;

	memcpy(where,
	       size == 1   ? &u8
	       : size == 2 ? (void *)&u16
	       : size == 4 ? (void *)&u32
			   : (void *)&value,
	       size);
}

/* Returns the size that bytes= asks for, or @size. */
static size_t apply(char *to, const struct field *fields, size_t size, char **assignments)
{
	for (; *assignments; assignments++) {
		size_t len = strcspn(*assignments, "=");
		const struct field *field = fields;

		if (!(*assignments)[len])
			die(*assignments);
		if (!strncmp(*assignments, "bytes=", 6)) {
			size = number_of(*assignments);
			continue;
		}
		if (isdigit((unsigned char)**assignments))
			field = NULL;
		while (field && field->name &&
		       (strlen(field->name) != len || strncmp(field->name, *assignments, len)))
			field++;
		if (!field)
			assign(to + strtoull(*assignments, NULL, 0), 8, number_of(*assignments));
		else if (field->name)
			assign(to + field->offset, field->size, number_of(*assignments));
		else
			die(*assignments);
	}
	return size;
}

static void copy_array(const char *from, const char *to, const struct field *fields,
		       char **assignments)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	struct bpf_map_info info;
	int new, fd = open_pin(from, &info);
	__u32 zero = 0;
	/* Room for more than there was. */
	char *value = calloc(2, info.value_size);
	size_t size;

	if (!value || bpf_map_lookup_elem(fd, &zero, value))
		die(from);
	size = apply(value, fields, info.value_size, assignments);
	opts.map_flags = info.map_flags & (BPF_F_MMAPABLE | BPF_F_RDONLY_PROG);
	new = bpf_map_create(BPF_MAP_TYPE_ARRAY, "forged", sizeof(zero), size, 1, &opts);
	if (new < 0 || bpf_map_update_elem(new, &zero, value, BPF_ANY) || bpf_map_freeze(new) ||
	    bpf_obj_pin(new, to))
		die(to);
}

/* Only a program can write into a ringbuf: this one puts the value of an array there. */
static void write_ring(int ring, const void *record, size_t size)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);
	__u32 zero = 0;
	int program,
		array = bpf_map_create(BPF_MAP_TYPE_ARRAY, "record", sizeof(zero), size, 1, NULL);
	const struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM,
		  .dst_reg = 1,
		  .src_reg = BPF_PSEUDO_MAP_FD,
		  .imm = ring },
		{},
		{ .code = BPF_LD | BPF_DW | BPF_IMM,
		  .dst_reg = 2,
		  .src_reg = BPF_PSEUDO_MAP_VALUE,
		  .imm = array },
		{},
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3, .imm = (int)size },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 4, .imm = 0 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ringbuf_output },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	if (array < 0 || bpf_map_update_elem(array, &zero, record, BPF_ANY))
		die("array");
	program = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "forge", "GPL", insns,
				sizeof(insns) / sizeof(insns[0]), NULL);
	if (program < 0 || bpf_prog_test_run_opts(program, &run) || run.retval)
		die("program");
	close(program);
	close(array);
}

static void make_ring(const char *from, const char *to, char **assignments)
{
	size_t page = sysconf(_SC_PAGESIZE), size, bytes;
	struct bpf_map_info info;
	int new, fd = open_pin(from, &info);
	const char *pages = mmap(NULL, 3 * page, PROT_READ, MAP_SHARED, fd, page);
	struct persist_record *record = malloc(page), *wrong = malloc(page);

	if (pages == MAP_FAILED || !record || !wrong)
		die(from);
	/* A record in a ringbuf has 8 bytes before it, the first four of them its length. */
	size = *(const __u32 *)(pages + page);
	memcpy(record, pages + page + BPF_RINGBUF_HDR_SZ, size);
	memcpy(wrong, record, size);
	wrong->seq = 2;
	bytes = apply((char *)wrong, record_fields, info.max_entries, assignments);
	new = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "forged", 0, 0, bytes, NULL);
	if (new < 0)
		die(to);
	write_ring(new, record, size);
	write_ring(new, wrong, size);
	record->seq = 3;
	write_ring(new, record, size);
	if (bpf_map_freeze(new) || bpf_obj_pin(new, to))
		die(to);
}

int main(int argc, char **argv)
{
	if (argc >= 4 && !strcmp(argv[1], "meta"))
		copy_array(argv[2], argv[3], meta_fields, argv + 4);
	else if (argc >= 4 && !strcmp(argv[1], "array"))
		copy_array(argv[2], argv[3], NULL, argv + 4);
	else if (argc >= 4 && !strcmp(argv[1], "ring"))
		make_ring(argv[2], argv[3], argv + 4);
	else {
		fprintf(stderr, "usage: forge meta|array|ring FROM TO NAME=VALUE...\n");
		return 2;
	}
	return 0;
}
