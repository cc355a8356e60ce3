#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What is shipped for a Debian that boots systemd: the unit, as far as can be said without starting
# it, and the packages. tests/vm/systemd.t uses them.
cd "$(dirname "$0")/../.." || exit 1
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
number=0

for program in systemd-analyze systemd-sysusers dpkg-buildpackage lintian; do
	if ! command -v $program > /dev/null; then
		echo "1..0 # SKIP needs $program: packaging/install-deps check"
		exit
	fi
done

# run DESCRIPTION COMMAND...: it succeeds and says nothing
run() {
	local output status

	number=$((number + 1))
	output=$("${@:2}" 2>&1)
	status=$?
	if [ $status = 0 ] && [ -z "$output" ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		echo "ended with $status: $output" | tail -n 20 | sed 's/^/# /'
	fi
}

has_files() { # PACKAGE FILE...
	local file

	dpkg-deb -c "build/deb/$1"_*.deb | awk '{ print $6 }' > "$TMP/files"
	for file in "${@:2}"; do
		grep -qx "./$file" "$TMP/files" || echo "no $file"
	done
}

# ---- the unit ------------------------------------------------------------------------------------

mkdir -p "$TMP/bin"
cp build/loader "$TMP/bin/persist-loader"
cp build/reader "$TMP/bin/persist-reader"
exposure() { # UNIT TENTHS
	systemd-analyze security --offline=true --threshold="$2" "$TMP/$1" > "$TMP/exposure" ||
		cat "$TMP/exposure"
}
# How much each may be exposed, in tenths
for unit in persist-bpf.service:17 persist-bpf-journal.service:10; do
	most=${unit#*:} unit=${unit%:*}
	sed "s|@bindir@|$TMP/bin|" "packaging/systemd/$unit.in" > "$TMP/$unit"
	run "systemd-analyze verify has nothing to say of $unit" \
		systemd-analyze verify --man=no "$TMP/$unit"
	run "systemd-analyze security $unit: exposure of at most $most tenths" exposure "$unit" "$most"
done
mkdir "$TMP/etc"
systemd-sysusers --root="$TMP" --replace=/usr/lib/sysusers.d/persist-bpf.conf - \
	< packaging/systemd/persist-bpf.sysusers.conf > "$TMP/sysusers" 2>&1
run "systemd-sysusers makes the group" grep -q ^persist-bpf: "$TMP/etc/group"

# ---- the packages --------------------------------------------------------------------------------

run "the packages were built (make deb)" test -e build/deb/persist-bpf_*.changes
run "persist-bpf has what belongs to it" has_files persist-bpf usr/bin/persist-loader \
	usr/bin/persist-reader etc/persist-bpf/events.conf lib/systemd/system/persist-bpf.service \
	lib/systemd/system/persist-bpf-journal.service \
	usr/lib/sysusers.d/persist-bpf.conf usr/share/man/man1/persist-loader.1.gz \
	usr/share/man/man1/persist-reader.1.gz usr/share/bash-completion/completions/persist-loader \
	usr/share/persist-bpf/containers/seccomp-reader.json usr/share/doc/persist-bpf/README.md \
	usr/share/doc/persist-bpf/at-boot.md usr/share/doc/persist-bpf/prometheus/persist-bpf.rules.yml \
	usr/share/doc/persist-bpf/examples/agent.c
run "libpersist0 has the library" has_files libpersist0 \
	"usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/libpersist.so.0"
run "libpersist-dev has headers and pkg-config file" has_files libpersist-dev \
	usr/include/persist_bpf.h usr/share/man/man3/persist_reader.3.gz \
	"usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/pkgconfig/persist-bpf.pc"
run "the configuration is a conffile" \
	test "$(dpkg-deb -I build/deb/persist-bpf_*.deb conffiles)" = /etc/persist-bpf/events.conf
run "lintian has neither errors nor warnings" \
	lintian --allow-root --fail-on error,warning build/deb/persist-bpf_*.changes
echo "1..$number"
