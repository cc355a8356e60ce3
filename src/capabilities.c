// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "capabilities.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	int number;
	const char *name;
} needed[] = {
	{ CAP_BPF, "CAP_BPF" },		/* maps, programs */
	{ CAP_PERFMON, "CAP_PERFMON" }, /* programs of tracepoints, perf events */
};

static bool has(const struct __user_cap_data_struct *data, int number)
{
	return data[number / 32].effective & (1u << (number % 32));
}

bool capabilities__are_missing(char *missing, size_t size)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};
	size_t used = 0;

	missing[0] = '\0';
	syscall(__NR_capget, &header, data);
	if (has(data, CAP_SYS_ADMIN))
		return false;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]) && used < size; i++)
		if (!has(data, needed[i].number))
			used += snprintf(missing + used, size - used, "%s%s", used ? ", " : "",
					 needed[i].name);
	return used;
}

/* What making an event has open at once, beside two rings on each CPU; measured, and then some. */
#define FILES_OF_AN_EVENT 64

static const char *explain_too_many_files(int err)
{
	static char text[192];
	struct rlimit limit;

	if (err == -ENFILE)
		return "; that is all of the system: raise the sysctl fs.file-max";
	if (getrlimit(RLIMIT_NOFILE, &limit))
		return "; raise the limit with ulimit -n";
	snprintf(text, sizeof(text),
		 "; this process may have %llu: raise it with ulimit -n, or LimitNOFILE= of a "
		 "unit; the loader needs up to %ld on this machine",
		 (unsigned long long)limit.rlim_cur,
		 2 * sysconf(_SC_NPROCESSORS_CONF) + FILES_OF_AN_EVENT);
	return text;
}

const char *capabilities__explain(int err)
{
	static char text[128];
	char missing[64];

	if (err == -EMFILE || err == -ENFILE)
		return explain_too_many_files(err);
	if (err != -EPERM && err != -ENOSYS)
		return "";
	if (!capabilities__are_missing(missing, sizeof(missing)))
		return "; the capabilities are there, so a filter refuses it: in a container, use "
		       "a seccomp profile that allows bpf(2) and perf_event_open(2)";
	snprintf(text, sizeof(text), "; this process lacks %s", missing);
	return text;
}

/*
 * From 3 on, which only kernels of distributions know (Debian, Ubuntu, Android), CAP_PERFMON is not
 * enough: Debian's default.
 */
const char *capabilities__explain_perf(int err)
{
	static const char path[] = "/proc/sys/kernel/perf_event_paranoid";
	int level = 0;
	FILE *file;

	if (err != -EACCES)
		return capabilities__explain(err);
	file = fopen(path, "re");
	if (file) {
		if (fscanf(file, "%d", &level) != 1)
			level = 0;
		fclose(file);
	}
	return level > 2 ? "; kernel.perf_event_paranoid is above 2: give the loader "
			   "CAP_SYS_ADMIN, or set it to 2 with sysctl"
			 : "; give the loader CAP_SYS_ADMIN";
}
