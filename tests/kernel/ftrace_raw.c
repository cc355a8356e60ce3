// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares event_format's text with ftrace's own, record by record.
 *
 *   ftrace_raw formats                    parse the format of every event of this kernel
 *   ftrace_raw compare INSTANCE SYSTEM    compare what an ftrace instance holds of a system's
 *                                         events, and empty it
 *   ftrace_raw workload SECONDS           make many kinds of events fire
 *
 * `trace` shows an instance's events as text and leaves them where they are; `trace_pipe_raw`
 * then gives the very same events as raw records. With the context switched off, each event
 * begins on a new line with its name, and nothing else is on it.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "event_format.h"
#include "kernel_symbols.h"

#define TRACEFS	  "/sys/kernel/tracing"
#define MAX_IDS	  65536
#define MAX_SHOWN 3 /* differences shown of one run */

/* Event header of the ring buffer: type_len in 5 bits, time in 27; see events/header_event. */
#define TYPE_PADDING	 29
#define TYPE_TIME_EXTEND 30
#define TYPE_TIME_STAMP	 31

/* Upper bits of a page's commit word tell of lost events. */
#define COMMIT_LENGTH ((1U << 20) - 1)

static struct event_format *formats[MAX_IDS];

struct buffer {
	char *data;
	size_t length;
};

static int read_file(const char *path, struct buffer *buffer)
{
	size_t capacity = 1 << 16;
	int fd = open(path, O_RDONLY);
	ssize_t n;

	*buffer = (struct buffer){ 0 };
	if (fd < 0)
		return -errno;
	buffer->data = malloc(capacity);
	while (buffer->data &&
	       (n = read(fd, buffer->data + buffer->length, capacity - buffer->length)) > 0) {
		buffer->length += (size_t)n;
		if (capacity - buffer->length < 4096)
			buffer->data = realloc(buffer->data, capacity *= 2);
	}
	close(fd);
	return buffer->data ? 0 : -ENOMEM;
}

/* Calls for each event of a system. */
static void for_each_event(const char *system,
			   void (*call)(const char *system, const char *event, void *context),
			   void *context)
{
	struct dirent *event;
	char path[PATH_MAX];
	DIR *events;

	snprintf(path, sizeof(path), TRACEFS "/events/%s", system);
	events = opendir(path);
	while (events && (event = readdir(events))) {
		if (event->d_name[0] != '.' && event->d_type == DT_DIR)
			call(system, event->d_name, context);
	}
	if (events)
		closedir(events);
}

struct summary {
	unsigned int nr, nr_failed, nr_inexact;
	bool quiet;
};

static void load_format(const char *system, const char *event, void *context)
{
	struct summary *summary = context;
	struct event_format *format = NULL;
	struct buffer text;
	char path[PATH_MAX];
	int err;

	snprintf(path, sizeof(path), TRACEFS "/events/%s/%s/format", system, event);
	err = read_file(path, &text);
	if (!err)
		err = event_format__parse(text.data, text.length, &format);
	free(text.data);
	summary->nr++;
	if (err) {
		printf("# %s:%s: %s\n", system, event, strerror(-err));
		summary->nr_failed++;
		return;
	}
	event_format__use_symbols(format, kernel_symbols__find);
	if (event_format__inexact(format)) {
		summary->nr_inexact++;
		if (!summary->quiet)
			printf("# %s:%s: %s\n", system, event, event_format__inexact(format));
	}
	event_format__free(formats[event_format__id(format)]);
	formats[event_format__id(format)] = format;
}

static int run_formats(void)
{
	struct summary summary = { 0 };
	DIR *systems = opendir(TRACEFS "/events");
	struct dirent *system;

	while (systems && (system = readdir(systems))) {
		if (system->d_name[0] != '.' && system->d_type == DT_DIR)
			for_each_event(system->d_name, load_format, &summary);
	}
	if (systems)
		closedir(systems);
	printf("# %u formats, %u refused, %u whose text may differ from ftrace's\n", summary.nr,
	       summary.nr_failed, summary.nr_inexact);
	return summary.nr && !summary.nr_failed ? 0 : 1;
}

/* Comparison */

struct comparison {
	const char *text, *end; /* what is left of ftrace's text */
	unsigned int nr_equal, nr_inexact, nr_different;
	unsigned int nr_events; /* different ones */
	bool seen[MAX_IDS];
};

static const char *line_end(const struct comparison *c, const char *line)
{
	const char *end = memchr(line, '\n', (size_t)(c->end - line));

	return end ? end : c->end;
}

static void skip_line(struct comparison *c)
{
	c->text = line_end(c, c->text);
	c->text += c->text < c->end;
}

