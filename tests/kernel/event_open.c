// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attrs and the buffers that they open, for a shell:
 *
 *   event_open name NAME [ROOT]       what persist_attr__from_name() makes of it, as text again
 *   event_open text TEXT [ROOT]       what persist_attr__from_text() makes of it
 *   event_open open TEXT OPTION...    what persist_event_open_at() returns, and what it is
 *   event_open wait TEXT OPTION...    waits on that with an edge-triggered epoll, for 5 s
 *
 * An attr is printed as its type and its text; an error as its name, with the place in the text.
 * Options of an open are root=DIR, pid=N, cpu=N (0), group_fd=N, flags=N, times=N (1), and for the
 * attr: null, type=N, size=N, beyond (a bit that no version knows), FORMAT=VALUE (as attr5:23=0).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "persist_attr.h"
#include "persist_bpf.h"

static int print_error(int err)
{
	printf("%s\n", strerrorname_np(-err));
	return 1;
}

/* ---- attrs ------------------------------------------------------------------------------- */

static int print_attr(const char *root, const struct perf_event_attr *attr)
{
	char text[256];
	int len = persist_attr__to_text(root, attr, text, sizeof(text));

	if (len < 0)
		return print_error(len);
	printf("%u %s\n", attr->type, text);
	return 0;
}

static int print_named(const char *name, const char *root)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	int err = persist_attr__from_name(root, name, &attr);

	return err ? print_error(err) : print_attr(root, &attr);
}

static int parse(const char *text, const char *root, struct perf_event_attr *attr)
{
	struct persist_attr_error where;
	int err = persist_attr__from_text(root, text, attr, &where);

	if (err == -EINVAL)
		printf("EINVAL %zu: %s\n", where.offset, where.reason);
	else if (err)
		print_error(err);
	return err;
}

static int print_parsed(const char *text, const char *root)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };

	return parse(text, root, &attr) ? 1 : print_attr(root, &attr);
}

/* ---- opening ----------------------------------------------------------------------------- */

struct request {
	/* Longer than any attr, with zeros behind the one that this program knows. */
	union {
		struct perf_event_attr attr;
		unsigned char bytes[4096];
	};
	const char *root;
	bool is_null;
	pid_t pid;
	int cpu, group_fd, times;
	unsigned long flags;
};

static long number(const char *text)
{
	char *end;
	long value = strtol(text, &end, 0);

	if (*text && !*end)
		return value;
	fprintf(stderr, "event_open: \"%s\" is not a number\n", text);
	exit(2);
}

static void set_option(struct request *request, char *option)
{
	char *value = strrchr(option, '=');
	int err;

	if (!strcmp(option, "null")) {
		request->is_null = true;
		return;
	}
	if (!strcmp(option, "beyond")) {
		request->bytes[sizeof(request->bytes) - 1] = 1;
		return;
	}
	if (!value) {
		fprintf(stderr, "event_open: unknown option \"%s\"\n", option);
		exit(2);
	}
	*value++ = '\0';
	if (!strcmp(option, "root"))
		request->root = value;
	else if (!strcmp(option, "pid"))
		request->pid = (pid_t)number(value);
	else if (!strcmp(option, "cpu"))
		request->cpu = (int)number(value);
	else if (!strcmp(option, "group_fd"))
		request->group_fd = (int)number(value);
	else if (!strcmp(option, "times"))
		request->times = (int)number(value);
	else if (!strcmp(option, "flags"))
		request->flags = (unsigned long)number(value);
	else if (!strcmp(option, "type"))
		request->attr.type = (uint32_t)number(value);
	else if (!strcmp(option, "size"))
		request->attr.size = (uint32_t)number(value);
	else {
		err = persist_attr__set_field(&request->attr, option, (uint64_t)number(value),
					      NULL);
		if (err) {
			fprintf(stderr, "event_open: %s=%s: %s\n", option, value, strerror(-err));
			exit(2);
		}
	}
}

static int open_requested(const struct request *request)
{
	const struct perf_event_attr *attr = request->is_null ? NULL : &request->attr;

	if (request->root)
		return persist_event_open_at(request->root, attr, request->pid, request->cpu,
					     request->group_fd, request->flags);
	return persist_event_open(attr, request->pid, request->cpu, request->group_fd,
				  request->flags);
}

