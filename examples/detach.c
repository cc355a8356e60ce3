// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/*
 * detach SPEC COMMAND [ROOT]: records an event while a command runs, and then leaves it behind:
 * it goes on being recorded, with what it has recorded so far and with no process.
 *
 *	cc detach.c -o detach $(pkg-config --cflags --libs persist-bpf)
 *	./detach sched:sched_process_exec 'uname; date'
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <persist_bpf.h>

static void print_message(void *ctx, enum persist_log_level level, const char *message)
{
	fprintf((FILE *)ctx, "detach: %s%s\n", level == PERSIST_LOG_ERROR ? "error: " : "",
		message);
}

int main(int argc, char **argv)
{
	const struct persist_tree_options options = {
		.size = sizeof(options),
		.log_fn = print_message,
		.log_ctx = stderr,
		.log_level = PERSIST_LOG_WARNING,
		.root = argc > 3 ? argv[3] : NULL,
	};
	struct persist_attached *event = NULL;
	struct persist_tree *tree = NULL;
	int status = EXIT_FAILURE;

	if (argc < 3) {
		fprintf(stderr, "usage: detach SPEC COMMAND [ROOT]\n");
		return 2;
	}
	tree = persist_tree__new(&options);
	if (!tree)
		goto out;
	/* From here on it is recorded, and gone with this process, should that end. */
	event = persist_tree__make(tree, argv[1]);
	if (!event || system(argv[2]) < 0)
		goto out;
	if (persist_attached__detach(event))
		goto out;
	printf("persistent as %s, persistent,config=%u\n", persist_attached__meta(event)->name,
	       persist_attached__meta(event)->event_id);
	status = EXIT_SUCCESS;
out:
	persist_attached__free(event);
	persist_tree__free(tree);
	return status;
}
