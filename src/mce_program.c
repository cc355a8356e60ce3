// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "mce_program.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <linux/types.h>

#include <bpf/btf.h>

#include "event_constant_values.h"

/* As bpf/mce_record.bpf.c has it. */
#define MCE_RECORD_MAX 160

/* The fields that every event has; the program fills them in. */
#define COMMON_SIZE 8

/* AMD's two registers: what is known of the vendor's data, and all that there is so far. */
#define VENDOR_DATA_SIZE 16

/* The fields that bpf/mce_record.bpf.c knows how to fill in. */
static const struct {
	const char *name;
	unsigned int size;
	size_t constant; /* its offset in struct event_constants */
	bool is_optional;
} known_fields[] = {
#define FIELD(name, size, constant)                                           \
	{                                                                     \
		name, size, offsetof(struct event_constants, constant), false \
	}
#define OPTIONAL_FIELD(name, size, constant)                                 \
	{                                                                    \
		name, size, offsetof(struct event_constants, constant), true \
	}
	FIELD("mcgcap", 8, mcgcap),
	FIELD("mcgstatus", 8, mcgstatus),
	FIELD("status", 8, status),
	FIELD("addr", 8, addr),
	FIELD("misc", 8, misc),
	FIELD("synd", 8, synd),
	FIELD("ipid", 8, ipid),
	FIELD("ip", 8, ip),
	FIELD("tsc", 8, tsc),
	OPTIONAL_FIELD("ppin", 8, ppin),
	FIELD("walltime", 8, walltime),
	FIELD("cpu", 4, mce_cpu),
	FIELD("cpuid", 4, cpuid),
	FIELD("apicid", 4, apicid),
	FIELD("socketid", 4, socketid),
	FIELD("cs", 1, cs),
	FIELD("bank", 1, bank),
	FIELD("cpuvendor", 1, cpuvendor),
	OPTIONAL_FIELD("microcode", 4, microcode),
#undef FIELD
#undef OPTIONAL_FIELD
};

static bool set_fixed_field(const struct event_format_field *field,
			    struct event_constants *constants)
{
	for (size_t i = 0; i < sizeof(known_fields) / sizeof(known_fields[0]); i++) {
		if (strcmp(field->name, known_fields[i].name))
			continue;
		if (field->size != known_fields[i].size || field->location != FIELD_FIXED)
			return false;
		*(uint32_t *)((char *)constants + known_fields[i].constant) = field->offset;
		return true;
	}
	return false;
}

static bool has_all_fields(const struct event_constants *constants)
{
	for (size_t i = 0; i < sizeof(known_fields) / sizeof(known_fields[0]); i++)
		if (!known_fields[i].is_optional &&
		    !*(const uint32_t *)((const char *)constants + known_fields[i].constant))
			return false;
	return true;
}

/* The first 8 bytes behind the common ones that fields do not fill, of a record of @size bytes. */
static uint32_t find_gap(const struct event_format *format, size_t size)
{
	bool is_filled[MCE_RECORD_MAX] = { false };
	size_t at;

	for (size_t i = 0; i < event_format__nr_fields(format); i++) {
		const struct event_format_field *field = event_format__field(format, i);

		for (at = field->offset; at < field->offset + field->size && at < size; at++)
			is_filled[at] = !field->is_common;
	}
	for (at = COMMON_SIZE; at < size && is_filled[at]; at++)
		;
	return at & ~7u;
}

/*
 * The name of the structure that the tracepoint's first argument points to, from the type that
 * BTF keeps for each tracepoint: a pointer to a function (void *, arguments...).
 */
static const char *argument_type_name(const struct btf *kernel)
{
	int id = btf__find_by_name_kind(kernel, "btf_trace_mce_record", BTF_KIND_TYPEDEF);
	const struct btf_type *type;

	if (id < 0)
		return NULL;
	type = btf__type_by_id(kernel, btf__type_by_id(kernel, id)->type);
	if (!btf_is_ptr(type))
		return NULL;
	type = btf__type_by_id(kernel, type->type);
	if (!btf_is_func_proto(type) || btf_vlen(type) < 2)
		return NULL;
	type = btf__type_by_id(kernel, btf_params(type)[1].type);
	while (btf_is_ptr(type) || btf_is_mod(type))
		type = btf__type_by_id(kernel, type->type);
	return btf_is_struct(type) ? btf__name_by_offset(kernel, type->name_off) : NULL;
}

/* v_data is a copy of the union vendor_info: what is known of that are AMD's two registers. */
static bool vendor_data_is_known(const struct btf *kernel)
{
	int id = btf__find_by_name_kind(kernel, "vendor_info", BTF_KIND_UNION);

	return id >= 0 && btf__type_by_id(kernel, id)->size == VENDOR_DATA_SIZE;
}

bool mce_program__find_layout(const struct btf *kernel, const struct event_format *format,
			      struct event_constants *constants, uint32_t *payload_size)
{
	const char *argument = kernel ? argument_type_name(kernel) : NULL;
	size_t fixed_size = event_format__fixed_size(format);

