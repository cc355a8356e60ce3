// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "target_btf.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "event_constant_values.h"
#include "mce_program.h"

static bool find_member(const struct btf *btf, const struct btf_type *type, const char *name,
			uint32_t *offset)
{
	const struct btf_member *member = btf_members(type);

	for (int i = 0; i < btf_vlen(type); i++, member++) {
		if (strcmp(btf__name_by_offset(btf, member->name_off), name))
			continue;
		*offset = btf_member_bit_offset(type, i) / 8;
		return true;
	}
	return false;
}

void target_btf__find_task_layout(const struct btf *kernel, struct task_layout *task)
{
	const struct btf_type *type;
	int id;

	*task = (struct task_layout){};
	if (!kernel)
		return;
	id = btf__find_by_name_kind(kernel, "task_struct", BTF_KIND_STRUCT);
	if (id < 0)
		return;
	type = btf__type_by_id(kernel, id);
	task->known = find_member(kernel, type, "tgid", &task->tgid) &&
		      find_member(kernel, type, "pid", &task->pid) &&
		      find_member(kernel, type, "comm", &task->comm);
}

/* The integer types that the structures below are made of. */
struct basic_types {
	int u8, u16, u32, u64;
};

static int add_basic_types(struct btf *btf, struct basic_types *types)
{
	types->u8 = btf__add_int(btf, "u8", 1, 0);
	types->u16 = btf__add_int(btf, "u16", 2, 0);
	types->u32 = btf__add_int(btf, "u32", 4, 0);
	types->u64 = btf__add_int(btf, "u64", 8, 0);
	return types->u64 < 0 ? types->u64 : 0;
}

/* libbpf matches members by name and kind; their order and what lies between does not matter. */
static int add_task(struct btf *btf, const struct basic_types *types,
		    const struct task_layout *task)
{
	int err = btf__add_struct(btf, "record_task", 1 << 16);

	if (err > 0)
		err = btf__add_field(btf, "tgid", types->u32, task->tgid * 8, 0);
	if (!err)
		err = btf__add_field(btf, "pid", types->u32, task->pid * 8, 0);
	if (!err)
		err = btf__add_field(btf, "comm_start", types->u64, task->comm * 8, 0);
	if (!err)
		err = btf__add_field(btf, "comm_end", types->u64, (task->comm + 8) * 8, 0);
	return err;
}

/* The field @prefix_@number at @offset. */
static int add_numbered(struct btf *btf, int type, const char *prefix, uint32_t number,
			uint32_t offset)
{
	char name[32];

	snprintf(name, sizeof(name), "%s_%u", prefix, number);
	return btf__add_field(btf, name, type, offset * 8, 0);
}

static int add_words(struct btf *btf, int type, const char *prefix, const uint32_t *offsets,
		     uint32_t nr)
{
	int err = 0;

	for (uint32_t i = 0; i < nr && !err; i++)
		err = add_numbered(btf, type, prefix, i, offsets[i]);
	return err;
}

static int add_total(struct btf *btf, const struct basic_types *types, const char *name,
		     const struct totals_field *field)
{
	int type;

	switch (field->size) {
	case 0:
		return 0;
	case 1:
		type = types->u8;
		break;
	case 2:
		type = types->u16;
		break;
	case 4:
		type = types->u32;
		break;
	default:
		type = types->u64;
	}
	return btf__add_field(btf, name, type, field->offset * 8, 0);
}

/* libbpf gives the program's loads the size that a field has here. */
static int add_totals(struct btf *btf, const struct basic_types *types,
		      const struct totals_layout *totals)
{
	int err = 0;

#define X(name)   \
	if (!err) \
		err = add_total(btf, types, "total_" #name, &totals->name);
	TOTALS_RECORD_FIELDS(X)
#undef X
	return err;
}

/* The bytes behind the last whole 8, in as few pieces as can be loaded. */
static int add_rest(struct btf *btf, const struct basic_types *types, uint32_t size)
{
	const struct {
		uint32_t size;
		int type;
	} pieces[] = { { 4, types->u32 }, { 2, types->u16 }, { 1, types->u8 } };
	uint32_t offset = size & ~7u, nr = 0;
	int err = 0;

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]) && !err; i++) {
		if (!(size & pieces[i].size))
			continue;
		err = add_numbered(btf, pieces[i].type, "rest", nr++, offset);
		offset += pieces[i].size;
	}
	return err;
}

static int add_context(struct btf *btf, const struct basic_types *types,
		       const struct context_layout *context)
{
	int err = btf__add_struct(btf, "event_context", 1 << 14);

	if (err > 0)
		err = 0;
	if (!err)
		err = add_rest(btf, types, context->copy_size);
	if (!err && context->syscall_nr)
		err = btf__add_field(btf, "syscall_nr", types->u32, context->syscall_nr * 8, 0);
	if (!err)
		err = add_words(btf, types->u32, "dynamic", context->dynamic, context->nr_dynamic);
	if (!err)
		err = add_words(btf, types->u32, "relative", context->relative,
				context->nr_relative);
	if (!err)
		err = add_totals(btf, types, &context->totals);
	return err;
}

static int write_to_memory_file(const struct btf *btf, char *path)
{
	uint32_t size;
	const void *data = btf__raw_data(btf, &size);
	int fd;

	if (!data)
		return -ENOMEM;
	fd = memfd_create("target_btf", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, data, size) != (ssize_t)size) {
		close(fd);
		return -EIO;
	}
	snprintf(path, PATH_MAX, "/proc/self/fd/%d", fd);
	return fd;
}

static int add_constants(struct btf *btf, const struct event_constants *constants)
{
	int err = btf__add_enum64(btf, "event_constant", 8, false);

	if (err > 0)
		err = 0;
#define X(name)   \
	if (!err) \
		err = btf__add_enum64_value(btf, "EVENT_" #name, constants->name);
	EVENT_CONSTANTS(X)
#undef X
	return err;
}

int target_btf__make(const struct target_btf *parts, char *path)
{
	struct btf *btf = btf__new_empty();
	struct basic_types types;
	int err;

	if (!btf)
		return -errno;
	err = add_basic_types(btf, &types);
	if (!err)
		err = add_constants(btf, parts->constants);
	if (!err && parts->task->known)
		err = add_task(btf, &types, parts->task);
	if (!err)
		err = add_context(btf, &types, parts->context);
	if (!err && parts->mce_types)
		err = mce_program__add_types(btf, parts->mce_types);
	if (!err)
		err = write_to_memory_file(btf, path);
	btf__free(btf);
	return err;
}
