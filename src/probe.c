// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "probe.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <yajl/yajl_gen.h>

#include "bpffs.h"
#include "buffers.h"
#include "capabilities.h"
#include "event_program.h"
#include "log.h"
#include "text_file.h"
#include "tracefs.h"

/* One thing that was looked at. A remedy is only shown if it is missing. */
struct finding {
	const char *name;
	bool present;
	char detail[160];
	const char *remedy;
};

static void set_detail(struct finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void set_detail(struct finding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(finding->detail, sizeof(finding->detail), format, args);
	va_end(args);
}

/* Reads the first line of a small file; an empty string if there is none. */
static void read_line(const char *path, char *line, int size)
{
	FILE *file = fopen(path, "re");

	if (!file || !fgets(line, size, file))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (file)
		fclose(file);
}

static void probe_kernel(struct finding *finding, const char *root)
{
	struct utsname name;

	uname(&name);
	finding->present = true;
	set_detail(finding, "%s %s %s", name.sysname, name.release, name.machine);
}

static void probe_capabilities(struct finding *finding, const char *root)
{
	char missing[64];

	finding->present = !capabilities__are_missing(missing, sizeof(missing));
	if (finding->present)
		set_detail(finding, "CAP_BPF and CAP_PERFMON");
	else
		set_detail(finding, "missing: %s", missing);
	finding->remedy = "run the loader as root, or give it these capabilities";
}

static void probe_bpffs(struct finding *finding, const char *root)
{
	char copy[PATH_MAX];
	const char *where = root;
	int is_bpffs = bpffs__is_mounted_at(where);

	if (is_bpffs == -ENOENT) {
		snprintf(copy, sizeof(copy), "%s", root);
		where = dirname(copy);
		is_bpffs = bpffs__is_mounted_at(where);
	}
	finding->present = is_bpffs == 1;
	if (is_bpffs < 0)
		set_detail(finding, "%s: %s", where, strerror(-is_bpffs));
	else
		set_detail(finding, "%s is %s a BPF file system", where,
			   is_bpffs ? "on" : "not on");
	finding->remedy = "mount -t bpf bpf /sys/fs/bpf";
}

static void probe_tracefs(struct finding *finding, const char *root)
{
	const char *wrong = tracefs__what_is_wrong();

	finding->present = !wrong;
	set_detail(finding, "%s", wrong ?: tracefs__mount_point());
	finding->remedy = "the loader needs tracefs, readers do not";
}

static void probe_btf(struct finding *finding, const char *root)
{
	finding->present = !access("/sys/kernel/btf/vmlinux", R_OK);
	set_detail(finding, "%s",
		   finding->present ? "/sys/kernel/btf/vmlinux"
				    : "no /sys/kernel/btf/vmlinux: events are recorded a little "
				      "slower, and there are no files for cat");
	finding->remedy = "a kernel with CONFIG_DEBUG_INFO_BTF";
}

static void probe_lockdown(struct finding *finding, const char *root)
{
	char line[128];

	read_line("/sys/kernel/security/lockdown", line, sizeof(line));
	finding->present = !strstr(line, "[confidentiality]");
	set_detail(finding, "%s", *line ? line : "this kernel has no lockdown");
	finding->remedy = "under confidentiality, strings and arrays of events are recorded as "
			  "zeros; boot with lockdown=integrity to have them";
}

static void probe_jit(struct finding *finding, const char *root)
{
	char line[16];

	read_line("/proc/sys/net/core/bpf_jit_enable", line, sizeof(line));
	finding->present = *line != '0';
	set_detail(finding, "%s",
		   finding->present ? "programs are compiled"
				    : "programs are "
				      "interpreted");
	finding->remedy = "sysctl net.core.bpf_jit_enable=1";
}

static void probe_overwrite(struct finding *finding, const char *root)
{
	finding->present = buffers__kernel_has_overwrite();
	set_detail(finding, "%s",
		   finding->present ? "the latest records are kept in ringbufs that overwrite"
				    : "the latest records are kept in array rings");
	finding->remedy = "nothing is lost by that; Linux 6.19 has BPF_F_RB_OVERWRITE";
}

static void probe_wakeup(struct finding *finding, const char *root)
{
	int err = 0, fd = bpf_map_create(BPF_MAP_TYPE_USER_RINGBUF, "probe", 0, 0,
					 sysconf(_SC_PAGESIZE), NULL);

	if (fd < 0)
		err = errno;
	finding->present = fd >= 0;
	set_detail(finding, "%s",
		   fd >= 0	  ? "wakeup=N works"
		   : err == EPERM ? "cannot tell without the capabilities"
				  : "no user ringbuf: wakeup=N does not work, readers poll");
	finding->remedy = err == EPERM ? "see capabilities" : "Linux 6.1 has it";
	if (fd >= 0)
		close(fd);
}

static void probe_perf_link(struct finding *finding, const char *root)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int program = bpf_prog_load(BPF_PROG_TYPE_TRACEPOINT, "probe", "GPL", insns, 2, NULL);
	int link, err = errno;

	if (program < 0) {
		set_detail(finding, "cannot load a program: %s", strerror(err));
		finding->remedy = "see capabilities; sysctl kernel.unprivileged_bpf_disabled does "
				  "not matter for a privileged loader";
		return;
	}
	/* A kernel that knows such links looks at the descriptor, which is none. */
	link = bpf_link_create(program, -1, BPF_PERF_EVENT, NULL);
	finding->present = link < 0 && errno == EBADF;
	set_detail(finding, "%s",
		   finding->present ? "tracepoints can be attached without a process"
				    : "no perf-event links");
	finding->remedy = "Linux 5.15 has them";
	close(program);
}

