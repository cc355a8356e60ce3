// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "write_all.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

int write_all(int fd, const void *bytes, size_t size, size_t *written)
{
	size_t done = 0;
	int err = 0;

	while (done < size && !err) {
		ssize_t nr = write(fd, (const char *)bytes + done, size - done);

		if (nr >= 0) {
			done += (size_t)nr;
		} else if (errno == EAGAIN) {
			struct pollfd pollfd = { .fd = fd, .events = POLLOUT };

			poll(&pollfd, 1, -1);
		} else if (errno != EINTR) {
			err = -errno;
		}
	}
	if (written)
		*written = done;
	return err;
}
