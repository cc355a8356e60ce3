/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * The tree of pins and the protocol of its changes; docs/design.md has a picture.
 *
 * Every change is made under an exclusive lock on the root. An event is put together below
 * staging/ and goes live by one rename of its directory; it is removed by one rename in the
 * other direction; new buffers come by one exchange of directories. So an event is there if and
 * only if <root>/<name> is a directory with our metadata, whatever else a loader that was killed
 * left behind: events/<name> is a symbolic link into that directory, and entries of the registry
 * without it do not count. Taking the lock clears such remains away.
 */
#ifndef PERSIST_PIN_MANAGER_H
#define PERSIST_PIN_MANAGER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpffs.h"
#include "log.h"
#include "persist_record.h"

#define PIN_TREE_DEFAULT_ROOT "/sys/fs/bpf/persistent"

struct pin_tree {
	const struct log *log;
	char root[PATH_MAX];
	int lock;    /* descriptor of the locked root, -1 if it is not */
	bool is_new; /* made when it was locked */
	mode_t mode; /* of the buffers: 0600, 0660 or 0666 */
	gid_t gid;   /* of the buffers and what belongs to them; (gid_t)-1: the loader's own */
};

/* Names in an event's directory; a reader needs these as well. */
#define PIN_LINK     "link"
#define PIN_PROGRAM  "program"
#define PIN_META     "meta"
#define PIN_COUNTERS "counters"
#define PIN_CONTROL  "control"
#define PIN_HEADS    "heads"
#define PIN_TAILS    "tails"
#define PIN_WAKEUP   "wakeup"
#define PIN_FORMAT   "fmt"
#define PIN_RESOLVED "fmt-resolved"
#define PIN_STATUS   "status"
#define PIN_EVENT    "event"
#define PIN_TOTALS   "totals"
#define PIN_PAGES    "pages"
#define PIN_SUMS     "sums"
#define PIN_IMPORTED "imported"
#define PIN_HEAD_DIR "head"
#define PIN_TAIL_DIR "tail"

/*
 * Of the files for cat. Nobody can write to one, but bpf(2) opens a pinned link only for who may
 * write it: the owner has to be able to without CAP_DAC_OVERRIDE.
 */
#define PIN_MODE_TEXT 0644

/* Names @root, which need not exist; NULL for the default. Returns -ENAMETOOLONG or 0. */
int pin_tree__init(struct pin_tree *tree, const struct log *log, const char *root);

/*
 * Takes the lock, waiting for another loader, and brings the tree into order. With @create the
 * root is made if it is not there; without, -ENOENT is returned (and nothing logged).
 */
int pin_tree__lock(struct pin_tree *tree, bool create);
void pin_tree__unlock(struct pin_tree *tree);

/* The access to what readers map, and to what they only read. */
struct pin_access pin_tree__buffer_access(const struct pin_tree *tree);
struct pin_access pin_tree__read_access(const struct pin_tree *tree);

/* Takes over mode and group of a tree that exists; then changes those of all its pins. */
void pin_tree__adopt_access(struct pin_tree *tree);
int pin_tree__apply_access(struct pin_tree *tree);

/* Puts <root>/ and what the format says together; false if that does not fit. */
bool pin_tree__path(const struct pin_tree *tree, char path[PATH_MAX], const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Is there an event, or anything else, of this name? */
bool pin_tree__has_event(const struct pin_tree *tree, const char *name);
bool pin_tree__is_taken(const struct pin_tree *tree, const char *name);

/*
 * Reads an event's metadata. Returns 0, -ENOENT (no event), -ENOTSUP (newer ABI), -EBADMSG (not
 * ours, or damaged) or another -errno.
 */
int pin_tree__read_meta(const struct pin_tree *tree, const char *name, struct persist_meta *meta);

/* Says that there is no tree at @root, and what makes one. */
void pin_tree__log_no_tree(const struct log *log, const char *root);

/* Says what pin_tree__read_meta() has returned, as an error of the event @name below @root. */
void pin_tree__log_meta_error(const struct log *log, const char *root, const char *name, int err);

/*
 * Calls @visit for each event in the order of the names; a non-zero return ends the walk and is
 * returned. Events of a newer ABI are visited with a @meta of NULL; what cannot be read at all is
 * passed over.
 */
typedef int (*pin_tree_visit_fn)(struct pin_tree *tree, const char *name,
				 const struct persist_meta *meta, void *context);
int pin_tree__for_each_event(struct pin_tree *tree, pin_tree_visit_fn visit, void *context);

/* Opens a map of an event, writable unless @read_only. Returns a descriptor or -errno. */
int pin_tree__open_map(const struct pin_tree *tree, const char *name, const char *pin,
		       bool read_only);

/* All that follows needs the lock. Messages are logged; 0 or -errno is returned. */

/* Pins @fd as @pin of the staged event @name; closes nothing. */
int pin_tree__stage_event(struct pin_tree *tree, const char *name);
int pin_tree__stage_pin(struct pin_tree *tree, const char *name, const char *pin, int fd,
			struct pin_access access);
/* The staged event becomes live, or takes the place of the live one of that name. */
int pin_tree__publish(struct pin_tree *tree, const char *name);
int pin_tree__replace(struct pin_tree *tree, const char *name);
/*
 * Removes what is staged under @name. Files there that are not ours had been put into the event's
 * directory, and are moved back there.
 */
void pin_tree__unstage(struct pin_tree *tree, const char *name);
/* Ends a live event: unpins all of it. Files that are not ours are reported and left. */
int pin_tree__retire(struct pin_tree *tree, const char *name);

/*
 * A file outside of the events: type, format/persistent, format/config or registry. Returns 0 if
 * it is there, -ENOENT if not, -EEXIST with a message if something else has its name.
 */
int pin_tree__check_file(struct pin_tree *tree, const char *file);
/* It appears in one step. */
int pin_tree__put_file(struct pin_tree *tree, const char *file, int fd, struct pin_access access);
/* events/<name>, which leads to the event's own file. */
int pin_tree__link_name(struct pin_tree *tree, const char *name);
int pin_tree__unlink_name(struct pin_tree *tree, const char *name);
/* Removes the files and directories that do not belong to an event, and the root. */
int pin_tree__remove_root(struct pin_tree *tree);
/* The same for a tree that was made when it was locked, and in which no event has come to be. */
void pin_tree__remove_unused(struct pin_tree *tree);

#endif
