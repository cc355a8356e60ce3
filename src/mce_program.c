// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "mce_program.h"

#include <stddef.h>
#include <string.h>

#include <linux/types.h>

#include <bpf/btf.h>

#include "mce_layout.h"

/* The fields that bpf/mce_record.bpf.c knows how to fill in. */
static const struct {
	const char *name;
	unsigned int size;
	size_t offset; /* in struct mce_layout */
} known_fields[] = {
#define FIELD(name, size)                                      \
	{                                                      \
#name, size, offsetof(struct mce_layout, name) \
	}
	FIELD(mcgcap, 8), FIELD(mcgstatus, 8), FIELD(status, 8),    FIELD(addr, 8),
	FIELD(misc, 8),	  FIELD(synd, 8),      FIELD(ipid, 8),	    FIELD(ip, 8),
	FIELD(tsc, 8),	  FIELD(ppin, 8),      FIELD(walltime, 8),  FIELD(cpu, 4),
	FIELD(cpuid, 4),  FIELD(apicid, 4),    FIELD(socketid, 4),  FIELD(cs, 1),
	FIELD(bank, 1),	  FIELD(cpuvendor, 1), FIELD(microcode, 4),
#undef FIELD
};

static bool set_fixed_field(const struct event_format_field *field, struct mce_layout *layout)
{
	for (size_t i = 0; i < sizeof(known_fields) / sizeof(known_fields[0]); i++) {
		if (strcmp(field->name, known_fields[i].name))
			continue;
		if (field->size != known_fields[i].size || field->location != FIELD_FIXED)
			return false;
		*(__u16 *)((char *)layout + known_fields[i].offset) = field->offset;
		return true;
	}
	return false;
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

	return id >= 0 && btf__type_by_id(kernel, id)->size == MCE_VENDOR_DATA_SIZE;
}

bool mce_program__find_layout(const struct btf *kernel, const struct event_format *format,
			      struct mce_layout *layout, uint32_t *payload_size)
{
	const char *argument = kernel ? argument_type_name(kernel) : NULL;
	size_t fixed_size = event_format__fixed_size(format);

	*layout = (struct mce_layout){};
	if (!argument)
		return false;
	if (!strcmp(argument, "mce_hw_err"))
		layout->argument_is_hw_err = 1;
	else if (strcmp(argument, "mce"))
		return false;
	*payload_size = fixed_size;
	for (size_t i = 0; i < event_format__nr_fields(format); i++) {
		const struct event_format_field *field = event_format__field(format, i);

		if (field->is_common)
			continue;
		if (!strcmp(field->name, "v_data") && field->location == FIELD_DATA_LOC) {
			if (!layout->argument_is_hw_err || !vendor_data_is_known(kernel))
				return false;
			layout->v_data = field->offset;
			layout->v_data_offset = fixed_size;
			*payload_size = fixed_size + MCE_VENDOR_DATA_SIZE;
		} else if (!set_fixed_field(field, layout)) {
			return false;
		}
	}
	return *payload_size <= MCE_RECORD_MAX;
}
