// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "kernel_btf.h"

#include <bpf/btf.h>
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BTF_DIRECTORY "/sys/kernel/btf"

struct enumerator {
	const char *name; /* belongs to the BTF */
	int64_t value;
};

struct enumerator_list {
	struct enumerator *items;
	size_t nr, capacity;
};

static pthread_once_t kernel_once = PTHREAD_ONCE_INIT;
static struct btf *kernel_btf;
static struct enumerator_list kernel_enumerators;

/* Modules are only looked at when a name is not in the kernel proper, which is rare. */
static pthread_once_t modules_once = PTHREAD_ONCE_INIT;
static struct enumerator_list module_enumerators;

static void append(struct enumerator_list *list, const char *name, int64_t value)
{
	if (list->nr == list->capacity) {
		size_t capacity = list->capacity ? 2 * list->capacity : 1024;
		struct enumerator *items = realloc(list->items, capacity * sizeof(*items));

		if (!items)
			return; /* the name stays unknown, as it would without BTF */
		list->items = items;
		list->capacity = capacity;
	}
	list->items[list->nr++] = (struct enumerator){ name, value };
}

static void append_enum(struct enumerator_list *list, const struct btf *btf,
			const struct btf_type *type)
{
	const struct btf_enum *e = btf_enum(type);

	for (int i = 0; i < btf_vlen(type); i++) {
		int64_t value = btf_kflag(type) ? e[i].val : (int64_t)(uint32_t)e[i].val;

		append(list, btf__name_by_offset(btf, e[i].name_off), value);
	}
}

static void append_enum64(struct enumerator_list *list, const struct btf *btf,
			  const struct btf_type *type)
{
	const struct btf_enum64 *e = btf_enum64(type);

	for (int i = 0; i < btf_vlen(type); i++)
		append(list, btf__name_by_offset(btf, e[i].name_off),
		       (int64_t)btf_enum64_value(&e[i]));
}

static void append_all(struct enumerator_list *list, const struct btf *btf, uint32_t first_id)
{
	for (uint32_t id = first_id; id < btf__type_cnt(btf); id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		if (btf_is_enum(type))
			append_enum(list, btf, type);
		else if (btf_is_enum64(type))
			append_enum64(list, btf, type);
	}
}

static void load_kernel(void)
{
	kernel_btf = btf__parse(BTF_DIRECTORY "/vmlinux", NULL);
	if (kernel_btf)
		append_all(&kernel_enumerators, kernel_btf, 1);
}

static void load_modules(void)
{
	DIR *directory = kernel_btf ? opendir(BTF_DIRECTORY) : NULL;
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		char path[sizeof(BTF_DIRECTORY) + sizeof(entry->d_name)];
		struct btf *btf;

		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "vmlinux"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", BTF_DIRECTORY, entry->d_name);
		btf = btf__parse_split(path, kernel_btf);
		/* Never freed: the list points to its names. */
		if (btf)
			append_all(&module_enumerators, btf, btf__type_cnt(kernel_btf));
	}
	if (directory)
		closedir(directory);
}

static bool has_name(const char *candidate, const char *name, size_t length)
{
	return !strncmp(candidate, name, length) && !candidate[length];
}

/* -1: there are several of this name with different values, 0: there is none, 1: found */
static int find(const struct enumerator_list *list, const char *name, size_t length, int64_t *value)
{
	int found = 0;

	for (size_t i = 0; i < list->nr; i++) {
		if (!has_name(list->items[i].name, name, length))
			continue;
		if (found && list->items[i].value != *value)
			return -1;
		*value = list->items[i].value;
		found = 1;
	}
	return found;
}

bool kernel_btf__find_enumerator(const char *name, size_t length, int64_t *value)
{
	int found;

	pthread_once(&kernel_once, load_kernel);
	found = find(&kernel_enumerators, name, length, value);
	if (!found) {
		pthread_once(&modules_once, load_modules);
		found = find(&module_enumerators, name, length, value);
	}
	return found > 0;
}

static bool describe(const struct btf_type *t, struct c_type *type)
{
	bool is_signed;

	if (btf_is_int(t))
		is_signed = btf_int_encoding(t) & BTF_INT_SIGNED;
	else if (btf_is_enum(t) || btf_is_enum64(t))
		is_signed = btf_kflag(t);
	else
		return false;
	if (t->size != 1 && t->size != 2 && t->size != 4 && t->size != 8)
		return false;
	*type = c_type__integer(t->size, is_signed);
	return true;
}

bool kernel_btf__find_integer_type(const char *name, size_t length, struct c_type *type)
{
	char text[128];
	int id;

	if (length >= sizeof(text))
		return false;
	memcpy(text, name, length);
	text[length] = '\0';
	pthread_once(&kernel_once, load_kernel);
	if (!kernel_btf)
		return false;
	id = btf__find_by_name_kind(kernel_btf, text, BTF_KIND_TYPEDEF);
	if (id < 0)
		return false;
	id = btf__resolve_type(kernel_btf, (uint32_t)id);
	if (id < 0)
		return false;
	return describe(btf__type_by_id(kernel_btf, (uint32_t)id), type);
}
