// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints which source line each piece of a program's machine code was made of: the address where
 * the piece begins, the file and the line. What inlined functions have become of, nothing else
 * tells.
 */
#include <errno.h>
#include <error.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

/* As many as the kernel has: the first call says how many these are. */
static void get_lines(int program, struct bpf_prog_info *info)
{
	uint32_t size = sizeof(*info);
	struct bpf_line_info *lines;
	uint64_t *addresses;

	if (bpf_obj_get_info_by_fd(program, info, &size))
		error(1, errno, "information about the program");
	lines = calloc(info->nr_line_info, sizeof(*lines));
	addresses = calloc(info->nr_jited_line_info, sizeof(*addresses));
	if (!lines || !addresses)
		error(1, ENOMEM, "line information");
	*info = (struct bpf_prog_info){
		.line_info = (uintptr_t)lines,
		.line_info_rec_size = sizeof(*lines),
		.nr_line_info = info->nr_line_info,
		.jited_line_info = (uintptr_t)addresses,
		.jited_line_info_rec_size = sizeof(*addresses),
		.nr_jited_line_info = info->nr_jited_line_info,
	};
	if (bpf_obj_get_info_by_fd(program, info, &size))
		error(1, errno, "the program's lines");
}

int main(int argc, char **argv)
{
	struct bpf_prog_info info = {};
	const struct bpf_line_info *lines;
	const uint64_t *addresses;
	struct btf *btf;
	int program;

	if (argc != 2) {
		fprintf(stderr, "usage: program_lines PROGRAM-ID\n");
		return 2;
	}
	program = bpf_prog_get_fd_by_id((uint32_t)strtoul(argv[1], NULL, 10));
	if (program < 0)
		error(1, errno, "program %s", argv[1]);
	get_lines(program, &info);
	btf = btf__load_from_kernel_by_id(info.btf_id);
	if (!btf)
		error(1, errno, "the program's types");
	lines = (const struct bpf_line_info *)(uintptr_t)info.line_info;
	addresses = (const uint64_t *)(uintptr_t)info.jited_line_info;
	for (uint32_t i = 0; i < info.nr_line_info && i < info.nr_jited_line_info; i++)
		printf("%#llx %s %u\n", (unsigned long long)addresses[i],
		       btf__name_by_offset(btf, lines[i].file_name_off),
		       BPF_LINE_INFO_LINE_NUM(lines[i].line_col));
	btf__free(btf);
	return 0;
}
