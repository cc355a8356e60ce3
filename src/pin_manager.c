// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "pin_manager.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "capabilities.h"
#include "cpu_list.h"
#include "event_list.h"
#include "event_spec.h"
#include "lock_holder.h"
#include "program_name.h"
#include "registry.h"
#include "ring_slots.h"

#define STAGING "staging"
#define EVENTS	"events"
/* Under this name below staging/ a file is made before it is moved to its place. */
#define STAGED_FILE "file"

/* What an event's directory holds besides its rings. The link is first: it goes first. */
static const char *const event_pins[] = {
	PIN_LINK,  PIN_PROGRAM,	 PIN_HEADS,    PIN_TAILS,    PIN_WAKEUP, PIN_CONTROL,
	PIN_EVENT, PIN_STATUS,	 PIN_FORMAT,   PIN_RESOLVED, PIN_TOTALS, PIN_PAGES,
	PIN_SUMS,  PIN_IMPORTED, PIN_COUNTERS, PIN_META,
};

/* What a tree holds besides its events. */
static const char *const tree_files[] = { "type", "format/persistent", "format/config",
					  "registry" };

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

int pin_tree__init(struct pin_tree *tree, const struct log *log, const char *root)
{
	size_t len;

	*tree = (struct pin_tree){ .log = log, .lock = -1, .mode = 0600, .gid = (gid_t)-1 };
	if (!root)
		root = PIN_TREE_DEFAULT_ROOT;
	len = strlen(root);
	while (len > 1 && root[len - 1] == '/')
		len--;
	/* Room for the longest path below it. */
	if (!len || len > PATH_MAX - 4 * PERSIST_NAME_SIZE) {
		log_error(log, "root '%.64s%s': not a usable path", root, len > 64 ? "..." : "");
		return len ? -ENAMETOOLONG : -EINVAL;
	}
	memcpy(tree->root, root, len);
	tree->root[len] = '\0';
	return 0;
}

bool pin_tree__path(const struct pin_tree *tree, char path[PATH_MAX], const char *format, ...)
{
	int used = snprintf(path, PATH_MAX, "%s/", tree->root);
	va_list args;

	va_start(args, format);
	used += vsnprintf(path + used, PATH_MAX - used, format, args);
	va_end(args);
	return used < PATH_MAX;
}

/* ---- access ------------------------------------------------------------------------------ */

struct pin_access pin_tree__buffer_access(const struct pin_tree *tree)
{
	return (struct pin_access){ tree->mode, tree->gid };
}

struct pin_access pin_tree__read_access(const struct pin_tree *tree)
{
	/* The owner keeps the right to write: the loader itself is not always root. */
	return (struct pin_access){ (tree->mode & 0444) | 0600, tree->gid };
}

void pin_tree__adopt_access(struct pin_tree *tree)
{
	char path[PATH_MAX];
	struct stat st;

	if (!pin_tree__path(tree, path, "registry") || stat(path, &st))
		return;
	/* Who may read the registry may map the buffers, which takes the right to write. */
	tree->mode = 0600 | (st.st_mode & 0040 ? 0060 : 0) | (st.st_mode & 0004 ? 0006 : 0);
	tree->gid = st.st_gid;
}

static int set_access(const struct pin_tree *tree, const char *path, struct pin_access access)
{
	if (access.gid != (gid_t)-1 && lchown(path, (uid_t)-1, access.gid) && errno != ENOENT)
		goto failed;
	if (chmod(path, access.mode) && errno != ENOENT)
		goto failed;
	return 0;
failed:
	log_error(tree->log, "%s: cannot change its group or mode: %s", path, strerror(errno));
	return -errno;
}

