// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any registers: they are decoded to names that exist, and printed as text and as JSON, into
 * buffers of any size.
 *
 * Input: which registers there are, a size, and the registers.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json_generator.h"
#include "mce/mce_decode.h"
#include "mce/mce_json.h"
#include "mce/mce_text.h"

struct input {
	uint32_t present;
	uint32_t text_size;
	uint64_t values[MCE_NR_REGISTERS];
};

static void check(bool condition)
{
	if (!condition)
		abort();
}

static void check_text(const struct mce_decoded *decoded, size_t size)
{
	struct text_out out = { .buf = malloc(size ? size : 1), .cap = size };
	size_t len;

	mce_text__print(&out, decoded, "\t");
	len = out.len;
	check(len);
	if (len <= size)
		check(out.buf[len - 1] == '\n');
	free(out.buf);
}

static void check_json(const struct mce_decoded *decoded)
{
	struct json_generator generator;
	const unsigned char *text;
	size_t len;

	check(!json_generator__init(&generator));
	mce_json__generate(&generator, NULL, decoded);
	check(!json_generator__end(&generator, &text, &len));
	check(len > 2 && text[0] == '{' && text[len - 1] == '}');
	json_generator__destroy(&generator);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mce_registers registers = { 0 };
	struct mce_decoded decoded;
	struct input input = { 0 };

	memcpy(&input, data, size < sizeof(input) ? size : sizeof(input));
	registers.present = input.present;
	memcpy(registers.values, input.values, sizeof(registers.values));
	mce_decode(&decoded, &registers);
	check(decoded.severity < MCE_NR_SEVERITIES);
	check(decoded.code.kind < MCE_NR_KINDS);
	check_text(&decoded, input.text_size % 4096);
	check_json(&decoded);
	return 0;
}
