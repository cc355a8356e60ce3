// SPDX-License-Identifier: GPL-2.0-only
/*
 * libpersist-perf.so, which `reader perf` has perf load before its other libraries: the functions
 * by which perf calls the kernel come here first. What is about persistent events goes to
 * src/perf/perf_session.c, and everything else to the C library, as it came.
 *
 * perf takes its view of sysfs from the environment. There it would be seen by the command that
 * perf runs as well, so that it is not there: getenv() says so to perf alone. The environment is
 * what it was before `reader perf` when main() begins, and what perf executes knows nothing of us.
 */
#define _GNU_SOURCE
/* mmap() and mmap64() are two functions here. */
#undef _FILE_OFFSET_BITS
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "perf/perf_preload.h"
#include "perf/perf_session.h"
#include "program_name.h"

/* What <unistd.h> and others declare as macros or under another name, if anything. */
#undef syscall
#undef poll
#undef ppoll
#undef read

ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room);
int __poll_chk(struct pollfd *fds, nfds_t nr, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t nr, const struct timespec *timeout, const sigset_t *mask,
		size_t room);
void __chk_fail(void) __attribute__((noreturn));

#define EXPORT __attribute__((visibility("default")))

extern char **environ;

/* ---- whether a call is for us ------------------------------------------------------------ */

/* Set once this is perf, and cleared in what it forks. */
static bool is_active;

/* What our own code calls goes to the C library. */
static __thread bool is_inside __attribute__((tls_model("initial-exec")));

static bool enter(void)
{
	if (!__atomic_load_n(&is_active, __ATOMIC_RELAXED) || is_inside)
		return false;
	is_inside = true;
	return true;
}

static void leave(void)
{
	is_inside = false;
}

