/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits of the text files in the tree, shared between text_files.bpf.c and text_file.c. */
#ifndef TEXT_FILE_LIMITS_H
#define TEXT_FILE_LIMITS_H

/*
 * A file has to fit into the kernel's buffer for an iterator, 8 pages, with something to spare.
 * The longest format text of Linux 6.18 has 5.5 KiB.
 */
#define TEXT_CHUNKS_MAX 7

/* So many rows of counters fit into it. */
#define STATUS_CPUS_MAX 300

#endif
