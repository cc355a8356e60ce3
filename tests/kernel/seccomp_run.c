// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command under a seccomp filter:
 *
 *   seccomp_run none COMMAND...    bpf(2) fails with EPERM, as in a container's default profile
 *   seccomp_run read COMMAND...    of bpf(2), only what a reader needs: open a pin, ask what it
 *                                  is, look an element up
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALLOW		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define LOAD(member)	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define ALLOW_IF(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, 1), ALLOW

static struct sock_filter no_bpf[] = {
	LOAD(nr),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_bpf, 1, 0),
	ALLOW,
	REFUSE,
};

/* The first argument is an int: its lower half is enough, on a little-endian machine. */
static struct sock_filter reader_bpf[] = {
	LOAD(nr),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_bpf, 1, 0),
	ALLOW,
	LOAD(args[0]),
	ALLOW_IF(BPF_OBJ_GET),
	ALLOW_IF(BPF_OBJ_GET_INFO_BY_FD),
	ALLOW_IF(BPF_MAP_LOOKUP_ELEM),
	REFUSE,
};

int main(int argc, char **argv)
{
	struct sock_fprog program;

	if (argc >= 3 && !strcmp(argv[1], "none")) {
		program.filter = no_bpf;
		program.len = sizeof(no_bpf) / sizeof(no_bpf[0]);
	} else if (argc >= 3 && !strcmp(argv[1], "read")) {
		program.filter = reader_bpf;
		program.len = sizeof(reader_bpf) / sizeof(reader_bpf[0]);
	} else {
		fprintf(stderr, "usage: seccomp_run none|read COMMAND...\n");
		return 2;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("seccomp_run");
		return 1;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
