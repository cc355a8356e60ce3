# SPDX-License-Identifier: GPL-2.0-only
#
# What the scripts of the host share. Sourced by bash with errexit set.

note() {
	echo "${0##*/}: $*" >&2
}

die() {
	note "$@"
	exit 1
}

# Stops with the name of the Debian package that has a missing command.
need() {
	local command=$1 package=$2

	PATH=$PATH:/usr/sbin:/sbin command -v "$command" > /dev/null ||
		die "$command is missing; it comes with the package $package"
}

need_file() {
	local file=$1 package=$2

	[ -e "$file" ] || die "$file is missing; it comes with the package $package"
}

# Where fetched kernels are kept, outside the tree.
cache_directory() {
	local cache=${PERSIST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/persist-bpf}

	mkdir -p "$cache"
	(cd "$cache" && pwd)
}
