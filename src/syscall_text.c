// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "syscall_text.h"

/* The kernel's own values: libc's O_LARGEFILE is 0 where files are always large. */
#include <asm/fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#define ENTER_PREFIX "sys_enter_"
#define EXIT_PREFIX  "sys_exit_"

/*
 * Linux 6.18 began to write numbers from 10 up as "0x1f" instead of "1f". The format text does
 * not tell which it is; events with user data, which came later, all have the new style.
 */
static bool kernel_has_hex_prefix(void)
{
	struct utsname name;
	unsigned int major, minor;

	if (uname(&name) || sscanf(name.release, "%u.%u", &major, &minor) != 2)
		return true;
	return major > 6 || (major == 6 && minor >= 18);
}

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static const struct event_format_field *find(const struct event_format_field *fields, size_t nr,
					     const char *name)
{
	for (size_t i = 0; i < nr; i++) {
		if (!strcmp(fields[i].name, name))
			return &fields[i];
	}
	return NULL;
}

/* "__filename_val" holds what the argument "filename" points to. */
static bool is_user_data_of(const struct event_format_field *field, const char *argument)
{
	size_t length = strlen(argument);

	return field->location != FIELD_FIXED && starts_with(field->name, "__") &&
	       !strncmp(field->name + 2, argument, length) &&
	       !strcmp(field->name + 2 + length, "_val");
}

static bool is_used_by(const struct event_format_field *field, const char *helper,
		       const char *print_format)
{
	const char *use = strstr(print_format, field->name);
	size_t length = strlen(helper);

	return use && (size_t)(use - print_format) >= length && starts_with(use - length, helper);
}

static void add_argument(struct syscall_text *text, const struct event_format_field *field,
			 const struct event_format_field *fields, size_t nr_fields,
			 const char *print_format)
{
	struct syscall_argument *argument = &text->arguments[text->nr_arguments++];

	argument->field = field;
	for (size_t i = 0; i < nr_fields; i++) {
		if (!is_user_data_of(&fields[i], field->name))
			continue;
		argument->user_data = &fields[i];
		argument->is_user_string = is_used_by(&fields[i], "__get_str(", print_format);
		text->has_hex_prefix = true;
	}
}

bool syscall_text__init(struct syscall_text *text, const char *event,
			const struct event_format_field *fields, size_t nr_fields,
			const char *print_format)
{
	const size_t most = sizeof(text->arguments) / sizeof(text->arguments[0]);

	*text = (struct syscall_text){ .is_exit = starts_with(event, EXIT_PREFIX) };
	if (!text->is_exit && !starts_with(event, ENTER_PREFIX))
		return false;
	if (!find(fields, nr_fields, "__syscall_nr"))
		return false;
	text->name = event + strlen(text->is_exit ? EXIT_PREFIX : ENTER_PREFIX);
	if (text->is_exit) {
		text->result = find(fields, nr_fields, "ret");
		return text->result;
	}

	text->has_hex_prefix = kernel_has_hex_prefix();
	for (size_t i = 0; i < nr_fields; i++) {
		if (fields[i].is_common || fields[i].location != FIELD_FIXED ||
		    !strcmp(fields[i].name, "__syscall_nr"))
			continue;
		if (text->nr_arguments == most)
			return false;
		add_argument(text, &fields[i], fields, nr_fields, print_format);
	}
	text->is_openat = !strcmp(text->name, "openat") && text->nr_arguments == 4 &&
			  strstr(print_format, "\"O_RDONLY|\"");
	return true;
}

static void print_text(struct text_out *out, const char *text)
{
	text_out__bytes(out, text, strlen(text));
}

static uint64_t value_of(const struct syscall_argument *argument, const struct record *record)
{
	return record__integer(record, argument->field->offset, argument->field->size);
}

static void print_number_of(const struct syscall_text *text, uint64_t value, struct text_out *out)
{
	if (text->has_hex_prefix && value < 10) {
		print_decimal(out, value);
		return;
	}
	if (text->has_hex_prefix)
		print_text(out, "0x");
	print_hex(out, value);
}

static bool is_printable(uint8_t c)
{
	return c >= ' ' && c <= '~';
}

static bool has_printable(struct memory data)
{
	for (size_t i = 0; i < data.size; i++) {
		if (is_printable(data.data[i]))
			return true;
	}
	return false;
}

