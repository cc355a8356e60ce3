#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# docs/fleet.md: a hundred thousand records go through the journal to the journal of another
# machine, by systemd's own programs on the loopback of a network namespace. Both forwarders are
# killed on the way.

TIME_LIMIT=240
. "${0%/*}/lib.sh"

SYSTEMD=/lib/systemd
for program in $SYSTEMD/systemd-journal{d,-remote,-upload}; do
	[ -x "$program" ] || skip_all "needs $program: packaging/install-deps check"
done
unshare --net true 2> /dev/null || skip_all "cannot make a network namespace here"

RECORDS=100000
PORT=19532
WATCHED=$NUMBERED

# ---- two machines in one -------------------------------------------------------------------------

# This one's journal: a journald of our own, where all programs look for it.
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/systemd/journald.conf.d /run/remote /run/state
cat > /run/systemd/journald.conf.d/test.conf <<- END
	[Journal]
	Storage=volatile
	RuntimeMaxUse=2G
	RuntimeMaxFileSize=1G
	RateLimitIntervalSec=0
	ReadKMsg=no
	Audit=no
END
is_socket() {
	[ -S "$1" ]
}
start_background $SYSTEMD/systemd-journald > "$TMP/journald" 2>&1
journald=$background_pid
wait_until 10 is_socket /run/systemd/journal/stdout

# In a network namespace that only has lo: the two ends of the way to the other machine.
start_background unshare --net sleep 600
network=(nsenter --net="/proc/$background_pid/ns/net")
has_own_network() {
	! [ "/proc/$background_pid/ns/net" -ef /proc/self/ns/net ]
}
wait_until 5 has_own_network
"${network[@]}" ip link set lo up
start_background "${network[@]}" $SYSTEMD/systemd-journal-remote \
	--listen-http=127.0.0.1:$PORT --output=/run/remote/ > "$TMP/remote" 2>&1
remote=$background_pid

listens() {
	"${network[@]}" ss -Hltn "sport = :$PORT" | grep -q .
}
ok "systemd-journal-remote listens on loopback" wait_until 10 listens

# What the journal has of ours; messages only
here() {
	journalctl --sync
	journalctl -t persist-bpf -o cat -q
}
there() {
	journalctl -D /run/remote -t persist-bpf -o cat -q
}
# The command of the unit that is shipped, writing to the journal as the unit's standard output does.
command=$(sed -n "s|^ExecStart=/bin/sh -c '\(.*\)'\$|\1|p" packaging/systemd/persist-bpf-journal.service.in)
like "$command" "persist-reader attach .* --follow --json --cursor-file" "the unit's command is the reader"
mkdir "$TMP/bin"
cp "$READER" "$TMP/bin/persist-reader"
start_reader() {
	STATE_DIRECTORY=/run/state start_background systemd-cat -t persist-bpf \
		sh -c "${command//@bindir@/$TMP/bin}" # each becomes the next: it is the reader
	reader=$background_pid
}
start_upload() {
	start_background "${network[@]}" $SYSTEMD/systemd-journal-upload \
		--url=http://127.0.0.1:$PORT --save-state=/run/state/upload > "$TMP/upload" 2>&1
	upload=$background_pid
}
count_is() { # COUNT COMMAND...: of different records
	[ "$("${@:2}" | numbers_of | sort -u | wc -l)" -ge "$1" ]
}

# Bytes that the reader has written to the journal, and that the upload has on its way.
written_by_reader() {
	sed -n 's/^wchar: //p' "/proc/$reader/io"
}
written_by_upload() {
	"${network[@]}" ss -Htn "dport = :$PORT" | awk '{ sum += $3 } END { print sum + 0 }'
}
# Has it written something, and can it not go on?
waits_to_write() { # reader|upload
	local before

	before=$("written_by_$1")
	sleep 0.2
	[ "$before" -gt 4096 ] && [ "$("written_by_$1")" = "$before" ]
}

# end_in_the_middle WRITER READER: kills the writer when the reader, stopped, takes no more.
end_in_the_middle() {
	kill -STOP "$2"
	"start_$1"
	ok "the $1 has written, and waits" wait_until 30 waits_to_write "$1"
	kill -KILL "${!1}"
	wait "${!1}" 2> /dev/null
	kill -CONT "$2"
}

# ---- records -------------------------------------------------------------------------------------

run_ok "start" "$LOADER" start -e $NUMBERED_EVENT/keep=oldest,head=32M/
# More than the buffer of a socket to the journal takes, which is 8 MiB (and its overhead).
produce 0 90000 > /dev/null
end_in_the_middle reader "$journald"
compare "$(here | wc -l)" -lt 90000 "it was killed on its way"
start_reader
wait_until 60 count_is 90000 here
end_in_the_middle upload "$remote"
compare "$(there | wc -l)" -lt 90000 "it was killed on its way"
start_upload
# Once more, while it follows.
produce 0 5000 90001 > /dev/null
kill -KILL "$reader"
wait "$reader" 2> /dev/null
produce 0 5000 95001 > /dev/null
start_reader
ok "all come to this machine's journal" wait_until 100 count_is $RECORDS here
ok "and to the other machine's" wait_until 100 count_is $RECORDS there

# ---- none lost, none twice -----------------------------------------------------------------------

# The reader's own output is told by event, CPU and number, whatever comes twice on the way.
here > "$TMP/here"
there > "$TMP/there"
is "$(numbers_of < "$TMP/here" | sort -nu | ranges)" 1-$RECORDS "none is lost here"
is "$(numbers_of < "$TMP/there" | sort -nu | ranges)" 1-$RECORDS "nor on the way"
is "$(grep -c '"lost"' "$TMP/there")" 0 "and no loss is reported"
is "$(jq -r 'select(.fields) | "\(.event) \(.cpu) \(.seq)"' < "$TMP/there" | sort -u | wc -l)" $RECORDS \
	"event, CPU and number tell a record that came twice"
# A reader that is killed between a write and the store of its position repeats one write, of at
# most 4096 bytes.
longest=$((4096 / $(awk '{ print length + 1 }' "$TMP/here" | sort -n | head -n 1) + 1))
twice=$(($(numbers_of < "$TMP/here" | wc -l) - RECORDS))
compare $twice -le $((2 * longest)) "here at most a write is repeated for each kill: $twice lines"
diag "there $(($(numbers_of < "$TMP/there" | wc -l) - RECORDS)) came twice"

# ---- ended, not killed ---------------------------------------------------------------------------

kill -TERM "$reader"
wait "$reader"
produce 0 1000 $((RECORDS + 1)) > /dev/null
start_reader
wait_until 60 count_is $((RECORDS + 1000)) here
is "$(here | numbers_of | awk "\$1 > $RECORDS" | wc -l)" 1000 "one that is told to end repeats none"
ok "and they go on to the other machine" wait_until 60 count_is $((RECORDS + 1000)) there
is "$(there | numbers_of | awk "\$1 > $RECORDS" | wc -l)" 1000 "each once"
finish