static int apply_event_access(struct pin_tree *tree, const char *name,
			      const struct persist_meta *meta, void *context)
{
	static const char *const readable[] = { PIN_META,   PIN_COUNTERS, PIN_CONTROL,
						PIN_TOTALS, PIN_PAGES,	  PIN_SUMS };
	char path[PATH_MAX];
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(readable) && !err; i++) {
		pin_tree__path(tree, path, "%s/%s", name, readable[i]);
		err = set_access(tree, path, pin_tree__read_access(tree));
	}
	if (!err) {
		pin_tree__path(tree, path, "%s/%s", name, PIN_WAKEUP);
		err = set_access(tree, path, pin_tree__buffer_access(tree));
	}
	if (!err) {
		pin_tree__path(tree, path, "%s/%s", name, PIN_IMPORTED);
		err = set_access(tree, path, pin_tree__buffer_access(tree));
	}
	for (uint32_t cpu = 0; meta && cpu < meta->nr_cpus && !err; cpu++) {
		pin_tree__path(tree, path, "%s/%s/cpu%u", name, PIN_HEAD_DIR, cpu);
		err = set_access(tree, path, pin_tree__buffer_access(tree));
		if (err)
			break;
		pin_tree__path(tree, path, "%s/%s/cpu%u", name, PIN_TAIL_DIR, cpu);
		err = set_access(tree, path, pin_tree__buffer_access(tree));
	}
	return err;
}

int pin_tree__apply_access(struct pin_tree *tree)
{
	char path[PATH_MAX];
	int err = pin_tree__for_each_event(tree, apply_event_access, NULL);

	if (err)
		return err;
	pin_tree__path(tree, path, "registry");
	return set_access(tree, path, pin_tree__read_access(tree));
}

/* ---- looking at the tree ----------------------------------------------------------------- */

static int read_meta_map(int fd, struct persist_meta *meta)
{
	struct bpf_map_info info = {};
	uint32_t zero = 0, len = sizeof(info);
	char *value;
	int err = 0;

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	/* Any version begins with magic, version and size. */
	if (info.type != BPF_MAP_TYPE_ARRAY || info.value_size < 3 * sizeof(uint32_t))
		return -EBADMSG;
	value = calloc(1, info.value_size + sizeof(*meta));
	if (!value)
		return -ENOMEM;
	if (bpf_map_lookup_elem(fd, &zero, value)) {
		err = -errno;
		goto out;
	}
	memcpy(meta, value, sizeof(*meta));
	if (meta->magic != PERSIST_META_MAGIC)
		err = -EBADMSG;
	else if (meta->version > PERSIST_ABI_VERSION)
		err = -ENOTSUP;
	else if (meta->nr_cpus == 0 || meta->nr_cpus > CPU_LIST_MAX)
		err = -EBADMSG;
	meta->name[sizeof(meta->name) - 1] = '\0';
	meta->system[sizeof(meta->system) - 1] = '\0';
	meta->tracepoint[sizeof(meta->tracepoint) - 1] = '\0';
out:
	free(value);
	return err;
}

int pin_tree__read_meta(const struct pin_tree *tree, const char *name, struct persist_meta *meta)
{
	int err, fd = pin_tree__open_map(tree, name, PIN_META, true);

	if (fd == -EMEDIUMTYPE)
		return -EBADMSG;
	if (fd < 0)
		return fd == -ENOTDIR ? -ENOENT : fd;
	err = read_meta_map(fd, meta);
	close(fd);
	return err;
}

static const char *meta_error(int err)
{
	switch (err) {
	case -ENOTSUP:
		return "made by a newer version of this tool, which has to remove it";
	case -EBADMSG:
		return "not an event of ours, or its metadata are damaged; rm -r ends it";
	case -EACCES:
	case -EPERM:
		return "no permission; run the loader as root, or as the owner of the tree";
	case -EMFILE:
		return "too many open files; raise the limit with ulimit -n, or LimitNOFILE= of a "
		       "unit";
	default:
		return strerror(-err);
	}
}

void pin_tree__log_no_tree(const struct log *log, const char *root)
{
	char start[PROGRAM_COMMAND_SIZE];

	log_error(log, "%s: there is no tree of persistent events; to make one, run: %s", root,
		  program_name__command(start, PROGRAM_LOADER, "start", root));
}

void pin_tree__log_meta_error(const struct log *log, const char *root, const char *name, int err)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	if (err == -ENOENT)
		event_list__log_unknown(log, path);
	else
		log_error(log, "%s: %s", path, meta_error(err));
}

int pin_tree__open_map(const struct pin_tree *tree, const char *name, const char *pin,
		       bool read_only)
{
	char path[PATH_MAX];

	if (!pin_tree__path(tree, path, "%s/%s", name, pin))
		return -ENAMETOOLONG;
	return bpffs__open_map(path, read_only);
}

