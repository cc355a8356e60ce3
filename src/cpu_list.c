// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "cpu_list.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void cpu_list__set_first(struct cpu_list *list, uint32_t nr)
{
	memset(list, 0, sizeof(*list));
	for (uint32_t cpu = 0; cpu < nr && cpu < CPU_LIST_MAX; cpu++)
		list->bits[cpu / 64] |= 1ull << (cpu % 64);
}

/* Reads a number at *@text and moves behind it. */
static int parse_cpu(const char **text, uint32_t *cpu)
{
	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	*cpu = 0;
	while (isdigit((unsigned char)**text)) {
		*cpu = *cpu * 10 + (uint32_t)(*(*text)++ - '0');
		if (*cpu >= CPU_LIST_MAX)
			return -ERANGE;
	}
	return 0;
}

int cpu_list__parse(struct cpu_list *list, const char *text)
{
	uint32_t first, last;
	int err;

	memset(list, 0, sizeof(*list));
	if (strcmp(text, "all") == 0) {
		cpu_list__set_first(list, CPU_LIST_MAX);
		return 0;
	}
	for (;;) {
		err = parse_cpu(&text, &first);
		if (err)
			return err;
		last = first;
		if (*text == '-') {
			text++;
			err = parse_cpu(&text, &last);
			if (err)
				return err;
		}
		if (last < first)
			return -EINVAL;
		for (uint32_t cpu = first; cpu <= last; cpu++)
			list->bits[cpu / 64] |= 1ull << (cpu % 64);
		if (!*text)
			return 0;
		if (*text++ != ',')
			return -EINVAL;
	}
}

int cpu_list__read_possible(struct cpu_list *list)
{
	char text[4096];
	int fd = open("/sys/devices/system/cpu/possible", O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = read(fd, text, sizeof(text) - 1);
	if (len < 0)
		len = -errno;
	close(fd);
	if (len < 0)
		return (int)len;
	text[len] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return cpu_list__parse(list, text);
}
