/* SPDX-License-Identifier: GPL-2.0-only */
/* An event with one number and one string, and its records. */
#ifndef PERSIST_FAKE_EVENT_H
#define PERSIST_FAKE_EVENT_H

#include <stdlib.h>
#include <string.h>

#include "event_format.h"
#include "persist_event.h"

static const char fake_format_text[] =
	"name: thing\n"
	"ID: 77\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:u64 value;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\n"
	"print fmt: \"value=%llu name=%s\", REC->value, __get_str(name)\n";

struct fake_thing {
	struct persist_record record;
	uint64_t common;
	uint64_t value;
	uint32_t name_loc;
	char name[PERSIST_PAYLOAD_MAX - 20];
};

static inline void fake_thing_init(struct fake_thing *thing, uint64_t value, const char *name)
{
	size_t size = strlen(name) + 1;

	memset(thing, 0, sizeof(*thing));
	thing->record = (struct persist_record){
		.magic = PERSIST_RECORD_MAGIC,
		.version = PERSIST_RECORD_VERSION,
		.header_size = sizeof(thing->record),
		.size = (uint32_t)(20 + size),
		.event_id = 77,
		.seq = 12,
		.time_ns = 1234567890987,
		.cpu = 3,
		.pid = 4000000000,
		.tid = 101,
		.comm = "bash",
	};
	thing->value = value;
	thing->name_loc = (uint32_t)(size << 16 | 20);
	memcpy(thing->name, name, size);
}

static inline void fake_event_init(struct persist_event *event, const char *format_text)
{
	*event = (struct persist_event){
		.meta = {
			.event_id = 77,
			.name = "mine",
			.system = "sys",
			.tracepoint = "thing",
		},
		.path = strdup("/root/mine"),
		.format_text = format_text ? strdup(format_text) : NULL,
		.label = "sys:mine",
	};
}

static inline void fake_event_destroy(struct persist_event *event)
{
	event_format__free(event->format);
	free(event->format_text);
	free(event->path);
}

#endif
