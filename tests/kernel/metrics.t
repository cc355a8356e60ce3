#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# reader metrics: with Debian's Prometheus and node exporter, started here in a network namespace of
# their own, and with clients that mean no good.

TIME_LIMIT=240
# Whatever listens on this machine is not disturbed, and the programs' own ports are free.
if [ "$(id -u)" = 0 ] && [ -z "${PERSIST_TEST_NETWORK:-}" ] && unshare --net true 2> /dev/null; then
	PERSIST_TEST_NETWORK=own exec unshare --net bash "$0" "$@"
fi
. "${0%/*}/lib.sh"

[ "${PERSIST_TEST_NETWORK:-}" = own ] || skip_all "cannot make a network namespace here"
ip link set lo up

# Installed, or unpacked by packaging/install-deps
PATH=$PATH:${PERSIST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/persist-bpf}/packages/usr/bin
for program in prometheus promtool prometheus-node-exporter curl; do
	command -v $program > /dev/null || skip_all "$program is not there; run packaging/install-deps check"
done
# Another Python may be in front of the one that Debian's packages are for.
PYTHON=/usr/bin/python3

# value METRIC [FILE]: of a sample without a time, as it is in a text
value() {
	awk -v name="$1" '$1 == name { print $2 }' "${2:-$TMP/out}"
}

# The strict parser of the format's reference implementation
parses_as_openmetrics() {
	$PYTHON -c 'import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
list(parse(sys.stdin.read()))' < "$1"
}

# What promtool has to say, which is nothing if all is well
promtool_says() {
	promtool check metrics < "$1" 2>&1 && return
	echo "exit status $?"
}

# ---- without a tree ----------------------------------------------------------------------------

run "$READER" metrics
is "$status" 0 "without a tree it is no failure"
is "$(value persist_up)" 0 "persist_up is 0"
like "$err" "$ROOT: there is no tree" "and a message says why"
ok "which is OpenMetrics" parses_as_openmetrics "$TMP/out"
run "$READER" metrics --format prometheus
is "$(promtool_says "$TMP/out")" "" "promtool has nothing against the older format"

# ---- what is told ------------------------------------------------------------------------------

SECOND=second
run_ok "start" "$LOADER" start -e "$NUMBERED_EVENT/keep=latest,tail=64K/" \
	-e "syscalls:sys_enter_remap_file_pages/keep=oldest,head=4K,name=$SECOND/" -e ras:mc_event
before=$(date +%s)
produce 0 1000 > /dev/null
produce 1 234 > /dev/null
produce 0 100 1 0 remap_file_pages > /dev/null
after=$(date +%s)

expect_values() { # FILE: they are those of the kernel's own map
	local sums

	sums=$(counters $NUMBERED | awk '{ s += $2; r += $3 } END { print s, r }')
	is "$(value "persist_event_seen_total{event=\"$NUMBERED\"}" "$1") $(
		value "persist_event_recorded_total{event=\"$NUMBERED\"}" "$1")" "$sums" \
		"seen and recorded are those of the kernel's map ($sums)"
}

run_ok "metrics" "$READER" metrics
cp "$TMP/out" "$TMP/openmetrics"
ok "are OpenMetrics" parses_as_openmetrics "$TMP/openmetrics"
is "$(value persist_up) $(value "persist_event_up{event=\"$NUMBERED\"}")" "1 1" "all is up"
expect_values "$TMP/openmetrics"
is "$(value "persist_event_seen_total{event=\"$NUMBERED\"}")" 1234 "which is what was produced"
lost=$(counters $SECOND | awk '{ s += $4 } END { print s }')
is "$(value "persist_event_lost_total{event=\"$SECOND\",reason=\"ring_full\"}")" "$lost" \
	"what a full ring refused is lost, by reason ($lost)"
compare "$lost" -gt 0 "which some were"
is "$(value "persist_event_lost_total{event=\"$SECOND\",reason=\"nested\"}")" 0 "no other reason"
is "$(value "persist_event_ring_size_bytes{event=\"$NUMBERED\",ring=\"tail\"}")" \
	$((65536 * $("$LOADER" status --json | jq ".events[0].cpus | length"))) "bytes of all rings"
is "$(value "persist_event_ring_written_bytes_total{event=\"$NUMBERED\",ring=\"tail\"}")" \
	$((1234 * 128)) "and bytes written"
last=$("$READER" attach $NUMBERED --json --last 1 | jq -r .time)
is "$(date -d "$last" +%s)" \
	"$(value "persist_event_last_record_timestamp_seconds{event=\"$NUMBERED\"}" | cut -d. -f1)" \
	"the time of the last event is that of the last record"
