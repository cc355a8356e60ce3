#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What --help, the man page, the completion and the programs themselves say about commands and
# options is the same.
cd "$(dirname "$0")/../.." || exit 1
BUILD=${OUTPUT:-build}
. packaging/bash-completion/persist-bpf
number=0

# same EXPECTED ACTUAL DESCRIPTION: lists, in any order, with anything between the words
same() {
	local expected actual

	number=$((number + 1))
	expected=$(tr -s '[:space:]' '\n' <<< "$1" | grep . | sort -u)
	actual=$(tr -s '[:space:]' '\n' <<< "$2" | grep . | sort -u)
	if [ -n "$expected" ] && [ "$expected" = "$actual" ]; then
		echo "ok $number - $3"
	else
		echo "not ok $number - $3"
		diff <(echo "$expected") <(echo "$actual") | grep '^[<>]' |
			sed 's/^</# only in the first:/; s/^>/# only in the second:/'
	fi
}

long_options() {
	grep -oE -- '(^|[^-a-z])--[a-z][a-z-]+' | grep -oE -- '--[a-z-]+'
}

# Of the page's source: the options that it names anywhere, and those of them that it introduces, in
# the synopsis or as the begin of a list's entry. The others may be another program's.
named_options() {
	grep -oE '(Fl|,|\|) -[a-z][a-z-]+' | grep -oE -- '-[a-z][a-z-]+' | sed 's/^/-/' | sort -u
}

introduced_options() { # PAGE
	{
		sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "$1"
		grep '^\.It Fl' "$1"
	} | named_options
}

page_commands() { # PAGE
	sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "$1" | sed -nE 's/^\.Cm ([a-z-]+).*/\1/p'
}

# What is completed for the last of these words
complete_words() { # WORD...
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
	_persist "$1" "${@: -1}" "${@: -2:1}"
	printf '%s\n' "${COMPREPLY[@]}"
}

# getopt_long(3) takes the beginning of a longer option for that one.
is_abbreviation() { # OPTION, of the command with $options
	! grep -qx -- "$1" <<< "$options" && grep -qx -- "$1..*" <<< "$options"
}

