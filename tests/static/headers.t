#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Each public header compiles alone, in C99 and in C++11, without a warning.
cd "$(dirname "$0")/../.." || exit 1
warnings=(-Wall -Wextra -Wpedantic -Werror)
number=0

compile() { # DESCRIPTION HEADER COMPILER...
	local output

	number=$((number + 1))
	if output=$(echo "#include <$2>" | "${@:3}" "${warnings[@]}" -Iinclude -fsyntax-only - 2>&1); then
		echo "ok $number - $2, $1"
	else
		echo "not ok $number - $2, $1"
		head -n 10 <<< "$output" | sed 's/^/# /'
	fi
}

headers=(include/*.h)
echo 1..$((4 * ${#headers[@]}))
for header in "${headers[@]##*/}"; do
	compile "gcc, C99" "$header" gcc -std=c99 -x c
	compile "gcc, C++11" "$header" g++ -std=c++11 -x c++
	compile "clang, C99" "$header" clang -std=c99 -x c
	compile "clang, C++11" "$header" clang++ -std=c++11 -x c++
done