last=$(date -d "$last" +%s)
ok "which is when they were produced" test "$last" -ge "$before" -a "$last" -le "$after"
is "$(value "persist_event_last_record_timestamp_seconds{event=\"mc_event\"}")" "" \
	"an event that never came has none"
is "$(value "persist_hardware_errors_total{event=\"mc_event\",severity=\"corrected\"}")" 0 \
	"hardware errors are counted from 0 on"
like "$out" "^persist_kernel_info\{release=\"$(uname -r)\"," "the kernel"
like "$out" "^persist_build_info\{version=\"[0-9.]+\",record_format=\"1\"\} 1" "the build"

run "$READER" metrics --format prometheus
is "$(promtool_says "$TMP/out")" "" "promtool has nothing against it"
expect_values "$TMP/out"

run "$READER" metrics --format xml
is "$status" 2 "an unknown format is wrong usage"
run "$READER" metrics --listen 127.0.0.1:0 --output "$TMP/x"
is "$status" 2 "so is a file and an address"

# ---- an event that is damaged --------------------------------------------------------------------

run_ok "add one" "$LOADER" add "$NUMBERED_EVENT/name=damaged,keep=latest,tail=4K/"
produce 0 3 > /dev/null
rm $ROOT/damaged/tail/cpu0
run_ok "metrics with an event that lacks a ring" "$READER" metrics
is "$(value 'persist_event_up{event="damaged"}') $(value "persist_event_up{event=\"$NUMBERED\"}")" \
	"0 1" "it is down, and the other one up"
is "$(value 'persist_event_seen_total{event="damaged"}')" 3 "its counters are told all the same"
is "$(value 'persist_event_ring_written_bytes_total{event="damaged",ring="tail"}')" "" \
	"and what is not known is not"
like "$err" "damaged/tail/cpu0: missing" "a message says what is wrong"
expect_values "$TMP/out"
rm $ROOT/damaged/counters
run_ok "without its counters" "$READER" metrics
is "$(value 'persist_event_up{event="damaged"}') $(value 'persist_event_seen_total{event="damaged"}')" \
	"0 " "nothing is told of it"
ok "it is OpenMetrics" parses_as_openmetrics "$TMP/out"
expect_values "$TMP/out"
"$LOADER" remove damaged > /dev/null 2>&1

# ---- a file ------------------------------------------------------------------------------------

mkdir "$TMP/textfile"
FILE=$TMP/textfile/persist.prom
(umask 022 && "$READER" metrics --output "$FILE")
is "$(stat -c %a "$FILE")" 644 "the file can be read by others"
is "$(promtool_says "$FILE")" "" "promtool has nothing against it"
(umask 077 && "$READER" metrics --output "$FILE")
is "$(stat -c %a "$FILE")" 600 "unless the umask says otherwise"
(umask 022 && "$READER" metrics --output "$FILE")
ln -s persist.prom "$TMP/textfile/link.prom"
run_ok "a symbolic link" "$READER" metrics --output "$TMP/textfile/link.prom"
is "$(readlink "$TMP/textfile/link.prom")" persist.prom "is followed"
rm "$TMP/textfile/link.prom"
run "$READER" metrics --output /dev/full
is "$status" 1 "a device is refused"
like "$err" "/dev/full: not a regular file" "and named"
ok "and left alone" test -c /dev/full
run "$READER" metrics --output "$TMP/nowhere/x.prom"
is "$status" 1 "a directory that is not there is an error"
like "$err" "nowhere/x.prom: .*No such file" "that names the file"
is "$(ls -A "$TMP/textfile")" persist.prom "nothing else is left"

# Whoever reads the file meanwhile sees a whole one.
cat > "$TMP/reading.py" <<'END'
import sys
number = 0
while True:
    with open(sys.argv[1]) as file:
        text = file.read()
    if not text.startswith("# HELP persist_build ") or not text.endswith("\n# EOF\n"):
        sys.exit(f"not whole: {text[:40]!r} ... {text[-40:]!r}")
    number += 1
    if "persist_up 0" in text:
        print(number)
        break
END
"$READER" metrics --format openmetrics --output "$FILE"
start_background $PYTHON "$TMP/reading.py" "$FILE" > "$TMP/reading" 2>&1
for _ in {1..300}; do
	"$READER" metrics --format openmetrics --output "$FILE"
done
"$READER" metrics --format openmetrics --output "$FILE" --root $ROOT/nothing 2> /dev/null
wait "$background_pid"
is "$?" 0 "300 times replaced, and whole for who read it ($(cat "$TMP/reading") times)"

