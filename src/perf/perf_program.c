// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "perf/perf_program.h"

#include "program_name.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* ---- what kind of file it is --------------------------------------------------------------- */

/* The architecture that this program was made for. */
static bool is_of_this_architecture(const ElfW(Ehdr) * header)
{
	ElfW(Ehdr) own;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return true; /* it will turn out */
	got = read(fd, &own, sizeof(own));
	close(fd);
	return got != (ssize_t)sizeof(own) || (header->e_ident[EI_CLASS] == own.e_ident[EI_CLASS] &&
					       header->e_machine == own.e_machine);
}

/* A program without an interpreter is loaded by the kernel alone. */
static bool has_interpreter(int fd, const ElfW(Ehdr) * header)
{
	for (int i = 0; i < header->e_phnum; i++) {
		ElfW(Phdr) segment;
		off_t at = (off_t)(header->e_phoff + (size_t)i * header->e_phentsize);

		if (pread(fd, &segment, sizeof(segment), at) != (ssize_t)sizeof(segment))
			return false;
		if (segment.p_type == PT_INTERP)
			return true;
	}
	return false;
}

static int check_elf(const char *path, int fd, const ElfW(Ehdr) * header, const struct log *log)
{
	if (!is_of_this_architecture(header)) {
		log_error(log,
			  "%s: is for another architecture than this program, so that our library "
			  "cannot be loaded into it; use a perf of this one",
			  path);
		return -ENOEXEC;
	}
	if (!has_interpreter(fd, header)) {
		log_error(log,
			  "%s: is statically linked, so that no library can be loaded into it; "
			  "use a perf that is not (that of the distribution), or write the events "
			  "with %s record and read the file with this one",
			  path, program_name__reader());
		return -ENOEXEC;
	}
	return 0;
}

/* The dynamic linker ignores LD_PRELOAD for programs that get privileges by being executed. */
static int check_privileges(const char *path, int fd, const struct log *log)
{
	struct stat status;
	bool has_capabilities;

	if (!geteuid() || fstat(fd, &status))
		return 0;
	has_capabilities = fgetxattr(fd, "security.capability", NULL, 0) > 0;
	if (!has_capabilities && !(status.st_mode & (S_ISUID | S_ISGID)))
		return 0;
	log_error(log,
		  "%s: %s, and then loads no library of its user's choice; run this as root, "
		  "or use a copy of it without that",
		  path,
		  has_capabilities ? "has file capabilities" : "is set-user-id or set-group-id");
	return -EPERM;
}

int perf_program__check(const char *path, bool *is_script, const struct log *log)
{
	ElfW(Ehdr) header = { 0 };
	ssize_t got;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	*is_script = false;
	if (fd < 0)
		return 0; /* to be executed, but not to be read */
	got = read(fd, &header, sizeof(header));
	err = check_privileges(path, fd, log);
	if (err)
		;
	else if (got >= 2 && !memcmp(&header, "#!", 2))
		*is_script = true;
	else if (got == (ssize_t)sizeof(header) && !memcmp(header.e_ident, ELFMAG, SELFMAG))
		err = check_elf(path, fd, &header, log);
	close(fd);
	return err;
}
