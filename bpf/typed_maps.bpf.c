// SPDX-License-Identifier: GPL-2.0-only
/*
 * The maps that the loader makes without a program: described here so that they carry their
 * types, and bpftool shows them with the names of the fields.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "persist_record.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, struct persist_registry_entry);
} registry SEC(".maps");

/* What an event is; made anew for each set of its buffers. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct persist_meta);
} meta SEC(".maps");
