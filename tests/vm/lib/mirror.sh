# SPDX-License-Identifier: GPL-2.0-only
#
# Where packages come from, and root file systems made of them. Sourced after common.sh.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# The URI of a Debian mirror, as the machine's apt knows it. apt tells the origin of a source
# only once its lists were fetched, so without lists the path has to do.
debian_mirror() {
	local mirror=${PERSIST_DEBIAN_MIRROR:-}

	[ -n "$mirror" ] || mirror=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(SITE)' |
		sed -n 's/^Debian|Debian|//p' | head -n 1)
	[ -n "$mirror" ] || mirror=$(apt-get indextargets --no-release-info --format '$(SITE)' |
		grep -E '/debian/?$' | head -n 1) || true
	[ -n "$mirror" ] ||
		die "apt's configuration names no Debian mirror; set PERSIST_DEBIAN_MIRROR to its URI"
	echo "$mirror"
}

# debian_tar SUITE PACKAGES MMDEBSTRAP-OPTION... writes an archive of a root file system on
# standard output: these packages (by commas) and what they depend on, without what only people read.
debian_tar() {
	local suite=$1 packages=$2
	shift 2

	mmdebstrap --quiet --include="$packages" --format=tar "$@" \
		--aptopt='Acquire::Retries "3"' \
		--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		"$suite" - "deb [signed-by=$keyring] $(debian_mirror) $suite main"
}
