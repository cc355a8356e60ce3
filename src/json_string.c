// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "json_string.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "utf8.h"

int json_string__emit(yajl_gen gen, const void *bytes, size_t size)
{
	yajl_gen_status status;
	uint8_t *escaped;

	if (utf8__is_valid(bytes, size))
		return yajl_gen_string(gen, bytes, size) == yajl_gen_status_ok ? 0 : -EINVAL;
	escaped = malloc(4 * size);
	if (!escaped)
		return -ENOMEM;
	status = yajl_gen_string(gen, escaped, utf8__escape(escaped, bytes, size));
	free(escaped);
	return status == yajl_gen_status_ok ? 0 : -EINVAL;
}
