#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every C file is formatted as .clang-format says.
cd "$(dirname "$0")/../.." || exit 1
mapfile -t files < <(find bpf include src tests bench examples -name '*.[ch]' 2>/dev/null | sort)
echo "1..${#files[@]}"
for i in "${!files[@]}"; do
	if wrong=$(clang-format --dry-run --Werror "${files[i]}" 2>&1); then
		echo "ok $((i + 1)) - ${files[i]}"
	else
		echo "not ok $((i + 1)) - ${files[i]}"
		sed 's/^/# /' <<<"$wrong" | head -n 5
	fi
done
