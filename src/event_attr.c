// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/* The attr of an event, from and to text, with the terms that a tree defines. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attr_text.h"
#include "persist_bpf.h"
#include "text_pin.h"

static bool make_path(char path[PATH_MAX], const char *root, const char *directory,
		      const char *file)
{
	return snprintf(path, PATH_MAX, "%s/%s%s", root ? root : PERSIST_DEFAULT_ROOT, directory,
			file) < PATH_MAX;
}

/* Reads <root>/<directory><file>; the caller frees the text. */
static int read_text(const char *root, const char *directory, const char *file, char **text)
{
	char path[PATH_MAX];
	size_t len;
	int err;

	if (!make_path(path, root, directory, file))
		return -ENAMETOOLONG;
	err = text_pin__read(path, text, &len);
	if (!err && strlen(*text) != len) {
		free(*text);
		return -EBADMSG;
	}
	return err;
}

static int read_type(const char *root, uint32_t *type)
{
	unsigned long number;
	char *text, *end;
	int err = read_text(root, "", "type", &text);

	if (err)
		return err;
	errno = 0;
	number = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)*text) || errno || number > UINT32_MAX || strcmp(end, "\n"))
		err = -EBADMSG;
	*type = (uint32_t)number;
	free(text);
	return err;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int read_format(const char *root, const char *name, struct attr_terms *terms)
{
	char *text;
	int err = read_text(root, "format/", name, &text);

	if (err)
		return err;
	err = attr_terms__add(terms, name, text, NULL);
	free(text);
	/* A newer tree may have words that are not known here: such a term is an unknown one. */
	return err == -EINVAL ? 0 : err;
}

static int read_formats(const char *root, struct attr_terms *terms)
{
	struct dirent **entries;
	char path[PATH_MAX];
	int nr, err = 0;

	terms->nr = 0;
	if (!make_path(path, root, "format", ""))
		return -ENAMETOOLONG;
	nr = scandir(path, &entries, is_visible, alphasort);
	if (nr < 0)
		return -errno;
	for (int i = 0; i < nr; i++) {
		if (!err)
			err = read_format(root, entries[i]->d_name, terms);
		free(entries[i]);
	}
	free(entries);
	return err;
}

/* ---- the library's interface ------------------------------------------------------------- */

int persist_attr__from_text(const char *root, const char *text, struct perf_event_attr *attr,
			    struct persist_attr_error *where)
{
	struct perf_event_attr parsed;
	struct attr_terms terms;
	int err;

	if (!attr || !text)
		return -EFAULT;
	/* Only the size counts, whatever else the caller has left in there. */
	parsed = (struct perf_event_attr){ .size = attr->size ? attr->size : PERF_ATTR_SIZE_VER0 };
	if (!attr__size_is_valid(parsed.size))
		return -E2BIG;
	err = read_type(root, &parsed.type);
	if (!err)
		err = read_formats(root, &terms);
	if (!err)
		err = attr_text__parse(&terms, text, &parsed, where);
	if (!err)
		memcpy(attr, &parsed, attr__known_size(&parsed));
	return err;
}

int persist_attr__from_name(const char *root, const char *name, struct perf_event_attr *attr)
{
	char *text;
	int err;

	if (!name)
		return -EFAULT;
	if (!*name || *name == '.' || strchr(name, '/'))
		return -EINVAL;
	err = read_text(root, "events/", name, &text);
	if (err)
		return err;
	err = persist_attr__from_text(root, text, attr, NULL);
	free(text);
	return err;
}

int persist_attr__to_text(const char *root, const struct perf_event_attr *attr, char *text,
			  size_t size)
{
	struct perf_event_attr known;
	struct attr_terms terms;
	int err = attr__copy(&known, attr);

	if (!err)
		err = read_formats(root, &terms);
	return err ? err : attr_text__write(&terms, &known, text, size);
}

int persist_attr__set_field(struct perf_event_attr *attr, const char *format, uint64_t value,
			    struct persist_attr_error *where)
{
	struct perf_event_attr changed;
	struct attr_field field;
	int err = format ? attr__copy(&changed, attr) : -EFAULT;

	if (!err)
		err = attr_field__parse(&field, format, attr__known_size(&changed), where);
	if (err)
		return err;
	if (!attr_field__has_room(&field, value))
		return -ERANGE;
	attr__set_field(&changed, &field, value);
	memcpy(attr, &changed, attr__known_size(&changed));
	return 0;
}

int persist_attr__get_field(const struct perf_event_attr *attr, const char *format, uint64_t *value,
			    struct persist_attr_error *where)
{
	struct perf_event_attr known;
	struct attr_field field;
	int err = format ? attr__copy(&known, attr) : -EFAULT;

	if (!err)
		err = attr_field__parse(&field, format, attr__known_size(&known), where);
	if (!err)
		*value = attr__get_field(&known, &field);
	return err;
}
