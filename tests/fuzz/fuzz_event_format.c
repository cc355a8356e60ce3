// SPDX-License-Identifier: GPL-2.0-only
/*
 * Format texts and records from anywhere: whatever they say, parsing and printing end, stay
 * within their buffers, and give valid JSON.
 *
 * Input: one byte that says what the text is, one with the record's length, the record, the
 * text. An even first byte stands for a whole format text, an odd one for the print format
 * only, which is completed here, so that a fuzzer without a corpus gets there at all.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "event_format.h"

static void check(bool condition)
{
	if (!condition)
		abort();
}

/* The length does not depend on the room, and a small buffer gets the beginning. */
static void check_print(const struct event_format *format, const void *payload, size_t size)
{
	char small[16], big[4096];
	size_t length = event_format__print(format, payload, size, NULL, 0);

	check(event_format__print(format, payload, size, big, sizeof(big)) == length);
	check(event_format__print(format, payload, size, small, sizeof(small)) == length);
	check(!memcmp(small, big, length < sizeof(small) ? length : sizeof(small) - 1));
	if (length < sizeof(big))
		check(!big[length]);
}

static void check_json(const struct event_format *format, const void *payload, size_t size)
{
	size_t length = event_format__print_json(format, payload, size, NULL, 0);
	yajl_handle parser = yajl_alloc(NULL, NULL, NULL);
	char *text = malloc(length + 1);

	check(event_format__print_json(format, payload, size, text, length + 1) == length);
	check(yajl_parse(parser, (const unsigned char *)text, length) == yajl_status_ok);
	check(yajl_complete_parse(parser) == yajl_status_ok);
	free(text);
	yajl_free(parser);
}

/* A text whose names were resolved means the same. */
static void check_resolve(const char *text, size_t length)
{
	struct event_format *format;
	char *resolved;
	size_t n;

	if (event_format__resolve_text(text, length, &resolved, &n))
		return;
	if (n <= EVENT_FORMAT_MAX_TEXT) {
		check(!event_format__parse(resolved, n, &format));
		event_format__free(format);
	}
	free(resolved);
}

/* A name that the text can have in an address of the kernel, and an address without one. */
static bool find_symbol(uint64_t address, struct event_format_symbol *symbol)
{
	*symbol = (struct event_format_symbol){
		.name = "symbol",
		.module = address & 2 ? "module" : NULL,
		.offset = address,
		.size = address,
	};
	return address & 1;
}

/* A field of each kind, for print formats. */
static const char header[] =
	"name: fuzzed\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\n"
	"\tfield:s8 a;\toffset:3;\tsize:1;\tsigned:1;\n"
	"\tfield:u32 b;\toffset:4;\tsize:4;\tsigned:0;\n"
	"\tfield:s64 c;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:char d[8];\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u16 e[4];\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:void * f;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] g;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u32[] h;\toffset:44;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc unsigned long[] i;\toffset:48;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: ";

static char *make_text(bool is_whole, const uint8_t *data, size_t size, size_t *length)
{
	size_t header_length = is_whole ? 0 : strlen(header);
	char *text = malloc(header_length + size + 1);

	memcpy(text, header, header_length);
	memcpy(text + header_length, data, size);
	*length = header_length + size;
	return text;
}

static void check_all(const char *text, size_t length, const void *payload, size_t size)
{
	struct event_format *format;

	if (event_format__parse(text, length, &format))
		return;
	check_print(format, payload, size);
	event_format__use_symbols(format, find_symbol);
	check_print(format, payload, size);
	check_json(format, payload, size);
	check_resolve(text, length);
	event_format__free(format);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t payload_size, length;
	uint8_t *payload;
	char *text;

	if (size < 2)
		return 0;
	payload_size = data[1];
	if (payload_size > size - 2)
		payload_size = size - 2;
	text = make_text(!(data[0] & 1), data + 2 + payload_size, size - 2 - payload_size, &length);
	/* In memory of its own, so that the sanitizer sees a read beyond its end. */
	payload = malloc(payload_size + !payload_size);
	memcpy(payload, data + 2, payload_size);
	check_all(text, length, payload, payload_size);
	free(payload);
	free(text);
	return 0;
}
