# SPDX-License-Identifier: GPL-2.0-only
#
# Where packages come from. Sourced after common.sh.

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
