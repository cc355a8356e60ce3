// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "perf/perf_view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event_view.h"
#include "perf/perf_preload.h"
#include "perf/perf_session.h"
#include "tracefs.h"

/* Where the PMUs are in sysfs, one name after the other. */
static const char *const path_to_pmus[] = { "bus", "event_source", "devices" };

#define NR_STEPS (sizeof(path_to_pmus) / sizeof(path_to_pmus[0]))

/* How many ids there are for them. */
#define MAX_TRACEPOINTS (int)(65536u - PERF_SESSION_FIRST_TRACEPOINT)

struct view {
	const struct log *log;
	const char *root;
	const struct persist_event_info *infos;
	int nr;
	char path[PATH_MAX]; /* of what is being made */
};

/* ---- making files ------------------------------------------------------------------------ */

static int fail(const struct view *view, const char *path)
{
	int err = -errno;

	log_error(view->log, "%s: cannot make it: %s", path, strerror(-err));
	return err;
}

/* Appends a name to view->path and returns how long it was before, or -ENAMETOOLONG. */
static int enter(struct view *view, const char *name)
{
	size_t len = strlen(view->path);

	if ((size_t)snprintf(view->path + len, sizeof(view->path) - len, "/%s", name) >=
	    sizeof(view->path) - len)
		return -ENAMETOOLONG;
	return (int)len;
}

/* The same, and makes a directory of that name unless it is there. */
static int enter_new(struct view *view, const char *name)
{
	int len = enter(view, name);

	if (len >= 0 && mkdir(view->path, 0700) && errno != EEXIST)
		return fail(view, view->path);
	return len;
}

static void back(struct view *view, int len)
{
	view->path[len] = '\0';
}

static int make_file(struct view *view, const char *name, const char *text)
{
	int len = enter(view, name), err = 0;
	FILE *file;

	if (len < 0)
		return len;
	file = fopen(view->path, "we");
	if (!file)
		err = fail(view, view->path);
	else if ((fputs(text, file) < 0) | fclose(file))
		err = fail(view, view->path);
	back(view, len);
	return err;
}

/* ---- sysfs ------------------------------------------------------------------------------- */