# On a file system that is full, the old content stays.
mkdir "$TMP/small"
mount -t tmpfs -o size=64K none "$TMP/small"
"$READER" metrics --output "$TMP/small/x.prom"
sum=$(sha256sum < "$TMP/small/x.prom")
dd if=/dev/zero of="$TMP/small/filler" bs=4k 2> /dev/null
run "$READER" metrics --output "$TMP/small/x.prom"
is "$status" 1 "a full file system is an error"
like "$err" "small/x.prom: .*No space left" "that names the file"
is "$(sha256sum < "$TMP/small/x.prom") $(ls -A "$TMP/small" | tr '\n' ' ')" "$sum filler x.prom " \
	"what was there stays, and nothing else"
umount "$TMP/small"

# ---- HTTP --------------------------------------------------------------------------------------

start_server() { # ADDRESS [ERRORS]: sets $server and $url
	start_background "$READER" metrics --listen "$1" > "$TMP/server" 2> "${2:-$TMP/server.err}"
	server=$background_pid
	wait_until 20 is_in_file '^serving' "$TMP/server"
	url=$(sed -n 's/^serving //p' "$TMP/server")
}

start_server '[::1]:0'
like "$(curl -s "$url")" '^persist_up 1$' "IPv6, at a port that was free ($url)"
kill "$server"
wait "$server"
is "$?" 0 "it ends with success when it is told to"

