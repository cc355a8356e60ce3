# SPDX-License-Identifier: GPL-2.0-only
#
# Adds to a container runtime's own default seccomp profile what the reader needs of bpf(2), and
# nothing else; or, with --arg for loader, what the loader needs:
#
#	jq -f allow-bpf.jq /usr/share/containers/seccomp.json > seccomp-agent.json
#
# For containers in which more runs than the reader: an agent, in whatever language. The default
# profiles of podman, CRI-O and Docker have this form.

# BPF_MAP_LOOKUP_ELEM, BPF_OBJ_GET, BPF_OBJ_GET_INFO_BY_FD, BPF_MAP_LOOKUP_BATCH: the first argument of bpf(2)
def reader_rules: [1, 7, 15, 24][] | {
	names: ["bpf"],
	action: "SCMP_ACT_ALLOW",
	args: [{ index: 0, value: ., op: "SCMP_CMP_EQ" }]
};

# What these two do is then a matter of the capabilities.
def loader_rules: { names: ["bpf", "perf_event_open"], action: "SCMP_ACT_ALLOW" };

def rules: if $ARGS.named.for == "loader" then loader_rules else reader_rules end;

# A rule for all of a system call would win over one that looks at its arguments.
([rules | .names[]] | unique) as $names
| .syscalls |= (map(.names -= $names) | map(select(.names != [])))
| .syscalls += [rules]
