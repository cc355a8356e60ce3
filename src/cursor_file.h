/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Remembers in a file how far each event was written out on each CPU, so that the next reader goes
 * on from there. What was stored outlives the process however it ends. It does not outlive a crash
 * of the machine, and need not: neither do the events. The file is not mapped: who can write it
 * could end the reader by cutting it off.
 *
 * What is guaranteed if the reader is killed at any moment:
 *
 * - The file is valid. It holds two slots that are written in turns, each with a checksum.
 * - Output to a regular file, at its end: every record exactly once, in whole lines. Before a
 *   write the positions behind it are stored together with the place where it goes. Whether it
 *   was done, the file's size tells the next reader, which removes what was written in part.
 * - Output to a pipe: no record is missing, every line is whole (lines longer than PIPE_BUF
 *   excepted), and if the reader is killed between the end of a write and the storing of its
 *   positions, a system call or two later, the lines of that one write (at most PIPE_BUF bytes)
 * come twice. A reader that is ended by SIGINT or SIGTERM leaves no such gap.
 */
#ifndef PERSIST_CURSOR_FILE_H
#define PERSIST_CURSOR_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "log.h"
#include "persist_bpf.h"

struct cursor_file;

/**
 * cursor_file__open() - open or create the file at @path and lock it
 * @path:      of the file
 * @output_fd: where the output will be written; what an earlier reader left there half-written is
 *             removed
 * @log:       must outlive the object
 * @file:      set to the object
 *
 * Return: 0, or -EBUSY (another reader uses the file), -EBADMSG (it is something else, or corrupt;
 * it is left as it is), or -errno. All are logged.
 */
int cursor_file__open(const char *path, int output_fd, const struct log *log,
		      struct cursor_file **file);
void cursor_file__close(struct cursor_file *file);

/* The positions that were stored; *@positions is valid until the first set. */
size_t cursor_file__positions(const struct cursor_file *file,
			      const struct persist_position **positions);

/* The number under which a position is set from now on, or -ENOSPC, which is logged. */
int cursor_file__find(struct cursor_file *file, const struct persist_meta *meta, uint32_t cpu);

/* The record @seq is in what will be written next. Nothing is stored yet. */
void cursor_file__set(struct cursor_file *file, int number, uint64_t seq);

/*
 * Around each write of @len bytes, which contain everything that was set until now. Return 0 or
 * -errno, which was logged; what was stored before is still valid then.
 */
int cursor_file__begin_write(struct cursor_file *file, size_t len);
int cursor_file__end_write(struct cursor_file *file);

#endif
