# SPDX-License-Identifier: GPL-2.0-only
#
# What BPF objects the kernel has, by bpftool, to see that ours are gone.

bpf_objects() {
	for kind in prog map link; do
		bpftool $kind show | sed -n "s/^\([0-9]*\): /$kind \1 /p"
	done
}

no_more_bpf_objects_than() {
	bpf_objects | diff "$1" -
}
