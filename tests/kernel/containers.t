#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The claims of docs/containers.md, in containers that podman and runc make: reader and loader with
# what packaging/containers/ says and nothing else. No network, and no image but our own.

TIME_LIMIT=240
. "${0%/*}/lib.sh"

for program in podman runc strace jq busybox; do
	command -v $program > /dev/null || skip_all "needs $program: packaging/install-deps check"
done
python3 -c 'import yaml' 2> /dev/null || skip_all "needs python3-yaml: packaging/install-deps check"

SHIPPED=packaging/containers
DEFAULT_PROFILE=/usr/share/containers/seccomp.json
EVENT=$ROOT/$NUMBERED

# ---- a runtime of our own ------------------------------------------------------------------------

# Locks and states that podman and runc keep outside of the directories they are told.
mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
# /sys/fs/bpf of this test is in no other mount namespace: the runtime has to be in this one.
export CONTAINERS_CONF=$TMP/containers.conf CONTAINERS_STORAGE_CONF=$TMP/storage.conf
# The defaults are above what a process without CAP_SYS_RESOURCE may ask for.
cat > "$CONTAINERS_CONF" <<- 'END'
	[containers]
	default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
	[engine]
	events_logger = "none"
END
cat > "$CONTAINERS_STORAGE_CONF" <<- END
	[storage]
	driver = "vfs"
	graphroot = "$TMP/storage"
	runroot = "$TMP/run"
END
CGROUP=/persist-test-$$
# Pods get a group whose name cannot be chosen.
had_libpod_groups=$(find /sys/fs/cgroup -maxdepth 2 -name libpod_parent | head -n 1)
podman=(podman --runtime runc --cgroup-manager cgroupfs --tmpdir "$TMP/tmp")
podman() {
	command "${podman[@]}" "$@"
}

end_containers() {
	podman pod rm --all --force --time 0 > "$TMP/removed" 2>&1
	podman rm --all --force --time 0 >> "$TMP/removed" 2>&1
	find /sys/fs/cgroup -depth -type d -path "*$CGROUP*" -exec rmdir {} + 2> /dev/null
	[ -n "$had_libpod_groups" ] ||
		find /sys/fs/cgroup -depth -type d -path "*/libpod_parent*" -exec rmdir {} + 2> /dev/null
}
trap 'end_containers; clean_up' EXIT

rootfs=$TMP/rootfs
mkdir -p "$rootfs"/{bin,dev,etc,pins,bpf,proc,run,state,sys,tmp,usr/bin,var/tmp,sys/kernel/tracing}
cp "$(command -v busybox)" build/static/reader build/static/loader "$rootfs/bin/"
for applet in sh cat id touch mkdir rm chmod; do
	ln -s busybox "$rootfs/bin/$applet"
done
# With shared libraries, at the paths they have here.
copy_dynamic() { # PROGRAM TO
	cp "$1" "$rootfs$2"
	ldd "$1" | grep -oE '/[^ ]+' | while read -r library; do
		install -D "$library" "$rootfs$library"
	done
}
copy_dynamic "$READER" /usr/bin/reader
copy_dynamic "$HELPERS/map_attacker" /usr/bin/map_attacker
mkdir "$TMP/state"
chown 65534:65534 "$TMP/state"

# What every container here has: no network, nothing writable, no capability.
without_rights=(--rm --network none --read-only --cap-drop all)
options=("${without_rights[@]}" --cgroup-parent "$CGROUP")
with_pins=(--user 65534:65534 --volume "$ROOT:/pins:ro")
as_agent=("${options[@]}" "${with_pins[@]}")
reader_profile=(--security-opt "seccomp=$SHIPPED/seccomp-reader.json")

# agent [OPTION...] -- COMMAND...: in a container with the pins, as nobody
agent() {
	local more=()

	while [ "$1" != -- ]; do
		more+=("$1")
		shift
	done
	podman run "${as_agent[@]}" "${more[@]}" --rootfs "$rootfs" "${@:2}"
}