bool pin_tree__has_event(const struct pin_tree *tree, const char *name)
{
	struct persist_meta meta;
	int err = pin_tree__read_meta(tree, name, &meta);

	return !err || err == -ENOTSUP;
}

bool pin_tree__is_taken(const struct pin_tree *tree, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	return pin_tree__path(tree, path, "%s", name) && !lstat(path, &st);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void free_entries(struct dirent **entries, int nr)
{
	for (int i = 0; i < nr; i++)
		free(entries[i]);
	if (nr >= 0)
		free(entries);
}

int pin_tree__for_each_event(struct pin_tree *tree, pin_tree_visit_fn visit, void *context)
{
	struct dirent **entries;
	struct persist_meta meta = {};
	int err, result = 0, nr = scandir(tree->root, &entries, is_visible, alphasort);

	if (nr < 0)
		return -errno;
	for (int i = 0; i < nr && !result; i++) {
		const char *name = entries[i]->d_name;

		if (!event_spec__name_is_valid(name))
			continue;
		err = pin_tree__read_meta(tree, name, &meta);
		if (!err)
			result = visit(tree, name, &meta, context);
		else if (err == -ENOTSUP)
			result = visit(tree, name, NULL, context);
		else if (err == -ENOMEM || err == -EACCES || err == -EPERM)
			result = err;
	}
	free_entries(entries, nr);
	return result;
}

/* ---- taking pins away -------------------------------------------------------------------- */

/* Unlinks cpu<N> in a directory of rings, and removes it. -ENOTEMPTY: there are foreign files. */
static int clear_ring_dir(const char *path)
{
	char pin[PATH_MAX + NAME_MAX + 2];
	struct dirent **entries;
	int nr = scandir(path, &entries, is_visible, alphasort);

	if (nr < 0)
		return errno == ENOENT ? 0 : -errno;
	for (int i = 0; i < nr; i++) {
		const char *name = entries[i]->d_name;

		if (strncmp(name, "cpu", 3) || !isdigit((unsigned char)name[3]))
			continue;
		snprintf(pin, sizeof(pin), "%s/%s", path, name);
		bpffs__unlink(pin);
	}
	free_entries(entries, nr);
	return bpffs__rmdir(path);
}

/* Removes what this tool makes in an event's directory, and the directory if that was all. */
static int clear_event_dir(const struct pin_tree *tree, const char *dir)
{
	static const char *const ring_dirs[] = { PIN_HEAD_DIR, PIN_TAIL_DIR };
	char path[PATH_MAX];
	int err, foreign = 0;

	for (size_t i = 0; i < ARRAY_SIZE(event_pins); i++) {
		/* The metadata says whose directory this is: it goes after the rings. */
		if (!strcmp(event_pins[i], PIN_META))
			for (size_t j = 0; j < ARRAY_SIZE(ring_dirs); j++) {
				pin_tree__path(tree, path, "%s/%s", dir, ring_dirs[j]);
				err = clear_ring_dir(path);
				if (err)
					foreign = err;
			}
		pin_tree__path(tree, path, "%s/%s", dir, event_pins[i]);
		err = bpffs__unlink(path);
		if (err && err != -ENOENT)
			log_error(tree->log, "%s: cannot be unpinned: %s", path, strerror(-err));
	}
	pin_tree__path(tree, path, "%s", dir);
	err = bpffs__rmdir(path);
	return foreign ? foreign : err;
}

static void report_foreign(const struct pin_tree *tree, const char *dir)
{
	char path[PATH_MAX];
	struct dirent **entries;
	int nr;

	pin_tree__path(tree, path, "%s", dir);
	nr = scandir(path, &entries, is_visible, alphasort);
	for (int i = 0; i < nr; i++)
		log_warn(tree->log, "%s%s%s is not ours and was left", path, *dir ? "/" : "",
			 entries[i]->d_name);
	free_entries(entries, nr);
}

/* Moves what is left in @from, a directory that is to go, to the same place in @to. */
static void move_foreign(const struct pin_tree *tree, const char *from, const char *to)
{
	char old_path[PATH_MAX], new_path[PATH_MAX];
	struct dirent **entries;
	int err, nr;

	pin_tree__path(tree, old_path, "%s", from);
	nr = scandir(old_path, &entries, is_visible, alphasort);
	for (int i = 0; i < nr; i++) {
		const char *name = entries[i]->d_name;

		if (!pin_tree__path(tree, old_path, "%s/%s", from, name) ||
		    !pin_tree__path(tree, new_path, "%s/%s", to, name))
			continue;
		err = bpffs__rename(old_path, new_path);
		if (err)
			log_warn(tree->log, "%s is not ours, and cannot be moved to %s: %s",
				 old_path, new_path, strerror(-err));
		else
			log_warn(tree->log, "%s is not ours and was left", new_path);
	}
	free_entries(entries, nr);
	pin_tree__path(tree, old_path, "%s", from);
	bpffs__rmdir(old_path);
}

static void rescue_foreign(const struct pin_tree *tree, const char *name)
{
	static const char *const dirs[] = { "/" PIN_HEAD_DIR, "/" PIN_TAIL_DIR, "" };
	char from[PATH_MAX], to[PATH_MAX], live[PATH_MAX], staged[PATH_MAX];

	pin_tree__path(tree, live, "%s", name);
	pin_tree__path(tree, staged, STAGING "/%s", name);
	/* If the event is not there any more, what is left of its directory takes its place. */
	if (!pin_tree__is_taken(tree, name)) {
		bpffs__rename(staged, live);
		report_foreign(tree, name);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		snprintf(from, sizeof(from), STAGING "/%s%s", name, dirs[i]);
		snprintf(to, sizeof(to), "%s%s", name, dirs[i]);
		move_foreign(tree, from, to);
	}
}

void pin_tree__unstage(struct pin_tree *tree, const char *name)
{
	char dir[PATH_MAX];

	snprintf(dir, sizeof(dir), STAGING "/%s", name);
	if (clear_event_dir(tree, dir) == -ENOTEMPTY)
		rescue_foreign(tree, name);
}

static int make_dir(const struct pin_tree *tree, const char *path)
{
	int err = bpffs__mkdir(path, 0755);
	struct stat st;

	if (!err || (err == -EEXIST && !stat(path, &st) && S_ISDIR(st.st_mode)))
		return 0;
	if (err == -EEXIST)
		log_error(
			tree->log,
			"%s is not ours, but has a name that the tree needs; remove it, or choose "
			"another root with --root",
			path);
	else
		log_error(tree->log, "%s: cannot be made: %s", path, strerror(-err));
	return err;
}

/* What every change goes through, also one to a tree in which somebody has removed it. */
static int make_staging(const struct pin_tree *tree)
{
	char path[PATH_MAX];

	if (pin_tree__is_taken(tree, STAGING))
		return 0;
	pin_tree__path(tree, path, STAGING);
	return make_dir(tree, path);
}

int pin_tree__retire(struct pin_tree *tree, const char *name)
{
	char live[PATH_MAX], staged[PATH_MAX];
	int err = make_staging(tree);

	if (err)
		return err;
	pin_tree__path(tree, live, "%s", name);
	pin_tree__path(tree, staged, STAGING "/%s", name);
	err = bpffs__rename(live, staged);
	if (err) {
		log_error(tree->log, "%s: cannot be moved to %s: %s", live, staged, strerror(-err));
		return err;
	}
	pin_tree__unstage(tree, name);
	return 0;
}

/* ---- putting pins in place --------------------------------------------------------------- */

int pin_tree__stage_event(struct pin_tree *tree, const char *name)
{
	static const char *const dirs[] = { "", "/" PIN_HEAD_DIR, "/" PIN_TAIL_DIR };
	char path[PATH_MAX];
	int err = make_staging(tree);

	for (size_t i = 0; i < ARRAY_SIZE(dirs) && !err; i++) {
		pin_tree__path(tree, path, STAGING "/%s%s", name, dirs[i]);
		err = make_dir(tree, path);
	}
	return err;
}

/* What refuses with EPERM when a pin is made or given away. */
static const char *pin_remedy(int err)
{
	return err == -EPERM ? "; it takes CAP_BPF, and for another group CAP_CHOWN" : "";
}

int pin_tree__stage_pin(struct pin_tree *tree, const char *name, const char *pin, int fd,
			struct pin_access access)
{
	char path[PATH_MAX];
	int err;

	if (!pin_tree__path(tree, path, STAGING "/%s/%s", name, pin))
		return -ENAMETOOLONG;
	err = bpffs__pin(fd, path, access);
	if (err)
		log_error(tree->log, "%s: cannot be pinned: %s%s", path, strerror(-err),
			  pin_remedy(err));
	return err;
}

int pin_tree__publish(struct pin_tree *tree, const char *name)
{
	char live[PATH_MAX], staged[PATH_MAX];
	int err;

	pin_tree__path(tree, live, "%s", name);
	pin_tree__path(tree, staged, STAGING "/%s", name);
	err = bpffs__rename(staged, live);
	if (err)
		log_error(tree->log, "%s: cannot be published: %s", live, strerror(-err));
	return err;
}

int pin_tree__replace(struct pin_tree *tree, const char *name)
{
	char live[PATH_MAX], staged[PATH_MAX];
	int err;

	pin_tree__path(tree, live, "%s", name);
	pin_tree__path(tree, staged, STAGING "/%s", name);
	err = bpffs__exchange(staged, live);
	if (err)
		log_error(tree->log, "%s: cannot be replaced: %s", live, strerror(-err));
	return err;
}

/* The text files are links of iterators, or on a kernel without these, maps. */
static bool is_own_text(int fd)
{
	struct bpf_map_info info = {};
	uint32_t len = sizeof(info);

	if (bpffs__kind_of(fd) == BPFFS_LINK)
		return true;
	return bpffs__kind_of(fd) == BPFFS_MAP && !bpf_obj_get_info_by_fd(fd, &info, &len) &&
	       info.value_size == sizeof(struct persist_text_chunk);
}

static bool is_own_registry(int fd)
{
	struct bpf_map_info info = {};
	uint32_t len = sizeof(info);

	return bpffs__kind_of(fd) == BPFFS_MAP && !bpf_obj_get_info_by_fd(fd, &info, &len) &&
	       info.type == BPF_MAP_TYPE_HASH && info.key_size == sizeof(uint32_t) &&
	       info.value_size == sizeof(struct persist_registry_entry);
}

int pin_tree__check_file(struct pin_tree *tree, const char *file)
{
	char path[PATH_MAX];
	bool is_own = false;
	int fd;

	if (!pin_tree__is_taken(tree, file))
		return -ENOENT;
	pin_tree__path(tree, path, "%s", file);
	fd = bpffs__open_any(path);
	if (fd >= 0) {
		is_own = strcmp(file, "registry") ? is_own_text(fd) : is_own_registry(fd);
		close(fd);
	}
	if (is_own)
		return 0;
	log_error(tree->log,
		  "%s is not ours, but has a name that the tree needs; remove it, or choose "
		  "another root with --root",
		  path);
	return -EEXIST;
}

int pin_tree__put_file(struct pin_tree *tree, const char *file, int fd, struct pin_access access)
{
	char path[PATH_MAX], staged[PATH_MAX];
	int err;

	pin_tree__path(tree, staged, STAGING "/" STAGED_FILE);
	pin_tree__path(tree, path, "%s", file);
	err = bpffs__pin(fd, staged, access);
	if (!err)
		err = bpffs__rename(staged, path);
	if (err) {
		log_error(tree->log, "%s: cannot be made: %s%s", path, strerror(-err),
			  pin_remedy(err));
		unlink(staged);
	}
	return err;
}

int pin_tree__link_name(struct pin_tree *tree, const char *name)
{
	char path[PATH_MAX], target[PATH_MAX];
	int err;

	pin_tree__path(tree, path, EVENTS "/%s", name);
	snprintf(target, sizeof(target), "../%s/" PIN_EVENT, name);
	err = bpffs__symlink(target, path);
	if (err)
		log_error(tree->log, "%s: cannot be made: %s", path, strerror(-err));
	return err;
}

int pin_tree__unlink_name(struct pin_tree *tree, const char *name)
{
	char path[PATH_MAX];

	pin_tree__path(tree, path, EVENTS "/%s", name);
	return bpffs__unlink(path);
}

int pin_tree__remove_root(struct pin_tree *tree)
{
	static const char *const dirs[] = { "format", EVENTS, STAGING };
	struct pin_tree quiet = *tree;
	char path[PATH_MAX];
	int err;

	quiet.log = NULL; /* what is not ours is reported once, below */

	for (size_t i = 0; i < ARRAY_SIZE(tree_files); i++) {
		pin_tree__path(tree, path, "%s", tree_files[i]);
		if (!pin_tree__check_file(&quiet, tree_files[i]))
			bpffs__unlink(path);
	}
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		pin_tree__path(tree, path, "%s", dirs[i]);
		if (bpffs__rmdir(path) == -ENOTEMPTY)
			report_foreign(tree, dirs[i]);
	}
	err = bpffs__rmdir(tree->root);
	if (err == -ENOTEMPTY) {
		report_foreign(tree, "");
		return 0;
	}
	if (err)
		log_error(tree->log, "%s: cannot be removed: %s", tree->root, strerror(-err));
	return err;
}

