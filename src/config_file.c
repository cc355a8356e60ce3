// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "config_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_spec.h"

/* A specification has at most 1023. */
#define LINE_MAX_BYTES 4096

/* The line without comment and blanks. */
static char *trim(char *line)
{
	char *end;

	line[strcspn(line, "#\n")] = '\0';
	while (isspace((unsigned char)*line))
		line++;
	end = line + strlen(line);
	while (end > line && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return line;
}

static int append(struct config_file *file, const char *spec)
{
	char **larger = reallocarray(file->specs, file->nr + 1, sizeof(*larger));

	if (!larger)
		return -ENOMEM;
	file->specs = larger;
	file->specs[file->nr] = strdup(spec);
	if (!file->specs[file->nr])
		return -ENOMEM;
	file->nr++;
	return 0;
}

/* A log that says in front of each message which line it is about. */
struct place {
	const struct log *log;
	const char *path;
	int line;
};

static void log_with_place(void *ctx, enum persist_log_level level, const char *message)
{
	const struct place *place = ctx;

	log_message(place->log, level, "%s:%d: %s", place->path, place->line, message);
}

/* Whether it is a whole line; else -EINVAL after a message. */
static int check_line(const struct log *log, const char *line, FILE *stream)
{
	size_t len = strlen(line);

	if (strchr(line, '\n') || (feof(stream) && len))
		return 0;
	if (len == LINE_MAX_BYTES - 1)
		log_error(log, "longer than %d characters; give each SPEC a line of its own",
			  LINE_MAX_BYTES - 2);
	else
		log_error(log, "a NUL character, which no text has");
	return -EINVAL;
}

static int read_lines(struct config_file *file, const struct log *log, const char *path,
		      FILE *stream)
{
	struct place place = { .log = log, .path = path };
	const struct log log_of_line = { log_with_place, &place, log->level };
	struct event_spec ignored;
	char line[LINE_MAX_BYTES], *spec;
	int err = 0;

	while (!err && fgets(line, sizeof(line), stream)) {
		place.line++;
		err = check_line(&log_of_line, line, stream);
		spec = trim(line);
		if (err || !*spec)
			continue;
		err = event_spec__parse(&log_of_line, spec, &ignored);
		if (!err)
			err = append(file, spec);
	}
	if (!err && ferror(stream)) {
		err = -errno;
		log_error(log, "%s: cannot be read: %s", path, strerror(-err));
	}
	return err;
}

int config_file__read(struct config_file *file, const struct log *log, const char *path)
{
	FILE *stream = fopen(path, "re");
	int err;

	*file = (struct config_file){};
	if (!stream) {
		err = -errno;
		log_error(log, "%s: cannot be opened: %s", path, strerror(-err));
		return err;
	}
	err = read_lines(file, log, path, stream);
	fclose(stream);
	if (err)
		config_file__free(file);
	return err;
}

void config_file__free(struct config_file *file)
{
	for (size_t i = 0; i < file->nr; i++)
		free(file->specs[i]);
	free(file->specs);
	*file = (struct config_file){};
}
