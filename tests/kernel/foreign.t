#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What others put into the tree is reported and left, whatever it is, and is in nobody's way
# (KNOWN-PAIN 5).

TIME_LIMIT=240
. "${0%/*}/lib.sh"

A=signal:signal_generate/name=a,head=4K,tail=8K/
B=$NUMBERED_EVENT/name=b,head=4K,tail=8K/

foreign_map() { # PIN [TYPE]
	"$BPFTOOL" map create "$1" type "${2:-array}" key 4 value 512 entries 1 name foreign
}

# What lay in staging may be put beside it: that directory is cleared.
pins_of_others() {
	find $ROOT -name '*foreign*' | sed 's|/staging/|/|' | sort
}

"$LOADER" start -e $A -e $B > /dev/null
produce 0 3 > /dev/null
mkdir $ROOT/foreign-dir $ROOT/a/foreign-dir $ROOT/staging/foreign-staged
foreign_map $ROOT/foreign-map
foreign_map $ROOT/staging/foreign-staged/foreign
foreign_map $ROOT/a/foreign-map
foreign_map $ROOT/a/head/foreign-map
foreign_map $ROOT/b/tail/cpu-foreign
foreign_map $ROOT/format/foreign
foreign_map $ROOT/foreign-dir/meta
foreign_map $ROOT/foreign-dir/link hash
ln -s /etc/passwd $ROOT/events/foreign-link
# Of the same names as an event's own, and not maps at all
mkdir $ROOT/foreign-link $ROOT/foreign-program $ROOT/foreign-loop
"$BPFTOOL" link pin pinned $ROOT/a/link $ROOT/foreign-link/meta
"$BPFTOOL" prog pin pinned $ROOT/a/program $ROOT/foreign-program/meta
ln -s meta $ROOT/foreign-loop/meta
before=$(pins_of_others)

# ---- they disturb nothing ------------------------------------------------------------------------

names_listed() {
	awk 'NR > 1 && !/cannot be read/ { printf "%s ", $1 }' <<< "$out"
}

run_ok "loader list" "$LOADER" list
is "$(names_listed)" "a b " "lists the events and nothing else"
run_ok "loader status" "$LOADER" status
run_ok "loader list --json" "$LOADER" list --json
run "$READER" list
is "$status $(names_listed)" "0 a b " "so does the reader's list" || diag "$err"
is "$("$READER" attach b --json | numbers_of | ranges)" 1-3 "events are readable"
run_ok "start of what is there" "$LOADER" start -e $A -e $B
run_ok "add another event" "$LOADER" add signal:signal_deliver/name=c/
run_ok "remove it" "$LOADER" remove c
run_ok "clear an event with foreign pins" "$LOADER" clear b
produce 0 2 4 > /dev/null
is "$("$READER" attach b --json | numbers_of | ranges)" 4-5 "which gets new buffers"
like "$err" "cpu-foreign" "and says what it found there"
ok "which is left" test -e "$(find $ROOT -name cpu-foreign)"

for target in foreign-map foreign-dir foreign-link foreign-program foreign-loop events; do
	run "$READER" attach $target
	is "$status" 1 "reader attach $target fails"
	like "$err" "$target.*(not a persistent event|something else|not a BPF map|of another kind|no such|Not a directory|symbolic links)" \
		"says that it is no event"
done

# ---- a name that is taken ------------------------------------------------------------------------

for name in foreign-map foreign-dir foreign-link foreign-program; do
	run "$LOADER" add signal:signal_deliver/name=$name/
	is "$status" 1 "an event cannot have the name of a foreign pin ($name)"
	like "$err" "$name.*taken.*name=" "says by what, and the way out"
	run "$LOADER" remove $name
	is "$status" 1 "what is no event cannot be removed ($name)"
	like "$err" "$name: " "and is named"
	run "$LOADER" clear $name
	is "$status" 1 "nor cleared ($name)"
done

# ---- remove and stop leave them ------------------------------------------------------------------

run_ok "remove an event with foreign pins" "$LOADER" remove a
for pin in a/foreign-map a/foreign-dir a/head/foreign-map; do
	like "$err" "$pin|${pin%/*} is not ours" "reports $pin"
	ok "and leaves it" test -e $ROOT/$pin
done
not_ok "the event's own pins are gone" test -e $ROOT/a/link -o -e $ROOT/a/meta -o -e $ROOT/a/head/cpu0
not_ok "and its name" test -L $ROOT/events/a
run "$LOADER" remove a
is "$status" 1 "the rest is no event"
run "$LOADER" add $A
is "$status" 1 "but keeps the name"
like "$err" "taken by .*/a, which is not an event" "which the error says"

run_ok "stop" "$LOADER" stop
like "$err" "foreign-map" "reports what is foreign"
like "$err" "foreign-dir" "also directories"
is "$(pins_of_others | grep -v cpu-foreign)" "$(grep -v cpu-foreign <<< "$before")" \
	"all of it is where it was (KNOWN-PAIN 5)"
is "$(find $ROOT -name cpu-foreign | wc -l)" 1 "also what was in an event's directory"
is "$(find $ROOT ! -path '*foreign*' ! -type d)" "" "nothing of ours is left (KNOWN-PAIN 4)"
run_ok "the foreign link still holds what it is a link to" \
	"$BPFTOOL" link show pinned $ROOT/foreign-link/meta

# ---- and a new tree grows around them ------------------------------------------------------------

run_ok "start in what is left" "$LOADER" start -e $NUMBERED_EVENT
produce 0 2 > /dev/null
is "$("$READER" attach $NUMBERED --json | numbers_of | ranges)" 1-2 "works"
run_ok "stop again" "$LOADER" stop
is "$(pins_of_others | grep -v cpu-foreign)" "$(grep -v cpu-foreign <<< "$before")" \
	"all of it is still where it was"
rm -rf $ROOT
run_ok "start after it is gone" "$LOADER" start -e $NUMBERED_EVENT

# ---- a root that is not ours ---------------------------------------------------------------------

"$LOADER" stop > /dev/null
mkdir $ROOT
foreign_map $ROOT/foreign-map
run_ok "stop of a directory in which we never were" "$LOADER" stop
ok "leaves what is in it" test -e $ROOT/foreign-map
for name in type registry events staging; do
	rm -rf $ROOT
	mkdir $ROOT
	foreign_map $ROOT/$name
	run "$LOADER" start -e $NUMBERED_EVENT
	is "$status" 1 "start where $name is something else fails"
	like "$err" "$ROOT/$name" "names it"
	"$LOADER" stop > /dev/null 2>&1
	ok "and leaves it" test -e $ROOT/$name
done
rm -rf $ROOT
finish