static int find_any_event(struct pin_tree *tree, const char *name, const struct persist_meta *meta,
			  void *context)
{
	return 1;
}

void pin_tree__remove_unused(struct pin_tree *tree)
{
	if (tree->is_new && !pin_tree__for_each_event(tree, find_any_event, NULL))
		pin_tree__remove_root(tree);
}

/* ---- putting in order what a killed loader left ------------------------------------------ */

/* The rings that the program does not use any more, or has never used. */
static void drop_unused_buffers(struct pin_tree *tree, const char *name,
				const struct persist_meta *meta)
{
	int heads = pin_tree__open_map(tree, name, PIN_HEADS, false);
	int tails = pin_tree__open_map(tree, name, PIN_TAILS, false);

	ring_slots__drop(heads, tails, meta->nr_cpus, meta->generation + 1);
	if (heads >= 0)
		close(heads);
	if (tails >= 0)
		close(tails);
}

static uint32_t read_generation(const struct pin_tree *tree, const char *name)
{
	struct persist_control control = {};
	uint32_t zero = 0;
	int fd = pin_tree__open_map(tree, name, PIN_CONTROL, true);

	if (fd >= 0) {
		bpf_map_lookup_elem(fd, &zero, &control);
		close(fd);
	}
	return control.generation;
}

