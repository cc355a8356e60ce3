// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "options.h"

#include <errno.h>
#include <string.h>

int options__copy(void *to, size_t size, const void *from)
{
	const unsigned char *bytes = from;
	size_t given;

	memset(to, 0, size);
	if (!from)
		return 0;
	memcpy(&given, from, sizeof(given));
	if (given < sizeof(given))
		return -EINVAL;
	for (size_t i = size; i < given; i++)
		if (bytes[i])
			return -E2BIG;
	memcpy(to, from, given < size ? given : size);
	return 0;
}