numbers() { # [OPTION...] -- COMMAND...
	agent "$@" 2> "$TMP/err" | numbers_of | ranges
}

diag "$(podman --version), $(runc --version | head -n 1)"
run_ok "start --mode 0666" "$LOADER" start --mode 0666 \
	-e $NUMBERED_EVENT/keep=both,head=64K,tail=16K,wakeup=1/
produce 0 100 > /dev/null

# ---- without the profile -------------------------------------------------------------------------

run agent -- /bin/id
like "$out" "^uid=65534.* gid=65534" "the container runs as nobody"
run agent -- /bin/cat /proc/self/status
is "$(grep -E '^Cap' <<< "$out" | grep -vE '\s0+$')" "" "without any capability"
like "$out" "^Seccomp:\s+2" "with the runtime's default seccomp profile"

run agent -- /bin/reader attach /pins/$NUMBERED
is "$status" 1 "there the reader fails"
like "$err" "/pins/$NUMBERED/meta: .*bpf\(2\).*not allowed.*use a seccomp profile that allows bpf\(2\)" \
	"names the pin, the cause and the remedy (KNOWN-PAIN 9)"
run agent -- /bin/cat /pins/$NUMBERED/status
like "$out" "^ +all +100 +100 " "cat shows live counters there"
is "$(agent -- /bin/cat /pins/events/$NUMBERED)" \
	"persistent,config=$(cat $TRACING/events/syscalls/$NUMBERED/id)" "and what the event is"

# ---- with the profile ----------------------------------------------------------------------------

attach=(attach /pins/$NUMBERED --json)
is "$(numbers "${reader_profile[@]}" -- /bin/reader "${attach[@]}")" 1-100 \
	"with the profile the reader shows history"
is "$(numbers "${reader_profile[@]}" --security-opt no-new-privileges -- /bin/reader "${attach[@]}")" \
	1-100 "with no_new_privs too, where the filter is loaded at another point"
is "$(numbers "${reader_profile[@]}" -- /usr/bin/reader "${attach[@]}")" 1-100 \
	"so does one with shared libraries"
run agent "${reader_profile[@]}" -- /bin/reader list --root /pins
like "$out" "^$NUMBERED .* 100 +100 +0 " "and list"
run agent "${reader_profile[@]}" -- /bin/reader metrics --root /pins
like "$out" "^persist_up 1" "and metrics"

start_background "${podman[@]}" run "${as_agent[@]}" "${reader_profile[@]}" \
	--name follower --volume "$TMP/state:/state" --rootfs "$rootfs" \
	/bin/reader "${attach[@]}" --follow --cursor-file /state/cursor > "$TMP/followed"
follower=$background_pid
ok "a follower shows history" wait_until 20 has_lines "$TMP/followed" 100
produce 0 50 101 > /dev/null
ok "and what comes" wait_until 20 has_lines "$TMP/followed" 150
podman kill --signal TERM follower > /dev/null
wait "$follower"
is "$?" 0 "told to end, it ends with success"
is "$(numbers_of < "$TMP/followed" | ranges)" 1-150 "every event was there once"
produce 0 10 151 > /dev/null
is "$(numbers "${reader_profile[@]}" --volume "$TMP/state:/state" -- \
	/bin/reader "${attach[@]}" --cursor-file /state/cursor)" 151-160 \
	"the next container goes on from the cursor file"

# crun makes other calls behind the filter. It refuses hybrid control groups: it gets a view of the
# unified ones alone, and is told to make none.
with_crun() { # OPTION...
	unshare --mount --propagation private sh -c \
		'umount -R /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup && exec "$@"' sh \
		"${podman[@]}" --runtime crun run --cgroups disabled "${without_rights[@]}" \
		"${with_pins[@]}" "$@" --rootfs "$rootfs" /bin/reader "${attach[@]}" | numbers_of | ranges
}
if command -v crun > /dev/null; then
	is "$(with_crun "${reader_profile[@]}")" 1-160 "crun runs it too"
	is "$(with_crun "${reader_profile[@]}" --security-opt no-new-privileges)" 1-160 \
		"and with no_new_privs"