/*
 * Something is staged for @name. If it is new buffers of the live event, to which the program
 * has been switched already, they go live; in every other case the live state stands.
 */
static int settle_staged(struct pin_tree *tree, const char *name)
{
	struct persist_meta staged, live;
	char dir[PATH_MAX];
	int err;

	snprintf(dir, sizeof(dir), STAGING "/%s", name);
	if (!pin_tree__read_meta(tree, name, &live) && !pin_tree__read_meta(tree, dir, &staged) &&
	    live.instance == staged.instance) {
		if (staged.generation == live.generation + 1 &&
		    staged.generation == read_generation(tree, name)) {
			err = pin_tree__replace(tree, name);
			if (err)
				return err;
			live = staged;
		}
		drop_unused_buffers(tree, name, &live);
	}
	log_info(tree->log, "%s/%s: cleared what an interrupted loader had left", tree->root, dir);
	pin_tree__unstage(tree, name);
	return 0;
}

static int settle_staging(struct pin_tree *tree)
{
	struct dirent **entries;
	char path[PATH_MAX];
	int err = 0, nr;

	pin_tree__path(tree, path, STAGING "/" STAGED_FILE);
	bpffs__unlink(path);
	pin_tree__path(tree, path, STAGING);
	nr = scandir(path, &entries, is_visible, alphasort);
	for (int i = 0; i < nr && !err; i++)
		if (entries[i]->d_type == DT_DIR)
			err = settle_staged(tree, entries[i]->d_name);
	free_entries(entries, nr);
	return err;
}

