// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "program_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "persist_bpf.h"

/* A message has other things to say as well: a longer name is not used. */
#define NAME_SIZE 256

static const char *const words[] = { [PROGRAM_LOADER] = "loader", [PROGRAM_READER] = "reader" };

static char names[][NAME_SIZE] = {
	[PROGRAM_LOADER] = "persist-loader",
	[PROGRAM_READER] = "persist-reader",
};

static enum program self = PROGRAM_READER;

static char short_name[NAME_SIZE] = "persist-bpf";

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* As a shell takes it. Returns false for what is too long, or is not worth its quoting. */
static bool quote(char *text, size_t size, const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "/._-+:@%,=";
	size_t len = strlen(word);

	if (len + sizeof("''") > size || strchr(word, '\''))
		return false;
	if (strspn(word, plain) == len)
		snprintf(text, size, "%s", word);
	else
		snprintf(text, size, "'%s'", word);
	return true;
}

void program_name__set(enum program program, const char *argv0)
{
	enum program other = program == PROGRAM_LOADER ? PROGRAM_READER : PROGRAM_LOADER;
	size_t len, word = strlen(words[program]);
	char sibling[NAME_SIZE];

	self = program;
	snprintf(short_name, sizeof(short_name), "%s", names[program]);
	if (!argv0 || !*last_part(argv0) || !quote(names[program], NAME_SIZE, argv0))
		return;
	snprintf(short_name, sizeof(short_name), "%s", last_part(argv0));
	len = strlen(argv0);
	if (len < word || strcmp(argv0 + len - word, words[program]))
		return;
	snprintf(sibling, sizeof(sibling), "%.*s%s", (int)(len - word), argv0, words[other]);
	/* A name without a place is looked for along PATH, by the shell. */
	if (!strchr(sibling, '/') || !access(sibling, X_OK))
		quote(names[other], NAME_SIZE, sibling);
}

const char *program_name__loader(void)
{
	return names[PROGRAM_LOADER];
}

const char *program_name__reader(void)
{
	return names[PROGRAM_READER];
}

const char *program_name__command(char text[PROGRAM_COMMAND_SIZE], enum program program,
				  const char *command, const char *root)
{
	int len = snprintf(text, PROGRAM_COMMAND_SIZE, "%s %s", names[program], command);
	static const char option[] = " --root ";

	if (!root || !strcmp(root, PERSIST_DEFAULT_ROOT))
		return text;
	/* Only with its argument */
	if (quote(text + len + sizeof(option) - 1, PROGRAM_COMMAND_SIZE - len - sizeof(option),
		  root))
		memcpy(text + len, option, sizeof(option) - 1);
	return text;
}

enum program program_name__self(void)
{
	return self;
}

const char *program_name__short(void)
{
	return short_name;
}
