// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/* The public face of trees and of attached events: locking, options, and the handles. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capabilities.h"
#include "event_manager.h"
#include "event_status.h"
#include "libbpf_messages.h"
#include "options.h"
#include "persist_bpf.h"
#include "persist_tree_internal.h"

struct persist_tree {
	unsigned int users; /* the handle, and attached events, which come back to the tree */
	struct log log;
	struct pin_tree pins;
	struct pin_tree asked; /* mode and group of the options */
	bool sets_access;
	struct event_manager manager;
	bool has_manager; /* loaded when the first event is made */
	char *boot_trace; /* the one that the manager uses, or could not open; NULL: none */
	int boot_trace_err;
};

/* ---- handles ----------------------------------------------------------------------------- */

static bool is_mode(uint32_t mode)
{
	/* A reader maps the buffers through a descriptor that may write, which it then may not. */
	return mode == 0600 || mode == 0660 || mode == 0666;
}

struct persist_tree *persist_tree__new(const struct persist_tree_options *options)
{
	struct persist_tree_options known = {};
	struct persist_tree *tree = NULL;
	int err = options__copy(&known, sizeof(known), options);

	if (!err && known.mode && !is_mode(known.mode))
		err = -EINVAL;
	if (!err) {
		tree = calloc(1, sizeof(*tree));
		err = tree ? 0 : -ENOMEM;
	}
	if (!err) {
		tree->users = 1;
		tree->log = (struct log){ known.log_fn, known.log_ctx, known.log_level };
		err = pin_tree__init(&tree->pins, &tree->log, known.root);
	}
	if (err) {
		free(tree);
		errno = -err;
		return NULL;
	}
	tree->sets_access = known.mode || known.set_group;
	tree->asked = tree->pins;
	if (known.set_group) {
		tree->asked.gid = known.gid;
		tree->asked.mode = 0660;
	}
	if (known.mode)
		tree->asked.mode = known.mode;
	return tree;
}

void persist_tree__free(struct persist_tree *tree)
{
	if (!tree || --tree->users)
		return;
	if (tree->has_manager)
		event_manager__close(&tree->manager);
	free(tree->boot_trace);
	free(tree);
}

/* Said before anything is changed: what would fail otherwise fails in the middle. */
static int check_capabilities(const struct log *log)
{
	char missing[64];

	if (!capabilities__are_missing(missing, sizeof(missing)))
		return 0;
	log_error(log,
		  "no permission to load BPF programs: this process lacks %s; run it as root, or "
		  "give it that",
		  missing);
	return -EPERM;
}

/* What makes BPF objects is done between these two, of which the second is called in any case. */
static int begin_making(struct persist_tree *tree)
{
	int err;

	libbpf_messages__begin(&tree->log);
	if (tree->has_manager)
		return 0;
	err = check_capabilities(&tree->log);
	if (!err)
		err = event_manager__open(&tree->manager, &tree->log);
	tree->has_manager = !err;
	return err;
}

static void end_making(void)
{
	libbpf_messages__end();
}

/* Locks the tree, and gives it and what will be made the access that was asked for. */
static int lock(struct persist_tree *tree, bool create)
{
	int err = pin_tree__lock(&tree->pins, create);

	if (err)
		return err;
	pin_tree__adopt_access(&tree->pins);
	if (!tree->sets_access)
		return 0;
	tree->pins.mode = tree->asked.mode;
	if (tree->asked.gid != (gid_t)-1)
		tree->pins.gid = tree->asked.gid;
	err = pin_tree__apply_access(&tree->pins);
	if (err)
		pin_tree__unlock(&tree->pins);
	return err;
}

/* A change that has failed leaves no tree behind that was made for it. */
static void unlock_after_adding(struct persist_tree *tree, int err)
{
	if (err)
		pin_tree__remove_unused(&tree->pins);
	pin_tree__unlock(&tree->pins);
}

/* What is no name could lead out of the tree, past its lock. */
static int check_name(const struct persist_tree *tree, const char *name)
{
	if (event_spec__name_is_valid(name))
		return 0;
	pin_tree__log_meta_error(&tree->log, tree->pins.root, name, -ENOENT);
	return -ENOENT;
}

/* Locks the tree to do something with the event @name, for which there has to be a tree. */
static int lock_for_event(struct persist_tree *tree, const char *name)
{
	int err = check_name(tree, name);

	if (err)
		return err;
	err = lock(tree, false);
	if (err == -ENOENT)
		pin_tree__log_no_tree(&tree->log, tree->pins.root);
	return err;
}

/* ---- persistent events ------------------------------------------------------------------- */

