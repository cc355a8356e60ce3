#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Two static analysers find nothing: cppcheck, and clang's path-sensitive one.
cd "$(dirname "$0")/../.." || exit 1
includes=(-Iinclude -Ibpf -Isrc -Ibuild)
report() { # number, name, status, output
	[ "$3" = 0 ] && echo "ok $1 - $2" && return
	echo "not ok $1 - $2"
	sed 's/^/# /' <<<"$4" | head -n 60
}
echo 1..2
out=$(cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
	--suppress=missingIncludeSystem --error-exitcode=1 "${includes[@]}" -i build src 2>&1)
report 1 cppcheck $? "$out"
# shellcheck disable=SC2016
out=$(printf '%s\n' src/*.c | xargs -P "$(nproc)" -n 4 clang-tidy --quiet \
	--checks='-*,clang-analyzer-*,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,-clang-analyzer-security.insecureAPI.strcpy' \
	--warnings-as-errors='*' -- 2>&1 -std=gnu11 "${includes[@]}")
report 2 'clang static analyser' $? "$(grep -v 'warnings generated' <<<"$out")"
