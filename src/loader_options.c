// SPDX-License-Identifier: GPL-2.0-only
#include "loader_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"

enum long_option {
	OPTION_ROOT = 256,
	OPTION_GROUP,
	OPTION_MODE,
	OPTION_JSON,
	OPTION_PRINT,
	OPTION_DETACH,
	OPTION_IMPORT_BOOT_TRACE,
};

/* In the order of the help. */
static const struct loader_option {
	unsigned int takes; /* by which commands it is taken; 0: by all */
	struct option option;
	const char *help;
} known_options[] = {
	{ TAKES_EVENTS,
	  { "event", required_argument, NULL, 'e' },
	  "  -e, --event SPEC   an event to record, see below\n" },
	{ TAKES_CONFIG,
	  { "config", required_argument, NULL, 'c' },
	  "  -c, --config FILE  a file with one SPEC a line; # begins a comment\n" },
	{ TAKES_ACCESS,
	  { "group", required_argument, NULL, OPTION_GROUP },
	  "      --group NAME   this group may read the buffers\n" },
	{ TAKES_ACCESS,
	  { "mode", required_argument, NULL, OPTION_MODE },
	  "      --mode OCTAL   mode of the buffers: 0600, 0660 or 0666\n" },
	{ TAKES_BOOT_TRACE,
	  { "import-boot-trace", optional_argument, NULL, OPTION_IMPORT_BOOT_TRACE },
	  "      --import-boot-trace[=INSTANCE]\n"
	  "                     also what the kernel's boot tracing has recorded of the events\n"
	  "                     before: in this instance; by default in the one called\n"
	  "                     \"boot\", or if there is none in the top-level buffer, \".\"\n" },
	{ TAKES_PRINT,
	  { "print", no_argument, NULL, OPTION_PRINT },
	  "      --print        show the records while the command runs\n" },
	{ TAKES_DETACH,
	  { "detach", no_argument, NULL, OPTION_DETACH },
	  "      --detach       make the events persistent at the end\n" },
	{ TAKES_JSON,
	  { "json", no_argument, NULL, OPTION_JSON },
	  "      --json         print JSON\n" },
	{ 0,
	  { "root", required_argument, NULL, OPTION_ROOT },
	  "      --root DIR     directory of the tree in a BPF file system\n"
	  "                     (" PERSIST_DEFAULT_ROOT ")\n" },
	{ 0,
	  { "verbose", no_argument, NULL, 'v' },
	  "  -v, --verbose      show what libbpf and the verifier say\n" },
	{ 0, { "help", no_argument, NULL, 'h' }, "  -h, --help         show this\n" },
};

#define NR_OPTIONS (sizeof(known_options) / sizeof(known_options[0]))

static const struct option version_option = { "version", no_argument, NULL, 'V' };

static const char spec_help[] =
	"\nSPEC is SYSTEM:NAME or SYSTEM:NAME/OPTION=VALUE,.../; patterns match, as in "
	"'sched:*'.\n"
	"  keep=both|oldest|latest  what to keep when there is more than fits (both)\n"
	"  head=SIZE                bytes per CPU for the first records (64K; at most 256M)\n"
	"  tail=SIZE                bytes per CPU for the latest records (256K; at most 256M)\n"
	"  ring=auto|array|ringbuf  how the latest records are stored (auto)\n"
	"  wakeup=N                 wake readers at each N-th record, 0: they poll (0)\n"
	"  name=NAME                name in the tree (the tracepoint's)\n";

/* ---- help -------------------------------------------------------------------------------- */

/* Lines behind the first one begin with so many blanks. */
static void put_lines(FILE *out, const char *text, int indent)
{
	for (; *text; text++) {
		fputc(*text, out);
		if (*text == '\n')
			fprintf(out, "%*s", indent, "");
	}
}

