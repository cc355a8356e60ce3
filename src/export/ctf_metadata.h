/* SPDX-License-Identifier: GPL-2.0-only */
/* The metadata of a CTF trace, and its file. */
#ifndef CTF_METADATA_H
#define CTF_METADATA_H

#include "export/ctf_buffer.h"
#include "export/ctf_stream.h"

/* What is the same for all events: the trace, its environment, the clock, and the types. */
void ctf_metadata__begin(struct ctf_buffer *text, const uint8_t uuid[CTF_UUID_SIZE]);

/*
 * Makes @text the metadata of the trace in this directory, or replaces what it has: at every moment
 * there is the old text or the new one. Returns 0 or -errno.
 */
int ctf_metadata__write(const struct ctf_buffer *text, int directory);

#endif