static bool is_dot(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Links to all in a directory but the one that is made anew, and to one that is ours to make. */
static int link_all(struct view *view, const char *from, const char *but)
{
	char target[PATH_MAX];
	struct dirent *entry;
	DIR *directory = opendir(from);
	int len, err = 0;

	if (!directory) {
		/* A container need not have all of sysfs, and a kernel no PMU. */
		return 0;
	}
	while (!err && (entry = readdir(directory))) {
		if (is_dot(entry->d_name) || (but && !strcmp(entry->d_name, but)) ||
		    !strcmp(entry->d_name, "persistent") ||
		    snprintf(target, sizeof(target), "%s/%s", from, entry->d_name) >=
			    (int)sizeof(target))
			continue;
		len = enter(view, entry->d_name);
		if (len < 0)
			continue;
		if (symlink(target, view->path))
			err = fail(view, view->path);
		back(view, len);
	}
	closedir(directory);
	return err;
}

static int make_event(struct view *view, const struct persist_meta *meta)
{
	char text[128];

	snprintf(text, sizeof(text), "persistent,config=%llu,config1=%u\n",
		 (unsigned long long)meta->config, meta->event_id);
	return make_file(view, meta->name, text);
}

static int make_pmu(struct view *view)
{
	int pmu = enter_new(view, "persistent");
	int len, err;

	if (pmu < 0)
		return pmu;
	err = make_file(view, "type", "2\n");
	len = err ? err : enter_new(view, "format");
	if (len < 0)
		return len;
	err = make_file(view, "persistent", "config2:63\n");
	if (!err)
		err = make_file(view, "config", "config:0-63\n");
	if (!err)
		err = make_file(view, "config1", "config1:0-31\n");
	back(view, len);
	len = err ? err : enter_new(view, "events");
	if (len < 0)
		return len;
	for (int i = 0; i < view->nr && !err; i++)
		if (!view->infos[i].error)
			err = make_event(view, &view->infos[i].meta);
	back(view, pmu);
	return err;
}

static int make_sysfs(struct view *view, bool has_pmu)
{
	const char *sysfs = getenv("SYSFS_PATH");
	int begin = enter_new(view, PERF_VIEW_SYSFS);
	char from[PATH_MAX];
	int err = 0;

	if (begin < 0)
		return begin;
	if ((size_t)snprintf(from, sizeof(from), "%s", sysfs ? sysfs : "/sys") >= sizeof(from))
		return -ENAMETOOLONG;
	for (size_t i = 0; i <= NR_STEPS && !err; i++) {
		const char *step = i < NR_STEPS ? path_to_pmus[i] : NULL;
		size_t len = strlen(from);

		err = link_all(view, from, step);
		if (err || !step)
			break;
		if ((size_t)snprintf(from + len, sizeof(from) - len, "/%s", step) >=
		    sizeof(from) - len)
			return -ENAMETOOLONG;
		if (enter_new(view, step) < 0)
			return -ENAMETOOLONG;
	}
	if (!err && has_pmu)
		err = make_pmu(view);
	back(view, begin);
	return err;
}

/* ---- tracefs ----------------------------------------------------------------------------- */

/* Where it is, NULL if perf cannot read it: it looks into all systems, and reads a header. */
static const char *tracefs_path(void)
{
	const char *mount_point = getenv("TRACEFS_PATH");
	char path[PATH_MAX];

	if (!mount_point)
		mount_point = tracefs__mount_point();
	if (!mount_point ||
	    snprintf(path, sizeof(path), "%s/events/header_page", mount_point) >= (int)sizeof(path))
		return NULL;
	return access(path, R_OK) ? NULL : mount_point;
}

/*
 * What perf wants to be in tracefs beside formats. Of the header it takes how long a long and a
 * page are; of the system "ftrace" it needs nothing, but that it is there.
 */
static int make_tracefs_header(struct view *view)
{
	size_t word = sizeof(long), page = (size_t)sysconf(_SC_PAGESIZE);
	char text[512];
	int len, err;

	snprintf(text, sizeof(text),
		 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		 "\tfield: local_t commit;\toffset:8;\tsize:%zu;\tsigned:1;\n"
		 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		 "\tfield: char data;\toffset:%zu;\tsize:%zu;\tsigned:1;\n",
		 word, 8 + word, page - 8 - word);
	err = make_file(view, "header_page", text);
	if (!err)
		err = make_file(view, "header_event", "");
	if (err)
		return err;
	len = enter_new(view, "ftrace");
	if (len < 0)
		return len;
	back(view, len);
	return 0;
}

/* The directory of one tracepoint, SYSTEM/NAME. */
static int make_tracepoint(struct view *view, const char *system, const char *name, uint64_t id,
			   const char *format)
{
	char text[32];
	int begin, err;

	begin = enter_new(view, system);
	if (begin < 0)
		return begin;
	if (enter_new(view, name) < 0)
		return -ENAMETOOLONG;
	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)id);
	err = make_file(view, "id", text);
	if (!err)
		err = make_file(view, "format", format);
	back(view, begin);
	return err;
}

/* The same format under the event's own name and id: "name: NAME", "ID: 123", and the fields. */
static int make_persistent_tracepoint(struct view *view, const struct persist_meta *meta,
				      const char *format, uint64_t id)
{
	const char *fields = strstr(format, "format:");
	char *text;
	int err;

	if (!fields || asprintf(&text, "name: %s\nID: %llu\n%s", meta->name, (unsigned long long)id,
				fields) < 0)
		return -ENOMEM;
	err = make_tracepoint(view, "persistent", meta->name, id, text);
	free(text);
	return err;
}

