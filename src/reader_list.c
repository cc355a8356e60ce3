// SPDX-License-Identifier: GPL-2.0-only
/* `reader list`: the events of a tree. */
#include <stdbool.h>
#include <stdlib.h>

#include "list_output.h"
#include "persist_bpf.h"
#include "reader_command.h"
#include "selection.h"

static const char list_help[] =
	"usage: {reader} list [--json] [--root DIR]\n"
	"\n"
	"Lists the events of a tree: name and id, tracepoint, which records are kept, bytes of all\n"
	"rings, how many events were seen, recorded and lost, and since when.\n"
	"\n"
	"      --json         one JSON object a line\n"
	"      --root DIR     the tree of pins (default " PERSIST_DEFAULT_ROOT ")\n"
	"  -h, --help         show this\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage.\n";

enum {
	OPT_JSON = 256,
};

static const struct option long_options[] = {
	ROOT_LONG_OPTION,
	{ "json", no_argument, NULL, OPT_JSON },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int run(int argc, char **argv)
{
	const char *root = NULL;
	bool json = false;
	int option;

	while ((option = next_option(argc, argv, "h", long_options, NULL)) != -1) {
		switch (option) {
		case OPT_JSON:
			json = true;
			break;
		case OPT_ROOT:
			root = optarg;
			break;
		case 'h':
			return print_help();
		default:
			return EXIT_USAGE; /* and a message was printed */
		}
	}
	if (optind < argc)
		return unexpected_argument(argv[optind]);
	return list_output__print(root, json) ? EXIT_FAILURE : EXIT_SUCCESS;
}

const struct reader_command list_command = {
	.name = "list",
	.summary = "list the events of a tree",
	.help = list_help,
	.run = run,
};
