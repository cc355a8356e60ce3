// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "command_line.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "persist_bpf.h"
#include "version.h"

static const char *command;

/*
 * Otherwise the next file that is opened would be standard output or error, and get what is written
 * there. Each is opened the wrong way round, so that using it is still the error EBADF.
 */
static void fill_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(EXIT_FAILURE); /* and nobody can be told */
}

void command_line__begin(enum program program, const char *argv0)
{
	fill_standard_descriptors();
	program_name__set(program, argv0);
}

void command_line__set_command(const char *name)
{
	command = name;
}

/* ---- messages ---------------------------------------------------------------------------- */

void print_log_message(void *ctx, enum persist_log_level level, const char *message)
{
	static const char *const prefixes[] = { "error: ", "warning: ", "", "" };

	(void)ctx;
	fprintf(stderr, "%s: %s%s\n", program_name__short(), prefixes[level], message);
}

int usage_error(const char *what, const char *object)
{
	const char *program = program_name__self() == PROGRAM_LOADER ? program_name__loader()
								     : program_name__reader();
	const char *blank = command ? " " : "", *name = command ? command : "";
	const char *quote = object ? "'" : "";
	char escaped_what[LOG_ESCAPED_SIZE], escaped_object[LOG_ESCAPED_SIZE] = "";

	if (object)
		log_escape(object, escaped_object);
	fprintf(stderr, "%s%s%s: %s%s%s%s%s; %s%s%s --help lists the %s\n", program_name__short(),
		blank, name, log_escape(what, escaped_what), object ? " " : "", quote,
		escaped_object, quote, program, blank, name, command ? "options" : "commands");
	return EXIT_USAGE;
}

int unexpected_argument(const char *argument)
{
	return usage_error("unexpected argument", argument);
}

int missing_argument(const char *name)
{
	char what[64];

	snprintf(what, sizeof(what), "%s is missing", name);
	return usage_error(what, NULL);
}

/* ---- options ----------------------------------------------------------------------------- */

/* Those that an abbreviation of a long option can mean, as "'--since' or '--sort'"; their number.
 */
static unsigned int find_candidates(const char *name, size_t len, const struct option *options,
				    const struct option **found, char *list, size_t size)
{
	unsigned int nr = 0;
	size_t used = 0;

	*found = NULL;
	for (; options->name; options++) {
		if (strncmp(options->name, name, len))
			continue;
		*found = options;
		if (!options->name[len])
			return 1;
		if (used < size)
			used += (size_t)snprintf(list + used, size - used, "%s--%s",
						 nr ? " or " : "", options->name);
		nr++;
	}
	return nr;
}

/* What is wrong with @word, "--NAME" or "--NAME=ARGUMENT". */
static void explain_long_option(const char *word, const struct option *options)
{
	size_t len = strcspn(word + 2, "=");
	const struct option *found;
	char list[256], what[512], name[128];

	snprintf(name, sizeof(name), "--%.*s", (int)(len < 100 ? len : 100), word + 2);
	switch (find_candidates(word + 2, len, options, &found, list, sizeof(list))) {
	case 0:
		usage_error("unknown option", name);
		return;
	case 1:
		snprintf(what, sizeof(what), "option '--%s' %s", found->name,
			 found->has_arg == no_argument ? "takes no argument, but has"
						       : "wants an argument");
		usage_error(what, found->has_arg == no_argument ? word + 2 + len + 1 : NULL);
		return;
	default:
		snprintf(what, sizeof(what), "option '%s' can be %s", name, list);
		usage_error(what, NULL);
	}
}

/* @letter is the option that getopt_long() has not taken; 0 or no letter if it is a long one. */
static void explain_option(int letter, const char *word, const char *letters,
			   const struct option *options)
{
	const char *known = letter > 0 && letter <= CHAR_MAX ? strchr(letters, letter) : NULL;
	char name[] = { '-', (char)letter, '\0' };
	bool is_letter = letter > 0 && letter <= CHAR_MAX;

	/* A long option may be returned as a letter: it is one if the letter itself is right. */
	if (!is_letter || (known && (known[1] != ':' || !strncmp(word, "--", 2)))) {
		explain_long_option(word, options);
	} else if (known) {
		char what[64];

		snprintf(what, sizeof(what), "option '%s' wants an argument", name);
		usage_error(what, NULL);
	} else {
		usage_error("unknown option", name);
	}
}

int next_option(int argc, char **argv, const char *letters, const struct option *options,
		int *index)
{
	int option;

	opterr = 0;
	option = getopt_long(argc, argv, letters, options, index);
	if (option == '?')
		explain_option(optopt, argv[optind - 1], letters, options);
	return option;
}

int take_number(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
	char what[128], *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !errno && !*end && *number >= min && *number <= max)
		return -1;
	snprintf(what, sizeof(what), "%s wants a whole number from %llu to %llu, not", option,
		 (unsigned long long)min, (unsigned long long)max);
	return usage_error(what, text);
}

/* ---- output ------------------------------------------------------------------------------ */

void print_help_text(FILE *out, const char *text)
{
	static const char loader[] = "{loader}", reader[] = "{reader}";

	while (*text) {
		if (!strncmp(text, loader, sizeof(loader) - 1)) {
			fputs(program_name__loader(), out);
			text += sizeof(loader) - 1;
		} else if (!strncmp(text, reader, sizeof(reader) - 1)) {
			fputs(program_name__reader(), out);
			text += sizeof(reader) - 1;
		} else {
			fputc(*text++, out);
		}
	}
}

void print_version(void)
{
	printf("persist-%s (persist-bpf) %s, record format %d\n",
	       program_name__self() == PROGRAM_LOADER ? "loader" : "reader", PERSIST_BPF_VERSION,
	       PERSIST_ABI_VERSION);
}

int end_output(void)
{
	const struct log log = { print_log_message, NULL, PERSIST_LOG_ERROR };
	int err = fflush(stdout) ? -errno : 0;

	if (!err && !ferror(stdout))
		return 0;
	if (!err)
		log_error(&log, "standard output: not everything could be written");
	else if (err != -EPIPE)
		log_error(&log, "standard output: %s", strerror(-err));
	return err ? err : -EIO;
}