static void put_options(FILE *out, unsigned int takes)
{
	for (size_t i = 0; i < NR_OPTIONS; i++)
		if (!known_options[i].takes || known_options[i].takes & takes)
			fputs(known_options[i].help, out);
}

static void put_overview(FILE *out, const struct loader_command *commands)
{
	print_help_text(out,
			"usage: {loader} COMMAND [OPTION|ARGUMENT]...\n"
			"       {loader} COMMAND --help\n"
			"       {loader} --help | --version (-V)\n"
			"\n"
			"Makes kernel events persistent: recorded into buffers pinned in bpffs, "
			"with no process.\n"
			"\n"
			"commands:\n");
	for (; commands->name; commands++) {
		fprintf(out, "  %s%s", commands->name, *commands->usage ? " " : "");
		put_lines(out, commands->usage, 6);
		fputs("\n      ", out);
		put_lines(out, commands->help, 6);
		fputs("\n", out);
	}
	fputs("\noptions:\n", out);
	put_options(out, ~0u);
	fputs(spec_help, out);
	fputs("\nExit status: 0 done, 1 failed, 2 wrong usage; of run and own, that of COMMAND.\n",
	      out);
}

static void put_command_help(FILE *out, const struct loader_command *command)
{
	print_help_text(out, "usage: {loader} ");
	fprintf(out, "%s%s", command->name, *command->usage ? " " : "");
	put_lines(out, command->usage, 11);
	fprintf(out, "\n\n%s\n\n", command->help);
	put_options(out, command->takes);
	if (command->takes & (TAKES_EVENTS | TAKES_SPECS))
		fputs(spec_help, out);
	if (command->takes & TAKES_COMMAND)
		fputs("\nExit status: that of COMMAND, 128 and its number if a signal ended it; 0 "
		      "done, 1 failed,\n2 wrong usage.\n",
		      out);
	else
		fputs("\nExit status: 0 done, 1 failed, 2 wrong usage.\n", out);
}

static int show_help(const struct loader_command *commands, const struct loader_command *command)
{
	if (command)
		put_command_help(stdout, command);
	else
		put_overview(stdout, commands);
	return end_output() ? EXIT_FAILED : EXIT_DONE;
}

static int show_version(void)
{
	print_version();
	return end_output() ? EXIT_FAILED : EXIT_DONE;
}

/* ---- options ----------------------------------------------------------------------------- */

/* What next_option() is to know. */
struct option_set {
	char letters[2 * NR_OPTIONS + 4];
	struct option options[NR_OPTIONS + 2];
};

static void add_option(struct option_set *set, const struct option *option)
{
	struct option *end = set->options;
	size_t len = strlen(set->letters);

	while (end->name)
		end++;
	*end = *option;
	if (option->val < OPTION_ROOT)
		snprintf(set->letters + len, sizeof(set->letters) - len, "%c%s", option->val,
			 option->has_arg ? ":" : "");
}

/* Those of a command; without one, those that may stand in front of any, and --version. */
static void fill_option_set(struct option_set *set, const struct loader_command *command)
{
	*set = (struct option_set){ 0 };
	if (!command) {
		strcpy(set->letters, "+");
		add_option(set, &version_option);
	}
	for (size_t i = 0; i < NR_OPTIONS; i++)
		if (!known_options[i].takes || (command && known_options[i].takes & command->takes))
			add_option(set, &known_options[i].option);
}

static void take_option(struct loader_options *options, int option)
{
	switch (option) {
	case OPTION_ROOT:
		options->root = optarg;
		break;
	case OPTION_GROUP:
		options->group = optarg;
		break;
	case OPTION_MODE:
		options->mode = optarg;
		break;
	case OPTION_JSON:
		options->json = true;
		break;
	case OPTION_PRINT:
		options->print = true;
		break;
	case OPTION_DETACH:
		options->detach = true;
		break;
	case OPTION_IMPORT_BOOT_TRACE:
		options->boot_trace = optarg ? optarg : "";
		break;
	case 'e':
		options->events[options->nr_events++] = optarg;
		break;
	case 'c':
		options->config = optarg;
		break;
	case 'v':
		options->verbose = true;
		break;
	}
}