static void tell(const struct persist_add_options *options, enum persist_added added,
		 const struct event_spec *spec, const struct persist_meta *meta)
{
	if (options->added_fn)
		options->added_fn(options->added_ctx, added, spec->system, spec->tracepoint, meta);
}

static int finish_adding(struct persist_tree *tree, struct event_addition *addition,
			 const struct persist_add_options *options)
{
	static const enum persist_added results[] = {
		[EVENT_ADDED] = PERSIST_ADDED,
		[EVENT_WAS_THERE] = PERSIST_WAS_THERE,
		[EVENT_SKIPPED] = PERSIST_SKIPPED,
	};
	bool is_there;

	event_manager__finish_adding(&tree->manager, &tree->pins, addition);
	is_there = !addition->err && addition->added != EVENT_SKIPPED;
	tell(options, addition->err ? PERSIST_FAILED : results[addition->added], addition->spec,
	     is_there ? &addition->meta : NULL);
	return addition->err;
}

/* Of these one waits for the kernel while another one is in the verifier. */
#define MAX_BEGUN 4

/* More CPUs, more descriptors: they are to fit into the usual limit of 1024. */
static size_t events_begun_at_once(const struct event_manager *manager)
{
	size_t nr = 512 / event_addition__max_descriptors(manager->nr_cpus);

	return nr < 1 ? 1 : nr > MAX_BEGUN ? MAX_BEGUN : nr;
}

static int add_locked(struct persist_tree *tree, const struct event_spec_list *list,
		      const struct persist_add_options *options)
{
	struct event_addition *begun = calloc(MAX_BEGUN, sizeof(*begun));
	size_t nr_begun = events_begun_at_once(&tree->manager);
	int one, err = 0;

	if (!begun)
		return -ENOMEM;
	for (size_t i = 0; i < list->nr + nr_begun; i++) {
		struct event_addition *addition = &begun[i % nr_begun];

		if (i >= nr_begun && i - nr_begun < list->nr) {
			one = finish_adding(tree, addition, options);
			if (one || addition->import_err)
				err = one ? one : addition->import_err;
		}
		if (i >= list->nr)
			continue;
		*addition = (struct event_addition){
			.spec = &list->specs[i],
			.accept_same = options->accept_same,
		};
		event_manager__begin_adding(&tree->manager, &tree->pins, addition);
	}
	free(begun);
	return err;
}

static void stop_using_boot_trace(struct persist_tree *tree)
{
	boot_trace__close(tree->manager.boot_trace);
	tree->manager.boot_trace = NULL;
	free(tree->boot_trace);
	tree->boot_trace = NULL;
}

/* It is opened once, since on older kernels what was read is gone. */
static int use_boot_trace(struct persist_tree *tree, const char *instance)
{
	struct event_manager *manager = &tree->manager;

	if (tree->boot_trace && !strcmp(tree->boot_trace, instance))
		return tree->boot_trace_err;
	stop_using_boot_trace(tree);
	tree->boot_trace = strdup(instance);
	if (!tree->boot_trace)
		return -ENOMEM;
	tree->boot_trace_err = event_manager__use_boot_trace(manager, *instance ? instance : NULL);
	return tree->boot_trace_err;
}

static int add_list(struct persist_tree *tree, const struct event_spec_list *list,
		    const struct persist_add_options *options)
{
	int err = lock(tree, true), import_err = 0;

	if (err)
		return err;
	if (options->import_boot_trace)
		import_err = use_boot_trace(tree, options->import_boot_trace);
	else
		stop_using_boot_trace(tree);
	err = add_locked(tree, list, options);
	unlock_after_adding(tree, err);
	return err ? err : import_err;
}

int persist_tree__add(struct persist_tree *tree, const char *const *specs, size_t nr,
		      const struct persist_add_options *options)
{
	struct persist_add_options known = {};
	struct event_spec_list list = {};
	int err = options__copy(&known, sizeof(known), options);

	for (size_t i = 0; i < nr && !err; i++)
		err = event_spec_list__add(&list, &tree->log, specs[i], known.optional);
	if (!err) {
		err = begin_making(tree);
		if (!err)
			err = add_list(tree, &list, &known);
		end_making();
	}
	event_spec_list__free(&list);
	return err;
}

int persist_tree__remove(struct persist_tree *tree, const char *name)
{
	int err = lock_for_event(tree, name);

	if (err)
		return err;
	err = event_manager__remove(&tree->pins, name);
	pin_tree__unlock(&tree->pins);
	return err;
}

int persist_tree__clear(struct persist_tree *tree, const char *name)
{
	int err = begin_making(tree);

	if (!err)
		err = lock_for_event(tree, name);
	if (!err) {
		err = event_manager__clear(&tree->manager, &tree->pins, name);
		pin_tree__unlock(&tree->pins);
	}
	end_making();
	return err;
}

