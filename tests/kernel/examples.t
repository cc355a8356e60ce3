#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The programs of examples/, built from an installed copy of the library, do what they say.

TIME_LIMIT=180
. "${0%/*}/lib.sh"

command -v cc pkg-config > /dev/null || skip_all "no compiler here"
DEST=$TMP/dest
make -s OUTPUT="${OUTPUT:-build}" DESTDIR="$DEST" prefix=/usr install > "$TMP/install" 2>&1 ||
	{ echo "Bail out! make install fails: $(tail -n 1 "$TMP/install")"; exit 1; }
export LD_LIBRARY_PATH=$DEST/usr/lib
export PKG_CONFIG_PATH=$DEST/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$DEST
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
for name in agent detach find; do
	# shellcheck disable=SC2046
	cc "examples/$name.c" -o "$TMP/$name" $(pkg-config --cflags --libs persist-bpf)
done
chmod -R o+rX "$TMP"

# ---- detach and find -----------------------------------------------------------------------------

run_ok "detach" "$TMP/detach" "$NUMBERED_EVENT/head=16K/" "$HELPERS/event_producer 0 50"
like "$out" "^persistent as $NUMBERED, persistent,config=[0-9]+$" "says what it has left behind"
is "$(processes_of "$TMP/detach")" "" "and is gone"
produce 0 50 51 > /dev/null
run_ok "find, a second program" "$TMP/find" $NUMBERED timer_id __syscall_nr nosuch
is "$(sed -n 's/.* timer_id=\([0-9]*\) __syscall_nr=[0-9]* nosuch: No such file or directory$/\1/p' \
	<<< "$out" | ranges)" 1-100 "finds everything, before and after, by the names of fields"
run_ok "find, as text" "$TMP/find" $ROOT/$NUMBERED
is "$(grep -c ": sys_timer_getoverrun(timer_id: " <<< "$out")" 100 "prints what ftrace prints"
run "$TMP/detach" nosuch:event true
is "$status" 1 "detach of an event that is not there"
like "$err" "nosuch" "says which"
"$LOADER" stop > /dev/null

# ---- agent ---------------------------------------------------------------------------------------

CURSOR=$TMP/cursor.d/cursor
mkdir -m 777 "$TMP/cursor.d"

start_agent() {
	start_background "${as_nobody[@]}" "$TMP/agent" "$CURSOR" >> "$TMP/seen" 2> "$TMP/agent-err"
	agent=$background_pid
}

# Lets it save its cursor, so that nothing comes twice.
end_agent() {
	sleep 0.5
	kill "$agent"
	wait "$agent" 2> /dev/null
}

numbers_seen() { # EVENT
	jq -r "select(.event == \"$1\" and .fields) | .fields.timer_id" < "$TMP/seen"
}

has_seen() { # EVENT NUMBER
	[ "$(numbers_seen "$1" | tail -n 1)" = "$2" ]
}

check_seen() { # EVENT RANGES DESCRIPTION
	wait_until 10 has_seen "$1" "${2##*-}"
	is "$(numbers_seen "$1" | ranges)" "$2" "$3"
}

: > "$TMP/seen"
start_agent
sleep 0.3
ok "an agent waits where there is no tree yet" is_running "$agent"
"$LOADER" start --mode 0666 -e $NUMBERED_EVENT -e $NUMBERED_EVENT/name=second,wakeup=1/ > /dev/null
produce 0 10 > /dev/null
check_seen $NUMBERED 1-10 "it finds events that come, as nobody"
check_seen second 1-10 "all of them"
"$LOADER" clear $NUMBERED > /dev/null
produce 0 10 11 > /dev/null
check_seen $NUMBERED 1-20 "it survives clear"
"$LOADER" remove $NUMBERED > /dev/null
produce 0 10 21 > /dev/null
check_seen second 1-30 "and remove"
"$LOADER" add $NUMBERED_EVENT $NUMBERED_EVENT/name=third/ > /dev/null
produce 0 10 31 > /dev/null
check_seen third 31-40 "it finds an event that is added"
check_seen $NUMBERED "1-20 31-40" "also under a name that it knows"
"$LOADER" stop > /dev/null
sleep 0.5
"$LOADER" start --mode 0666 -e $NUMBERED_EVENT > /dev/null
produce 0 10 41 > /dev/null
check_seen $NUMBERED "1-20 31-50" "and survives stop and the next start"
is "$(jq -c 'select(.lost)' < "$TMP/seen")" "" "without a loss"

end_agent
produce 0 10 51 > /dev/null
start_agent
produce 0 10 61 > /dev/null
check_seen $NUMBERED "1-20 31-70" "the next agent resumes from the cursor"
kill -KILL "$agent"
wait "$agent" 2> /dev/null
produce 0 10 71 > /dev/null
start_agent
wait_until 10 has_seen $NUMBERED 80
is "$(numbers_seen $NUMBERED | sort -nu | ranges)" "1-20 31-80" "killed with SIGKILL, nothing is missing"
end_agent
is "$(cat "$TMP/agent-err")" "" "it has nothing to complain about"

finish
