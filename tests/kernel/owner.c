// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does with an event what the arguments say, one after the other, as a user of the library would:
 *
 *   make=SPEC    makes an event
 *   attach=NAME  takes a persistent event over
 *   detach       makes it persistent
 *   free         lets go of it
 *   forget       frees the handle of the tree, but not the event
 *   run=COMMAND  runs a command of the shell
 *   read         prints the first argument of each system call that the event has recorded
 *   wait         waits to be killed
 *
 * Each step is printed with "ok" or the name of its error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "persist_bpf.h"

struct owner {
	struct persist_tree *tree;
	struct persist_attached *event;
};

static void print_message(void *ctx, enum persist_log_level level, const char *message)
{
	fprintf(stderr, "owner: %s\n", message);
}

/* In place of the event before, unless there is none. */
static int take(struct owner *owner, struct persist_attached *event)
{
	if (!event)
		return -errno;
	persist_attached__free(owner->event);
	owner->event = event;
	return 0;
}

static int make(struct owner *owner, const char *spec)
{
	return take(owner, persist_tree__make(owner->tree, spec));
}

static int attach(struct owner *owner, const char *name)
{
	return take(owner, persist_tree__attach(owner->tree, name));
}

static int detach(struct owner *owner, const char *argument)
{
	return persist_attached__detach(owner->event);
}

static int free_event(struct owner *owner, const char *argument)
{
	persist_attached__free(owner->event);
	owner->event = NULL;
	return 0;
}

static int forget(struct owner *owner, const char *argument)
{
	persist_tree__free(owner->tree);
	owner->tree = NULL;
	return 0;
}

static int run(struct owner *owner, const char *command)
{
	return system(command) ? -ECHILD : 0;
}

static int print_record(const struct persist_item *item)
{
	const struct persist_field *field = persist_event__field(item->event, 1);
	uint64_t number;
	int err;

	if (!item->record) {
		printf("lost %" PRIu64 "\n", item->loss.lost);
		return 0;
	}
	err = persist_field__get_u64(field, item->record, &number);
	if (!err)
		printf("%" PRIu64 "\n", number);
	return err;
}

static int read_event(struct owner *owner, const char *argument)
{
	const struct persist_reader_options options = {
		.size = sizeof(options),
		.log_fn = print_message,
		.log_level = PERSIST_LOG_WARNING,
	};
	struct persist_reader *reader = persist_reader__new(&options);
	struct persist_item item;
	int got, err = reader ? persist_reader__add_attached(reader, owner->event) : -errno;

	while (!err && (got = persist_reader__next(reader, &item)) == 1)
		err = print_record(&item);
	persist_reader__free(reader);
	return err;
}

static int wait_for_signal(struct owner *owner, const char *argument)
{
	fflush(stdout);
	return pause();
}

static const struct {
	const char *name;
	int (*act)(struct owner *owner, const char *argument);
} steps[] = {
	{ "make", make },	{ "attach", attach },	     { "detach", detach },
	{ "free", free_event }, { "forget", forget },	     { "run", run },
	{ "read", read_event }, { "wait", wait_for_signal },
};

static int take_step(struct owner *owner, const char *step)
{
	size_t length = strcspn(step, "=");

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (length == strlen(steps[i].name) && !strncmp(step, steps[i].name, length))
			return steps[i].act(owner, step[length] ? step + length + 1 : "");
	fprintf(stderr, "owner: %s: no such step\n", step);
	exit(2);
}

int main(int argc, char **argv)
{
	const struct persist_tree_options options = {
		.size = sizeof(options),
		.log_fn = print_message,
		.log_level = PERSIST_LOG_WARNING,
	};
	struct owner owner = { .tree = persist_tree__new(&options) };
	int err;

	if (!owner.tree)
		return 1;
	for (int i = 1; i < argc; i++) {
		err = take_step(&owner, argv[i]);
		printf("%.*s %s\n", (int)strcspn(argv[i], "="), argv[i],
		       err ? strerrorname_np(-err) : "ok");
	}
	persist_attached__free(owner.event);
	persist_tree__free(owner.tree);
	return 0;
}
