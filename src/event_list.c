// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "event_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpffs.h"
#include "event_view.h"
#include "nearest_name.h"
#include "pin_access.h"
#include "pin_manager.h"
#include "program_name.h"

/* What else is in a root. */
static bool is_reserved(const char *name)
{
	static const char *const reserved[] = { "type", "format", "events", "registry", "staging" };

	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (!strcmp(name, reserved[i]))
			return true;
	return name[0] == '.';
}

static int is_candidate(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && !is_reserved(entry->d_name);
}

/* Foreign directories are not ours to complain about. */
static bool has_meta(const char *path)
{
	char meta[PATH_MAX];

	return snprintf(meta, sizeof(meta), "%s/%s", path, PIN_META) < (int)sizeof(meta) &&
	       (!access(meta, F_OK) || errno != ENOENT);
}

/* Those that this user may not read: they have one cause, and one remedy. */
struct denied {
	char first[PERSIST_NAME_SIZE];
	unsigned int nr;
};

static bool is_denied(const char *path)
{
	char meta[PATH_MAX];

	return snprintf(meta, sizeof(meta), "%s/%s", path, PIN_META) < (int)sizeof(meta) &&
	       faccessat(AT_FDCWD, meta, R_OK, AT_EACCESS) && errno == EACCES;
}

static void report_denied(const struct log *log, const char *root, const struct denied *denied)
{
	char others[64] = "", meta[PATH_MAX];

	if (!denied->nr)
		return;
	if (denied->nr > 1)
		snprintf(others, sizeof(others), ", as for %u more event%s", denied->nr - 1,
			 denied->nr > 2 ? "s" : "");
	snprintf(meta, sizeof(meta), "%s/%s/" PIN_META, root, denied->first);
	pin_access__log_denied(log, meta, others);
}

static void fill_info(struct persist_event_info *info, const char *path, const char *name,
		      const struct log *log, struct denied *denied)
{
	struct event_view *view;

	info->error = event_view__open(path, EVENT_VIEW_NO_CPUS, NULL, NULL, &view);
	if (info->error == -EMEDIUMTYPE) {
		log_warn(log, "%s is not ours, and is passed over", path);
		return;
	}
	if (info->error == -EACCES && is_denied(path)) {
		if (!denied->nr++)
			snprintf(denied->first, sizeof(denied->first), "%s", name);
	} else if (info->error) /* once more, for the message */
		info->error = event_view__open(path, EVENT_VIEW_NO_CPUS, NULL, log, &view);
	if (info->error) {
		snprintf(info->meta.name, sizeof(info->meta.name), "%.*s", PERSIST_NAME_SIZE - 1,
			 name);
		return;
	}
	info->meta = view->meta;
	for (uint32_t cpu = 0; cpu < view->meta.nr_cpus; cpu++) {
		info->seen += view->counters[cpu].seen;
		info->recorded += view->counters[cpu].recorded;
		info->lost += persist_counters__lost(&view->counters[cpu]);
	}
	event_view__put(view);
}

static int check_root(const struct log *log, const char *root)
{
	int is_bpffs = bpffs__is_mounted_at(root);

	if (is_bpffs > 0)
		return 0;
	if (is_bpffs == -ENOENT)
		pin_tree__log_no_tree(log, root);
	else if (is_bpffs == -EACCES)
		pin_access__log_denied(log, root, "");
	else if (is_bpffs < 0)
		log_error(log, "%s: not a tree of persistent events: %s", root,
			  strerror(-is_bpffs));
	else
		log_error(log,
			  "%s: not on a BPF file system; mount one (mount -t bpf bpf /sys/fs/bpf), "
			  "or, in a container, bind-mount the host's directory to this place",
			  root);
	return is_bpffs ? is_bpffs : -EMEDIUMTYPE;
}

void event_list__free_names(char **names, int nr)
{
	for (int i = 0; names && i < nr; i++)
		free(names[i]);
	free(names);
}