else
	skip "needs crun: packaging/install-deps check"
	skip "needs crun: packaging/install-deps check"
fi

# ---- nothing can be written ----------------------------------------------------------------------

maps=(/pins/$NUMBERED/{head/cpu0,tail/cpu0,meta,counters,control,wakeup,link,program} /pins/registry)
check_attack() { # DESCRIPTION
	compare "$(wc -l <<< "$out")" -ge 20 "$1: the attacks were made"
	is "$(grep succeeded <<< "$out" | grep -vE ' (open-|mmap-read-only-)')" "" "$1: none changed anything"
}
run agent "${reader_profile[@]}" -- /usr/bin/map_attacker "${maps[@]}"
check_attack "with the profile"
like "$out" "head/cpu0 mmap-read-only-data succeeded" "with the profile: while reading is possible"
run agent --security-opt seccomp=unconfined -- /usr/bin/map_attacker "${maps[@]}"
check_attack "without any filter"
# Even if the mount is not read-only, the kernel's own modes and frozen maps are.
run podman run "${options[@]}" --user 65534:65534 --volume "$ROOT:/pins" \
	--security-opt seccomp=unconfined --rootfs "$rootfs" /usr/bin/map_attacker "${maps[@]}"
check_attack "without filter, on a writable mount"
before=$(tree_listing)
run podman run "${options[@]}" --user 65534:65534 --volume "$ROOT:/pins" --rootfs "$rootfs" \
	/bin/sh -c "touch /pins/new; mkdir /pins/new; rm -rf /pins; chmod 777 /pins/$NUMBERED"
is "$(tree_listing)" "$before" "on a writable mount nobody can remove or add a file"
# Root in a container, which is root outside too, is kept out by the read-only mount.
run podman run "${options[@]}" --user 0:0 --volume "$ROOT:/pins:ro" --rootfs "$rootfs" \
	/bin/sh -c "touch /pins/new; mkdir /pins/new; rm -rf /pins; chmod 777 /pins/$NUMBERED"
is "$(tree_listing)" "$before" "nor root on a read-only one"
is "$(numbers "${reader_profile[@]}" -- /bin/reader "${attach[@]}" --cpu 0 --last 160)" 1-160 \
	"all is still there"

# ---- group instead of mode -----------------------------------------------------------------------

run_ok "start --mode 0660 --group 4242" "$LOADER" start --mode 0660 --group 4242 \
	-e $NUMBERED_EVENT/keep=both,head=64K,tail=16K,wakeup=1/
run agent "${reader_profile[@]}" -- /bin/reader "${attach[@]}"
is "$status" 1 "who is not in the group does not read"
like "$err" "meta: permission denied: only the owner and the group 4242 may read it" "and is told why"
is "$(numbers "${reader_profile[@]}" --group-add 4242 -- /bin/reader "${attach[@]}")" 1-160 \
	"who has it as a supplementary group does"

# ---- the profile is what is needed ---------------------------------------------------------------

jq -r '.syscalls[] | .comment as $comment | .names[] | "\(.)\t\($comment)"' \
	$SHIPPED/seccomp-reader.json > "$TMP/profile"
"$LOADER" start --mode 0666 -e $NUMBERED_EVENT/keep=both,head=64K,tail=16K,wakeup=1/ \
	-e "$NUMBERED_EVENT/name=other/" -e ras:mc_event > /dev/null
