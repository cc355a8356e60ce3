#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the library exports is what the version script lists, what the headers declare, and what has
# a man page: four lists, one content.
cd "$(dirname "$0")/../.." || exit 1
BUILD=${OUTPUT:-build}
VERSION=$(sed -n 's/.*PERSIST_BPF_VERSION "\(.*\)"/\1/p' src/version.h)
LIBRARY=$BUILD/libpersist.so.$VERSION

report() { # NUMBER DESCRIPTION DIFFERENCES
	[ -z "$3" ] && echo "ok $1 - $2" && return
	echo "not ok $1 - $2"
	sed 's/^/# /' <<< "$3"
}

listed=$(grep -o '\<persist_[a-z0-9_]*;' src/libpersist.map | tr -d ';' | LC_ALL=C sort)

# What is declared: everything of ours with a parenthesis behind it, outside of comments, that is
# not defined in the header itself.
declared() {
	cat include/*.h | gcc -fpreprocessed -dD -E -P -x c - 2> /dev/null | tr '\n' ' ' |
		grep -oE '(static inline )?[a-z_0-9]+ [a-z_0-9* ]*\<persist_[a-z0-9_]+\([^;{]*[;{]' |
		grep -v '{$' | grep -oE '\<persist_[a-z0-9_]+\(' | tr -d '(' | LC_ALL=C sort
}

exported() { # FILE OPTION...
	nm --defined-only "${@:2}" "$1" | awk '$2 ~ /[TDBRVWi]/ { sub(/@.*/, "", $3); print $3 }' |
		LC_ALL=C sort
}

documented() {
	{
		packaging/man-aliases man/*.3
		basename -a man/*.3
	} | sed 's/\.3.*//' | LC_ALL=C sort -u
}

echo 1..6
report 1 "the shared library exports what the version script lists" \
	"$(diff <(echo "$listed") <(exported "$LIBRARY" --dynamic))"
report 2 "so does the static one" "$(diff <(echo "$listed") <(exported "$BUILD/libpersist.a" -g))"
report 3 "the headers declare it" "$(diff <(echo "$listed") <(declared))"
report 4 "each function has a man page" "$(comm -23 <(echo "$listed") <(documented))"
report 5 "all of it has the library's version" \
	"$(nm --dynamic --defined-only "$LIBRARY" | grep ' T ' | grep -v '@@PERSIST_')"
report 6 "the library needs no other than libbpf and libc" \
	"$(readelf -d "$LIBRARY" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libbpf|libc|ld-linux.*)\.so')"
