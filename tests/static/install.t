#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make install puts everything below DESTDIR, programs are built from there with pkg-config alone,
# and make uninstall leaves nothing.
cd "$(dirname "$0")/../.." || exit 1
BUILD=${OUTPUT:-build}
TMP=$(mktemp -d "${TMPDIR:-/tmp}/persist-install.XXXXXX")
trap 'rm -rf "$TMP"' EXIT
DEST=$TMP/dest
number=0

# run DESCRIPTION COMMAND...: it succeeds, and prints no warning
run() {
	local output

	number=$((number + 1))
	if output=$("${@:2}" 2>&1); then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		tail -n 15 <<< "$output" | sed 's/^/# /'
	fi
}

files_below() {
	(cd "$1" && find . ! -type d | LC_ALL=C sort)
}

is_same() { # FILE: of names, one a line
	diff "$1" <(files_below "$DEST")
}

installation() {
	make -s OUTPUT="$BUILD" DESTDIR="$DEST" prefix=/usr "$1"
}

# With what is below DESTDIR only: libraries that ours needs are the system's.
export PKG_CONFIG_PATH=$DEST/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$DEST
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
build() { # SOURCE PROGRAM COMPILER...
	# shellcheck disable=SC2046 # flags are words
	"${@:3}" -Wall -Wextra -Werror "$1" -o "$TMP/$2" \
		$(pkg-config --cflags --libs persist-bpf)
}

# The static library and what it needs, as pkg-config tells without a sysroot
build_static() { # PROGRAM
	local flags

	flags=$(env -u PKG_CONFIG_SYSROOT_DIR pkg-config --define-prefix --static --libs persist-bpf)
	# shellcheck disable=SC2086
	gcc "examples/$1.c" -o "$TMP/$1-static" -I"$DEST/usr/include" -static $flags
}

starts() { # PROGRAM: without arguments, each of them says how it is used
	LD_LIBRARY_PATH=$DEST/usr/lib "$TMP/$1" 2>&1 | grep -q "usage: "
}

mkdir "$DEST"
run "make install" installation install
files_below "$DEST" > "$TMP/installed"
run "again" installation install
run "changes nothing" is_same "$TMP/installed"
for name in agent detach find; do
	run "examples/$name.c in C" build examples/$name.c $name gcc -std=c11
	# g++ takes what is not initialised for forgotten, also where it is zero by the language.
	run "examples/$name.c in C++" build examples/$name.c $name++ \
		g++ -std=c++20 -x c++ -Wno-missing-field-initializers
	run "starts with the shared library" starts $name
	run "in C++ as well" starts $name++
	run "examples/$name.c with the static library" build_static $name
	run "starts without any" starts $name-static
done
sed -n '/^```c$/,/^```$/p' docs/library.md | sed '/^```/d' > "$TMP/last.c"
run "the program in docs/library.md" build "$TMP/last.c" last gcc -std=c11 -Wno-unused-parameter
run "examples/agent.c has less than 100 lines" test "$(wc -l < examples/agent.c)" -lt 100
run "man finds the page of a function" \
	man --manpath="$DEST/usr/share/man" --where persist_reader__next
# Those of a page to another one, and to its sections
dead_links() { # DIRECTORY
	local page link

	for page in "$1"/*.md; do
		for link in $(grep -oE '\]\([^):]*(\.(md|yml)(#[^)]*)?|examples(/[^)]*)?)\)' "$page" | sed 's/^](//; s/[#)].*//'); do
			[ -e "$1/$link" ] || echo "${page##*/}: $link"
		done
	done
}
nothing() { # COMMAND...: it has nothing to say
	! "$@" | grep .
}
run "all pages of docs/ are installed" test "$(ls docs/*.md | sed 's|.*/||')" = \
	"$(ls "$DEST/usr/share/doc/persist-bpf" | grep '\.md$' | grep -v README)"
run "so are all examples" diff -r examples "$DEST/usr/share/doc/persist-bpf/examples"
run "they lead to each other" nothing dead_links "$DEST/usr/share/doc/persist-bpf"

# ---- man pages -----------------------------------------------------------------------------------

# Where pages that are not ours are, this machine does not know; and .Os is ours.
lint() {
	mandoc -Tlint man/*.[13] 2> /dev/null |
		grep -v -e "referenced manual not found" -e "operating system explicitly specified"
}
footers_without_version() {
	local page

	for page in man/*.[13]; do
		man -l "$page" 2>&1 | tail -n 1 |
			grep -qE "^persist-bpf $version +[A-Z][a-z]+ [0-9]+, 20[0-9]{2} +persist-bpf $version$" ||
			echo "$page"
	done
}
version=$(sed -n 's/.*PERSIST_BPF_VERSION "\(.*\)"/\1/p' src/version.h)
if command -v mandoc > /dev/null; then
	run "mandoc has nothing against the man pages" nothing lint
else
	number=$((number + 1))
	echo "ok $number # SKIP needs mandoc: packaging/install-deps check"
fi
run "their footers have our version and a date" nothing footers_without_version
run "they name the directory of the documentation" grep -q "/usr/share/doc/persist-bpf" \
	"$DEST/usr/share/man/man1/persist-reader.1"

run "make uninstall" installation uninstall
: > "$TMP/nothing"
run "leaves nothing" is_same "$TMP/nothing"
echo "1..$number"
