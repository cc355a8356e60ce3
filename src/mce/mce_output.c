// SPDX-License-Identifier: GPL-2.0-only
#include "mce/mce_output.h"

#include <errno.h>
#include <stdbool.h>

#include "mce/mce_decode.h"
#include "mce/mce_json.h"
#include "mce/mce_text.h"
#include "mce/mce_topology.h"

/* Enough for every machine check but a strange one, which is printed a second time. */
#define FIRST_ROOM 2048

static bool decode(struct mce_decoded *decoded, const struct persist_item *item)
{
	struct mce_registers registers;

	if (!item->record || !mce_registers__are_in(item->event))
		return false;
	mce_registers__read(&registers, item->event, item->record);
	if (!mce_registers__has(&registers, MCE_STATUS))
		return false; /* no format, or none of a machine check */
	mce_topology__find_core(&registers, MCE_CPU_DIRECTORY);
	mce_decode(decoded, &registers);
	return true;
}

int mce_output__put_text(struct line_writer *writer, const struct persist_item *item)
{
	struct text_out out = { .cap = FIRST_ROOM };
	struct mce_decoded decoded;

	if (!decode(&decoded, item))
		return 0;
	for (;;) {
		out.len = 0;
		out.buf = line_writer__reserve(writer, out.cap);
		if (!out.buf)
			return -ENOMEM;
		mce_text__print(&out, &decoded, "\t");
		if (out.len <= out.cap)
			break;
		out.cap = out.len;
	}
	line_writer__commit(writer, out.len);
	return 0;
}

const char *mce_output__generate(struct json_generator *generator, const struct persist_item *item)
{
	struct mce_decoded decoded;

	if (!decode(&decoded, item))
		return NULL;
	mce_json__generate(generator, NULL, &decoded);
	return "decoded";
}