/* Is events/@name a link of ours? */
static bool is_own_name(const struct pin_tree *tree, const char *name)
{
	char path[PATH_MAX], target[PATH_MAX], own[PATH_MAX];
	ssize_t len;

	pin_tree__path(tree, path, EVENTS "/%s", name);
	len = readlink(path, target, sizeof(target) - 1);
	if (len < 0)
		return false;
	target[len] = '\0';
	snprintf(own, sizeof(own), "../%s/" PIN_EVENT, name);
	return !strcmp(target, own);
}

static void drop_dangling_names(struct pin_tree *tree)
{
	struct dirent **entries;
	char path[PATH_MAX];
	int nr;

	pin_tree__path(tree, path, EVENTS);
	nr = scandir(path, &entries, is_visible, alphasort);
	for (int i = 0; i < nr; i++) {
		const char *name = entries[i]->d_name;

		if (is_own_name(tree, name) && !pin_tree__has_event(tree, name))
			pin_tree__unlink_name(tree, name);
	}
	free_entries(entries, nr);
}

static int settle(struct pin_tree *tree, bool create)
{
	static const char *const dirs[] = { STAGING, "format", EVENTS };
	char path[PATH_MAX];
	int err = 0;

	for (size_t i = 0; create && i < ARRAY_SIZE(dirs) && !err; i++) {
		pin_tree__path(tree, path, "%s", dirs[i]);
		err = make_dir(tree, path);
	}
	if (!err)
		err = settle_staging(tree);
	if (err)
		return err;
	drop_dangling_names(tree);
	return registry__drop_dead(tree);
}