/* Bytes that were passed to the kernel: as numbers, and as text if that may say something. */
static void print_user_bytes(struct memory data, uint64_t nr_passed, struct text_out *out)
{
	bool is_cut = (int64_t)data.size < (int32_t)nr_passed;

	print_text(out, " (");
	print_hex_bytes(out, data.data, data.size, ':');
	print_text(out, is_cut ? ", ...)" : ")");
	if (!has_printable(data))
		return;
	print_text(out, " \"");
	for (size_t i = 0; i < data.size; i++)
		text_out__char(out, is_printable(data.data[i]) ? (char)data.data[i] : '.');
	print_text(out, is_cut ? "\"..." : "\"");
}

/* The size of an array is always the argument behind it. */
static void print_user_data(const struct syscall_text *text, size_t i, const struct record *record,
			    struct text_out *out)
{
	const struct syscall_argument *argument = &text->arguments[i];
	const struct event_format_field *field = argument->user_data;
	struct memory data;

	/* Without a location, whoever made the record did not read user space as ftrace does. */
	if (!field || !record__integer(record, field->offset, sizeof(uint32_t)))
		return;
	data = record__dynamic(record, field->offset, field->location == FIELD_REL_LOC);
	if (argument->is_user_string) {
		print_text(out, " \"");
		text_out__bytes(out, data.data, strnlen((const char *)data.data, data.size));
		text_out__char(out, '"');
		return;
	}
	print_user_bytes(data, i + 1 < text->nr_arguments ? value_of(argument + 1, record) : 0,
			 out);
}

/* The order of the kernel's own table, which decides what a combination is called. */
static const struct symbol open_flags[] = {
/* clang-format off */
#define FLAG(flag) { .value = flag, .name = #flag, .length = sizeof(#flag) - 1 }
	FLAG(O_TMPFILE),   FLAG(O_WRONLY),   FLAG(O_RDWR),	FLAG(O_CREAT),
	FLAG(O_EXCL),	   FLAG(O_NOCTTY),   FLAG(O_TRUNC),	FLAG(O_APPEND),
	FLAG(O_NONBLOCK),  FLAG(O_DSYNC),    FLAG(O_DIRECT),	FLAG(O_LARGEFILE),
	FLAG(O_DIRECTORY), FLAG(O_NOFOLLOW), FLAG(O_NOATIME),	FLAG(O_CLOEXEC),
#undef FLAG
	/* clang-format on */
};

static void print_open_flags(int32_t flags, struct text_out *out)
{
	static const struct symbol_table table = {
		.symbols = open_flags,
		.nr = sizeof(open_flags) / sizeof(open_flags[0]),
	};

	if (!flags) {
		print_text(out, "O_RDONLY");
		return;
	}
	if (!(flags & O_ACCMODE))
		print_text(out, "O_RDONLY|");
	print_flag_names(out, &table, (uint64_t)(int64_t)flags, "|", 1);
}

/* openat(dfd, filename, flags, mode): the mode only where a file may be created */
static void print_openat(const struct syscall_text *text, const struct record *record,
			 struct text_out *out)
{
	static const struct printf_spec octal = { .base = 8, .flags = PRINTF_ZERO, .width = 3 };
	const struct syscall_argument *arguments = text->arguments;
	int32_t flags = (int32_t)value_of(&arguments[2], record);

	print_text(out, "dfd: ");
	print_decimal(out, value_of(&arguments[0], record));
	print_text(out, ", filename: ");
	print_decimal(out, value_of(&arguments[1], record));
	print_user_data(text, 1, record, out);
	print_text(out, ", flags: ");
	print_open_flags(flags, out);
	if (!(flags & (O_CREAT | O_TMPFILE)))
		return;
	print_text(out, ", mode: 0");
	print_number(out, (uint32_t)value_of(&arguments[3], record), &octal);
}

static void print_arguments(const struct syscall_text *text, const struct record *record,
			    struct text_out *out)
{
	for (size_t i = 0; i < text->nr_arguments; i++) {
		if (i)
			print_text(out, ", ");
		print_text(out, text->arguments[i].field->name);
		print_text(out, ": ");
		print_number_of(text, value_of(&text->arguments[i], record), out);
		print_user_data(text, i, record, out);
	}
}

void syscall_text__print(const struct syscall_text *text, const struct record *record,
			 struct text_out *out)
{
	print_text(out, "sys_");
	print_text(out, text->name);
	if (text->is_exit) {
		print_text(out, " -> 0x");
		print_hex(out, record__integer(record, text->result->offset, text->result->size));
		return;
	}
	text_out__char(out, '(');
	if (text->is_openat)
		print_openat(text, record, out);
	else
		print_arguments(text, record, out);
	text_out__char(out, ')');
}