struct stop {
	void (*removed_fn)(void *ctx, const char *name);
	void *ctx;
	int err; /* of the last event that is still there */
};

/* Goes on after an error: what can be stopped is. */
static int stop_event(struct pin_tree *pins, const char *name, const struct persist_meta *meta,
		      void *context)
{
	struct stop *stop = context;
	int err = -ENOTSUP;

	if (meta)
		err = event_manager__remove(pins, name);
	else
		pin_tree__log_meta_error(pins->log, pins->root, name, err);
	if (err)
		stop->err = err;
	else if (stop->removed_fn)
		stop->removed_fn(stop->ctx, name);
	return 0;
}

int persist_tree__stop(struct persist_tree *tree, void (*removed_fn)(void *ctx, const char *name),
		       void *ctx)
{
	struct stop stop = { removed_fn, ctx, 0 };
	int err = pin_tree__lock(&tree->pins, false);

	if (err)
		return err == -ENOENT ? 0 : err; /* stopped already */
	err = pin_tree__for_each_event(&tree->pins, stop_event, &stop);
	if (!err)
		err = stop.err;
	if (!err)
		err = pin_tree__remove_root(&tree->pins);
	pin_tree__unlock(&tree->pins);
	return err;
}

static int read_status(const struct persist_tree *tree, const char *name,
		       struct persist_status *status)
{
	if (!event_spec__name_is_valid(name))
		return -ENOENT;
	return event_status__read(&tree->pins, name, status);
}

struct persist_status *persist_tree__status(struct persist_tree *tree, const char *name)
{
	struct persist_status *status = calloc(1, sizeof(*status));
	int err = status ? read_status(tree, name, status) : -ENOMEM;

	if (!err)
		return status;
	persist_status__free(status);
	errno = -err;
	return NULL;
}

/* ---- attached events --------------------------------------------------------------------- */

static struct persist_attached *new_attached(struct persist_tree *tree)
{
	struct persist_attached *attached = calloc(1, sizeof(*attached));

	if (attached) {
		attached->tree = tree;
		tree->users++;
	}
	return attached;
}

static void free_attached(struct persist_attached *attached)
{
	if (!attached)
		return;
	persist_tree__free(attached->tree);
	free(attached);
}

static struct persist_attached *finish_attached(struct persist_attached *attached, int err)
{
	if (!err)
		return attached;
	free_attached(attached);
	errno = -err;
	return NULL;
}

static int make_one(struct persist_tree *tree, const char *text, struct attached_event *event)
{
	struct event_spec_list list = {};
	int err = event_spec_list__add(&list, &tree->log, text, false);

	if (!err && list.nr != 1) {
		log_error(&tree->log, "event '%s': it is %zu tracepoints, and should be one", text,
			  list.nr);
		err = -EINVAL;
	}
	if (!err) {
		err = begin_making(tree);
		if (!err)
			err = event_manager__make(&tree->manager, &list.specs[0], event);
		end_making();
	}
	event_spec_list__free(&list);
	return err;
}

struct persist_attached *persist_tree__make(struct persist_tree *tree, const char *spec)
{
	struct persist_attached *attached = new_attached(tree);

	return finish_attached(attached,
			       attached ? make_one(tree, spec, &attached->event) : -ENOMEM);
}

struct persist_attached *persist_tree__attach(struct persist_tree *tree, const char *name)
{
	struct persist_attached *attached = new_attached(tree);
	int err = attached ? lock_for_event(tree, name) : -ENOMEM;

	if (!err) {
		err = event_manager__attach(&tree->pins, name, &attached->event);
		pin_tree__unlock(&tree->pins);
	}
	return finish_attached(attached, err);
}

/* Descriptors that stayed open would keep the event alive when it is removed from the tree. */
static void let_go(struct persist_attached *attached)
{
	const struct persist_meta meta = attached->event.meta;

	attached_event__close(&attached->event);
	attached->event.meta = meta;
	attached->is_detached = true;
}

int persist_attached__detach(struct persist_attached *attached)
{
	struct persist_tree *tree = attached->tree;
	int err;

	if (attached->is_detached)
		return -EALREADY;
	err = begin_making(tree);
	if (!err)
		err = lock(tree, true);
	if (!err) {
		err = event_manager__detach(&tree->manager, &tree->pins, &attached->event);
		if (!err)
			let_go(attached);
		unlock_after_adding(tree, err);
	}
	end_making();
	return err;
}

void persist_attached__free(struct persist_attached *attached)
{
	if (!attached)
		return;
	attached_event__close(&attached->event);
	free_attached(attached);
}

const struct persist_meta *persist_attached__meta(const struct persist_attached *attached)
{
	return &attached->event.meta;
}