/* System calls print the call; all other texts begin with the event's name. */
static bool is_syscall(const struct event_format *format)
{
	return event_format__find_field(format, "__syscall_nr") &&
	       !strncmp(event_format__name(format), "sys_", strlen("sys_"));
}

static void report_difference(struct comparison *c, const char *expected)
{
	const char *end = line_end(c, c->text);

	if (c->nr_different++ >= MAX_SHOWN)
		return;
	printf("#   ours:   %s#   ftrace: %.*s\n", expected, (int)(end - c->text), c->text);
}

static void compare_record(struct comparison *c, const void *payload, size_t size)
{
	static char text[1 << 16], expected[1 << 17];
	const struct event_format *format;
	size_t length;
	uint16_t id;

	memcpy(&id, payload, sizeof(id));
	format = formats[id];
	if (!format) {
		printf("# no format has id %u\n", id);
		c->nr_different++;
		return;
	}
	c->nr_events += !c->seen[id];
	c->seen[id] = true;
	event_format__print(format, payload, size, text, sizeof(text));
	length = (size_t)snprintf(expected, sizeof(expected), "%s%s%s\n",
				  is_syscall(format) ? "" : event_format__name(format),
				  is_syscall(format) ? "" : ": ", text);

	if (event_format__inexact(format)) {
		c->nr_inexact++;
	} else if (length <= (size_t)(c->end - c->text) && !memcmp(c->text, expected, length)) {
		c->nr_equal++;
	} else {
		report_difference(c, expected);
	}
	/* Lines may differ, but hardly their number. */
	skip_line(c);
	for (const char *p = text; (p = strchr(p, '\n')); p++)
		skip_line(c);
}

/* Walks over the events of one page of a ring buffer. */
static void compare_page(struct comparison *c, const uint8_t *data, size_t length)
{
	size_t at = 0;

	while (at + 4 <= length) {
		uint32_t header, array = 0, type_len;

		memcpy(&header, data + at, sizeof(header));
		if (at + 8 <= length)
			memcpy(&array, data + at + 4, sizeof(array));
		type_len = header & 31;
		if (type_len == TYPE_PADDING) {
			if (!(header >> 5))
				return;
			at += 4 + array;
		} else if (type_len == TYPE_TIME_EXTEND || type_len == TYPE_TIME_STAMP) {
			at += 8;
		} else if (type_len) {
			compare_record(c, data + at + 4, type_len * 4);
			at += 4 + type_len * 4;
		} else {
			compare_record(c, data + at + 8, array - 4);
			at += 4 + array;
		}
	}
}

/* Offsets in a page as events/header_page tells them, and the size of one. */
struct page_layout {
	size_t commit_offset, data_offset, size;
};

static int read_page_layout(struct page_layout *layout)
{
	struct buffer text;
	unsigned int data_size;
	const char *commit, *data;
	int err = read_file(TRACEFS "/events/header_page", &text);

	if (err)
		return err;
	text.data[text.length] = '\0';
	commit = strstr(text.data, "commit;");
	data = strstr(text.data, "data;");
	if (!commit || !data || sscanf(commit, "commit; offset:%zu", &layout->commit_offset) != 1 ||
	    sscanf(data, "data; offset:%zu; size:%u", &layout->data_offset, &data_size) != 2)
		err = -EINVAL;
	else
		layout->size = layout->data_offset + data_size;
	free(text.data);
	return err;
}

static int compare_cpu(struct comparison *c, const char *directory,
		       const struct page_layout *layout)
{
	uint8_t page[1 << 16];
	struct buffer text;
	char path[PATH_MAX];
	int fd, err;

	if (layout->size > sizeof(page))
		return -EINVAL;
	snprintf(path, sizeof(path), "%s/trace", directory);
	err = read_file(path, &text);
	if (err)
		return err;
	c->text = text.data;
	c->end = text.data + text.length;
	while (c->text < c->end && *c->text == '#') /* the header has no text of events */
		skip_line(c);
	snprintf(path, sizeof(path), "%s/trace_pipe_raw", directory);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	err = fd < 0 ? -errno : 0;
	while (!err && read(fd, page, layout->size) > 0) {
		uint32_t commit;

		memcpy(&commit, page + layout->commit_offset, sizeof(commit));
		compare_page(c, page + layout->data_offset, commit & COMMIT_LENGTH);
	}
	if (!err && c->text != c->end) {
		printf("# ftrace has more text: %.*s\n", (int)(line_end(c, c->text) - c->text),
		       c->text);
		c->nr_different++;
	}
	if (fd >= 0)
		close(fd);
	free(text.data);
	return err;
}