traced() { # READER ARGUMENT...
	"${as_nobody[@]}" strace -f -qq -o "$TMP/state/calls.$((++traces))" "$@" > /dev/null 2>> "$TMP/err"
}
# A follower that is told to end.
end_traced() { # READER ARGUMENT...
	local calls=$TMP/state/calls.$((++traces))

	start_background "${as_nobody[@]}" strace -f -qq -o "$calls" "$@" > /dev/null 2>> "$TMP/err"
	wait_until 10 is_in_file '^[0-9]+ +(poll|ppoll)\(' "$calls"
	kill -TERM $(cat /proc/$background_pid/task/*/children)
	wait "$background_pid"
}
# What is asked once for the metrics, and then told to end.
serve_traced() { # READER
	local calls=$TMP/state/calls.$((++traces)) address

	start_background "${as_nobody[@]}" strace -f -qq -o "$calls" "$1" metrics --listen 127.0.0.1:0 \
		> "$TMP/serving" 2>&1
	wait_until 10 is_in_file 'serving http' "$TMP/serving"
	address=$(sed -n 's/.*serving //p' "$TMP/serving")
	curl -s "$address" > "$TMP/metrics"
	kill -TERM $(cat /proc/$background_pid/task/*/children)
	wait "$background_pid"
}

# On a terminal, where q ends it. What is typed before it is ready is thrown away.
quits() { # FILE-DESCRIPTOR FILE
	echo q >&"$1"
	is_in_file '^[0-9]+ +exit_group\(' "$2"
}
top_traced() { # READER
	local calls=$TMP/state/calls.$((++traces)) keys

	mkfifo "$TMP/keys.$traces"
	exec {keys}<> "$TMP/keys.$traces"
	# Not by start_background, whose command has no standard input.
	TERM=xterm script -qec "${as_nobody[*]} strace -f -qq -o $calls $1 top" /dev/null \
		<&"$keys" > /dev/null &
	background_pids+=("$!")
	wait_until 20 quits "$keys" "$calls" || diag "top does not end"
	exec {keys}>&-
}
traces=0
static_reader=$(public_copy build/static/reader)
mkdir "$TMP/dynamic"
cp "$READER" "$TMP/dynamic/reader"
for traced_reader in "$static_reader" "$TMP/dynamic/reader"; do
	traced "$traced_reader" attach $NUMBERED other
	traced "$traced_reader" attach $NUMBERED other --json --since 2020-01-01 --last 5 --cpu 0
	traced "$traced_reader" attach $NUMBERED --follow --timeout 0.2 --cursor-file "$TMP/state/traced"
	traced "$traced_reader" list
	traced "$traced_reader" list --json
	traced "$traced_reader" attach nothing
	traced "$traced_reader" summary
	traced "$traced_reader" decode --status 0xbe00000000000135
	traced "$traced_reader" export --to ctf --output "$TMP/state/ctf.$traces" $NUMBERED
	traced "$traced_reader" metrics
	traced "$traced_reader" metrics --output "$TMP/state/metrics"
	serve_traced "$traced_reader"
	top_traced "$traced_reader"
	end_traced "$traced_reader" attach $NUMBERED --follow
	end_traced "$traced_reader" record -e $NUMBERED -o "$TMP/state/perf.data.$traces"
	traced "$traced_reader" export --to rasdaemon "$TMP/state/ras.$traces" mc_event
done
sed -nE 's/^[0-9]+ +([a-z0-9_]+)\(.*/\1/p' "$TMP"/state/calls.* | sort -u > "$TMP/used"
is "$(cut -f 1 "$TMP/profile" | sort -u | comm -13 - "$TMP/used")" "" \
	"the profile has every system call that was seen"
if [ "$(uname -m)" = x86_64 ]; then
	is "$(grep -P '\treader: ' "$TMP/profile" | cut -f 1 | sort -u | comm -23 - "$TMP/used")" "" \
		"and for the reader no other, but those that say why"
else
	skip "which calls there are differs on this architecture"
fi
is "$(grep -hoE 'bpf\(BPF_[A-Z_]+' "$TMP"/state/calls.* | sort -u | tr '\n' ' ')" \
	"bpf(BPF_MAP_LOOKUP_BATCH bpf(BPF_MAP_LOOKUP_ELEM bpf(BPF_OBJ_GET bpf(BPF_OBJ_GET_INFO_BY_FD " \
	"four commands of bpf(2) are used"
is "$(jq -c '[.syscalls[] | select(.names == ["bpf"]) | .args[] | [.index, .value, .op]]' \
	$SHIPPED/seccomp-reader.json)" \
	'[[0,1,"SCMP_CMP_EQ"],[0,7,"SCMP_CMP_EQ"],[0,15,"SCMP_CMP_EQ"],[0,24,"SCMP_CMP_EQ"]]' \
	"and four are allowed"
