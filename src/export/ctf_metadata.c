// SPDX-License-Identifier: GPL-2.0-only
#include "export/ctf_metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "export/ctf_event.h"
#include "time_spec.h"
#include "version.h"

/* Readers skip hidden files. */
#define STAGED_NAME ".metadata"

static void print_uuid(struct ctf_buffer *text, const uint8_t uuid[CTF_UUID_SIZE])
{
	ctf_buffer__print(text, "\"");
	for (int i = 0; i < CTF_UUID_SIZE; i++)
		ctf_buffer__print(text, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
				  uuid[i]);
	ctf_buffer__print(text, "\"");
}

static void print_trace(struct ctf_buffer *text, const uint8_t uuid[CTF_UUID_SIZE])
{
	const bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	ctf_buffer__print(text, "\ntrace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = ");
	print_uuid(text, uuid);
	ctf_buffer__print(text,
			  ";\n\tbyte_order = %s;\n\tpacket.header := ", is_little ? "le" : "be");
	ctf_stream__describe_header(text);
	ctf_buffer__print(text, ";\n};\n");
}

static void print_variable(struct ctf_buffer *text, const char *name, const char *value)
{
	ctf_buffer__print(text, "\t%s = ", name);
	ctf_buffer__print_literal(text, value);
	ctf_buffer__print(text, ";\n");
}

static void print_environment(struct ctf_buffer *text)
{
	struct utsname name;

	ctf_buffer__print(text, "\nenv {\n");
	if (!uname(&name)) {
		print_variable(text, "hostname", name.nodename);
		print_variable(text, "sysname", name.sysname);
		print_variable(text, "kernel_release", name.release);
		print_variable(text, "kernel_version", name.version);
		print_variable(text, "machine", name.machine);
	}
	print_variable(text, "domain", "kernel");
	print_variable(text, "tracer_name", "persist-bpf");
	print_variable(text, "tracer_version", PERSIST_BPF_VERSION);
	ctf_buffer__print(text, "};\n");
}

/* Traces of the same boot have the same clock, of which this is the name for all tracers. */
static void print_boot_id(struct ctf_buffer *text)
{
	char id[37] = "";
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (read(fd, id, sizeof(id) - 1) == sizeof(id) - 1 &&
	    strspn(id, "0123456789abcdef-") == sizeof(id) - 1)
		ctf_buffer__print(text, "\tuuid = \"%s\";\n", id);
	close(fd);
}

/* Its offset is that of this moment: the wall clock may be set, the timestamps stay. */
static void print_clock(struct ctf_buffer *text)
{
	const int64_t nsec_per_sec = (int64_t)NSEC_PER_SEC;
	int64_t offset = wall_clock_offset();
	int64_t seconds = offset / nsec_per_sec - (offset % nsec_per_sec < 0);

	ctf_buffer__print(text, "\nclock {\n\tname = \"" CTF_CLOCK_NAME "\";\n");
	print_boot_id(text);
	ctf_buffer__print(text,
			  "\tdescription = \"CLOCK_BOOTTIME\";\n"
			  "\tfreq = %llu;\n"
			  "\toffset_s = %lld;\n"
			  "\toffset = %lld;\n"
			  "\tabsolute = TRUE;\n"
			  "};\n\n",
			  NSEC_PER_SEC, (long long)seconds,
			  (long long)(offset - seconds * nsec_per_sec));
}

void ctf_metadata__begin(struct ctf_buffer *text, const uint8_t uuid[CTF_UUID_SIZE])
{
	/* Readers know a text by this beginning. */
	ctf_buffer__print(text, "/* CTF 1.8 */\n");
	print_environment(text);
	print_clock(text);
	ctf_event__describe_types(text);
	print_trace(text, uuid);
}

static int write_all(int fd, const struct ctf_buffer *text)
{
	size_t done = 0;

	while (done < text->len) {
		ssize_t written = write(fd, text->data + done, text->len - done);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		done += (size_t)written;
	}
	return 0;
}

int ctf_metadata__write(const struct ctf_buffer *text, int directory)
{
	int fd, err;

	if (text->has_failed)
		return -ENOMEM;
	fd = openat(directory, STAGED_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	err = write_all(fd, text);
	if (close(fd) && !err)
		err = -errno;
	if (!err && renameat(directory, STAGED_NAME, directory, "metadata"))
		err = -errno;
	if (err)
		unlinkat(directory, STAGED_NAME, 0);
	return err;
}