# Those that a command takes, without abbreviations. The loader is kept from doing anything by a root that is in no BPF
# file system and an event that no kernel has.
taken_options() { # PROGRAM COMMAND OPTION...
	local option message
	local -A argument=([--event]=none:none [--config]=/dev/null [--group]=0 [--mode]=0600)

	for option in "${@:3}"; do
		case $1,$option in
		*,--help) echo "$option" ;;
		*/loader,*)
			message=$("$1" "$2" --root "$root" "$option" ${argument[$option]-} 2>&1 < /dev/null)
			grep -q ': unknown option' <<< "$message" || echo "$option"
			;;
		# For an option with an argument "--help" is one, perhaps the name of an output.
		*) is_abbreviation "$option" ||
			(cd "$root" && "$1" "$2" "$option" --help 2>&1 < /dev/null) |
			grep -q ': unknown option' || echo "$option" ;;
		esac
	done
}

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
for program in "$(realpath "$BUILD/loader")" "$(realpath "$BUILD/reader")"; do
	name=${program##*/}
	page=man/persist-$name.1
	commands=$(_persist_commands "$program")
	same "$commands" "$(page_commands $page)" "$name: commands of --help and man page"
	same "$commands" "$(complete_words "$program" "")" "$name: commands of --help and completion"

	all=$("$program" --help | long_options)
	for command in $commands; do
		all+=" $("$program" "$command" --help | long_options)"
	done
	# Those that are named but not introduced count if --help has them.
	same "$all" "$(introduced_options $page; named_options < $page | grep -xF -e "${all// /$'\n'}")" \
		"$name: options of --help and man page"
	for command in $commands; do
		options=$("$program" "$command" --help | long_options | sort -u)
		same "$options" "$(complete_words "$program" "$command" --)" \
			"$name $command: options of --help and completion"
		# shellcheck disable=SC2046 # words
		same "$options" "$(taken_options "$program" "$command" \
			$(tr -s '[:space:]' '\n' <<< "$all" | grep -vx -e --version | sort -u))" \
			"$name $command: options of --help and those it takes"
	done
done

# ---- completion of what is not an option ---------------------------------------------------------

mkdir "$root/events"
ln -s ../mce_record/event "$root/events/mce_record"
ln -s ../mc_event/event "$root/events/mc_event"
same "mce_record mc_event" "$(complete_words "$BUILD/reader" attach --root "$root" "")" \
	"events of the tree that --root names"
same "chrome ctf" "$(complete_words "$BUILD/reader" export --to c)" "formats of an export"
same mce_record "$(complete_words "$BUILD/loader" remove --root "$root" mce)" "by their beginning"
same "mce_record mc_event" "$(complete_words "$BUILD/reader" top --root "$root" -e "")" \
	"behind -e of a reader, too"
same "mce_record mc_event" "$(complete_words "$BUILD/reader" record --root "$root" -e "")" \
	"also of one that starts a command"
same "intel amd hygon" "$(complete_words "$BUILD/reader" decode --vendor "")" "vendors of processors"
same prometheus "$(complete_words "$BUILD/reader" metrics --format p)" "formats of metrics"
_persist_tracepoints() {
	printf '%s\n' ras:mc_event ras:arm_event sched:sched_switch
}
same "ras:mc_event ras:arm_event" "$(complete_words "$BUILD/loader" start -e ra)" "tracepoints behind -e"
same "mc_event arm_event" "$(complete_words "$BUILD/loader" add ras :)" \
	"behind the colon only what follows it"
same mc_event "$(complete_words "$BUILD/loader" start -e ras : mc)" "and by its beginning"

# ---- wrong usage: one style ----------------------------------------------------------------------

# As ok of tests/kernel/lib.sh
ok() { # DESCRIPTION COMMAND...
	number=$((number + 1))
	if "${@:2}"; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		sed 's/^/# /' "$root/out" "$root/err"
	fi
}

# Its output goes to files.
run() { # COMMAND...
	"$@" > "$root/out" 2> "$root/err" < /dev/null
	status=$?
}

says() { # STATUS STDOUT STDERR, extended regular expressions for the whole of each; "" is nothing
	[ $status = "$1" ] && is_whole "$2" "$root/out" && is_whole "$3" "$root/err"
}

is_whole() { # PATTERN FILE
	if [ -z "$1" ]; then
		[ ! -s "$2" ]
	else
		[ "$(wc -l < "$2")" = 1 ] && grep -qxE -- "$1" "$2"
	fi
}

# refuses MESSAGE ARGUMENT...: as wrong usage of $program, and does nothing
refuses() {
	local about=$name

	[ -n "$command" ] && about+=" $command"
	run "$program" $command "${@:2}"
	ok "$about ${*:2}: $1" says 2 "" \
		"$about: $1; $program${command:+ $command} --help lists the (options|commands)"
}

with_argument() { # of the help in file $root/help
	grep -oE -- '--[a-z][a-z-]* [A-Z]' "$root/help" | cut -d' ' -f1 | sort -u
}

number_options='--last --count --entries --top'
for program in "$(realpath "$BUILD/loader")" "$(realpath "$BUILD/reader")"; do
	name=${program##*/} command=
	refuses "unknown option '--frob'" --frob
	refuses "unknown option '-%'" -%
	refuses "no such command 'frob'" frob
	refuses "no such command ''" ""
	refuses "no such command 'frob'" help frob
	run "$program"
	ok "$name without a command shows its usage on stderr" test $status = 2 -a ! -s "$root/out"
	"$program" --help > "$root/overview"
	ok "the same as --help" cmp -s "$root/err" "$root/overview"
	run "$program" --version
	ok "$name --version" says 0 "persist-$name \\(persist-bpf\\) [0-9.]+, record format [0-9]+" ""
	run "$program" help
	ok "$name help" test $status = 0 -a ! -s "$root/err"
	for command in $(_persist_commands "$program"); do
		run "$program" "$command" --help
		ok "$name $command --help succeeds" test $status = 0 -a -s "$root/out" -a ! -s "$root/err"
		cp "$root/out" "$root/help"
		ok "it says how $command is used" grep -q "^usage: $program $command\\( \\|$\\)" "$root/help"
		run "$program" help "$command"
		ok "$name help $command is the same" cmp -s "$root/out" "$root/help"
		refuses "unknown option '--frob'" --frob
		refuses "unknown option '--frob'" --frob=1
		refuses "unknown option '-%'" -%
		refuses "option '--help' takes no argument, but has 'x'" --help=x
		for option in $(with_argument); do
			refuses "option '$option' wants an argument" "$option"
			[[ " $number_options " == *" $option "* ]] || continue
			for value in 0 -1 x 1x "" 99999999999999999999999; do
				refuses "$option wants a whole number from 1 to 18446744073709551615, not '$value'" \
					"$option" "$value"
			done
		done
		case $name,$command in
		loader,stop | loader,list | loader,probe | loader,start | reader,list | reader,metrics | reader,decode)
			refuses "unexpected argument 'frob'" frob ;;
		loader,add) refuses "SPEC is missing" ;;
		loader,run) refuses "-e SPEC is missing" ;;
		loader,status) refuses "unexpected argument 'b'" a b ;;
		loader,*) refuses "NAME is missing" ;;
		reader,attach) refuses "TARGET is missing" ;;
		reader,export) refuses "--to FORMAT is missing" ;;
		reader,record) refuses "-e EVENT is missing" ;;
		reader,perf) refuses "PERF is missing" ;;
		esac
	done