/* Reads the format of an event; the caller frees it. Returns 0 or -errno. */
static int read_format(const struct view *view, const struct persist_meta *meta, char **format)
{
	struct event_view *event;
	char path[PATH_MAX];
	int err;

	if (snprintf(path, sizeof(path), "%s/%s", view->root, meta->name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	err = event_view__open(path, EVENT_VIEW_NO_CPUS, NULL, view->log, &event);
	if (err)
		return err;
	err = event_view__read_format(event, format);
	event_view__put(event);
	return err;
}

/* Tracepoints of the events; with @links, those of the kernel are there already. */
static int make_tracepoints(struct view *view, bool links, bool as_tracepoints)
{
	int err = 0;

	for (int i = 0; i < view->nr && i < MAX_TRACEPOINTS && !err; i++) {
		const struct persist_meta *meta = &view->infos[i].meta;
		char *format;

		/* One that cannot be read is none that perf could open. */
		if (view->infos[i].error || read_format(view, meta, &format))
			continue;
		if (!links)
			err = make_tracepoint(view, meta->system, meta->tracepoint, meta->config,
					      format);
		if (!err && as_tracepoints)
			err = make_persistent_tracepoint(view, meta, format, 65535u - (unsigned)i);
		free(format);
	}
	return err;
}

static int make_tracefs(struct view *view, bool as_tracepoints)
{
	const char *kernel = tracefs_path();
	int begin = enter_new(view, PERF_VIEW_TRACEFS);
	char from[PATH_MAX];
	int err = 0;

	if (begin < 0)
		return begin;
	if (kernel) {
		snprintf(from, sizeof(from), "%s/events", kernel);
		err = link_all(view, kernel, "events");
	}
	if (!err && enter_new(view, "events") < 0)
		err = -ENAMETOOLONG;
	if (!err && kernel)
		err = link_all(view, from, NULL);
	if (!err && !kernel)
		err = make_tracefs_header(view);
	if (!err)
		err = make_tracepoints(view, kernel != NULL, as_tracepoints);
	back(view, begin);
	return err;
}

/* ---- the directory ----------------------------------------------------------------------- */

#define VIEW_PREFIX "persist-perf."
#define VIEW_NAME   VIEW_PREFIX "XXXXXX" /* as mkdtemp(3) takes it */

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at)
{
	(void)status;
	(void)type;
	(void)at;
	remove(path);
	return 0;
}

void perf_view__remove(const char *view)
{
	/* Links are not followed. */
	if (view)
		nftw(view, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Whether this is a view of this user that nobody holds; then it is held, and *@fd is to be closed.
 */
static bool take_if_stale(int directory, const char *name, int *fd)
{
	struct stat status;

	*fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*fd < 0)
		return false;
	if (!fstat(*fd, &status) && status.st_uid == geteuid() && !flock(*fd, LOCK_EX | LOCK_NB))
		return true;
	close(*fd);
	return false;
}

/* What cannot be removed is no reason not to go on. */
static void remove_stale(const char *path)
{
	char view[PATH_MAX];
	struct dirent *entry;
	DIR *directory = opendir(path);
	int fd;

	while (directory && (entry = readdir(directory))) {
		if (strncmp(entry->d_name, VIEW_PREFIX, sizeof(VIEW_PREFIX) - 1) ||
		    strlen(entry->d_name) != sizeof(VIEW_NAME) - 1 ||
		    snprintf(view, sizeof(view), "%s/%s", path, entry->d_name) >=
			    (int)sizeof(view) ||
		    !take_if_stale(dirfd(directory), entry->d_name, &fd))
			continue;
		perf_view__remove(view);
		close(fd);
	}
	if (directory)
		closedir(directory);
}

/*
 * Makes the directory and holds it as long as this process lives, the child that becomes perf until
 * it does not need us any more. Before it is held, somebody may have taken it for a stale one.
 */
static int make_held(struct view *view, const char *directory)
{
	struct stat status = { .st_nlink = 0 };
	int fd;

	while (!status.st_nlink) {
		if (snprintf(view->path, sizeof(view->path), "%s/" VIEW_NAME, directory) >=
		    (int)sizeof(view->path))
			return -ENAMETOOLONG;
		if (!mkdtemp(view->path))
			return -errno;
		fd = open(view->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT)
			continue;
		/* A file system without locks: then it cannot be stale for anybody either. */
		if (fd < 0 || (flock(fd, LOCK_SH) && errno != ENOTSUP && errno != ENOLCK) ||
		    fstat(fd, &status))
			return -errno;
		if (!status.st_nlink)
			close(fd);
	}
	return 0;
}

int perf_view__make(const char *root, const struct persist_event_info *infos, int nr,
		    bool as_tracepoints, const struct log *log, char **result)
{
	struct view view = { .log = log, .root = root, .infos = infos, .nr = nr };
	const char *directory = getenv("TMPDIR");
	int err;

	*result = NULL;
	if (!directory || !*directory)
		directory = "/tmp";
	remove_stale(directory);
	err = make_held(&view, directory);
	if (err) {
		log_error(log,
			  "%s/" VIEW_NAME ": cannot make a directory for what perf looks at: %s; "
			  "TMPDIR names another place",
			  directory, strerror(-err));
		return err;
	}
	*result = strdup(view.path);
	if (!*result) {
		rmdir(view.path);
		return -ENOMEM;
	}
	err = make_sysfs(&view, !as_tracepoints);
	if (!err && (as_tracepoints || !tracefs_path()))
		err = make_tracefs(&view, as_tracepoints);
	if (err) {
		perf_view__remove(*result);
		free(*result);
		*result = NULL;
	}
	return err;
}

void perf_view__mark(const char *view, const char *name)
{
	char path[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", view, name) >= (int)sizeof(path))
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
}

bool perf_view__has(const char *view, const char *name)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", view, name) < (int)sizeof(path) &&
	       !access(path, F_OK);
}
