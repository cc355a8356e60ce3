/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which kernel it is whose addresses are in the records, and where it lies: perf needs both to
 * print them as symbols.
 */
#ifndef KERNEL_IMAGE_H
#define KERNEL_IMAGE_H

#include <stddef.h>

/* Room for each of the records. */
#define KERNEL_IMAGE_MAX 192

/**
 * kernel_image__put_build_id() - PERF_RECORD_HEADER_BUILD_ID of the running kernel
 * @to: KERNEL_IMAGE_MAX bytes
 *
 * The content of the feature PERF_FEATURE_BUILD_ID is the same.
 *
 * Return: the bytes written, 0 if the kernel has no build id.
 */
size_t kernel_image__put_build_id(void *to);

/**
 * kernel_image__put_map() - PERF_RECORD_MMAP of the running kernel's code
 * @id_size: bytes of the sample_id at the end of each record of the file, see perf_sideband.h
 * @to:      KERNEL_IMAGE_MAX bytes
 *
 * Reads the greater part of /proc/kallsyms, which takes some 50 ms.
 *
 * Return: the bytes written, 0 if this user may not know where the kernel is.
 */
size_t kernel_image__put_map(size_t id_size, void *to);

#endif