done
command=top refuses "option '--s' can be --since or --sort or --stdio" --s
command=attach refuses "option '--c' can be --cpu or --count or --cursor-file" --c=1

# ---- names ---------------------------------------------------------------------------------------

# Where what is typed is found, the names of messages are what works there.
install_as() { # DIRECTORY LOADER READER
	mkdir -p "$root/$1"
	[ -z "$2" ] || ln -s "$(realpath "$BUILD/loader")" "$root/$1/$2"
	ln -s "$(realpath "$BUILD/reader")" "$root/$1/$3"
}

# remedy_of DIRECTORY COMMAND...: what the last message tells to run
remedy_of() {
	(cd "$root/$1" && PATH=$root/bin:$PATH "${@:2}" 2>&1 > /dev/null | sed -n 's/.*run: //p')
}

install_as bin persist-loader persist-reader
install_as tree loader reader
install_as alone "" reader
install_as "my tree" loader reader
install_as renamed "" show-events
nothing="list --root $root/nothing"
# shellcheck disable=SC2086 # words
while IFS='|' read -r directory typed expected; do
	same "$expected start --root $root/nothing" "$(remedy_of "$directory" "$typed" $nothing)" \
		"called as $typed it names $expected"
done << END
.|persist-reader|persist-loader
tree|./reader|./loader
.|tree/reader|tree/loader
.|$root/bin/persist-reader|$root/bin/persist-loader
alone|./reader|persist-loader
renamed|./show-events|persist-loader
.|my tree/reader|'my tree/loader'
END
run "$root/my tree/reader" list x
ok "a name with a blank is quoted" says 2 "" \
	"reader list: unexpected argument 'x'; '$root/my tree/reader' list --help lists the options"
run bash -c "$(sed 's/.*; //; s/ lists the options$//' "$root/err")"
ok "and what is pasted works" test $status = 0 -a -s "$root/out"
run bash -c 'exec -a "" "$0" list x' "$root/tree/reader"
ok "without a name it has the installed one" says 2 "" \
	"persist-reader list: unexpected argument 'x'; persist-reader list --help lists the options"
echo "1..$number"
