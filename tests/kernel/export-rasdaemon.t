#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# reader export --to rasdaemon: what Debian's ras-mc-ctl, unmodified, says about the file; and that
# every event is there once, whatever happens to the exporter.
#
# Hardware errors do not happen here on demand. What ras-mc-ctl shows is tried with records that a test
# tool lays out as the kernel does (tests/unit/test_rasdaemon.c), and that nothing is lost or doubled
# with another event whose metadata is forged to say that it is ras:mc_event; its rows have little in
# them. Real machine checks come from tests/vm.

TIME_LIMIT=240
. "${0%/*}/lib.sh"

PATH=$PATH:/usr/sbin:${PERSIST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/persist-bpf}/packages/usr/sbin
for program in ras-mc-ctl rasdaemon sqlite3; do
	command -v $program > /dev/null ||
		skip_all "$program is not there; run packaging/install-deps check"
done

# The file that ras-mc-ctl looks at cannot be chosen.
mount -t tmpfs none /var/lib
mkdir /var/lib/rasdaemon
THEIRS=/var/lib/rasdaemon/ras-mc_event.db
DB=$TMP/errors.db

ras_mc_ctl() { # FILE OPTION
	cp "$1" $THEIRS && ras-mc-ctl "$2" 2>&1
}

rows() { # SQL [FILE]
	sqlite3 -readonly -cmd ".timeout 20000" "${2:-$DB}" "$1"
}

# ---- what ras-mc-ctl says ----------------------------------------------------------------------

ok "make a file of every kind" "$HELPERS/unit/test_rasdaemon.t" "$DB"
summary=$(ras_mc_ctl "$DB" --summary)
like "$summary" '^	Corrected on DIMM Label\(s\): .DIMM_A1. location: 1:2:0:-1 errors: 1$' \
	"ras-mc-ctl --summary: a corrected memory error"
like "$summary" "^	Uncorrected on DIMM Label\(s\): 'DIMM.xff'; DROP TABLE mc_event; --' " \
	"a label that is not UTF-8, and not SQL"
like "$summary" '^	1 Corrected errors: Bad TLP, Replay Timer Timeout$' "PCI Express"
like "$summary" '^	1 Uncorrected \(Non-Fatal\) errors: Poisoned TLP' "of the other kind"
like "$summary" '^	1 single-bit ECC corrected errors$' "extended logs"
like "$summary" '^	1 memory controller: read, channel 1 \(code 0x0091\) errors$' "machine checks"
errors=$(ras_mc_ctl "$DB" --errors)
time='[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} [-+][0-9]{4}'
like "$errors" "^1 $time 3 Corrected error\(s\): memory read error at DIMM_A1 location: 1:2:0:-1, addr 20015998341120, grain 6, syndrome 85 rank:1$" \
	"ras-mc-ctl --errors: a memory error with all that is known"
like "$errors" "^2 $time 0000:00:1c.0 Uncorrected \(Non-Fatal\) error: Poisoned TLP, Unsupported Request, BIT25 TLP Header: 04000001 0000200f 01070000 d0a1e5f0$" \
	"an error of PCI Express"
like "$errors" "^1 $time error: type=single-bit ECC, severity=corrected, address=0xabcdef000, fru_id=00112233-4455-6677-8899-aabbccddeeff, fru_text='DIMM 3', " \
	"one from an extended log"
like "$errors" "^1 $time error: memory controller: read, channel 1 \(code 0x0091\), bank 7, mcg restart_ip_valid, mci valid enabled misc_valid addr_valid, channel=1, corrected: the hardware corrected it, nothing was lost, mcgcap=0x01000c14, mcgstatus=0x00000001, status=0x9c00004000000091, addr=0x123456789abc, misc=0x0000008c, tsc=0x1122334455, walltime=0x6b0eaf33, cpu=0x00000003, cpuid=0x000306f2, apicid=0x00000006, socketid=0x00000001, cs=0x00000010, bank=0x00000007$" \
	"and a machine check"
unlike "$errors$summary" '[Uu]ninitialized' "perl misses nothing"

# ---- each event once -----------------------------------------------------------------------------