static int run_compare(const char *instance, const char *system)
{
	static struct comparison c;
	struct summary summary = { .quiet = true };
	struct page_layout layout;
	char path[PATH_MAX];
	int err;

	for_each_event(system, load_format, &summary);
	err = read_page_layout(&layout);
	for (int cpu = 0; !err; cpu++) {
		snprintf(path, sizeof(path), "%s/per_cpu/cpu%d", instance, cpu);
		if (access(path, F_OK))
			break;
		err = compare_cpu(&c, path, &layout);
	}
	if (err) {
		printf("# %s: %s\n", instance, strerror(-err));
		return 1;
	}
	printf("%u events, %u records equal, %u inexact, %u different\n", c.nr_events, c.nr_equal,
	       c.nr_inexact, c.nr_different);
	return c.nr_different ? 1 : 0;
}

/* Workload */

static void run_process(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/true", "true", "an argument", (char *)NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

static void use_files(void)
{
	char path[] = "/tmp/ftrace_raw.XXXXXX", other[sizeof(path) + 2];
	char data[8192] = "data of a file";
	int fd = mkstemp(path);

	if (fd < 0)
		return;
	for (int i = 0; i < 16; i++) {
		if (write(fd, data, sizeof(data)) < 0)
			break;
	}
	fsync(fd);
	if (pread(fd, data, sizeof(data), 0) < 0)
		perror("pread");
	fallocate(fd, 0, 0, 1 << 20);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (ftruncate(fd, 0))
		perror("ftruncate");
	close(fd);
	snprintf(other, sizeof(other), "%s.b", path);
	rename(path, other);
	chmod(other, 0600);
	unlink(other);
}

static void use_memory(void)
{
	const size_t size = 8 << 20;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return;
	for (size_t i = 0; i < size; i += 4096)
		memory[i] = 1;
	madvise(memory, size, MADV_DONTNEED);
	mprotect(memory, size, PROT_READ);
	munmap(memory, size);
}

/* A connection to a listener of its own, with some data each way. */
static void use_stream(int family, struct sockaddr *address, socklen_t length)
{
	int listener = socket(family, SOCK_STREAM, 0), client = socket(family, SOCK_STREAM, 0);
	char data[512] = "data of a stream";
	int server = -1;

	if (bind(listener, address, length) || listen(listener, 1) ||
	    getsockname(listener, address, &length) || connect(client, address, length))
		goto out;
	server = accept(listener, NULL, NULL);
	if (write(client, data, sizeof(data)) > 0 && read(server, data, sizeof(data)) > 0)
		shutdown(client, SHUT_RDWR);
out:
	close(server);
	close(client);
	close(listener);
}

static void use_sockets(void)
{
	struct sockaddr_in ip4 = { .sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 ip6 = { .sin6_family = AF_INET6, .sin6_addr = in6addr_loopback };
	struct sockaddr_in refused = ip4;
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	use_stream(AF_INET, (struct sockaddr *)&ip4, sizeof(ip4));
	use_stream(AF_INET6, (struct sockaddr *)&ip6, sizeof(ip6));
	/* Nobody listens on discard's port: an ICMP message comes back. */
	refused.sin_port = htons(9);
	sendto(fd, "datagram", 8, 0, (struct sockaddr *)&refused, sizeof(refused));
	close(fd);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	connect(fd, (struct sockaddr *)&refused, sizeof(refused));
	close(fd);
}

static void on_signal(int number)
{
	(void)number;
}

static void use_timers(void)
{
	struct itimerspec soon = { .it_value.tv_nsec = 200000 };
	struct timespec pause = { .tv_nsec = 100000 };
	struct epoll_event event = { .events = EPOLLIN };
	int timer = timerfd_create(CLOCK_MONOTONIC, 0), epoll = epoll_create1(0);

	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	nanosleep(&pause, NULL);
	timerfd_settime(timer, 0, &soon, NULL);
	epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event);
	epoll_wait(epoll, &event, 1, 10);
	close(epoll);
	close(timer);
}

static int run_workload(const char *seconds)
{
	time_t end = time(NULL) + atoi(seconds);

	while (time(NULL) < end) {
		run_process();
		use_files();
		use_memory();
		use_sockets();
		use_timers();
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "formats"))
		return run_formats();
	if (argc == 4 && !strcmp(argv[1], "compare"))
		return run_compare(argv[2], argv[3]);
	if (argc == 3 && !strcmp(argv[1], "workload"))
		return run_workload(argv[2]);
	fprintf(stderr, "usage: ftrace_raw formats | compare INSTANCE SYSTEM | workload SECONDS\n");
	return 2;
}
