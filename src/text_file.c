// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "text_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "capabilities.h"
#include "fd_memory.h"
#include "persist_record.h"
#include "text_file_limits.h"
#include "text_files.skel.h"

int text_files__open(struct text_files *files, const struct log *log,
		     const struct kernel_types *types)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "persist_text");
	const void *elf;
	size_t size;
	int err;

	*files = (struct text_files){};
	if (!types->btf) {
		log_warn(log, "this kernel has no BTF (CONFIG_DEBUG_INFO_BTF): the tree gets no "
			      "files for cat; readers do without them");
		return 0;
	}
	files->iterator_id = btf__find_by_name_kind(types->btf, "bpf_iter_task", BTF_KIND_FUNC);
	elf = text_files_bpf__elf_bytes(&size);
	files->object = bpf_object__open_mem(elf, size, &opts);
	err = files->object ? bpf_object__load(files->object) : -errno;
	if (err) {
		log_error(log, "cannot load the programs of the text files: %s%s", strerror(-err),
			  capabilities__explain(err));
		text_files__close(files);
	}
	return err;
}

void text_files__close(struct text_files *files)
{
	bpf_object__close(files->object);
	files->object = NULL;
}

static void replace_map(struct bpf_insn *insns, size_t nr, int from, int to)
{
	for (size_t i = 0; i < nr; i++)
		if (insns[i].code == (BPF_LD | BPF_IMM | BPF_DW) &&
		    insns[i].src_reg == BPF_PSEUDO_MAP_FD && insns[i].imm == from)
			insns[i].imm = to;
}

struct map_replacement {
	const char *name;
	int fd;
};

/*
 * Loads a copy of the program @name, which uses other maps. The copy starts from instructions
 * that libbpf has relocated already, so that this is one system call.
 */
static int load_copy(const struct text_files *files, const char *name,
		     const struct map_replacement *maps, size_t nr_maps)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_ITER,
		    .attach_btf_id = files->iterator_id);
	const struct bpf_program *original = bpf_object__find_program_by_name(files->object, name);
	size_t nr = bpf_program__insn_cnt(original);
	struct bpf_insn *insns = malloc(nr * sizeof(*insns));
	int fd;

	if (!insns)
		return -ENOMEM;
	memcpy(insns, bpf_program__insns(original), nr * sizeof(*insns));
	for (size_t i = 0; i < nr_maps; i++)
		replace_map(insns, nr, bpf_object__find_map_fd_by_name(files->object, maps[i].name),
			    maps[i].fd);
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, name, "GPL", insns, nr, &opts);
	if (fd < 0)
		fd = -errno;
	free(insns);
	return fd;
}

static int link_iterator(int program)
{
	/* The program prints at the end of the walk, so that a short one is best. */
	union bpf_iter_link_info one_task = { .task.tid = 1 };
	LIBBPF_OPTS(bpf_link_create_opts, opts, .iter_info = &one_task,
		    .iter_info_len = sizeof(one_task));
	int link = bpf_link_create(program, 0, BPF_TRACE_ITER, &opts);

	if (link < 0) {
		/* Before 6.1 it cannot be told, and walks all tasks. */
		link = bpf_link_create(program, 0, BPF_TRACE_ITER, NULL);
	}
	return link < 0 ? -errno : link;
}

static int make_file(const struct text_files *files, const char *program_name,
		     const struct map_replacement *maps, size_t nr_maps, uint64_t *locked_bytes)
{
	int link, program = load_copy(files, program_name, maps, nr_maps);

	if (program < 0)
		return program;
	*locked_bytes += fd_memory__locked(program);
	link = link_iterator(program);
	close(program);
	return link;
}

static int make_text_map(const char *text, size_t len)
{
	struct persist_text_chunk chunk;
	size_t nr = len ? (len + sizeof(chunk.text) - 1) / sizeof(chunk.text) : 1;
	int fd, err;

	if (nr > TEXT_CHUNKS_MAX)
		return -EFBIG;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "persist_text", sizeof(uint32_t), sizeof(chunk), nr,
			    NULL);
	if (fd < 0)
		return -errno;
	for (uint32_t i = 0; i < nr; i++) {
		size_t at = i * sizeof(chunk.text);

		memset(&chunk, 0, sizeof(chunk));
		chunk.len = len - at < sizeof(chunk.text) ? len - at : sizeof(chunk.text);
		memcpy(chunk.text, text + at, chunk.len);
		if (bpf_map_update_elem(fd, &i, &chunk, BPF_ANY))
			goto failed;
	}
	if (bpf_map_freeze(fd))
		goto failed;
	return fd;
failed:
	err = -errno;
	close(fd);
	return err;
}

int text_files__make_text(const struct text_files *files, const struct log *log, const char *text,
			  uint64_t *locked_bytes)
{
	size_t len = strlen(text);
	struct map_replacement map = { "text", make_text_map(text, len) };
	int link;

	if (map.fd < 0) {
		log_error(log, "cannot make a text file of %zu bytes: %s%s", len, strerror(-map.fd),
			  capabilities__explain(map.fd));
		return map.fd;
	}
	*locked_bytes += fd_memory__locked(map.fd);
	if (!files->object)
		return map.fd;
	link = make_file(files, "text_file", &map, 1, locked_bytes);
	close(map.fd);
	if (link < 0)
		log_error(log, "cannot make a text file: %s%s", strerror(-link),
			  capabilities__explain(link));
	return link;
}

int text_files__make_status(const struct text_files *files, const struct log *log, int counters,
			    int meta, uint64_t *locked_bytes)
{
	static const char instead[] = "This kernel has no iterators; see persist-loader status.\n";
	struct map_replacement maps[] = { { "counters", counters }, { "meta", meta } };
	int link;

	if (!files->object)
		return text_files__make_text(files, log, instead, locked_bytes);
	link = make_file(files, "status_file", maps, 2, locked_bytes);
	if (link < 0)
		log_error(log, "cannot make the status file: %s", strerror(-link));
	return link;
}
