/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracing data of a perf.data file: what libtraceevent has to know to print the raw records of
 * tracepoints. It is the beginning of a trace.dat file of version 6, which trace-cmd.dat.v6(5)
 * describes.
 */
#ifndef TRACING_DATA_H
#define TRACING_DATA_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct tracing_data_event - one tracepoint
 * @system: its system
 * @text:   its format text
 */
struct tracing_data_event {
	const char *system;
	const char *text;
};

/**
 * tracing_data__write() - write the tracing data of these tracepoints
 * @out:           where to
 * @events:        the tracepoints, each once
 * @nr:            how many
 * @printk_formats: what the kernel's constant strings are that records have only the address of, as
 *                 printk_formats in tracefs says it; "" if that is not known
 *
 * Errors are those of @out, see ferror(3).
 */
void tracing_data__write(FILE *out, const struct tracing_data_event *events, size_t nr,
			 const char *printk_formats);

/**
 * tracing_data__substitute() - a format text for an event whose own one is not to be had
 * @name:    of the tracepoint
 * @id:      its id in the kernel
 * @size:    bytes of the shortest record that it can have
 *
 * Its records are shown as their bytes, as far as every one has them.
 *
 * Return: a string, which the caller frees, or NULL without memory.
 */
char *tracing_data__substitute(const char *name, uint64_t id, size_t size);

#endif