# pretend EVENT: its metadata says ras:mc_event from now on
pretend() {
	"$HELPERS/forge" array "$ROOT/$1/meta" "$ROOT/$1/forged" 176=0x736172 184=0 \
		240=0x746e6576655f636d 248=0 256=0 264=0
	rm "$ROOT/$1/meta"
	mv "$ROOT/$1/forged" "$ROOT/$1/meta"
}

run "$READER" export --to rasdaemon "$DB"
is "$status" 1 "without a tree it fails"
"$LOADER" start -e sched:sched_process_exit > /dev/null
run "$READER" export --to rasdaemon "$DB"
like "$status $err" '^1 .*no event for the format rasdaemon' "so it does without an event of that kind"
run "$READER" export --to rasdaemon
is "$status" 2 "without a file it is wrong usage"

rm "$DB"
zone=$(date +%z)
"$LOADER" add "$NUMBERED_EVENT/head=1M,tail=4M/" > /dev/null
pretend $NUMBERED
produce 0 1000 > /dev/null
produce 1 500 > /dev/null
run_ok "export" "$READER" export --to rasdaemon "$DB"
is "$(rows 'SELECT count(*) FROM mc_event')" 1500 "1500 events, 1500 rows"
like "$(rows 'SELECT max(timestamp) FROM mc_event')" "^$(date +%Y-%m)-.* [${zone:0:1}]${zone:1}$" "of today"
run_ok "export again" "$READER" export --to rasdaemon "$DB"
is "$(rows 'SELECT count(*) FROM mc_event')" 1500 "adds nothing"
produce 0 10 > /dev/null
"$READER" export --to rasdaemon "$DB" $NUMBERED
is "$(rows 'SELECT count(*) FROM mc_event')" 1510 "and then what came since"
like "$(ras_mc_ctl "$DB" --errors | grep -c 'error(s)')" '^1510$' "ras-mc-ctl shows them"

# Killed at any moment, again and again, while events come. (A time of 0 would be no limit; in the
# foreground timeout waits for who was killed, and with him for his lock.)
before=$(rows 'SELECT count(*) FROM mc_event')
start_producer 0 1 200
for i in {1..40}; do
	timeout --foreground --signal=KILL "0.$((RANDOM % 3))$((RANDOM % 9 + 1))" \
		"$READER" export --follow --to rasdaemon "$DB" 2> "$TMP/err"
done > /dev/null 2>&1
is "$(cat "$TMP/err")" "" "the last one that was killed had nothing to complain about"
end_producer
is "$(rows 'PRAGMA integrity_check')" ok "killed 40 times, and the file is whole"
run_ok "the last export" "$READER" export --to rasdaemon "$DB"
is "$(rows 'SELECT count(*) FROM mc_event') $(rows 'SELECT count(*) FROM persist_losses')" \
	"$((before + made)) 0" "each event is there once ($made of them)"

# A follower; others can read the file meanwhile, but not export to it.
start_background "$READER" export --follow --to rasdaemon "$DB"
exporter=$background_pid
has_rows() {
	[ "$(rows 'SELECT count(*) FROM mc_event' 2> /dev/null)" = "$1" ]
}
before=$(rows 'SELECT count(*) FROM mc_event')
produce 1 100 > /dev/null
ok "a follower writes what comes" wait_until 20 has_rows $((before + 100))
run "$READER" export --to rasdaemon "$DB"
is "$status" 1 "a second one is refused"
like "$err" "$DB: another reader exports to this file" "and says why"
kill "$exporter"
wait "$exporter"
is "$?" 0 "it ends with success when it is told to"

# What was overwritten is a row, too: in a table of our own.
"$LOADER" remove $NUMBERED > /dev/null
"$LOADER" add "$NUMBERED_EVENT/keep=latest,tail=8K/" > /dev/null
pretend $NUMBERED
rm "$DB"
produce 0 1000 > /dev/null
run_ok "export what is left of 1000" "$READER" export --to rasdaemon "$DB"
left=$(rows 'SELECT count(*) FROM mc_event')
is "$(rows 'SELECT event, cpu, reason, lost, from_seq, to_seq FROM persist_losses')" \
	"$NUMBERED|0|overwritten|$((1000 - left))|1|$((1000 - left))" "the others are a loss"
like "$err" "errors.db: $((1000 - left)) events were lost" "which is said as well"

# ---- files -------------------------------------------------------------------------------------