start_server 127.0.0.1:0
port=${url%/metrics}
port=${port##*:}
run "$READER" metrics --listen "127.0.0.1:$port"
is "$status" 1 "an address that is taken is an error"
like "$err" "127.0.0.1:$port: cannot listen: Address already in use" "that names it"
for address in 127.0.0.1 :9750 localhost:9750 127.0.0.1:65536 127.0.0.1:-1 ::1:9750 '[::1]' \
	'[127.0.0.1]:1' 1.2.3:4 ''; do
	run "$READER" metrics --listen "$address"
	is "$status ${err%%;*}" "1 reader: error: $address: not an address with a port" \
		"'$address' is none"
done

OPENMETRICS='Accept: application/openmetrics-text;version=1.0.0'
like "$(curl -si "$url")" '^Content-Type: text/plain; version=0.0.4' "the older format by default"
like "$(curl -si -H "$OPENMETRICS" "$url")" \
	'^Content-Type: application/openmetrics-text; version=1.0.0' "OpenMetrics for who wants it"
curl -s "$url" > "$TMP/served"
is "$(promtool_says "$TMP/served")" "" "promtool has nothing against it"
curl -s -H "$OPENMETRICS" "$url" > "$TMP/served"
ok "it is OpenMetrics" parses_as_openmetrics "$TMP/served"
expect_values "$TMP/served"
like "$(curl -s "${url%metrics}")" 'href="/metrics"' "a page for who comes to /"
# printf: curl would not show what comes behind the header of a HEAD.
exec 3<> "/dev/tcp/127.0.0.1/$port"
printf 'HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n' >&3
reply=$(cat <&3)
exec 3>&-
like "$reply" '^Content-Length: [1-9][0-9]+' "HEAD tells a length"
unlike "$reply" persist_up "and has no body"
is "$(curl -s -o /dev/null -w '%{http_code}' "${url}x")" 404 "what is not there"
like "$(curl -si -X DELETE "$url")" '^Allow: GET, HEAD' "what is not allowed"
is "$(curl -s -o /dev/null -w '%{http_code}' -d x "$url")" 405 "POST neither"

is "$($PYTHON "$TESTS/scrape_clients.py" "$port" "$server" 2>&1 | tail -n 3)" ok \
	"clients that mean no good take up no more than a bit, and not for ever"

# Counters are read afresh each time; what is wrong is told once, not at each scrape.
produce 0 10 > /dev/null
curl -s "$url" > "$TMP/served"
expect_values "$TMP/served"
: > "$TMP/server.err"
mv $ROOT/$NUMBERED/tail $ROOT/$NUMBERED/lait
for _ in 1 2 3; do
	curl -s "$url" > "$TMP/served"
done
is "$(value "persist_event_up{event=\"$NUMBERED\"}" "$TMP/served") $(
	grep -c "$NUMBERED/tail" "$TMP/server.err")" "0 1" "damage is told once in three scrapes"
mv $ROOT/$NUMBERED/lait $ROOT/$NUMBERED/tail
curl -s "$url" > "$TMP/served"
is "$(value "persist_event_up{event=\"$NUMBERED\"}" "$TMP/served")" 1 "and when it is mended it is up"

# Without privileges, as any reader
"$LOADER" start --mode 0666 > /dev/null
run unprivileged "$(public_copy "$READER")" metrics
expect_values "$TMP/out"
is "$(value "persist_event_up{event=\"$NUMBERED\"}")" 1 "nobody can read it all with --mode 0666"

# ---- Prometheus --------------------------------------------------------------------------------

"$READER" metrics --output "$FILE"
# The rest of what it would tell is not of interest here.
start_background prometheus-node-exporter --collector.disable-defaults --collector.textfile \
	--collector.textfile.directory="$TMP/textfile" --web.listen-address=127.0.0.1:9100 \
	> "$TMP/node-exporter.log" 2>&1
node_exporter_answers() {
	curl -s http://127.0.0.1:9100/metrics > "$TMP/node" && grep -q '^persist_up' "$TMP/node"
}
wait_until 30 node_exporter_answers
is "$(value node_textfile_scrape_error "$TMP/node")" 0 "the node exporter's collector takes the file" ||
	diag "$(tail -n 5 "$TMP/node-exporter.log")"
number() { # in any notation
	awk -v number="$(cat)" 'BEGIN { if (number != "") printf "%d\n", number }'
}
is "$(value "persist_event_seen_total{event=\"$NUMBERED\"}" "$TMP/node" | number)" 1247 \
	"and tells what is in it"

cat > "$TMP/prometheus.yml" <<END
global:
  scrape_interval: 500ms
  evaluation_interval: 1s
rule_files:
  - $PWD/packaging/prometheus/persist-bpf.rules.yml
scrape_configs:
  - job_name: reader
    static_configs:
      - targets: ['127.0.0.1:$port']
  - job_name: node
    static_configs:
      - targets: ['127.0.0.1:9100']
END
start_background prometheus --config.file="$TMP/prometheus.yml" --storage.tsdb.path="$TMP/tsdb" \
	--web.listen-address=127.0.0.1:9090 > "$TMP/prometheus.log" 2>&1

# query EXPRESSION: its values
query() {
	curl -s -G --data-urlencode "query=$1" http://127.0.0.1:9090/api/v1/query |
		jq -r '.data.result[].value[1]' 2> /dev/null
}
query_gives() { # EXPRESSION VALUE
	[ "$(query "$1")" = "$2" ]
}
expect_query() { # EXPRESSION VALUE DESCRIPTION
	wait_until 40 query_gives "$1" "$2"
	report $? "$3" || diag "$(query "$1"); $(tail -n 3 "$TMP/prometheus.log")"
}

SEEN="persist_event_seen_total{event=\"$NUMBERED\",job=\"reader\"}"
expect_query "$SEEN" 1247 "a query in Prometheus returns the produced count"
expect_query "persist_event_seen_total{event=\"$NUMBERED\",job=\"node\"}" 1247 \
	"through the node exporter, too"
produce 1 4321 > /dev/null
expect_query "$SEEN" 5568 "and what came since"
expect_query "increase(${SEEN}[1m]) > bool 0" 1 "it rises"
like "$(curl -s 'http://127.0.0.1:9090/api/v1/targets/metadata?metric=persist_event_ring_size_bytes' |
	jq -r '.data[].unit')" '^bytes$' "it was read as OpenMetrics: the unit is known"
is "$(curl -s http://127.0.0.1:9090/api/v1/targets | jq -r '.data.activeTargets[].lastError' | sort -u)" \
	"" "no scrape failed"
is "$(curl -s http://127.0.0.1:9090/api/v1/rules | jq -r '.data.groups[].rules[].health' | sort -u)" \
	ok "the example rules are evaluated"

run_ok "remove the event" "$LOADER" remove $NUMBERED
expect_query "$SEEN" "" "its series ends"
run_ok "add it again" "$LOADER" add "$NUMBERED_EVENT/keep=latest,tail=64K/"
produce 0 7 > /dev/null
expect_query "$SEEN" 7 "it is back, from 0 on"
check_stop
expect_query 'persist_up{job="reader"}' 0 "without a tree persist_up is 0"
expect_query 'ALERTS{alertname="PersistentEventsNotRecorded",job="reader"}' 1 \
	"which the example rules take notice of"
ok "the server is still there" is_running "$server"
kill "$server"
wait "$server"
is "$?" 0 "and ends with success"

# ---- rules -------------------------------------------------------------------------------------

run_ok "promtool check rules" promtool check rules packaging/prometheus/persist-bpf.rules.yml
run_ok "promtool test rules" promtool test rules packaging/prometheus/persist-bpf.rules.test.yml

finish
