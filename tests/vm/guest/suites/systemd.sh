# SPDX-License-Identifier: GPL-2.0-only
#
# The package on a machine that boots systemd: recorded from early boot, read by who is in the group,
# upgraded while it records, and purged.

root=/sys/fs/bpf/persistent
configuration=/etc/persist-bpf/events.conf

. ./lib/machine_checks.sh

property() { # UNIT PROPERTY
	systemctl show -P "$2" "$1"
}

# Seconds with a fraction: microseconds are what systemd counts in.
entered() { # UNIT
	property "$1" ActiveEnterTimestampMonotonic | sed 's/......$/.&/'
}

# Of status: "recording since ..., 1.234 s after boot"
attached() { # EVENT
	persist-loader status "$1" | sed -n 's/.*, \([0-9.]*\) s after boot.*/\1/p'
}

before() { # SECONDS SECONDS
	awk "BEGIN { exit !($1 < $2) }"
}

# As a user, with their groups and without any capability
as() { # USER COMMAND...
	as_user=$1
	shift
	setpriv --reuid="$as_user" --regid="$as_user" --init-groups --inh-caps=-all \
		--ambient-caps=-all --bounding-set=-all --no-new-privs "$@"
}

# ---- from early boot -----------------------------------------------------------------------------

is "$(systemctl is-enabled persist-bpf)" enabled "the service is enabled"
is "$(systemctl is-active persist-bpf)" active "and active"
is "$(systemctl --failed --no-legend | grep persist)" "" "and has not failed"
is "$(property persist-bpf MainPID)" 0 "with no process"
journalctl -u persist-bpf -o cat > /results/service-log
journalctl -b -o short-monotonic --no-pager > /results/journal
is "$(journalctl -u persist-bpf -p warning -o cat -q)" "" "and without a warning"

for event in sched_process_exec mce_record; do
	time=$(attached $event)
	diag "$event was attached $time s after boot, sysinit.target was reached at" \
		"$(entered sysinit.target) s"
	succeeds "$event is recorded from before sysinit.target" before "$time" "$(entered sysinit.target)"
done
succeeds "the gap before that is said" sh -c \
	"persist-loader status sched_process_exec | grep 's after boot; what came before was not seen'"
persist-reader attach sched_process_exec --until "$(entered sysinit.target)" > /results/early
succeeds "a program of the early boot is in it" grep filename=/bin/true /results/early
is "$(persist-reader attach sched_process_exec --json --cpu 0 --last 100000 | head -n 1 |
	sed 's/.*"seq":\([0-9]*\),.*/\1/')" 1 "from the first event on"

# ---- who may read --------------------------------------------------------------------------------

useradd alice
useradd bob
usermod -aG persist-bpf alice
modprobe mce-inject
inject_many 0 3 1
succeeds "machine checks were recorded" within 10 \
	sh -c "persist-reader attach mce_record | grep -c mce_record: | grep -qx 3"
is "$(as alice id -Gn)" "alice persist-bpf" "a plain user in the group"
succeeds "reads machine checks" as alice persist-reader attach mce_record
said "all of them" "mce:mce_record: "
is "$(as alice persist-reader attach mce_record | grep -c mce_record:)" 3 "each once"
succeeds "and lists the events" as alice persist-reader list
fails "one who is not in the group does not" "mce_record: permission denied: only the owner and the group persist-bpf may pass /sys/fs/bpf; as root, usermod" \
	as bob persist-reader attach mce_record
fails "and the group changes nothing" . as alice persist-loader stop

# ---- forwarded to the journal ---------------------------------------------------------------------

is "$(systemctl is-enabled persist-bpf-journal)" disabled "nothing is forwarded unasked"
succeeds "systemctl enable --now persist-bpf-journal" systemctl enable --now persist-bpf-journal
forwarded() { # NUMBER of machine checks in the journal
	[ "$(journalctl -t persist-bpf -o cat -q | grep -c '"event":"mce_record"')" = "$1" ]
}
succeeds "machine checks come to the journal" within 20 forwarded 3
pid=$(property persist-bpf-journal MainPID)
is "$(tr '\0' ' ' < /proc/$pid/cmdline | cut -d ' ' -f 1,2)" "/usr/bin/persist-reader attach" \
	"by a reader"
