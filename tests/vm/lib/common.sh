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

# Of which architecture a package is: one that is not amd64's has it behind its name, as dpkg
# writes it.
architecture_of() {
	case $1 in
	*:*) echo "${1##*:}" ;;
	*) echo amd64 ;;
	esac
}

# Of which architecture the kernel is that fetch-kernels has put into a directory.
kernel_architecture() {
	architecture_of "$(head -n 1 "$1/recipe")"
}

# The emulator for an architecture.
emulator_of() {
	case $1 in
	arm64) echo qemu-system-aarch64 ;;
	*) echo qemu-system-x86_64 ;;
	esac
}

need_emulator() {
	case $1 in
	arm64) need "$(emulator_of "$1")" qemu-system-arm ;;
	*) need "$(emulator_of "$1")" qemu-system-x86 ;;
	esac
}
