#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Two static analysers find nothing: cppcheck, and clang's path-sensitive one.
cd "$(dirname "$0")/../.." || exit 1
includes=(-Iinclude -Ibpf -Isrc -I"${OUTPUT:-build}")

report() { # number, name, status, output
	[ "$3" = 0 ] && echo "ok $1 - $2" && return
	echo "not ok $1 - $2"
	sed 's/^/# /' <<<"$4" | head -n 60
}

echo 1..2
# Its preprocessor does not know libbpf's macros, and gives up on a few files of ours (offsetof in
# a macro, lists of macros): those are left to the other one.
out=$(cppcheck --quiet -j "$(nproc)" --max-configs=2 --std=c11 \
	--enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
	--suppress=missingInclude --suppress=missingIncludeSystem \
	--suppress=preprocessorErrorDirective \
	-D'LIBBPF_OPTS(TYPE,NAME,...)=struct TYPE NAME={.sz=sizeof(struct TYPE),__VA_ARGS__}' \
	-D'bpf_object__for_each_map(pos,obj)=for(;;)' \
	-Iinclude -Ibpf -Isrc src 2>&1)
report 1 cppcheck $? "$out"

# Warnings are errors for it as well: it exits non-zero.
# shellcheck disable=SC2016 # it is the inner shell that expands these
out=$(find src -name '*.c' | sort | xargs -P "$(nproc)" -n 1 sh -c \
	'clang --analyze -Xclang -analyzer-werror -Xclang -analyzer-disable-checker=valist \
		-std=gnu11 $1 "$2" -o /dev/null' sh "${includes[*]}" 2>&1)
report 2 'clang static analyser' $? "$out"