/* ---- the lock ---------------------------------------------------------------------------- */

static const char *root_remedy(int err)
{
	switch (err) {
	case -ENOENT:
		return "; make it, or name another root with --root";
	case -EACCES:
	case -EPERM:
		return "; run the loader as root, or as the owner of the tree";
	default:
		return capabilities__explain(err);
	}
}

static int check_file_system(const struct pin_tree *tree)
{
	char copy[PATH_MAX];
	const char *where = tree->root;
	int is_bpffs = bpffs__is_mounted_at(where);

	if (is_bpffs == -ENOENT) {
		strcpy(copy, tree->root);
		where = dirname(copy);
		is_bpffs = bpffs__is_mounted_at(where);
	}
	if (is_bpffs == 1)
		return 0;
	if (is_bpffs < 0) {
		log_error(tree->log, "root %s: %s: %s%s", tree->root, where, strerror(-is_bpffs),
			  root_remedy(is_bpffs));
		return is_bpffs;
	}
	log_error(tree->log,
		  "root %s: %s is not on a BPF file system; mount one (mount -t bpf bpf "
		  "/sys/fs/bpf) or name another root with --root",
		  tree->root, where);
	return -ENOTSUP;
}

/* Locks the directory that is at the root's path now: another loader may be removing it. */
static int lock_root(struct pin_tree *tree, bool create)
{
	struct stat locked, there;
	char holder[96];
	int fd, err;

	tree->is_new = false;
	for (;;) {
		if (create) {
			err = bpffs__mkdir(tree->root, 0755);
			tree->is_new = !err;
			if (err && err != -EEXIST)
				return err;
		}
		fd = open(tree->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT && create)
			continue;
		if (fd < 0)
			return -errno;
		if (flock(fd, LOCK_EX | LOCK_NB)) {
			log_info(tree->log, "%s: waiting for %s, which has locked it", tree->root,
				 lock_holder__describe(fd, holder, sizeof(holder)));
			if (flock(fd, LOCK_EX)) {
				err = -errno;
				close(fd);
				return err;
			}
		}
		if (!fstat(fd, &locked) && !stat(tree->root, &there) &&
		    locked.st_ino == there.st_ino && locked.st_dev == there.st_dev)
			return fd;
		close(fd);
		if (!create && access(tree->root, F_OK))
			return -ENOENT;
	}
}

int pin_tree__lock(struct pin_tree *tree, bool create)
{
	int err = check_file_system(tree);

	if (err)
		return err;
	err = lock_root(tree, create);
	if (err < 0) {
		if (err != -ENOENT || create)
			log_error(tree->log, "%s: cannot be used as a root: %s%s", tree->root,
				  strerror(-err), root_remedy(err));
		return err;
	}
	tree->lock = err;
	err = settle(tree, create);
	if (err)
		pin_tree__unlock(tree);
	return err;
}

void pin_tree__unlock(struct pin_tree *tree)
{
	if (tree->lock >= 0)
		close(tree->lock);
	tree->lock = -1;
}