# One that rasdaemon has made itself: it wants debugfs, and an instance of ftrace that it leaves.
mount -t debugfs none /sys/kernel/debug 2> /dev/null
[ -d /sys/kernel/debug/tracing/events ] || mount -t tracefs none /sys/kernel/debug/tracing
had_instance=$(ls -d $TRACING/instances/rasdaemon 2> /dev/null)
rm -f $THEIRS
start_background rasdaemon -f -r > "$TMP/rasdaemon.log" 2>&1
daemon=$background_pid
they_are_there() {
	[ -n "$(rows "SELECT 1 FROM sqlite_schema WHERE name = 'mce_record'" $THEIRS 2> /dev/null)" ]
}
if wait_until 15 they_are_there; then
	cp $THEIRS "$TMP/theirs.db"
	cp $THEIRS "$TMP/untouched.db"
	run_ok "export into a file of rasdaemon's" "$READER" export --to rasdaemon "$TMP/theirs.db"
	is "$(rows 'SELECT count(*) FROM mc_event' "$TMP/theirs.db")" "$left" "adds the rows"
	"$READER" export --to rasdaemon "$TMP/ours.db" 2> /dev/null
	# SCHEMA: the tables, and their columns with their types
	schema="SELECT m.name, i.cid, i.name, i.type, i.pk FROM sqlite_schema m, pragma_table_info(m.name) i
		WHERE m.name NOT LIKE 'persist%' ORDER BY 1, 2"
	is "$(rows "$schema" "$TMP/ours.db")" "$(rows "$schema" "$TMP/untouched.db")" \
		"rasdaemon's tables and ours have the same columns and types"
	like "$(ras_mc_ctl "$TMP/theirs.db" --errors)" "^$left $time " "ras-mc-ctl shows them"
else
	diag "$(tail -n 5 "$TMP/rasdaemon.log")"
	skip "rasdaemon makes no file here"
fi
kill -INT "$daemon" 2> /dev/null
wait "$daemon" 2> /dev/null
[ -n "$had_instance" ] || rmdir $TRACING/instances/rasdaemon 2> /dev/null
umount /sys/kernel/debug/tracing /sys/kernel/debug 2> /dev/null

cp /etc/passwd "$TMP/passwd"
run "$READER" export --to rasdaemon "$TMP/passwd"
like "$status $err" "^1 .*passwd: file is not a database" "a file of another kind is refused"
ok "and left as it is" cmp -s /etc/passwd "$TMP/passwd"
sqlite3 "$TMP/other.db" 'CREATE TABLE bookmarks (url TEXT)'
run "$READER" export --to rasdaemon "$TMP/other.db"
like "$status $err" "^1 .*other.db: a database of something else" "so is another database"
run "$READER" export --to rasdaemon "$TMP/nowhere/x.db"
like "$status $err" "^1 .*nowhere/x.db: cannot open it: No such file" "a directory that is not there"
run "$READER" export --to rasdaemon /dev/full
like "$status $err" "^1 .*/dev/full: not a regular file" "a device"
is "$(ls /dev/*-journal 2> /dev/null)" "" "beside which nothing is left"

# A disk that is full: what is in the file stays, and the rest comes when there is room.
mkdir "$TMP/small"
mount -t tmpfs -o size=256K none "$TMP/small"
"$LOADER" remove $NUMBERED > /dev/null
"$LOADER" add "$NUMBERED_EVENT/head=1M/" > /dev/null
pretend $NUMBERED
produce 0 100 > /dev/null
run_ok "export to a small file system" "$READER" export --to rasdaemon "$TMP/small/x.db"
dd if=/dev/zero of="$TMP/small/filler" bs=4k 2> /dev/null
produce 0 2000 > /dev/null
run "$READER" export --to rasdaemon "$TMP/small/x.db"
is "$status" 1 "when it is full, that is an error"
like "$err" "small/x.db: .*(full|I/O)" "that names the file"
rm "$TMP/small/filler"
is "$(rows 'PRAGMA integrity_check' "$TMP/small/x.db") $(rows 'SELECT count(*) FROM mc_event' "$TMP/small/x.db")" \
	"ok 100" "the file has what it had"
run_ok "with room again" "$READER" export --to rasdaemon "$TMP/small/x.db"
is "$(rows 'SELECT count(*) FROM mc_event' "$TMP/small/x.db")" 2100 "it has everything"
umount "$TMP/small"

finish
