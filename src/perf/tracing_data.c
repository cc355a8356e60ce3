// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "perf/tracing_data.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf/put_binary.h"

#define IS_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 1 : 0)

/* The common fields, which every record begins with. */
#define COMMON_SIZE 8

/* With the NUL at its end. */
static void put_string(FILE *out, const char *string)
{
	fwrite(string, strlen(string) + 1, 1, out);
}

static void put_sized(FILE *out, const char *text)
{
	put_u64(out, strlen(text));
	fputs(text, out);
}

/*
 * The pages of ftrace's ring buffer, of which there are none here. perf insists on their
 * description, and takes from it how long a long is.
 */
static void put_header_page(FILE *out)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		 "\tfield: local_t commit;\toffset:8;\tsize:%zu;\tsigned:1;\n"
		 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		 "\tfield: char data;\toffset:%zu;\tsize:%zu;\tsigned:0;\n",
		 sizeof(long), 8 + sizeof(long), (size_t)getpagesize() - 8 - sizeof(long));
	put_string(out, "header_page");
	put_sized(out, text);
}

void tracing_data__write(FILE *out, const struct tracing_data_event *events, size_t nr,
			 const char *printk_formats)
{
	fputs("\027\010\104tracing", out);
	put_string(out, "0.6");
	fputc(IS_BIG_ENDIAN, out);
	fputc((int)sizeof(long), out);
	put_u32(out, (uint32_t)getpagesize());
	put_header_page(out);
	put_string(out, "header_event");
	put_u64(out, 0);
	/* Formats of events of ftrace itself. */
	put_u32(out, 0);
	/* A system with one event in it for each: systems may come more than once. */
	put_u32(out, (uint32_t)nr);
	for (size_t i = 0; i < nr; i++) {
		put_string(out, events[i].system);
		put_u32(out, 1);
		put_sized(out, events[i].text);
	}
	/* No /proc/kallsyms: perf does not read it from here. */
	put_u32(out, 0);
	put_u32(out, (uint32_t)strlen(printk_formats));
	fputs(printk_formats, out);
	/* No names of threads: COMM records have them. */
	put_u64(out, 0);
}

char *tracing_data__substitute(const char *name, uint64_t id, size_t size)
{
	static const char head[] =
		"name: %s\n"
		"ID: %llu\n"
		"format:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
		"\n";
	size_t rest = size > COMMON_SIZE ? size - COMMON_SIZE : 0;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fprintf(out, head, name, (unsigned long long)id);
	if (rest)
		fprintf(out,
			"\tfield:u8 payload[%zu];\toffset:%d;\tsize:%zu;\tsigned:0;\n\n"
			"print fmt: \"payload=%%s\", __print_hex(REC->payload, %zu)\n",
			rest, COMMON_SIZE, rest, rest);
	else
		fputs("\nprint fmt: \"\"\n", out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