is "$(grep -hoE 'ioctl\([0-9]+, [^,)]+' "$TMP"/state/calls.* | sed 's/.*, //; s/.* or //' | sort -u | tr '\n' ' ')" \
	"FIONREAD TCGETS TCSETSW TIOCGWINSZ " "four of ioctl(2)"
is "$(jq -c '[.syscalls[] | select(.names == ["ioctl"]) | .args[] | [.index, .value, .op]]' \
	$SHIPPED/seccomp-reader.json)" \
	'[[1,21505,"SCMP_CMP_EQ"],[1,21507,"SCMP_CMP_EQ"],[1,21523,"SCMP_CMP_EQ"],[1,21531,"SCMP_CMP_EQ"]]' \
	"which are allowed"
run podman run "${options[@]}" --cap-add BPF --cap-add PERFMON "${reader_profile[@]}" \
	--volume "/sys/fs/bpf:/bpf" --volume "$TRACING:$TRACING:ro" --rootfs "$rootfs" \
	/bin/loader add --root /bpf/persistent $NUMBERED_EVENT/name=forbidden/
is "$status" 1 "nothing can be loaded with it, whatever the capabilities"
like "$err" "capabilities are there, so a filter refuses it.*seccomp" "and the loader says why"

# ---- an agent's own profile ----------------------------------------------------------------------

if [ -e $DEFAULT_PROFILE ]; then
	jq -f $SHIPPED/allow-bpf.jq $DEFAULT_PROFILE > "$TMP/agent.json"
	is "$(numbers --security-opt seccomp="$TMP/agent.json" -- \
		/bin/sh -c "id >&2; exec /bin/reader ${attach[*]}")" 1-160 \
		"the default profile with bpf(2) added is enough for a shell and the reader"
	run agent --security-opt seccomp="$TMP/agent.json" -- /usr/bin/map_attacker "${maps[@]}"
	check_attack "with the default profile and bpf(2)"
	jq --arg for loader -f $SHIPPED/allow-bpf.jq $DEFAULT_PROFILE > "$TMP/loader.json"
else
	skip "no default profile at $DEFAULT_PROFILE"
	echo '{ "defaultAction": "SCMP_ACT_ALLOW" }' > "$TMP/loader.json"
fi

# ---- the loader ----------------------------------------------------------------------------------

"$LOADER" stop > /dev/null
# The capabilities are those of the file for Kubernetes.
in_daemonset() { # PYTHON-EXPRESSION of the pod's specification "pod"
	python3 - "$1" <<- 'END'
		import sys, yaml
		pod = yaml.safe_load(open("packaging/containers/daemonset.yaml"))["spec"]["template"]["spec"]
		print(eval(sys.argv[1]))
	END
}
read -ra capabilities < <(in_daemonset \
	'" ".join(pod["initContainers"][0]["securityContext"]["capabilities"]["add"])')