/* What a call returns that was carried out for perf. */
static long conclude(long result)
{
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

/* The C library's own function of this name, looked up at its first call. */
#define real(name)                                                                           \
	({                                                                                   \
		static __typeof__(&(name)) function;                                         \
		if (!__atomic_load_n(&function, __ATOMIC_RELAXED))                           \
			__atomic_store_n(&function, real_function(#name), __ATOMIC_RELAXED); \
		function;                                                                    \
	})

static void *real_function(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function) {
		fprintf(stderr, "%s perf: error: the C library has no %s()\n",
			program_name__short(), name);
		abort();
	}
	return function;
}

/* ---- the environment --------------------------------------------------------------------- */

static char *sysfs_path, *tracefs_path;

static char *find_variable(const char *name)
{
	size_t len = strlen(name);

	for (char **variable = environ; variable && *variable; variable++)
		if (!strncmp(*variable, name, len) && (*variable)[len] == '=')
			return *variable + len + 1;
	return NULL;
}

EXPORT char *getenv(const char *name)
{
	if (__atomic_load_n(&is_active, __ATOMIC_RELAXED)) {
		if (sysfs_path && !strcmp(name, "SYSFS_PATH"))
			return sysfs_path;
		if (tracefs_path && !strcmp(name, "TRACEFS_PATH"))
			return tracefs_path;
	}
	return find_variable(name);
}

/* perf may be started by a script, whose interpreter is not perf. */
static bool is_perf(void)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	const char *name;

	if (!find_variable(PERF_PRELOAD_BY_SCRIPT))
		return true;
	if (len <= 0)
		return false;
	path[len] = '\0';
	name = strrchr(path, '/');
	return name && !strncmp(name + 1, "perf", 4);
}

static void restore_environment(void)
{
	const char *before = find_variable(PERF_PRELOAD_BEFORE);

	if (before)
		setenv("LD_PRELOAD", before, 1);
	else
		unsetenv("LD_PRELOAD");
	unsetenv(PERF_PRELOAD_BEFORE);
	unsetenv(PERF_PRELOAD_VIEW);
	unsetenv(PERF_PRELOAD_ROOT);
	unsetenv(PERF_PRELOAD_LIVE);
	unsetenv(PERF_PRELOAD_BY_SCRIPT);
	unsetenv(PERF_PRELOAD_READER);
}

static char *path_in(const char *directory, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

/*
 * Tells `reader perf` that we are here, and keeps a next one from removing the view should this one
 * be killed while perf goes on, see perf_view.h.
 */
static void hold_view(const char *view)
{
	int directory = open(view, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;

	if (directory < 0)
		return;
	flock(directory, LOCK_SH);
	fd = openat(directory, PERF_VIEW_LOADED, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		real(close)(fd);
}

/* The command that perf runs is forked from it. */
static void after_fork(void)
{
	__atomic_store_n(&is_active, false, __ATOMIC_RELAXED);
	is_inside = false;
	perf_session__leave();
}

__attribute__((constructor)) static void begin(void)
{
	const char *view = find_variable(PERF_PRELOAD_VIEW);
	const char *root = find_variable(PERF_PRELOAD_ROOT);
	struct perf_session_options options;

	if (!view || !root || !is_perf())
		return;
	sysfs_path = path_in(view, PERF_VIEW_SYSFS);
	tracefs_path = path_in(view, PERF_VIEW_TRACEFS);
	if (tracefs_path && access(tracefs_path, F_OK)) {
		free(tracefs_path);
		tracefs_path = NULL;
	}
	hold_view(view);
	program_name__set(PROGRAM_READER, find_variable(PERF_PRELOAD_READER));
	options.root = strdup(root);
	options.tracepoints = tracefs_path ? path_in(tracefs_path, "events/persistent") : NULL;
	options.is_live = find_variable(PERF_PRELOAD_LIVE);
	perf_session__begin(&options);
	restore_environment();
	pthread_atfork(NULL, NULL, after_fork);
	__atomic_store_n(&is_active, true, __ATOMIC_RELAXED);
}

/* ---- the calls --------------------------------------------------------------------------- */

/*
 * A call that perf_session may carry out: if it does not, or if this comes from there, the C
 * library does.
 */
#define INTERPOSE(call_session, call_real)                                           \
	do {                                                                         \
		struct perf_session_call call_ = { 0 };                              \
		int errno_ = errno;                                                  \
		if (enter()) {                                                       \
			call_ = (call_session);                                      \
			leave();                                                     \
			errno = errno_;                                              \
		}                                                                    \
		return call_.is_done ? (__typeof__(call_real))conclude(call_.result) \
				     : (call_real);                                  \
	} while (0)

/* No system call has more arguments than six; those that were not given are not looked at. */
EXPORT long syscall(long number, ...)
{
	unsigned long args[6];
	va_list list;
	long result;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		args[i] = va_arg(list, unsigned long);
	va_end(list);
	if (number != SYS_perf_event_open || !enter())
		return real(syscall)(number, args[0], args[1], args[2], args[3], args[4], args[5]);
	result = perf_session__open((struct perf_event_attr *)args[0], (pid_t)args[1], (int)args[2],
				    (int)args[3], args[4]);
	leave();
	return conclude(result);
}

static void *map(void *address, size_t size, int prot, int flags, int fd, off_t offset)
{
	struct perf_session_call call = { 0 };
	bool is_entered = fd >= 0 && enter();
	void *mapped;

	if (is_entered)
		call = perf_session__mmap(size, prot, fd, offset);
	if (call.is_done)
		mapped = (void *)conclude(call.result);
	else
		mapped = real(mmap)(address, size, prot, flags, fd, offset);
	if (is_entered) {
		if (!call.is_done && mapped != MAP_FAILED)
			perf_session__mapped(mapped, size, fd);
		leave();
	}
	return mapped;
}

EXPORT void *mmap(void *address, size_t size, int prot, int flags, int fd, off_t offset)
{
	return map(address, size, prot, flags, fd, offset);
}

EXPORT void *mmap64(void *address, size_t size, int prot, int flags, int fd, off64_t offset)
{
	return map(address, size, prot, flags, fd, (off_t)offset);
}

EXPORT int munmap(void *address, size_t size)
{
	INTERPOSE(perf_session__munmap(address), real(munmap)(address, size));
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	uintptr_t arg;
	va_list list;

	va_start(list, request);
	arg = va_arg(list, uintptr_t);
	va_end(list);
	INTERPOSE(perf_session__ioctl(fd, request, arg), real(ioctl)(fd, request, arg));
}

EXPORT ssize_t read(int fd, void *buffer, size_t size)
{
	INTERPOSE(perf_session__read(fd, buffer, size), real(read)(fd, buffer, size));
}

EXPORT ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room)
{
	if (size > room)
		__chk_fail();
	return read(fd, buffer, size);
}

EXPORT int ppoll(struct pollfd *fds, nfds_t nr, const struct timespec *timeout,
		 const sigset_t *mask)
{
	INTERPOSE(perf_session__poll(fds, nr, timeout, mask), real(ppoll)(fds, nr, timeout, mask));
}

EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t nr, const struct timespec *timeout,
		       const sigset_t *mask, size_t room)
{
	if (nr > room / sizeof(*fds))
		__chk_fail();
	return ppoll(fds, nr, timeout, mask);
}

EXPORT int poll(struct pollfd *fds, nfds_t nr, int timeout)
{
	const struct timespec time = {
		.tv_sec = timeout / 1000,
		.tv_nsec = timeout % 1000 * 1000000l,
	};

	INTERPOSE(perf_session__poll(fds, nr, timeout < 0 ? NULL : &time, NULL),
		  real(poll)(fds, nr, timeout));
}

EXPORT int __poll_chk(struct pollfd *fds, nfds_t nr, int timeout, size_t room)
{
	if (nr > room / sizeof(*fds))
		__chk_fail();
	return poll(fds, nr, timeout);
}

EXPORT ssize_t write(int fd, const void *buffer, size_t size)
{
	ssize_t written = real(write)(fd, buffer, size);
	int write_errno = errno;

	if (enter()) {
		perf_session__wrote(fd);
		leave();
	}
	errno = write_errno;
	return written;
}

EXPORT int close(int fd)
{
	if (enter()) {
		perf_session__close(fd);
		leave();
	}
	return real(close)(fd);
}
