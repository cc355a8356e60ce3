/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* Maps as a reader finds them at their pins: opened, and checked before they are used. */
#ifndef PERSIST_MAP_PIN_H
#define PERSIST_MAP_PIN_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/bpf.h>

#include "log.h"

/* The number of entries may be any, as that of a ringbuf, which is its size. */
#define MAP_PIN_ANY_NUMBER 0

/*
 * Checks that @fd is the descriptor of a map of this type, with so many entries, and asks the
 * kernel about it. @directory and @pin are for messages. Returns 0 or -errno, which was logged.
 */
int map_pin__check(const struct log *log, const char *directory, const char *pin, int fd,
		   enum bpf_map_type type, uint32_t nr_entries, struct bpf_map_info *info);

/*
 * Opens the map pinned as @directory/@pin and checks it. With @read_only the descriptor is good
 * for look-ups only. Returns a descriptor or -errno; everything but -ENOENT was logged.
 */
int map_pin__open(const struct log *log, const char *directory, const char *pin, bool read_only,
		  enum bpf_map_type type, uint32_t nr_entries, struct bpf_map_info *info);

#endif
