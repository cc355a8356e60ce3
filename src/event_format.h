/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * A tracepoint's record layout and text, taken from the `format` text that tracefs shows for
 * it. One struct event_format is made per event; after that any number of raw records can be
 * turned into the text ftrace prints for them, or into JSON, without allocating anything.
 *
 * Payloads are the raw records exactly as the format text describes them, from offset 0 with
 * the common fields, in the byte order and word size of this machine.
 */
#ifndef PERSIST_EVENT_FORMAT_H
#define PERSIST_EVENT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json_text.h"

/* Longer texts are refused. Real ones have some 10 KiB at most. */
#define EVENT_FORMAT_MAX_TEXT (256U << 10)

struct event_format;

enum event_format_location {
	FIELD_FIXED,	/* at offset, size bytes */
	FIELD_DATA_LOC, /* at offset a u32: length << 16 | offset from the record's start */
	FIELD_REL_LOC,	/* the same, but the offset counts from the end of that u32 */
};

struct event_format_field {
	const char *name;
	const char *type;	/* as the format text writes it: "char[16]", "__data_loc u8[]" */
	unsigned int offset;	/* from the record's start */
	unsigned int size;	/* of the whole field; 4 for the two dynamic locations */
	unsigned int elem_size; /* of one element of an array, else size */
	bool is_signed;		/* of an array, its elements */
	bool is_string;		/* an array of plain char */
	bool is_array;		/* fixed or dynamic */
	bool is_pointer;	/* an address of the kernel or of user space, never followed */
	bool is_common;		/* every event has it */
	enum event_format_location location;
};

/* Where an address of the kernel lies, as kallsyms has it. */
struct event_format_symbol {
	const char *name;
	const char *module; /* NULL: the kernel proper */
	uint64_t offset;    /* of the address from the symbol */
	uint64_t size;	    /* of the symbol */
};

/* Gives the symbol an address belongs to, with strings that stay; false when there is none. */
typedef bool (*event_format_find_symbol_fn)(uint64_t address, struct event_format_symbol *symbol);

/**
 * event_format__parse() - understand the format text of one event.
 * @text: what the event's `format` file in tracefs holds; need not be NUL-terminated
 * @len: its length in bytes, at most EVENT_FORMAT_MAX_TEXT
 * @out: set to the new object on success, else to NULL
 *
 * The text may come from anywhere: a hostile one costs bounded time and memory. A print
 * format that cannot be followed is no error; see event_format__inexact().
 *
 * What kernels print but do not say in the text is asked of the running one here: the
 * frequency of jiffies, and the style of system-call arguments.
 *
 * Return: 0, and the caller owns *@out; -EINVAL when the text is malformed; -ENOMEM.
 * Thread safety: any thread; the object may be shared once this has returned.
 */
int event_format__parse(const char *text, size_t len, struct event_format **out);

/**
 * event_format__resolve_text() - make a format text that says all by itself.
 * @text: what the event's `format` file in tracefs holds
 * @len: its length in bytes
 * @out: set to the new text, which the caller frees with free()
 * @out_len: set to its length, without the NUL that follows it
 *
 * Some format texts name enumerators and types that only the kernel's BTF explains.
 * event_format__parse() looks them up, which takes tens of milliseconds, and is not possible
 * in a container. Keep the text that this gives instead: it has numbers in their place, as
 * the kernel itself does for other names. Other texts are copied as they are.
 *
 * Return: as event_format__parse(). Thread safety: any thread.
 */
int event_format__resolve_text(const char *text, size_t len, char **out, size_t *out_len);

/* Frees the object and every string and field it gave out. NULL is allowed. */
void event_format__free(struct event_format *format);

/**
 * event_format__use_symbols() - let %pS and its like print names.
 * @format: the event; not yet shared with other threads
 * @find: called for each such address, from any thread that prints; NULL: print the address
 *
 * Without this, or for an address that has no symbol, the text has the address ("0xffff...").
 */
void event_format__use_symbols(struct event_format *format, event_format_find_symbol_fn find);

/*
 * All that follows only reads the object, so that several threads may share one. Returned
 * pointers belong to the object and live as long as it does.
 */

const char *event_format__name(const struct event_format *format);

/* The tracepoint id, which is also the value of common_type in each record. */
unsigned int event_format__id(const struct event_format *format);

/* End of the last fixed field, in bytes: dynamic data begins here at the earliest. */
size_t event_format__fixed_size(const struct event_format *format);

/* Bytes of the common header: 8, or 12 where the kernel is built with PREEMPT_RT. */
size_t event_format__common_size(const struct event_format *format);

/**
 * event_format__inexact() - why the text of this event may differ from ftrace's.
 * @format: the event
 *
 * Return: NULL when event_format__print() gives ftrace's own text (with the trace option
 * `nohash-ptr`: with `hash-ptr` ftrace prints a plain %p as a keyed hash that nobody else can
 * compute; here pointers always show their value). Otherwise one phrase, for example that
 * a kernel symbol is shown as its address, or that the print format has a construct that is
 * not understood. In the latter case the text is the list of fields, "name=value" each.
 */
const char *event_format__inexact(const struct event_format *format);

size_t event_format__nr_fields(const struct event_format *format);

/* Field number i in the order of the text, common fields included; NULL when out of range. */
const struct event_format_field *event_format__field(const struct event_format *format, size_t i);

/* NULL when there is no such field. */
const struct event_format_field *event_format__find_field(const struct event_format *format,
							  const char *name);

/**
 * event_format__print() - what ftrace prints after "event_name: " for this record.
 * @format: the event
 * @payload: the raw record
 * @size: its length; fields that lie beyond it count as zero or empty
 * @buf: gets the text, always NUL-terminated when @cap is not 0; may be NULL when @cap is 0
 * @cap: bytes in @buf
 *
 * For system calls ftrace prints the call itself instead ("sys_close(fd: 3)"); so does this.
 * A newline at the end of a print format is left out: the text is one line.
 *
 * Return: the length of the whole text without the NUL; it was cut when that is >= @cap.
 */
size_t event_format__print(const struct event_format *format, const void *payload, size_t size,
			   char *buf, size_t cap);

/**
 * event_format__print_json() - the record's own fields as one JSON object.
 * @format: the event
 * @payload: the raw record
 * @size: its length; fields that lie beyond it count as zero or empty
 * @buf: gets the text, always NUL-terminated when @cap is not 0; may be NULL when @cap is 0
 * @cap: bytes in @buf
 *
 * Integers and pointers become decimal integers of their exact value, character arrays become
 * strings, other arrays become arrays. A byte of a string that is not part of valid UTF-8
 * becomes the four characters \xNN, so that the text is valid JSON whatever was recorded.
 *
 * Return: the length of the whole text without the NUL; it was cut when that is >= @cap.
 */
size_t event_format__print_json(const struct event_format *format, const void *payload, size_t size,
				char *buf, size_t cap);

/* The same as event_format__print_json(), for readers whose numbers are not as exact as ours. */
size_t event_format__print_json_as(const struct event_format *format, const void *payload,
				   size_t size, enum json_numbers numbers, char *buf, size_t cap);

#endif /* PERSIST_EVENT_FORMAT_H */