/* Returns -1, or the status with which to exit. */
static int take_options(struct loader_options *options, const struct loader_command *commands,
			const struct loader_command *command, int argc, char **argv)
{
	struct option_set set;
	int option;

	fill_option_set(&set, command);
	while ((option = next_option(argc, argv, set.letters, set.options, NULL)) != -1) {
		switch (option) {
		case 'h':
			return show_help(commands, command);
		case 'V':
			return show_version();
		case '?':
			return EXIT_WRONG_USAGE;
		default:
			take_option(options, option);
		}
	}
	return -1;
}

/*
 * Everything behind "--" is a command to run. It is cut off before the options are parsed, so
 * that getopt can go on finding options behind operands.
 */
static char **cut_command(int *argc, char **argv)
{
	for (int i = 1; i < *argc; i++)
		if (!strcmp(argv[i], "--")) {
			argv[i] = NULL;
			*argc = i;
			return argv + i + 1;
		}
	return argv + *argc;
}

/* ---- commands ---------------------------------------------------------------------------- */

static const struct loader_command *find_command(const struct loader_command *commands,
						 const char *name)
{
	for (; commands->name; commands++)
		if (!strcmp(commands->name, name))
			return commands;
	return NULL;
}

/* `help COMMAND` is `COMMAND --help`. @names is what stands behind "help". */
static int help(const struct loader_command *commands, char **names)
{
	const struct loader_command *command = *names ? find_command(commands, *names) : NULL;

	if (*names && !command)
		return usage_error("no such command", *names);
	if (*names && names[1])
		return unexpected_argument(names[1]);
	return show_help(commands, command);
}

static int check_operands(const struct loader_command *command,
			  const struct loader_options *options)
{
	if (command->takes & TAKES_COMMAND && command->takes & TAKES_EVENTS && !options->nr_events)
		return missing_argument("-e SPEC");
	if (options->nr_operands < command->min_operands)
		return missing_argument(command->operand);
	if (options->nr_operands > command->max_operands)
		return unexpected_argument(options->operands[command->max_operands]);
	return -1;
}

static int parse_command(struct loader_options *options, const struct loader_command *commands,
			 const struct loader_command *command, int argc, char **argv)
{
	int status, given = argc;
	bool is_cut;

	command_line__set_command(command->name);
	options->command = command->takes & TAKES_COMMAND ? cut_command(&argc, argv) : argv + argc;
	is_cut = argc != given;
	optind = 0; /* getopt begins anew */
	status = take_options(options, commands, command, argc, argv);
	if (status >= 0)
		return status;
	options->operands = argv + optind;
	options->nr_operands = argc - optind;
	if (is_cut && !*options->command)
		return missing_argument("COMMAND, behind --,");
	return check_operands(command, options);
}

int loader_options__parse(struct loader_options *options, const struct loader_command *commands,
			  int argc, char **argv, const struct loader_command **command)
{
	int status;

	*options = (struct loader_options){ 0 };
	options->events = calloc(argc, sizeof(*options->events));
	if (!options->events)
		return EXIT_FAILED;
	status = take_options(options, commands, NULL, argc, argv);
	if (status >= 0)
		return status;
	if (optind == argc) {
		put_overview(stderr, commands);
		return EXIT_WRONG_USAGE;
	}
	argc -= optind;
	argv += optind;
	if (!strcmp(argv[0], "help"))
		return help(commands, argv + 1);
	*command = find_command(commands, argv[0]);
	if (!*command)
		return usage_error("no such command", argv[0]);
	return parse_command(options, commands, *command, argc, argv);
}

void loader_options__free(struct loader_options *options)
{
	free(options->events);
}