is "$(sed -n 's/^CapBnd:\s*//p' /proc/$pid/status)" 0000000000000000 "that has no capability"
isnt_root() {
	[ "$(stat -c %u /proc/$pid)" != 0 ]
}
succeeds "and is not root" isnt_root
kill -KILL "$pid"
inject_many 0 2 4
restarted() {
	! [ "$(property persist-bpf-journal MainPID)" = "$pid" ] &&
		! [ "$(property persist-bpf-journal MainPID)" = 0 ]
}
succeeds "killed, it is started again" within 20 restarted
succeeds "and goes on from its cursor" within 20 forwarded 5

# ---- the gap -------------------------------------------------------------------------------------

# The kernel's own boot tracing (trace_event= on its command line) has what came before, and goes on:
# what was recorded from the attachment on is the same.
trace=/sys/kernel/tracing/trace
echo 0 > /sys/kernel/tracing/events/sched/sched_process_exec/enable
first=$(attached sched_process_exec)
sed -n 's/.* \[0*\([0-9]\+\)\] [^:]* \([0-9.]*\): sched_process_exec: \(filename=.*\)/\2 \1 \3/p' $trace \
	> /results/boot-trace
# Events of two CPUs can change places, since an emulated one may stand still between the tracing and
# our program: those of each CPU by themselves cannot. Standard input: "CPU TEXT"
of_each_cpu() {
	sort -s -n -k 1,1
}
recorded() { # FILE of the reader's text
	sed -n 's/.* \[0*\([0-9]\+\)\] .*sched_process_exec: /\1 /p' "$1"
}
# Of each CPU as many as there are in the other file, which is sorted
as_many_as() { # FILE
	awk 'NR == FNR { nr[$1]++; next } nr[$1]-- > 0' "$1" -
}
succeeds "the kernel's boot trace has programs from before the attachment" \
	awk -v first="$first" '$1 < first { found = 1 } END { exit !found }' /results/boot-trace
awk -v first="$first" '$1 > first + 0.001 { sub(/^[^ ]* /, ""); print }' /results/boot-trace |
	of_each_cpu > /tmp/traced
persist-reader attach sched_process_exec > /results/without-import
recorded /results/without-import | of_each_cpu | as_many_as /tmp/traced > /tmp/recorded
succeeds "and from then on the same as our records" sh -c \
	"cmp /tmp/recorded /tmp/traced || { paste -d '|' /tmp/recorded /tmp/traced | head -n 25; false; }"
is "$(cat /sys/kernel/tracing/events/ras/enable)" 1 "a pattern on the kernel's command line is taken"

# What came before is brought in by the service itself, in its sandbox, as the drop-in of
# docs/at-boot.md says: then the buffers have all that the trace has.
mkdir -p /etc/systemd/system/persist-bpf.service.d
cat > /etc/systemd/system/persist-bpf.service.d/boot-trace.conf <<-EOF
	[Service]
	ExecStart=
	ExecStart=/usr/bin/persist-loader start --group persist-bpf --import-boot-trace=.
	ExecReload=
	ExecReload=/usr/bin/persist-loader start --group persist-bpf --import-boot-trace=.
	ReadWritePaths=/sys/kernel/tracing
EOF
succeeds "daemon-reload" systemctl daemon-reload
echo 1 > /sys/kernel/tracing/events/sched/sched_process_exec/enable
succeeds "reload with --import-boot-trace" systemctl reload persist-bpf
journalctl -u persist-bpf -o cat -q > /results/import-log
succeeds "it says how many were imported" grep -E \
	"event sched_process_exec: [1-9][0-9]* earlier events imported from the top-level tracing buffer" \
	/results/import-log
is "$(cat /sys/kernel/tracing/events/sched/sched_process_exec/enable)" 0 \
	"and has switched their tracing off"
persist-loader status sched_process_exec > /results/import-status
succeeds "status shows it" grep "imported  .* from the top-level tracing buffer" /results/import-status
sed 's/^[^ ]* //' /results/boot-trace | of_each_cpu > /tmp/traced
persist-reader attach sched_process_exec > /results/with-import
recorded /results/with-import | of_each_cpu | as_many_as /tmp/traced > /tmp/recorded
succeeds "all that the boot trace has, from its first event on, each once" cmp /tmp/traced /tmp/recorded
persist-reader attach sched_process_exec --json > /tmp/json
imported=$(grep -c '"imported":true' /tmp/json)
is "$(head -n "$imported" /tmp/json | grep -c '"imported":true')" "$imported" \
	"those from before the attachment come first, and are marked"