	*constants = (struct event_constants){};
	if (!argument)
		return false;
	if (!strcmp(argument, "mce_hw_err"))
		constants->argument_is_hw_err = 1;
	else if (strcmp(argument, "mce"))
		return false;
	*payload_size = fixed_size;
	for (size_t i = 0; i < event_format__nr_fields(format); i++) {
		const struct event_format_field *field = event_format__field(format, i);

		if (field->is_common)
			continue;
		if (!strcmp(field->name, "v_data") && field->location == FIELD_DATA_LOC) {
			if (!constants->argument_is_hw_err || !vendor_data_is_known(kernel))
				return false;
			constants->v_data = field->offset;
			constants->v_data_offset = fixed_size;
			*payload_size = fixed_size + VENDOR_DATA_SIZE;
		} else if (!set_fixed_field(field, constants)) {
			return false;
		}
	}
	if (*payload_size > MCE_RECORD_MAX || !has_all_fields(constants))
		return false;
	constants->gaps_from = find_gap(format, fixed_size);
	return true;
}

/* ---- types for the program's relocations -------------------------------------------------- */

static const struct btf_type *find_type(const struct btf *kernel, const char *name, int kind)
{
	int id = btf__find_by_name_kind(kernel, name, kind);

	return id < 0 ? NULL : btf__type_by_id(kernel, id);
}

static const struct btf_type *resolve(const struct btf *kernel, __u32 id)
{
	const struct btf_type *type = btf__type_by_id(kernel, id);

	while (btf_is_typedef(type) || btf_is_mod(type))
		type = btf__type_by_id(kernel, type->type);
	return type;
}

/* Adds a structure or union that has the integers of @from, at the same offsets. */
static int add_integers(struct btf *target, const struct btf *kernel, const char *name,
			const struct btf_type *from)
{
	const struct btf_member *member = btf_members(from);
	int err, id = btf__add_struct(target, name, from->size);

	for (int i = 0; id > 0 && i < btf_vlen(from); i++, member++) {
		const struct btf_type *type = resolve(kernel, member->type);
		const char *field = btf__name_by_offset(kernel, member->name_off);
		char integer[16];
		int type_id;

		if (!btf_is_int(type) || btf_member_bitfield_size(from, i))
			continue;
		snprintf(integer, sizeof(integer), "u%u", type->size * 8);
		type_id = btf__find_by_name_kind(target, integer, BTF_KIND_INT);
		if (type_id < 0)
			continue; /* of a size that no field of the record has */
		err = btf__add_field(target, field, type_id, btf_member_bit_offset(from, i), 0);
		if (err)
			return err;
	}
	return id;
}

/* The member @name of @from gets the type @id in the structure that was added last. */
static int add_member(struct btf *target, const struct btf *kernel, const struct btf_type *from,
		      const char *name, int id)
{
	const struct btf_member *member = btf_members(from);

	for (int i = 0; i < btf_vlen(from); i++, member++)
		if (!strcmp(btf__name_by_offset(kernel, member->name_off), name))
			return btf__add_field(target, name, id, btf_member_bit_offset(from, i), 0);
	return 0;
}

/* union vendor_info { struct { u64 synd1, synd2; } amd; } */
static int add_vendor_info(struct btf *target, const struct btf *kernel)
{
	const struct btf_type *info = find_type(kernel, "vendor_info", BTF_KIND_UNION);
	const struct btf_member *member;
	int amd = 0, id, err;

	if (!info)
		return 0;
	member = btf_members(info);
	for (int i = 0; i < btf_vlen(info); i++, member++)
		if (!strcmp(btf__name_by_offset(kernel, member->name_off), "amd"))
			amd = add_integers(target, kernel, NULL, resolve(kernel, member->type));
	if (amd <= 0)
		return amd;
	id = btf__add_union(target, "vendor_info", info->size);
	if (id < 0)
		return id;
	err = btf__add_field(target, "amd", amd, 0, 0);
	return err ? err : id;
}

int mce_program__add_types(struct btf *target, const struct btf *kernel)
{
	const struct btf_type *mce = find_type(kernel, "mce", BTF_KIND_STRUCT);
	const struct btf_type *hw_err = find_type(kernel, "mce_hw_err", BTF_KIND_STRUCT);
	int mce_id, vendor_id, err;

	if (!mce)
		return -ENOENT;
	mce_id = add_integers(target, kernel, "mce", mce);
	if (mce_id < 0 || !hw_err)
		return mce_id < 0 ? mce_id : 0;
	vendor_id = add_vendor_info(target, kernel);
	if (vendor_id < 0)
		return vendor_id;
	err = btf__add_struct(target, "mce_hw_err", hw_err->size);
	if (err < 0)
		return err;
	err = add_member(target, kernel, hw_err, "m", mce_id);
	if (!err && vendor_id)
		err = add_member(target, kernel, hw_err, "vendor", vendor_id);
	return err;
}
