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

static int read_lines(struct config_file *file, const struct log *log, const char *path,
		      FILE *stream)
{
	struct event_spec ignored;
	char line[LINE_MAX_BYTES], *spec;
	int number = 0, err = 0;

	while (!err && fgets(line, sizeof(line), stream)) {
		number++;
		if (!strchr(line, '\n') && !feof(stream)) {
			log_error(log, "%s, line %d: longer than %zu characters", path, number,
				  sizeof(line) - 2);
			return -EINVAL;
		}
		spec = trim(line);
		if (!*spec)
			continue;
		err = event_spec__parse(log, spec, &ignored);
		if (err)
			log_error(log, "%s, line %d: see above", path, number);
		else
			err = append(file, spec);
	}
	if (!err && ferror(stream)) {
		err = -errno;
		log_error(log, "%s: %s", path, strerror(-err));
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
		log_error(log, "%s: %s", path, strerror(-err));
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
