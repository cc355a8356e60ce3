#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Hardware errors are counted: exactly, whatever becomes of the records, in memory that does not
# grow; and the summary shows what was counted, and what it cannot know.

TIME_LIMIT=240
. "${0%/*}/lib.sh"

STORM=$HELPERS/totals_storm
EVENTS=10000000
mapfile -t cpus < <(cpus_online | head -n 2)
EVENTS=$((EVENTS / ${#cpus[@]} * ${#cpus[@]}))

summary() { # JQ-PROGRAM [ARGUMENT...]
	"$READER" summary --json "${@:2}" 2> "$TMP/err" | jq -cr "$1"
}

has_tracepoint() {
	[ -d "$TRACING/events/$1" ]
}

count() { # EVENT: records on standard input
	"$HELPERS/count_record" "$1"
}

# ---- ten million errors --------------------------------------------------------------------------

pin_bytes() {
	find $ROOT/storm -type f ! -name '*fmt*' ! -name event ! -name status | sort |
		while read -r pin; do
			"$BPFTOOL" -j map show pinned "$pin" 2> /dev/null |
				jq -r '"'"$pin"' \(.bytes_memlock)"'
		done
}

if has_tracepoint bpf_test_run/bpf_trigger_tp; then
	ok "an event whose fields are described as those of mc_event" "$STORM" add storm
	pin_bytes > "$TMP/bytes-before"
	compare "$(grep -cE '/(totals|pages|sums) [1-9]' "$TMP/bytes-before")" = 3 \
		"it has three maps of totals"
	ok "a storm of $EVENTS events on ${#cpus[@]} CPUs" "$STORM" run "$EVENTS" "${cpus[@]}"
	run "$STORM" check storm "$EVENTS"
	is "$status" 0 "every total, page and sum is what it has to be (KNOWN-PAIN 20)" ||
		diag "$out $err"
	diag "$out"
	pin_bytes > "$TMP/bytes-after"
	ok "the maps take no more memory than before (KNOWN-PAIN 20)" \
		cmp "$TMP/bytes-before" "$TMP/bytes-after"
	is "$(summary '.events[] | "\(.seen) \(.events) \(.errors) \([.totals[].errors] | add)"' storm)" \
		"$EVENTS $EVENTS $EVENTS $EVENTS" "the summary shows them"
	is "$(summary '.events[] | .errors_in_pages - .evicted_errors - ([.pages[].errors] | add)' storm)" \
		0 "and the pages, without those that had to leave"
	is "$(summary '.events[].pages[0:8] | map(.address / 4096) | sort' storm)" \
		"[1,2,3,4,5,6,7,8]" "the worst are the worst"
	run "$READER" summary storm --top 3
	is "$(awk 'length > 80' <<< "$out")" "" "the text is 80 columns wide"
	like "$out" "and 17 more, which --all shows" "and as long as asked for"

	run_ok "clear" "$LOADER" clear storm
	run "$STORM" check storm "$EVENTS"
	is "$status" 0 "gives new buffers and keeps the totals" || diag "$out"
	run_ok "a process takes the event over and lets go of it again" \
		"$HELPERS/owner" attach=storm detach
	run "$STORM" check storm "$EVENTS"
	is "$status" 0 "it keeps its totals" || diag "$out"
	run_ok "remove" "$LOADER" remove storm
	ok "and make it again" "$STORM" add storm
	is "$(summary '.events[] | "\(.errors) \(.totals) \(.pages)"' storm)" "0 [] []" \
		"is what begins anew"
	"$LOADER" remove storm > /dev/null
else
	skip "this kernel has no bpf_test_run:bpf_trigger_tp"
fi

# ---- what events report ----------------------------------------------------------------------------

if ! has_tracepoint ras/mc_event; then
	skip "this kernel has no ras:mc_event"
	finish
	exit
fi
run_ok "the default set" "$LOADER" start --mode 0666
is "$(summary '[.events[] | .errors] | add')" 0 "nothing was counted yet"

count mc_event <<- END
	error_type=0 label=DIMM_A1 error_count=3 mc_index=1 top_layer=0 middle_layer=2 lower_layer=-1 address=0x12345678
	error_type=1 label=DIMM_A1 error_count=1 mc_index=1 top_layer=0 middle_layer=2 lower_layer=-1 address=0x12345000
	error_type=0 label=DIMM_B2 error_count=7 mc_index=0 top_layer=1 middle_layer=127 lower_layer=0
	error_type=2 label=DIMM_B2 error_count=65535 mc_index=255 top_layer=-128 middle_layer=0 lower_layer=0 address=0xffffffffff123
	error_type=9 label= error_count=1
	error_type=0 label=DIMM_A1 error_count=2 mc_index=1 top_layer=0 middle_layer=2 lower_layer=-1 address=0x12346000
END
is "$(summary '.events[].totals[] | [.severity, .label // "", .mc, .location, .events, .errors]' mc_event)" \
	'["deferred","DIMM_B2",255,[-128,0,0],1,65535]
["corrected","DIMM_B2",0,[1,127,0],1,7]
["corrected","DIMM_A1",1,[0,2,-1],2,5]
["unknown","",0,[0,0,0],1,1]
["uncorrected","DIMM_A1",1,[0,2,-1],1,1]' "mc_event: by controller, place, DIMM and severity"
is "$(summary '.events[].pages[] | [.address, .errors, .uncorrected, .missed_at_most, .label]' mc_event)" \
	'[4503599627366400,65535,65535,0,"DIMM_B2"]
[305418240,4,1,0,"DIMM_A1"]
[305422336,2,0,0,"DIMM_A1"]' "mc_event: by page, for those that have an address"
is "$(summary '.events[].places[] | [.place, .events, .errors]' mc_event)" \
	'["DIMM_B2",2,65542]
["DIMM_A1",3,6]
["mc 0 location 0:0:0",1,1]' "mc_event: by DIMM"
is "$(summary '.events[] | [.seen, .events, .errors, .by_severity]' mc_event)" \
	'[6,6,65549,{"unknown":1,"corrected":12,"deferred":65535,"uncorrected":1}]' \
	"mc_event: an event can report several errors"
is "$("$READER" attach mc_event --json | wc -l)" 6 "and there are records of them as well"
is "$(summary '.events[] | .first_ns >= .since_ns and .last_ns >= .first_ns and
	(.totals | all(.first_ns <= .last_ns))' mc_event)" true "first and last are in order"
like "$("$READER" summary mc_event)" "on DIMM_A1" "the text names the DIMM of a page"

count non_standard_event <<- END
	sec_type=00112233445566778899aabbccddeeff sev=2 fru_text=card
	sec_type=00112233445566778899aabbccddeeff sev=1 fru_text=card
	sec_type=00000000000000000000000000000001 sev=3
END
is "$(summary '.events[].totals[] | [.severity, .label // "", .section]' non_standard_event | sort)" \
	'["corrected","card","33221100-5544-7766-8899-aabbccddeeff"]
["fatal","card","33221100-5544-7766-8899-aabbccddeeff"]
["info","","00000000-0000-0000-0000-000000000001"]' "non_standard_event: by section and unit"

if grep -q 'int cpu;' $TRACING/events/ras/arm_event/format; then
	count arm_event <<< "mpidr=0x81000003 sev=1 cpu=3"
	is "$(summary '.events[].totals[] | [.severity, .cpu, .mpidr]' arm_event)" \
		'["fatal",3,2164260867]' "arm_event: by processor"
fi

# ---- more kinds of errors than there is room for ---------------------------------------------------

room=$(summary '.events[].max_totals' non_standard_event)
for ((i = 0; i < room + 40; i++)); do
	echo "sev=2 fru_text=unit$i"
done | count non_standard_event
is "$(summary '.events[] | [(.totals | length), .no_room_events, .no_room_errors, .busy_events]' \
	non_standard_event)" "[$room,43,43,0]" "what finds no room is counted as such"
is "$(summary '.events[] | [.events - ([.totals[].events] | add), .by_severity]' non_standard_event)" \
	"[43,{\"corrected\":$((room + 41)),\"fatal\":1,\"info\":1}]" "and by its severity"
like "$("$READER" summary non_standard_event | tr -s '\n ' ' ')" "43 of its events are counted by severity only" \
	"which the text says"

# ---- who may read, and who may write ---------------------------------------------------------------

READER=$(public_copy "$READER")
ATTACKER=$(public_copy "$HELPERS/map_attacker")
# The offset between the two clocks, and so a time of day, is known to some nanoseconds only.
same='.events[] | del(.missed_events) | del(..|.errors_per_hour?, .since?, .first?, .last?)'
summary "$same" mc_event > "$TMP/as-root"
unprivileged "$READER" summary mc_event --json | jq -cr "$same" > "$TMP/as-nobody"
ok "nobody reads the same" cmp "$TMP/as-root" "$TMP/as-nobody"
like "$(unprivileged "$READER" summary mc_event | tr -s '\n ' ' ')" "only the owner of the tree can see" \
	"and learns what nobody cannot know"
run unprivileged "$ATTACKER" $ROOT/mc_event/totals $ROOT/mc_event/pages $ROOT/mc_event/sums
is "$(grep succeeded <<< "$out" | grep -v ' open-')" "" "and cannot change it"
run "$ATTACKER" $ROOT/mc_event/totals $ROOT/mc_event/pages $ROOT/mc_event/sums
is "$(grep succeeded <<< "$out" | grep -v ' open-')" "" "nor can root"
like "$("$BPFTOOL" map dump pinned $ROOT/mc_event/totals)" '"label": "DIMM_A1"' \
	"bpftool shows the names of the fields"
"$LOADER" start --mode 0600 > /dev/null
run unprivileged "$READER" summary mc_event
is "$status" 1 "without --mode nobody cannot read"
like "$err" "permission denied.*--group.*--mode" "and is told why"

# ---- events that are not counted -------------------------------------------------------------------

"$LOADER" add $NUMBERED_EVENT > /dev/null
not_ok "another event has no totals" test -e $ROOT/$NUMBERED/totals
is "$("$BPFTOOL" -j prog show pinned $ROOT/$NUMBERED/program |
	jq -r '.map_ids[]' | while read -r id; do "$BPFTOOL" -j map show id "$id"; done |
	jq -r .name | grep -E 'totals|pages|sums')" "" "and its program knows of none"
run "$READER" summary $NUMBERED
is "$status" 1 "asking for them is an error"
like "$err" "$NUMBERED: has no totals" "which says so"
run_ok "they are no part of the summary of the tree" "$READER" summary
unlike "$out" "^$NUMBERED" "nor named in it"

# ---- a tree of an older loader ---------------------------------------------------------------------

rm $ROOT/mc_event/totals $ROOT/mc_event/pages $ROOT/mc_event/sums
run_ok "summary of a tree in which an event has no totals" "$READER" summary
like "$out" "^mc_event .*no totals" "shows the event"
like "$(tr -s '\n ' ' ' <<< "$out")" \
	"mc_event: has no totals: an older loader made it.* seen 6 times, and 6 records" \
	"and what is known of it"
is "$(summary '.events[] | select(.event == "mc_event") | [.has_totals, .seen, .recorded]')" \
	"[false,6,6]" "in JSON, too"
run_ok "start leaves it as it is" "$LOADER" start
not_ok "without totals" test -e $ROOT/mc_event/totals
run_ok "clear works" "$LOADER" clear mc_event
run_ok "attach works" "$READER" attach mc_event
run_ok "a process takes it over and lets go of it" "$HELPERS/owner" attach=mc_event detach
run_ok "remove works" "$LOADER" remove mc_event
run_ok "added again" "$LOADER" add ras:mc_event
ok "it counts" test -e $ROOT/mc_event/totals

# ---- damaged pins ----------------------------------------------------------------------------------

# damaged PIN PATTERN DESCRIPTION: that pin of mc_event was replaced by something else
damaged() {
	run "$READER" summary mc_event
	is "$status" 1 "$3"
	like "$err" "mc_event/?$1.*$2" "is said to be so"
	run "$READER" summary
	is "$status" 1 "the summary of the tree fails"
	like "$out" "^non_standard_event" "but shows the others"
	"$LOADER" remove mc_event > /dev/null 2>&1
	"$LOADER" add ras:mc_event > /dev/null
}

rm $ROOT/mc_event/totals
"$BPFTOOL" map create $ROOT/mc_event/totals type hash key 4 value 40 entries 8 name foreign
damaged totals "of other sizes" "totals with another key"
rm $ROOT/mc_event/totals
"$BPFTOOL" map create $ROOT/mc_event/totals type array key 4 value 40 entries 8 name foreign
damaged totals "another kind" "totals that are an array"
rm $ROOT/mc_event/pages
"$BPFTOOL" map create $ROOT/mc_event/pages type percpu_array key 4 value 512 entries 8 name foreign
damaged pages "another kind.*8 entries" "fewer pages"
rm $ROOT/mc_event/sums
"$BPFTOOL" link pin pinned $ROOT/mc_event/link $ROOT/mc_event/sums
damaged sums "not a BPF map" "sums that are a link"
rm $ROOT/mc_event/sums
damaged "" "a part of its totals is missing" "no sums"

# ---- command lines ---------------------------------------------------------------------------------

# usage STATUS PATTERN ARGUMENT...
usage() {
	run "$READER" summary "${@:3}"
	is "$status" "$1" "summary ${*:3}"
	like "$err" "$2" "says what is wrong"
}

usage 2 "whole number from 1 to" --top 0
usage 2 "whole number from 1 to" --top x
usage 2 "unknown option" --frobnicate
usage 2 "wants an argument" --root
usage 1 "nosuch: there is no such event" nosuch
usage 1 "not the name or path" ""
usage 1 "no tree of persistent events" --root /sys/fs/bpf/nothing
usage 1 "not on a BPF file system" --root /tmp
run_ok "summary --help" "$READER" summary --help
like "$out" "^usage: .*reader summary" "shows the usage"
run sh -c "'$READER' summary --json > /dev/full"
is "$status" 1 "a full disk is an error"
like "$err" "No space left" "that is named"

finish
