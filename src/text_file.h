/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* Files in bpffs that cat reads; what they are made of is in bpf/text_files.bpf.c. */
#ifndef PERSIST_TEXT_FILE_H
#define PERSIST_TEXT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "event_program.h"
#include "log.h"

struct bpf_object;

/* The programs of which each file gets a copy. */
struct text_files {
	struct bpf_object *object; /* NULL: this kernel cannot have text files */
	int iterator_id;
};

/*
 * Loads them. A kernel without BTF has no iterators: then @files stays without an object, and
 * the functions below pin the map with the text in place of the file.
 * Returns 0 or -errno, with a message.
 */
int text_files__open(struct text_files *files, const struct log *log,
		     const struct kernel_types *types);
void text_files__close(struct text_files *files);

/*
 * Make a file and return its link (or map), which is to be pinned; or -errno, with a message.
 * The memory that it takes is added to *@locked_bytes.
 */
int text_files__make_text(const struct text_files *files, const struct log *log, const char *text,
			  uint64_t *locked_bytes);
int text_files__make_status(const struct text_files *files, const struct log *log, int counters,
			    int meta, uint64_t *locked_bytes);

#endif
