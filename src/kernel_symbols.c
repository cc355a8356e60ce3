// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "kernel_symbols.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct symbol_entry {
	uint64_t address;
	const char *name, *module; /* in the text of kallsyms, cut into strings */
	size_t position;	   /* of aliases, the kernel uses the one that it lists first */
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct symbol_entry *symbols;
static size_t nr_symbols;

/* The whole file, NUL-terminated; its size is only known at the end. */
static char *read_kallsyms(void)
{
	size_t capacity = 16 << 20, length = 0;
	char *text = malloc(capacity), *bigger;
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	while (text && fd >= 0 && (n = read(fd, text + length, capacity - length - 1)) > 0) {
		length += (size_t)n;
		if (capacity - length > 1 << 16)
			continue;
		bigger = realloc(text, capacity *= 2);
		if (!bigger)
			break;
		text = bigger;
	}
	if (fd >= 0)
		close(fd);
	if (n) {
		free(text);
		return NULL;
	}
	text[length] = '\0';
	return text;
}

/* Addresses of user space, and of per-CPU variables, which are offsets, are not looked up. */
static bool is_kernel_address(uint64_t address)
{
	return address >> (8 * sizeof(void *) - 1) & 1;
}

/* "ffffffff81000000 T name" and, for one of a module, "\t[module]" */
static bool parse_line(char *line, struct symbol_entry *entry)
{
	char *end, *module;

	entry->address = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ' ||
	    !is_kernel_address(entry->address))
		return false;
	entry->name = end + 3;
	entry->module = NULL;
	module = strchr(entry->name, '\t');
	if (module) {
		*module = '\0';
		if (module[1] == '[') {
			entry->module = module + 2;
			module[1 + strcspn(module + 1, "]")] = '\0';
		}
	}
	return *entry->name;
}

static int compare_symbols(const void *left, const void *right)
{
	const struct symbol_entry *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->position < b->position ? -1 : 1;
}

static void load(void)
{
	char *text = read_kallsyms(), *line, *next;
	size_t nr_lines = 0;

	if (!text)
		return;
	for (line = text; (line = strchr(line, '\n')); line++)
		nr_lines++;
	symbols = calloc(nr_lines + 1, sizeof(*symbols));
	for (line = text; symbols && (next = strchr(line, '\n')); line = next + 1) {
		*next = '\0';
		if (parse_line(line, &symbols[nr_symbols])) {
			symbols[nr_symbols].position = nr_symbols;
			nr_symbols++;
		}
	}
	if (!symbols || !nr_symbols) {
		free(symbols);
		free(text);
		symbols = NULL;
		return;
	}
	qsort(symbols, nr_symbols, sizeof(*symbols), compare_symbols);
}

/* Number of symbols at or below the address. */
static size_t count_up_to(uint64_t address)
{
	size_t low = 0, high = nr_symbols;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool kernel_symbols__find(uint64_t address, struct event_format_symbol *symbol)
{
	size_t next, i;

	pthread_once(&once, load);
	next = count_up_to(address);
	/* The last symbol has no end, and what lies behind it is nobody's. */
	if (!next || next == nr_symbols || !is_kernel_address(address))
		return false;
	for (i = next - 1; i && symbols[i - 1].address == symbols[i].address; i--)
		;
	/* Behind the kernel's end there is nothing of it, up to where modules begin. */
	if (!strcmp(symbols[i].name, "_end"))
		return false;
	*symbol = (struct event_format_symbol){
		.name = symbols[i].name,
		.module = symbols[i].module,
		.offset = address - symbols[i].address,
		.size = symbols[next].address - symbols[i].address,
	};
	return true;
}