/* Takes over what is a name of an event. */
static int take_names(const char *root, struct dirent **entries, int nr_entries, char **names)
{
	char path[PATH_MAX];
	int nr = 0;

	for (int i = 0; i < nr_entries; i++) {
		if (snprintf(path, sizeof(path), "%s/%s", root, entries[i]->d_name) >=
			    (int)sizeof(path) ||
		    !has_meta(path))
			continue;
		names[nr] = strdup(entries[i]->d_name);
		if (!names[nr]) {
			while (nr)
				free(names[--nr]);
			return -ENOMEM;
		}
		nr++;
	}
	return nr;
}

int event_list__names(const char *root, const struct log *log, char ***names)
{
	struct dirent **entries = NULL;
	int nr_entries, nr, err;
	char **found;

	*names = NULL;
	err = check_root(log, root);
	if (err)
		return err;
	nr_entries = scandir(root, &entries, is_candidate, alphasort);
	if (nr_entries < 0) {
		err = -errno;
		if (err == -EACCES)
			pin_access__log_denied(log, root, "");
		else
			log_error(log, "%s: cannot list it: %s", root, strerror(-err));
		return err;
	}
	found = calloc((size_t)nr_entries + 1, sizeof(*found));
	nr = found ? take_names(root, entries, nr_entries, found) : -ENOMEM;
	for (int i = 0; i < nr_entries; i++)
		free(entries[i]);
	free(entries);
	if (nr < 0) {
		free(found);
		return nr;
	}
	*names = found;
	return nr;
}

void event_list__log_unknown(const struct log *log, const char *path)
{
	const char *slash = strrchr(path, '/'), *colon = strchr(slash ? slash : path, ':');
	struct nearest_name nearest = { .wanted = slash ? slash + 1 : path };
	char list[PROGRAM_COMMAND_SIZE], root[PATH_MAX], **names;
	int nr;

	/* Some give the tracepoint, "SYSTEM:NAME". */
	if (colon)
		nearest.wanted = colon + 1;
	snprintf(root, sizeof(root), "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
	nr = event_list__names(root, NULL, &names);

	for (int i = 0; i < nr; i++)
		nearest_name__offer(&nearest, names[i]);
	if (nr >= 0)
		event_list__free_names(names, nr);
	log_error(log, "%s: there is no such event; %s%s%s%s shows those there are", path,
		  *nearest.best ? "did you mean " : "", nearest.best, *nearest.best ? "? " : "",
		  program_name__command(list, program_name__self(), "list", root));
}

bool event_list__is_pattern(const char *name)
{
	return strpbrk(name, "*?[");
}

int event_list__matching(const char *root, const char *pattern, const struct log *log,
			 char ***names)
{
	int matching = 0, nr = event_list__names(root, log, names);
	char list[PROGRAM_COMMAND_SIZE];

	if (nr < 0)
		return nr;
	for (int i = 0; i < nr; i++) {
		if (fnmatch(pattern, (*names)[i], 0))
			free((*names)[i]);
		else
			(*names)[matching++] = (*names)[i];
	}
	if (matching)
		return matching;
	event_list__free_names(*names, 0);
	*names = NULL;
	log_error(log, "%s/%s: no event matches; %s shows those there are", root, pattern,
		  program_name__command(list, program_name__self(), "list", root));
	return -ENOENT;
}

int persist_list_events(const char *root, persist_log_fn log_fn, void *log_ctx,
			struct persist_event_info **infos)
{
	const struct log log = { log_fn, log_ctx, PERSIST_LOG_WARNING };
	char path[PATH_MAX], **names;
	struct denied denied = { .nr = 0 };
	int nr_names, nr = 0;

	*infos = NULL;
	if (!root)
		root = PERSIST_DEFAULT_ROOT;
	nr_names = event_list__names(root, &log, &names);
	if (nr_names < 0)
		return nr_names;
	*infos = calloc((size_t)nr_names + 1, sizeof(**infos));
	for (int i = 0; *infos && names && i < nr_names; i++) {
		/* It was shorter than that when it was listed. */
		snprintf(path, sizeof(path), "%s/%s", root, names[i]);
		fill_info(*infos + nr, path, names[i], &log, &denied);
		nr += (*infos)[nr].error != -ENOENT && (*infos)[nr].error != -EMEDIUMTYPE;
	}
	event_list__free_names(names, nr_names);
	report_denied(&log, root, &denied);
	return *infos ? nr : -ENOMEM;
}
