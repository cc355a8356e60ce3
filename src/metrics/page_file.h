/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of which readers see the old content or the new one, and never a part. */
#ifndef METRICS_PAGE_FILE_H
#define METRICS_PAGE_FILE_H

#include <stddef.h>

#include "log.h"

/*
 * Puts @size bytes into the file @path in one step: another file beside it is written, synchronised
 * and renamed. A symbolic link is followed; what exists and is not a regular file is refused. When
 * it fails, what was there stays, and nothing else is left. Returns 0 or -errno after a message.
 */
int page_file__replace(const char *path, const char *page, size_t size, const struct log *log);

#endif
