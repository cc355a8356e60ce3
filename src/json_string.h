/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* Strings from a kernel as JSON: they can hold any bytes, JSON can not. */
#ifndef PERSIST_JSON_STRING_H
#define PERSIST_JSON_STRING_H

#include <stddef.h>

#include <yajl/yajl_gen.h>

/*
 * Emits @size bytes as a string. A byte that is not part of valid UTF-8 becomes the four characters
 * \xNN. Returns 0, -ENOMEM, or -EINVAL if the generator refuses.
 */
int json_string__emit(yajl_gen gen, const void *bytes, size_t size);

#endif