static int open_times(const struct request *request)
{
	int fd, nr_opened = 0;

	for (int i = 0; i < request->times; i++) {
		fd = open_requested(request);
		if (fd < 0)
			print_error(fd);
		else if (!close(fd))
			nr_opened++;
	}
	printf("opened %d\n", nr_opened);
	return nr_opened != request->times;
}

/* ---- what was opened --------------------------------------------------------------------- */

/* Prints how many whole records are in the memory, and their sequence numbers. */
static void print_records(const char *memory, size_t size, const struct request *request)
{
	uint64_t first = UINT64_MAX, last = 0;
	unsigned int nr = 0, others = 0;

	for (size_t at = 0; at + sizeof(struct persist_record) <= size; at += sizeof(uint64_t)) {
		const struct persist_record *record = (const void *)(memory + at);

		if (record->magic != PERSIST_RECORD_MAGIC)
			continue;
		if (record->cpu != (uint32_t)request->cpu) {
			others++;
			continue;
		}
		nr++;
		first = record->seq < first ? record->seq : first;
		last = record->seq > last ? record->seq : last;
	}
	printf("records %u", nr);
	if (nr)
		printf(" seq %llu-%llu", (unsigned long long)first, (unsigned long long)last);
	printf("\nrecords-of-others %u\n", others);
}

static void print_mappings(int fd, const struct bpf_map_info *info, const struct request *request)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = info->type == BPF_MAP_TYPE_RINGBUF ? 2 * page + info->max_entries
							 : info->value_size;
	void *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	printf("mmap-writable %s\n", memory == MAP_FAILED ? strerrorname_np(errno) : "succeeded");
	memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	printf("mmap-read-only %s\n", memory == MAP_FAILED ? strerrorname_np(errno) : "succeeded");
	if (memory == MAP_FAILED)
		return;
	printf("mprotect-writable %s\n", mprotect(memory, page, PROT_READ | PROT_WRITE)
						 ? strerrorname_np(errno)
						 : "succeeded");
	print_records(memory, size, request);
	munmap(memory, size);
}

static int print_opened(const struct request *request)
{
	int fd = open_requested(request);
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	struct bpf_map_info info = {};
	__u32 info_len = sizeof(info);

	if (fd < 0)
		return print_error(fd);
	if (bpf_obj_get_info_by_fd(fd, &info, &info_len))
		return print_error(-errno);
	printf("type %u\n", info.type);
	printf("close-on-exec %s\n", fcntl(fd, F_GETFD) & FD_CLOEXEC ? "yes" : "no");
	poll(&poll_fd, 1, 0);
	printf("poll%s%s\n", poll_fd.revents & POLLIN ? " in" : "",
	       poll_fd.revents & POLLERR ? " error" : "");
	if (info.type == BPF_MAP_TYPE_RINGBUF || info.type == BPF_MAP_TYPE_ARRAY)
		print_mappings(fd, &info, request);
	close(fd);
	return 0;
}

/* Empties the edge that is there at first, says so, and waits for the next one. */
static int wait_for_edge(const struct request *request)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLET };
	int nr, epoll = epoll_create1(EPOLL_CLOEXEC), fd = open_requested(request);

	if (fd < 0)
		return print_error(fd);
	if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		return print_error(-errno);
	while (epoll_wait(epoll, &event, 1, 0) > 0)
		;
	printf("waiting\n");
	fflush(stdout);
	nr = epoll_wait(epoll, &event, 1, 5000);
	printf("%s\n", nr < 0 ? strerrorname_np(errno) : nr ? "woken" : "timeout");
	return nr != 1;
}

int main(int argc, char **argv)
{
	struct request request = { .pid = -1, .group_fd = -1, .times = 1 };
	const char *command = argc > 2 ? argv[1] : "";

	if (!strcmp(command, "name"))
		return print_named(argv[2], argv[3]);
	if (!strcmp(command, "text"))
		return print_parsed(argv[2], argv[3]);
	if (strcmp(command, "open") && strcmp(command, "wait")) {
		fprintf(stderr, "usage: event_open name|text|open|wait ARGUMENT...\n");
		return 2;
	}
	request.attr.size = sizeof(request.attr);
	if (parse(argv[2], NULL, &request.attr))
		return 1;
	for (int i = 3; i < argc; i++)
		set_option(&request, argv[i]);
	if (!strcmp(command, "wait"))
		return wait_for_edge(&request);
	return request.times > 1 ? open_times(&request) : print_opened(&request);
}