static void probe_text_files(struct finding *finding, const char *root)
{
	struct kernel_types types;
	struct text_files files;
	int err;

	kernel_types__load(&types);
	err = text_files__open(&files, NULL, &types);
	finding->present = !err && files.object;
	set_detail(finding, "%s%s",
		   finding->present ? "the tree's files can be read with cat"
				    : "cannot load iterators: ",
		   finding->present ? ""
		   : err	    ? strerror(-err)
				    : "no BTF");
	finding->remedy = "see capabilities and btf";
	text_files__close(&files);
	kernel_types__free(&types);
}

static void probe_mce_record(struct finding *finding, const char *root)
{
	uint32_t id;
	size_t len;
	char *text;
	int err = tracefs__read_tracepoint("mce", "mce_record", &id, &text, &len);

	finding->present = !err;
	finding->remedy = "a kernel with CONFIG_X86_MCE, on a machine of that architecture";
	if (err) {
		if (tracefs__what_is_wrong()) {
			set_detail(finding, "cannot tell without tracefs");
			finding->remedy = "see tracefs";
		} else {
			set_detail(finding, "mce:mce_record: %s",
				   err == -ENOENT ? "this kernel does not have it"
						  : strerror(-err));
		}
		return;
	}
	set_detail(finding, "mce:mce_record, id %u", id);
	free(text);
}

static const struct {
	const char *name;
	void (*look)(struct finding *finding, const char *root);
} probes[] = {
	{ "kernel", probe_kernel },
	{ "capabilities", probe_capabilities },
	{ "bpffs", probe_bpffs },
	{ "tracefs", probe_tracefs },
	{ "btf", probe_btf },
	{ "lockdown", probe_lockdown },
	{ "jit", probe_jit },
	{ "perf_link", probe_perf_link },
	{ "text_files", probe_text_files },
	{ "overwrite_ringbuf", probe_overwrite },
	{ "wakeup", probe_wakeup },
	{ "mce_record", probe_mce_record },
};

static void put_string(yajl_gen gen, const char *string)
{
	yajl_gen_string(gen, (const unsigned char *)string, strlen(string));
}

static void put_finding(yajl_gen gen, const struct finding *finding)
{
	put_string(gen, finding->name);
	yajl_gen_map_open(gen);
	put_string(gen, "present");
	yajl_gen_bool(gen, finding->present);
	put_string(gen, "detail");
	put_string(gen, finding->detail);
	if (!finding->present && finding->remedy) {
		put_string(gen, "remedy");
		put_string(gen, finding->remedy);
	}
	yajl_gen_map_close(gen);
}

static void print_finding(const struct finding *finding)
{
	char detail[LOG_ESCAPED_SIZE];

	printf("%-18s %-3s  %s\n", finding->name, finding->present ? "yes" : "no",
	       log_escape(finding->detail, detail));
	if (!finding->present && finding->remedy)
		printf("%-18s      remedy: %s\n", "", finding->remedy);
}

static void print_json(yajl_gen gen)
{
	const unsigned char *text;
	size_t len;

	yajl_gen_get_buf(gen, &text, &len);
	printf("%.*s\n", (int)len, text);
}

int probe__print(const char *root, bool json)
{
	yajl_gen gen = NULL;

	if (json) {
		gen = yajl_gen_alloc(NULL);
		if (!gen)
			return -ENOMEM;
		yajl_gen_config(gen, yajl_gen_beautify, 1);
		yajl_gen_map_open(gen);
	}
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		struct finding finding = { .name = probes[i].name };

		probes[i].look(&finding, root);
		if (gen)
			put_finding(gen, &finding);
		else
			print_finding(&finding);
	}
	if (gen) {
		yajl_gen_map_close(gen);
		print_json(gen);
		yajl_gen_free(gen);
	}
	return 0;
}