is "$(sed -n "$((imported + 1))s/.*\"cpu\":\([0-9]*\),\"seq\":\([0-9]*\),.*/\2/p" /tmp/json)" 1 \
	"then the first that was recorded"
succeeds "in the order of time" sh -c \
	"sed 's/.*\"time_ns\":\([0-9]*\),.*/\1/' /tmp/json | sort -nc"
is "$(persist-reader attach sched_process_exec --mark-imported | grep -c ' (imported)$')" "$imported" \
	"in text, where that is asked for"
rm -r /etc/systemd/system/persist-bpf.service.d
systemctl daemon-reload

instance=/sys/kernel/tracing/instances/boot
echo 0 > $instance/events/mce/mce_record/enable
sed -n 's/.*mce_record: //p' $instance/trace > /tmp/traced
persist-reader attach mce_record | sed -n 's/.* mce:mce_record: //p' > /tmp/recorded
is "$(wc -l < /tmp/traced)" 5 "an instance of its own has the machine checks"
succeeds "the same as our records" cmp /tmp/traced /tmp/recorded

# ---- the unit ------------------------------------------------------------------------------------

succeeds "systemd-analyze verify" systemd-analyze verify --man=no persist-bpf.service
is "$(cat /tmp/output)" "" "has nothing to say"
succeeds "systemd-analyze security: exposure of at most 1.7" \
	systemd-analyze security --threshold=17 --no-pager persist-bpf.service
exec_attached=$(attached sched_process_exec)
echo sched:sched_process_exit >> $configuration
succeeds "systemctl reload" systemctl reload persist-bpf
succeeds "takes up what was added to the configuration" test -d $root/sched_process_exit
is "$(attached sched_process_exec)" "$exec_attached" \
	"and leaves alone what was there"

# ---- upgrade -------------------------------------------------------------------------------------

time=$(attached mce_record)
cp $configuration /tmp/configuration
inject_many 0 2 6
succeeds "upgrade" dpkg -i /tests/later.deb
inject_many 0 2 8
is "$(dpkg-query -W -f '${Version}' persist-bpf | grep -o '+later')" +later "a later version is there"
is "$(systemctl is-active persist-bpf)" active "the service is active"
is "$(attached mce_record)" "$time" "the events are the same, not new ones"
succeeds "none is lost" within 10 \
	sh -c "as_text=\$(persist-reader attach mce_record); echo \"\$as_text\" | grep -c mce_record: | grep -qx 9"
is "$(persist-reader attach sched_process_exec | grep -c ^LOST)" 0 "nor one of dpkg's programs"
succeeds "the administrator's configuration is kept" cmp $configuration /tmp/configuration
succeeds "what is forwarded too" within 20 forwarded 9
succeeds "systemctl restart" systemctl restart persist-bpf
succeeds "makes them anew" before "$time" "$(attached mce_record)"

# ---- remove and purge ----------------------------------------------------------------------------

succeeds "remove" dpkg --remove persist-bpf
is "$(find /sys/fs/bpf -mindepth 1 ! -name '*.debug')" "" "leaves no pin"
links() {
	bpftool link show | grep -cE 'perf_event|tracing|raw_tracepoint|iter'
}
no_links() {
	[ "$(links)" = 0 ]
}
within 20 no_links
is "$(links)" 0 "and no program attached"
succeeds "but the configuration" cmp $configuration /tmp/configuration
succeeds "purge" dpkg --purge persist-bpf
(cd / && find . -xdev | LC_ALL=C sort) > /tmp/files
is "$(comm -13 /tests/files-before /tmp/files | grep persist)" "" "leaves no file of ours"
is "$(getent group persist-bpf)" "" "and no group"
# But copies of the group files, and our early.service.
is "$(grep -rl persist-bpf /etc /var/lib/dpkg/status /var/lib/systemd |
	grep -vE '/(group-|gshadow-|early.service)$')" "" "and nothing that names us"
is "$(systemctl show -P LoadState persist-bpf)" not-found "and no unit"