compare ${#capabilities[@]} -ge 1 "the file for Kubernetes lists capabilities: ${capabilities[*]}"

# loader_with CAPABILITY... -- ARGUMENT...
loader_with() {
	local add=()

	while [ "$1" != -- ]; do
		add+=(--cap-add "$1")
		shift
	done
	podman run "${options[@]}" --user 0:0 "${add[@]}" --security-opt no-new-privileges \
		--security-opt seccomp="$TMP/loader.json" --volume /sys/fs/bpf:/bpf \
		--volume "$TRACING:$TRACING:ro" --rootfs "$rootfs" /bin/loader "${@:2}" --root /bpf/persistent
}
start=(start --group 4242 -e $NUMBERED_EVENT/wakeup=1/ -e sched:sched_process_exec/ring=array/
	-e ras:mc_event)

for missing in "${capabilities[@]}"; do
	others=()
	for capability in "${capabilities[@]}"; do
		[ "$capability" = "$missing" ] || others+=("$capability")
	done
	run loader_with "${others[@]}" -- "${start[@]}"
	is "$status" 1 "without CAP_$missing the loader fails"
	like "$err" "CAP_$missing" "and says so"
	"$LOADER" stop > /dev/null 2>&1
done
run_ok "with these alone it starts" loader_with "${capabilities[@]}" -- "${start[@]}"
is "$(processes_of "$rootfs/bin/loader")" "" "and has exited"
produce 0 20 > /dev/null
is "$(numbers "${reader_profile[@]}" --group-add 4242 -- /bin/reader "${attach[@]}")" 1-20 \
	"events are recorded with no process, and read from another container"
run_ok "add" loader_with "${capabilities[@]}" -- add $NUMBERED_EVENT/name=added/
run_ok "clear" loader_with "${capabilities[@]}" -- clear $NUMBERED
run_ok "remove" loader_with "${capabilities[@]}" -- remove added
run_ok "status" loader_with "${capabilities[@]}" -- status
run_ok "start once more" loader_with "${capabilities[@]}" -- "${start[@]}"
like "$out" "already recorded as $NUMBERED" "which finds what is there"
objects_of_tree | sort -u > "$TMP/objects"
run_ok "stop" loader_with "${capabilities[@]}" -- stop
is "$(find /sys/fs/bpf -mindepth 1 ! -name "*.debug")" "" "stop in a container leaves no pin"
check_objects_gone "$TMP/objects" "and no object in the kernel"

# ---- image and pod -------------------------------------------------------------------------------

run_ok "the image is built without network" podman build -q --network none -t persist-bpf \
	-f $SHIPPED/Containerfile build/static
run podman run "${options[@]}" persist-bpf --version
like "$out" "^persist-reader " "its entry is the reader"

# The pod of the DaemonSet, by podman's own implementation of Kubernetes' files. Its release takes
# the profile from the older annotation.
mkdir "$TMP/seccomp"
cp $SHIPPED/seccomp-reader.json "$TMP/seccomp/persist-bpf-reader.json"
cp "$TMP/loader.json" "$TMP/seccomp/persist-bpf-loader.json"
python3 - > "$TMP/pod.yaml" <<- 'END'
	import json, yaml
	pod = yaml.safe_load(open("packaging/containers/daemonset.yaml"))["spec"]["template"]
	pod.update(apiVersion="v1", kind="Pod")
	pod["spec"]["restartPolicy"] = "Never"
	pod["metadata"]["name"] = "persist"
	pod["metadata"]["annotations"] = {
	    "container.seccomp.security.alpha.kubernetes.io/" + container["name"]:
	        "localhost/" + container["securityContext"]["seccompProfile"]["localhostProfile"]
	    for container in pod["spec"]["initContainers"] + pod["spec"]["containers"]}
	print(json.dumps(pod))
END
play=(play kube --network none --seccomp-profile-root "$TMP/seccomp" "$TMP/pod.yaml")
if [ -x /usr/bin/catatonit ]; then
	TMPDIR=$TMP run_ok "the pod of the DaemonSet starts" podman "${play[@]}"
	is "$(podman inspect --format '{{.State.Status}}' persist-reader)" running "its reader follows"
	is "$(podman inspect --format '{{.EffectiveCaps}}' persist-reader)" "[]" "without any capability"
	like "$("$LOADER" list)" "^mc_event .*ras:mc_event" "what its loader made persistent"
	is "$(stat -c %g $ROOT/mc_event/meta)" 65534 "for the reader's group"
else
	skip "needs catatonit, podman's first process of a pod"
fi
end_containers
monitors() { # of containers of this test
	local process

	for process in $(processes_of "$(command -v conmon)"); do
		grep -qsF "$TMP/" "$process/cmdline" && echo "$process"
	done
}
no_monitors() {
	[ -z "$(monitors)" ]
}
wait_until 10 no_monitors
is "$(monitors)" "" "no process of a container is left"
is "$(find /sys/fs/cgroup -path "*$CGROUP*" 2> /dev/null)" "" "and no control group"

finish
