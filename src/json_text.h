/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* What yajl is too slow for: strings of JSON, put straight into a buffer that may be too small. */
#ifndef PERSIST_JSON_TEXT_H
#define PERSIST_JSON_TEXT_H

#include <stddef.h>

#include "text_out.h"

/*
 * Puts @size bytes as a string, with its quotes. A byte that is not part of valid UTF-8 becomes the
 * four characters \xNN, so that the text is valid whatever the bytes are.
 */
void json_text__string(struct text_out *out, const void *bytes, size_t size);

#endif
