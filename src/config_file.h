/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of event specifications: one a line, `#` begins a comment. */
#ifndef PERSIST_CONFIG_FILE_H
#define PERSIST_CONFIG_FILE_H

#include <stddef.h>

#include "log.h"

struct config_file {
	char **specs;
	size_t nr;
};

/*
 * Reads and checks the file. Returns 0, -EINVAL for a malformed specification, or another -errno;
 * a message names the line.
 */
int config_file__read(struct config_file *file, const struct log *log, const char *path);
void config_file__free(struct config_file *file);

#endif
